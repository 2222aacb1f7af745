import Diagnosis
import LAME
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("SoundWriter") struct SoundWriterTests {
  private let folder = TestFolder()

  /// Puts nothing into its file; fails in one call.
  private final class FakeEncoding: SoundEncoding {
    struct Problem: Error {}

    var calls: [String] = []
    var failing: (call: String, error: any Error)?
    var firstNeeded: Int64 = 0

    private func note(_ call: String) throws {
      calls.append(call)
      if let failing, call == failing.call { throw failing.error }
    }

    func encode(_ block: AudioBuffer) throws { try note("encode \(block.frameCount)") }
    func skip(_ count: Int64) throws { try note("skip \(count)") }
    func end() throws { try note("end") }
    func finish() throws -> [CopiedPart]? {
      try note("finish")
      return nil
    }
    func cancel() { calls.append("cancel") }
  }

  private func writer(_ encoding: FakeEncoding) throws -> SoundWriter {
    let sidecar = try OutputFile.create(at: FilePath(folder.path("new/a.psc")))
    let file = try OutputFile.create(at: FilePath(folder.path("new/a")))
    return SoundWriter(
      file, SoundTally(expectedFrames: 6, channelCount: 1), encoding, sampleRate: 8000,
      origin: Origin(rawValue: 7), sidecars: [(.chapters(.podlove), sidecar)])
  }

  /// Three blocks of 2 frames.
  private func run(_ writer: SoundWriter) throws -> WrittenOutput {
    let block = AudioBuffer(channelCount: 1, capacity: 2)
    for _ in 0..<3 {
      block.fill([[0.5, 2]], from: 0, count: 2)
      try writer.write(block)
    }
    return try writer.finish()
  }

  @Test("an encoding gets the blocks with frames that it needs, and only these are measured")
  func needed() throws {
    let encoding = FakeEncoding()
    let writer = try writer(encoding)
    encoding.firstNeeded = 5
    try writer.write(AudioBuffer(channelCount: 1, capacity: 2))
    let written = try run(writer)
    try writer.commit()
    #expect(encoding.calls == ["skip 2", "skip 2", "encode 2", "end", "finish"])
    #expect(written.frameCount == 6 && written.clippedSamples == 1 && written.peak == 2)
    #expect(written.sidecars.map(\.path) == [FilePath(folder.path("new/a.psc"))])
    #expect(try entries(of: folder.path("new")) == ["a", "a.psc"])
  }

  @Test(
    "a call that fails leaves nothing, and its failure has the file and its place in the job",
    arguments: ["encode 2", "end", "finish"])
  func failing(call: String) throws {
    let cases: [(any Error, Failure.Remedy, String)] = [
      (LAMEError.cancelled, .tryAgain, Failure.cancelled.message),
      (Failure(.mendInput, "is damaged"), .mendInput, "is damaged"),
      (FakeEncoding.Problem(), .reportBug, "Problem()"),
    ]
    for (error, remedy, message) in cases {
      let encoding = FakeEncoding()
      encoding.failing = (call, error)
      let writer = try writer(encoding)
      let failure = #expect(throws: Failure.self) { _ = try run(writer) }
      #expect(failure?.remedy == remedy && failure?.message == message)
      #expect(failure?.path == FilePath(folder.path("new/a")))
      #expect(failure?.origin == Origin(rawValue: 7))
      #expect(encoding.calls.suffix(2) == [call, "cancel"])
      #expect(try entries(of: folder.root) == [])
    }
  }
}
