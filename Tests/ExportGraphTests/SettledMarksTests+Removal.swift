import FoundationEssentials
import MediaComposition
import MediaTime
import SystemPackage
import Tagging
import Testing

@testable import ExportGraph

/// Texts that a job takes away, and what is at the end of a sound or beside its loops.
extension SettledMarksTests {
  /// A source whose `bext` says all that it can.
  private var fullTape: Asset {
    var asset = tape
    asset.marks?.broadcast?.originator = "Recorder"
    asset.marks?.broadcast?.originatorReference = "REF"
    asset.marks?.broadcast?.originationDate = "2026-11-29"
    asset.marks?.broadcast?.originationTime = "07:30:00"
    var defects: [ChunkDefect] = []
    asset.marks?.iXML = IXML(
      Array(
        """
        <BWFXML><BEXT><BWF_DESCRIPTION>Interview</BWF_DESCRIPTION><BWF_UMID>07</BWF_UMID>
        <BWF_ORIGINATOR>Recorder</BWF_ORIGINATOR></BEXT><NOTE>x</NOTE></BWFXML>
        """.utf8), defects: &defects)
    return asset
  }

  @Test(
    "an empty text of the job empties the field of 'bext' that has the tag, in a copy and in a part",
    arguments: [0..<10, 1..<6] as [Range<Int64>], [0, 1, 2])
  func removedTexts(_ range: Range<Int64>, _ way: Int) throws {
    let keys = [
      "comment", "encoded_by", "originator_reference", "date", "time_reference", "umid",
      "coding_history",
    ]
    for key in keys {
      let sink = try sink(of: fullTape, range) { _, export in
        switch way {
        case 0: export.removedTags = [key]
        case 1: export.outputs[0].metadata[key] = ""
        default: export.metadata[key] = ""
        }
      }
      let own = try #require(sink.broadcast(by: "avjob 1"))
      #expect(own.description.isEmpty == (key == "comment"))
      #expect(own.originator.isEmpty == (key == "encoded_by"))
      #expect(own.originatorReference.isEmpty == (key == "originator_reference"))
      #expect(own.originationDate.isEmpty == (key == "date"))
      #expect(own.originationTime.isEmpty == (key == "date"))
      #expect((own.timeReference == 0) == (key == "time_reference"))
      #expect(own.umid.isEmpty == (key == "umid" || range.lowerBound > 0))
      #expect(own.codingHistory.isEmpty == (key == "coding_history"))
      let copies = try #require(sink.marks.iXML)
      #expect(copies.texts("BEXT/BWF_DESCRIPTION") == [key == "comment" ? "" : "Interview"])
      #expect(copies.texts("BEXT/BWF_ORIGINATOR") == [key == "encoded_by" ? "" : "Recorder"])
      #expect(copies.texts("BEXT/BWF_UMID").isEmpty == own.umid.isEmpty)
    }
  }

  @Test(
    "a tag that an output has for itself is not removed by the job, nor what another file lacks")
  func removedElsewhere() throws {
    let kept = try sink(of: fullTape, 0..<10) { _, export in
      export.removedTags = ["originator_reference"]
      export.outputs[0].metadata["originator_reference"] = "R2"
    }
    #expect(kept.marks.broadcast?.originatorReference == "R2")
    let other = try sink(of: fullTape, 0..<10) { _, export in
      export.outputs[0].metadata["comment"] = ""
      export.outputs[0].removedTags = []
    }
    #expect(other.marks.broadcast?.description == "Interview")
  }

  @Test(
    "a cue at the end of the sound stays with it, and is named where no format has a place for it")
  func endCues() throws {
    var asset = marked
    asset.marks?.cues.append(MediaMarks.Cue(frame: 480_000, label: "End", note: "silence"))
    asset.chapters.append(Chapter(start: seconds(10), title: "End", isInherited: true))
    let part = try sink(of: asset, 4..<10)
    #expect(
      part.marks.cues == [
        MediaMarks.Cue(frame: 48_000),
        MediaMarks.Cue(frame: 288_000, label: "End", note: "silence"),
      ])
    #expect(part.chapters.count == 1)
    #expect(try sink(of: asset, 0..<10).marks.cues == asset.marks?.cues)
    #expect(try sink(of: asset, 9..<10, rate: 44_100).marks.cues.map(\.frame) == [44_100])
    #expect(try sink(of: asset, 4..<9).marks.cues.map(\.frame) == [48_000])
    let flac = try sink(of: asset, 4..<10, to: "out.flac", .flac(bitDepth: 24))
    #expect(lost(flac).contains("cues at the end of the sound"))
    asset.marks?.cues.append(MediaMarks.Cue(frame: 480_001, label: "Behind"))
    #expect(lost(try sink(of: asset, 4..<10)).contains("cues behind the end of the sound"))
  }

  @Test("a loop keeps its fraction of a frame and the cue that names it where frames stay frames")
  func loopDetails() throws {
    var asset = marked
    asset.marks?.cueNumbers = [9, 4]
    asset.marks?.sampler?.loops = [
      .init(id: 4, first: 144_000, last: 191_999, fraction: 1 << 31),
      .init(id: 1, first: 144_000, last: 144_009),
    ]
    let moved = try sink(of: asset, 2..<8)
    #expect(moved.marks.cues.count == 1)
    #expect(
      moved.marks.sampler?.loops == [
        .init(id: 1, first: 48_000, last: 95_999, fraction: 1 << 31),
        .init(id: 3, first: 48_000, last: 48_009),
      ])
    #expect(!lost(moved).contains("fractions of frames of loops"))
    let slower = try sink(of: asset, 2..<8, rate: 44_100)
    #expect(slower.marks.sampler?.loops.map(\.fraction) == [0, 0])
    #expect(lost(slower).contains("fractions of frames of loops"))
    let without = try sink(of: asset, 2..<8, keepsChapters: false)
    #expect(without.marks.sampler?.loops.first?.id == 4)
    #expect(lost(without).contains("the cue that names a loop"))
    let flac = try sink(of: asset, 2..<8, to: "out.flac", .flac(bitDepth: 24))
    #expect(lost(flac).contains("fractions of frames of loops"))
    let text = try JSONEncoder().encode(try #require(asset.marks))
    #expect(try JSONDecoder().decode(MediaMarks.self, from: text) == asset.marks)
  }

  @Test("the date of a movie's header stays in headers through cuts, and elsewhere goes by name")
  func headerDate() throws {
    let key = "creation_time"
    let asset = source { asset, marks in
      marks = MediaMarks()
      asset.metadata[key] = "2024-05-06T07:08:09Z"
    }
    for (path, format): (FilePath, Output.Format) in [
      ("out.m4a", .m4a(bitRate: 96_000)), ("out.mp4", .m4a(bitRate: 96_000)),
      ("out.mkv", .opus(bitRate: 64_000)), ("out.webm", .opus(bitRate: 64_000)),
    ] {
      let sink = try self.sink(of: asset, 1..<6, to: path, format) { _, export in
        export.outputs[0].video = Output.Video.none
      }
      #expect(sink.metadata[key] == asset.metadata[key] && lost(sink) == [], "\(path)")
    }
    for (path, format): (FilePath, Output.Format) in [
      ("out.wav", .wav(.int24)), ("out.mp3", .mp3(.standard)), ("out.flac", .flac(bitDepth: 24)),
      ("out.opus", .opus(bitRate: 64_000)),
    ] {
      let sink = try self.sink(of: asset, 1..<6, to: path, format)
      #expect(sink.metadata[key] == nil && lost(sink) == [key], "\(path)")
      let own = try self.sink(of: asset, 1..<6, to: path, format) { _, export in
        export.metadata[key] = "2025"
      }
      #expect(own.metadata[key] == "2025" && lost(own) == [], "\(path)")
    }
  }

  @Test("a tag of a loop that is no number is named as that")
  func noLoop() throws {
    let asset = source { asset, marks in
      marks.chunks = []
      marks.cues = [MediaMarks.Cue(frame: 1)]
      asset.metadata["LOOPSTART"] = "1000.5"
    }
    let sink = try sink(of: asset, 1..<6)
    #expect(
      sink.staleTags.contains {
        $0.names == ["LOOPSTART"] && $0.reason == "it is no number of frames and no time"
      })
  }

  @Test("what cannot be copied is to be written with as many bits as the source has")
  func encodingHelp() {
    let depths: [(Int?, String)] = [
      (16, "16 bit"), (24, "24 bit"), (32, "32 bit float"), (nil, "32 bit float"),
    ]
    for (depth, setting) in depths {
      var asset = tape
      asset.bitDepth = depth
      #expect(Output.Kind.wav.encodingHelp(of: [asset]) == "'wav: \(setting)' writes it")
    }
    #expect(Output.Kind.flac.encodingHelp(of: [tape]) == "'flac: 24 bit' writes it")
    #expect(Output.Kind.mp3.encodingHelp(of: [tape]) == "'mp3: V2' encodes it")
  }
}
