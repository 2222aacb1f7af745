import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Transcripts

@testable import ExportEngine

@Suite("The dependencies of an export's files")
struct FingerprintTests {
  private let library = MediaLibrary()
  private let asset: Asset

  init() throws {
    asset = try library.asset(at: FilePath(Fixture.path("voice-8k.wav")))
  }

  private func export(_ asset: Asset? = nil, from start: Int64 = 0) -> Export {
    let asset = asset ?? self.asset
    let second = Time(value: 1, timescale: 1)
    let segment = Segment(
      .asset(asset),
      source: TimeRange(start: Time(value: start, timescale: 1), duration: second), at: .zero)
    return Export(
      name: "a", composition: Composition(tracks: [Track(segments: [segment])]),
      outputs: [Output(path: "out/a.flac", format: .flac(bitDepth: 16))])
  }

  private func fingerprint(_ export: Export) throws -> Fingerprint {
    try ExportSession(export, library: library).fingerprint { $0.bytes }
  }

  /// The aspects in which an export differs from the plain one.
  private func changes(_ change: (inout Export) -> Void) throws -> [Fingerprint.Aspect] {
    let plain = try fingerprint(export())
    var changed = export()
    change(&changed)
    let other = try fingerprint(changed)
    return Fingerprint.Aspect.allCases.filter { plain.digests[$0] != other.digests[$0] }
  }

  @Test("the tools name the version of the C library")
  func libc() throws {
    let words = try Tool.succeed("getconf", "GNU_LIBC_VERSION").text.split { $0.isWhitespace }
    #expect(Engine.tools["libc"] == words.last.map(String.init))
  }

  @Test("a change shows in its aspect, and in no other")
  func aspects() throws {
    let half = TimeRange(start: .zero, duration: Time(value: 1, timescale: 2))
    let words = Transcript([Cue("Hello", in: half)])
    #expect(try changes { _ in } == [])
    #expect(try changes { $0 = export(from: 1) } == [.timeline])
    #expect(try changes { $0.mix.gain = Gain(decibels: -1) } == [.timeline, .settings])
    #expect(try changes { $0.metadata["title"] = "x" } == [.tags])
    #expect(try changes { $0.outputs[0].metadata["title"] = "x" } == [.tags])
    #expect(try changes { $0.chapters = [Chapter(start: .zero, title: "x")] } == [.chapters])
    #expect(try changes { $0.outputs[0].path = "out/b.flac" } == [.settings])
    #expect(try changes { $0.outputs[0].request = .exactly(.flac(bitDepth: 24)) } == [.settings])
    #expect(try changes { $0.transcript = words } == [])
    #expect(try changes { $0.outputs[0].transcript.sidecars = [.vtt] } == [.settings])
    #expect(
      try changes {
        $0.transcript = words
        $0.outputs[0].transcript.sidecars = [.vtt]
      } == [.settings, .transcript])
    #expect(try changes { $0.records = [ExportRecord(path: "r.json")] } == [.records])
  }

  @Test("names of jobs and places in a file do not count, except in a record")
  func names() throws {
    #expect(
      try changes {
        $0.name = "b"
        $0.origin = Origin(rawValue: 7)
        $0.outputs[0].origin = Origin(rawValue: 8)
      } == [])
    var recorded = export()
    recorded.records = [ExportRecord(path: "r.json")]
    let before = try fingerprint(recorded)
    recorded.name = "b"
    #expect(try fingerprint(recorded) != before)
  }

  @Test("a source counts by its facts and its identity, and not by its path")
  func sources() throws {
    var moved = asset
    moved.location = .file("elsewhere.wav")
    let (here, there) = (try fingerprint(export()), try fingerprint(export(moved)))
    #expect(here.digests == there.digests)
    #expect(here.sources.map(\.identity) == there.sources.map(\.identity))
    #expect(there.sources.map(\.location.file) == ["elsewhere.wav"])
    var longer = asset
    longer.frameCount += 1
    #expect(try fingerprint(export(longer)).digests != here.digests)
  }

  @Test("pictures are sources, and files beside an output belong to it")
  func files() throws {
    let folder = TestFolder()
    try writeFile(folder.path("c.png"), [1])
    let cover = FilePath(folder.path("c.png"))
    var made = export()
    made.metadata.cover = .file(cover)
    made.chapters = [Chapter(start: .zero, title: "x")]
    made.outputs[0].chapters.sidecars = [.podlove]
    made.outputs.append(Output(path: "out/a.wav", format: .wav(.int16)))
    made.records = [ExportRecord(path: "r.json")]
    let fingerprint = try fingerprint(made)
    #expect(fingerprint.sources.map(\.location) == [asset.location, .file(cover)])
    #expect(fingerprint.files == [["out/a.flac", "out/a.psc", "r.json"], ["out/a.wav"]])
    made.metadata.cover = .picture(.file("/nowhere.png"))
    #expect(throws: Failure.self) { try self.fingerprint(made) }
  }
}
