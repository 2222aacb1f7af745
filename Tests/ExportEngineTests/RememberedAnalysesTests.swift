import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Transcripts

@testable import ExportEngine

@Suite("Remembered measurements")
struct RememberedAnalysesTests {
  private let folder = TestFolder()

  /// Findings by their digests, as a run keeps them.
  private final class Memory: Sendable {
    let findings = Mutex<[String: [UInt8]]>([:])

    var remembered: RememberedAnalyses {
      RememberedAnalyses { digest in
        self.findings.withLock { $0[digest] }
      } keep: { digest, finding in
        self.findings.withLock { $0[digest] = finding }
      }
    }

    var count: Int { findings.withLock { $0.count } }
  }

  private let memory = Memory()

  /// A library as of another run.
  private func library() -> MediaLibrary {
    MediaLibrary(
      recalling: nil, probing: nil, verifiesAssets: false, remembering: memory.remembered)
  }

  private func measured(
    _ graph: Graph, frames: Range<Int64>? = nil, dualMono: Bool = false
  ) throws -> LoudnessMeasurement {
    try SoundAnalyst(library: library(), budget: nil).loudness(
      of: graph.nodes.count - 1, in: graph, frames: frames, dualMono: dualMono)
  }

  private func voice(_ path: String = Fixture.path("voice-8k.wav")) throws -> Graph {
    Graph(of: try library().asset(at: FilePath(path)))
  }

  @Test("the words of a file are read once, however many there are")
  func words() throws {
    let asset = try library().asset(at: FilePath(Fixture.path("voice-8k.wav")))
    let cues = (0..<450).map { number in
      Transcripts.Cue(
        "cue \(number)",
        in: TimeRange(
          start: Time(value: number, timescale: 100), duration: Time(value: 1, timescale: 100)))
    }
    let words = EmbeddedTranscript(
      transcript: Transcript(cues, language: "en"), streamIndex: 2, note: "note")
    let reads = Mutex(0)
    for _ in 0..<2 {
      let library = MediaLibrary(
        recalling: nil, probing: nil,
        reading: { (_) throws(Failure) in
          reads.withLock { $0 += 1 }
          return words
        }, verifiesAssets: false, remembering: memory.remembered)
      #expect(try library.transcript(of: asset) == words)
    }
    #expect(reads.withLock { $0 } == 1)
    var other = asset
    other.identity.modificationTime += 1
    #expect(RememberedTranscript.recalled(of: other, by: library()) == nil)
  }

  @Test("reading words of a file ends where it is cancelled, and is not remembered")
  func cancelled() throws {
    let asset = try library().asset(at: FilePath(Fixture.path("voice-8k.wav")))
    let failing = MediaLibrary(
      recalling: nil, probing: nil,
      reading: { (_) throws(Failure) in throw Failure(.tryAgain, "cancelled") },
      verifiesAssets: false, remembering: memory.remembered)
    #expect(throws: Failure.self) { try failing.transcript(of: asset) }
    #expect(memory.count == 0)
  }

  @Test("a sound is measured once, the same whether it is recalled or not")
  func once() throws {
    let first = try measured(voice())
    let (digest, kept) = try #require(memory.findings.withLock { $0.first })
    #expect(digest.utf8.count == 64 && !kept.contains(0x0A))
    #expect(try measured(voice()) == first)
    #expect(memory.count == 1)
    // What is kept is told: nothing was decoded.
    let text = String(decoding: kept, as: UTF8.self)
    let place = try #require(text.firstRange(of: "\"truePeak\":"))
    let changed = text.replacing("\"truePeak\":-", with: "\"truePeak\":-7")
    #expect(changed != text && !place.isEmpty)
    memory.findings.withLock { $0[digest] = Array(changed.utf8) }
    #expect(try measured(voice()).truePeak != first.truePeak)
  }

  @Test("ranges, levels and other contents are other sounds; another way of counting is not")
  func keys() throws {
    let graph = try voice()
    _ = try measured(graph)
    _ = try measured(graph, dualMono: true)
    #expect(memory.count == 1)
    _ = try measured(graph, frames: 0..<100_000)
    #expect(memory.count == 2)
    var louder = graph
    louder.nodes[0].level.gain = 2
    _ = try measured(louder)
    #expect(memory.count == 3)
    // The same file under another name, then a copy of it.
    let path = folder.path("voice.wav")
    try Tool.succeed("ln", "-s", Fixture.path("voice-8k.wav"), path)
    _ = try measured(voice(path))
    #expect(memory.count == 3)
    try Tool.succeed("rm", path)
    try Tool.succeed("cp", Fixture.path("voice-8k.wav"), path)
    _ = try measured(voice(path))
    #expect(memory.count == 4)
  }

  @Test("what cannot be a measurement is not believed")
  func damage() throws {
    let first = try measured(voice())
    let (digest, kept) = try #require(memory.findings.withLock { $0.first })
    let text = String(decoding: kept, as: UTF8.self)
    for damaged in [
      "", "{}", String(text.dropLast()), text.replacing("\"range\":", with: "\"range\":-1"),
      text.replacing("\"sampleRate\":8000", with: "\"sampleRate\":0"),
    ] {
      #expect(damaged != text)
      memory.findings.withLock { $0[digest] = Array(damaged.utf8) }
      #expect(try measured(voice()) == first)
    }
  }
}
