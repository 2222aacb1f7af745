import Diagnosis
import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

/// The slow twin renders on one thread.
@Suite("Rendering on many cores")
struct ParallelRenderingTests {
  private let stage = Stage()

  private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

  /// 47.3 s of several sources at several rates, some of them in pieces, in three outputs of two
  /// masters.
  private func export(_ music: Asset, to folder: String) throws -> Export {
    let voice = try stage.fixture("voice-8k.wav")
    let reading = try stage.fixture("librivox-sonnet.mp3")
    let whole = { (asset: Asset) in TimeRange(start: .zero, duration: asset.duration) }
    var bed = Track()
    while (bed.segments.last?.target.end ?? .zero) < seconds(47) {
      try bed.insertTimeRange(whole(music), of: music, at: .invalid)
    }
    var speech = Track()
    for start in [3, 17, 29] as [Int64] {
      let asset = start == 17 ? reading : voice
      try speech.insertTimeRange(
        TimeRange(start: seconds(1), duration: seconds(9)), of: asset, at: seconds(start))
    }
    let outputs = [("a.wav", 44_100), ("b.wav", 32_000), ("c.wav", 44_100)].map { name, rate in
      Output(
        path: FilePath(folder).appending(name),
        format: .wav(name == "b.wav" ? .float32 : .int16), sampleRate: rate)
    }
    return Export(
      name: "parallel", composition: Composition(tracks: [bed, speech]),
      timeRange: TimeRange(
        start: Time(value: 1, timescale: 7), duration: Time(value: 463, timescale: 10)),
      outputs: outputs)
  }

  /// What an export on some cores writes and warns of.
  private func results(
    _ music: Asset, cores: Int
  ) throws -> (bytes: [[UInt8]], warnings: [String], isHelped: Bool) {
    let folder = TestFolder()
    let session = ExportSession(
      try export(music, to: folder.path("")), library: stage.library)
    let budget = CPUBudget(total: cores)
    let own = try #require(budget.tryLease())
    defer { own.release() }
    var (latest, isHelped) = (Time.zero, false)
    let report = try session.run(budget: budget) { progress in
      let idle = (1..<cores).compactMap { _ in budget.tryLease() }
      isHelped = isHelped || idle.count < cores - 1
      #expect(progress.completed >= latest && progress.completed <= progress.total)
      latest = progress.completed
    }
    #expect(latest == session.export.duration)
    #expect((1..<cores).compactMap { _ in budget.tryLease() }.count == cores - 1)
    let bytes = try report.outputs.map { try readFile($0.path.string) }
    return (bytes, report.warnings.map(\.message), isHelped)
  }

  private func music(_ name: String) throws -> String {
    let path = stage.folder.path(name)
    try Tool.succeed(
      "ffmpeg", "-y", "-v", "error", "-stream_loop", "1", "-i", Fixture.path("feelings.ogg"), "-t",
      "19",
      "-b:a", "128k", path)
    return path
  }

  @Test(
    "what fails and what stops an export is the same on any number of cores, and nothing is left")
  func ends() throws {
    let path = try music("music.wav")
    let music = try stage.library.asset(at: FilePath(path))
    try Tool.succeed("truncate", "-s", "2000000", path)
    var failures: [Failure] = []
    for (cores, isCancelled) in [
      (1, false), (2, false), (8, false), (1, true), (2, true), (8, true),
    ] {
      let folder = TestFolder()
      let library = isCancelled ? MediaLibrary() : stage.library
      let source = isCancelled ? try library.asset(at: FilePath(self.music("whole.flac"))) : music
      let session = ExportSession(try export(source, to: folder.path("")), library: library)
      let budget = CPUBudget(total: cores)
      let own = try #require(budget.tryLease())
      defer { own.release() }
      let flag = CancellationFlag()
      do throws(Failure) {
        _ = try session.run(budget: budget, cancellation: flag) { progress in
          if isCancelled, progress.fractionCompleted > 0.4 { flag.cancel() }
        }
        Issue.record("an export went on, on \(cores) cores")
      } catch {
        #expect(isCancelled == (error.code == .cancelled))
        if !isCancelled { failures.append(error) }
      }
      #expect((1..<cores).compactMap { _ in budget.tryLease() }.count == cores - 1)
      #expect(folder.names == [])
    }
    #expect(failures.count == 3 && Set(failures.map(\.description)).count == 1)
  }

  @Test("outputs are the same on any number of cores, and so is what is said of damage")
  func twin() throws {
    var helped = 0
    for isDamaged in [false, true] {
      let path = try music(isDamaged ? "music.flac" : "music.mp3")
      if isDamaged {
        var bytes = try readFile(path)
        for place in [3, 5, 9] {
          for index in 0..<6000 { bytes[bytes.count * place / 10 + index] = 0 }
        }
        try writeFile(path, bytes)
      }
      let music = try stage.library.asset(at: FilePath(path))
      let one = try results(music, cores: 1)
      #expect(one.warnings.contains { $0.hasPrefix("is damaged in 3 places") } == isDamaged)
      for cores in [2, 3, 8] {
        let many = try results(music, cores: cores)
        #expect((one.bytes == many.bytes) as Bool, "\(cores) cores")
        #expect(one.warnings == many.warnings)
        helped += many.isHelped ? 1 : 0
      }
    }
    // On a busy machine a helper may come too late now and then.
    #expect(helped > 0)
  }
}
