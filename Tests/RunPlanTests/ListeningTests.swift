import Diagnosis
import ExportEngine
import JobFile
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import RunPlan

@Suite("Sounds that are listened to before they are made")
struct ListeningTests {
  private let folder = TestFolder()

  /// Every sound begins with a second of silence, and has a pause of five seconds, of which 0.4 s are to
  /// be left; the lengths of those that were listened to, in whole seconds.
  private func lengths(_ yaml: String) throws -> (prepared: Preparation, heard: [Int64]) {
    let heard = Mutex<[Int64]>([])
    let library = MediaLibrary(
      recalling: nil, probing: nil,
      listening: { search throws(Failure) in
        let length = search.composition.duration
        heard.withLock { $0.append(length.frames(atRate: 1)) }
        return SilenceFindings(
          [TimeRange(start: .zero, duration: Time(value: 1, timescale: 1))],
          pauses: search.shortening == nil ? [] : [Pause(500..<1000, removing: 520..<980)])
      }, verifiesAssets: false)
    try writeFile(folder.path("job.yaml"), yaml.utf8)
    var loaded = LoadedJobs()
    loaded.append(try JobFile.load(FilePath(folder.path("job.yaml")), into: SourceMap()))
    let prepared = Preparation(
      loaded, library: library, budget: CPUBudget(total: 2), room: { _ in nil })
    return (prepared, heard.withLock { $0 })
  }

  @Test("Each sound is listened to once, and what is made of trimmed items after these")
  func rounds() throws {
    let (prepared, heard) = try lengths(
      """
      jobs:
        a:
          concat: [{ silence: 10s, trim: -50 dB }, { silence: 20s, trim: -50 dB }]
          trim: -50 dB
          split: { silence: 1s, below: -50 dB }
          output: "a${part.n}.wav"
        b: { silence: 30s, trim: -50 dB, output: b.wav }
        c: { silence: 40s, output: c.wav }
      """)
    #expect(prepared.diagnostics.errors.isEmpty)
    // Of the first round in any order, then what these become, and then the timeline.
    #expect(heard.prefix(3).sorted() == [10, 20, 30] && heard.dropFirst(3) == [28, 27])
    #expect(
      prepared.work.map(\.export.duration) == [27, 29, 40].map { Time(value: $0, timescale: 1) })
    #expect(prepared.work.map(\.remarks.count) == [3, 1, 0])
  }

  @Test("Pauses are sought before silence at the ends, each once")
  func pauses() throws {
    let (prepared, heard) = try lengths(
      """
      silence: 50s
      pauses: { longer_than: 1s, to: 400ms, below: -45 dB }
      trim: -50 dB
      output: x.wav
      """)
    #expect(heard == [50, 45])
    #expect(prepared.work.map(\.export.duration) == [Time(value: 444, timescale: 10)])
    #expect(prepared.work.map(\.remarks.count) == [2])
  }

  @Test("A swatch of a thousand items is listened to item by item, once")
  func swatch() throws {
    let items = (1...1000).map { "  - { silence: \($0 + 1)s, trim: -50 dB }" }
    let (prepared, heard) = try lengths(
      "concat:\n" + items.joined(separator: "\n") + "\noutput: x.wav\n")
    #expect(heard.sorted() == Array(2...1001))
    #expect(prepared.work.map(\.export.duration) == [Time(value: 500_500, timescale: 1)])
  }

  @Test("A sound that cannot be read fails its own job")
  func failures() throws {
    try writeFile(folder.path("noise.wav"), Array("RIFF no sound".utf8))
    let (prepared, heard) = try lengths(
      """
      jobs:
        a: { clip: noise.wav, trim: -50 dB, output: a.wav }
        b: { silence: 3s, trim: -50 dB, output: b.wav }
      """)
    #expect(heard == [3] && prepared.work.map(\.job) == ["b"] && prepared.refusedJobs == 1)
  }
}
