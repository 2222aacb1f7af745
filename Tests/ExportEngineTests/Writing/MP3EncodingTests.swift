import Diagnosis
import Glibc
import LAME
import MPEGAudio
import MediaComposition
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("MP3Encoding")
struct MP3EncodingTests {
  let folder = TestFolder()

  /// Writes noise until something fails; 64 kbps at 8 kHz are a byte for each sample, and the first
  /// half a million of them comes out at once.
  private func writeNoise(_ count: Int64, calls: FileCalls, _ crew: Crew) throws {
    let file = try OutputFile.create(at: FilePath(folder.path("new/a.mp3")), calls: calls)
    let setup = try EncoderSetup(.init(.cbr(bitRate: 64_000)), sampleRate: 8000, channelCount: 1)
    let encoding = try MP3Encoding(
      file, ChunkEncoder(setup, crew: crew), tag: [UInt8](repeating: 0, count: 100))
    let writer = SoundWriter(
      file, SoundTally(expectedFrames: count, channelCount: 1), encoding, sampleRate: 8000)
    let noise = Signal.noise(seed: 1, count: 1 << 16)
    let block = AudioBuffer(channelCount: 1, capacity: noise.count)
    block.fill([noise], from: 0, count: noise.count)
    var rest = count
    while rest > 0 {
      block.frameCount = Int(min(rest, Int64(noise.count)))
      rest -= Int64(block.frameCount)
      try writer.write(block)
    }
    _ = try writer.finish()
    try writer.commit()
  }

  private func expectNothingLeft(_ budget: CPUBudget) throws {
    #expect(try entries(of: folder.root) == [])
    let idle = (0..<budget.total).compactMap { _ in budget.tryLease() }
    #expect(idle.count == budget.total)
  }

  @Test(
    "a disk that fills up under helpers at work ends them, frees their cores and keeps nothing",
    arguments: [0, 50, 1000, 400_000, 900_000] as [Int64])
  func fullDisk(limit: Int64) throws {
    let calls = FileCalls.disk(of: limit)
    let budget = CPUBudget(total: 3)
    let failure = #expect(throws: Failure.self) {
      try Crew.gather(from: budget, unless: CancellationFlag()) {
        try writeNoise(1 << 23, calls: calls, $0)
      }
    }
    #expect(
      failure?.message == "cannot write the file: No space left on device; "
        + "make room on that disk or write to another")
    #expect(failure?.remedy == .mendMachine)
    try expectNothingLeft(budget)
  }

  @Test("a place for the Info frame that cannot be written any more fails the file")
  func lateFailure() throws {
    var writes = 0
    let calls = FileCalls(write: { descriptor, bytes, offset in
      writes += offset == 100 ? 1 : 0
      guard writes < 2 else {
        errno = EIO
        return -1
      }
      return pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    })
    let budget = CPUBudget(total: 2)
    let failure = #expect(throws: Failure.self) {
      try Crew.gather(from: budget, unless: CancellationFlag()) {
        try writeNoise(10_000, calls: calls, $0)
      }
    }
    #expect(failure?.message == "cannot write the file: Input/output error; check the disk")
    #expect(writes == 2)
    try expectNothingLeft(budget)
  }

  @Test("a job that is stopped under helpers at work ends them, too")
  func cancelled() throws {
    let cancellation = CancellationFlag()
    let calls = FileCalls(write: { descriptor, bytes, offset in
      // In mid-stream, whatever the machine does.
      if offset > 100 { cancellation.cancel() }
      return pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    })
    let budget = CPUBudget(total: 3)
    let failure = #expect(throws: Failure.self) {
      try Crew.gather(from: budget, unless: cancellation) {
        try writeNoise(1 << 23, calls: calls, $0)
      }
    }
    #expect(failure?.code == .cancelled && failure?.remedy == .tryAgain)
    try expectNothingLeft(budget)
  }
}
