import Diagnosis
import ExportGraph
import MPEGAudio
import JSON
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Records of exports")
struct RecordTests {
  private static let voice = Fixture.path("voice-8k.wav")

  /// The voice, cut and made a FLAC and an MP3, with a record beside them, in a folder of its own.
  private func export(into folder: TestFolder, record: String = "out/voice.json") throws -> Export {
    try Tool.succeed("mkdir", "-p", folder.path("raw"))
    try Tool.succeed("cp", Self.voice, folder.path("raw/voice.wav"))
    let asset = try MediaLibrary().asset(at: FilePath(folder.path("raw/voice.wav")))
    var track = Track()
    try track.insertTimeRange(
      TimeRange(start: Time(value: 1, timescale: 1), duration: Time(value: 2, timescale: 1)),
      of: asset, at: .zero)
    var metadata = Metadata()
    metadata["title"] = "\"Voice\" <1>"
    let mp3 = MP3Settings(.vbr(quality: 2))
    return Export(
      name: "voice", composition: Composition(tracks: [track]), metadata: metadata,
      chapters: [Chapter(start: Time(value: 1, timescale: 2), title: "Half")],
      outputs: [
        Output(path: FilePath(folder.path("out/voice.flac")), format: .flac(bitDepth: 24)),
        Output(
          path: FilePath(folder.path("voice.mp3")), format: .mp3(mp3),
          chapters: ChapterPlaces(sidecars: [.podlove])),
      ],
      records: [ExportRecord(path: FilePath(folder.path(record)))])
  }

  private func run(_ export: Export, cores: Int = 1) throws -> ExportSession.Report {
    try ExportSession(export, library: MediaLibrary()).run(budget: CPUBudget(total: cores))
  }

  @Test("A record lists sources, work and outputs, with the digests of sha256sum")
  func content() throws {
    let folder = TestFolder()
    let report = try run(export(into: folder))
    let bytes = try readFile(folder.path("out/voice.json"))
    #expect(
      report.records
        == [
          WrittenRecord(path: FilePath(folder.path("out/voice.json")), size: Int64(bytes.count))
        ])
    try JSONSchema.validate(String(decoding: bytes, as: UTF8.self), as: "record")
    let peak = try #require(report.outputs.first?.peak)
    let text = String(decoding: bytes, as: UTF8.self)
    // Figures of the encoded files, which measuring's own tests compare with other meters.
    let levels = text.matches(of: /\n *"loudness": \{[^}]*\},/)
    #expect(levels.count == 2)
    #expect(
      try text.replacing(/\n *"loudness": \{[^}]*\},/, with: "")
        == expected(
          folder, decibels: JSONValue.number(Gain(factor: Double(peak)).decibels, decimals: 2).line)
    )
  }

  private func expected(_ folder: TestFolder, decibels: String) throws -> String {
    // tidy: long because it is a whole record.
    func sum(_ name: String) throws -> String {
      String(try Tool.succeed("sha256sum", folder.path(name)).text.prefix(64))
    }
    func size(_ name: String) throws -> Int { try readFile(folder.path(name)).count }
    let versions = Dictionary(uniqueKeysWithValues: Engine.versions.map { ($0.name, $0.version) })
    return """
      {
        "version": 2,
        "job": "voice",
        "versions": {
          "avjob": "0.1.0",
          "ffmpeg": "\(versions["ffmpeg"] ?? "")",
          "lame": "\(versions["lame"] ?? "")"
        },
        "sources": [
          {
            "path": "../raw/voice.wav",
            "bytes": \(try size("raw/voice.wav")),
            "sha256": "\(try sum("raw/voice.wav"))",
            "stream": 0,
            "container": "wav",
            "codec": "pcm_s16le",
            "sample_rate": 8000,
            "channels": "mono",
            "bit_depth": 16,
            "frames": 242214,
            "duration": 30.27675,
            "duration_exact": "30.27675s"
          }
        ],
        "outputs": [
          {
            "path": "voice.flac",
            "bytes": \(try size("out/voice.flac")),
            "sha256": "\(try sum("out/voice.flac"))",
            "codec": "flac",
            "format": "FLAC 24 bit",
            "dithered": false,
            "sample_rate": 8000,
            "channels": "mono",
            "frames": 16000,
            "duration": 2,
            "duration_exact": "2s",
            "peak_dbfs": \(decibels),
            "clipped_samples": 0,
            "metadata": {
              "title": "\\"Voice\\" <1>"
            },
            "chapters": [
              {
                "start": 0.5,
                "start_exact": "0.5s",
                "title": "Half"
              }
            ]
          },
          {
            "path": "../voice.mp3",
            "bytes": \(try size("voice.mp3")),
            "sha256": "\(try sum("voice.mp3"))",
            "codec": "mp3",
            "format": "MP3 V2",
            "id3": "2.4",
            "dithered": false,
            "sample_rate": 8000,
            "channels": "mono",
            "frames": 16000,
            "duration": 2,
            "duration_exact": "2s",
            "peak_dbfs": \(decibels),
            "clipped_samples": 0,
            "metadata": {
              "title": "\\"Voice\\" <1>"
            },
            "chapters": [
              {
                "start": 0.5,
                "start_exact": "0.5s",
                "title": "Half"
              }
            ],
            "chapter_files": [
              {
                "path": "../voice.psc",
                "format": "Podlove Simple Chapters",
                "bytes": \(try size("voice.psc")),
                "sha256": "\(try sum("voice.psc"))"
              }
            ]
          }
        ],
        "warnings": []
      }

      """
  }

  @Test("A record is the same in another folder, at another time and on more cores")
  func deterministic() throws {
    let (one, other) = (TestFolder(), TestFolder())
    _ = try run(export(into: one))
    _ = try run(export(into: other), cores: 4)
    #expect(try readFile(one.path("out/voice.json")) == readFile(other.path("out/voice.json")))
  }

  @Test("A record that cannot be written takes the outputs with it, and none appears alone")
  func together() throws {
    let folder = TestFolder()
    var export = try export(into: folder, record: "raw/voice.wav/voice.json")
    let failure = #expect(throws: Failure.self) { try run(export) }
    #expect(failure?.remedy == .mendJob)
    #expect(try entries(of: folder.root) == ["raw"])
    // The other way round: an output that cannot be written.
    export.records[0].path = FilePath(folder.path("record.json"))
    export.outputs[1].path = FilePath(folder.path("raw/voice.wav/voice.mp3"))
    #expect(throws: Failure.self) { try run(export) }
    #expect(try entries(of: folder.root) == ["raw"])
    // Without a record, the folder of two outputs goes with them.
    export.records = []
    var other = export.outputs[0]
    other.path = FilePath(folder.path("out/other.flac"))
    export.outputs.insert(other, at: 1)
    #expect(throws: Failure.self) { try run(export) }
    #expect(try entries(of: folder.root) == ["raw"])
  }

  @Test("A source that changes while the job runs is no source of a record")
  func changedSource() throws {
    let folder = TestFolder()
    let export = try export(into: folder)
    let session = ExportSession(export, library: MediaLibrary())
    let failure = #expect(throws: Failure.self) {
      try session.run { _ in
        _ = try? Tool.succeed("touch", "-d", "2001-01-01", folder.path("raw/voice.wav"))
      }
    }
    #expect(failure?.remedy == .tryAgain)
    #expect(try entries(of: folder.root) == ["raw"])
  }
}
