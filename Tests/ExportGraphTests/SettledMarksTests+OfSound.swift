import FoundationEssentials
import MediaComposition
import MediaTime
import SystemPackage
import Tagging
import Testing

@testable import ExportGraph

/// Tags about the sound: whose they are, and where they go.
extension SettledMarksTests {
  /// Ten seconds with tags of a loop from 1 s to 3 s.
  private func looped(_ name: FilePath = "s.ogg") -> Asset {
    var asset = source { asset, _ in
      (asset.location, asset.container, asset.codec) = (.file(name), "ogg", "vorbis")
      asset.metadata["LoopStart"] = "48000"
      asset.metadata["LOOPLENGTH"] = "96000"
    }
    asset.marks = nil
    return asset
  }

  private var plain: Asset {
    var asset = looped("plain.wav")
    asset.metadata = Metadata()
    return asset
  }

  /// The sink of an output of whole sources, one behind the other, or all at once, without tags.
  private func sink(
    of assets: [Asset], atOnce isMix: Bool = false, to path: FilePath,
    _ format: Output.Format, edit: (inout Export) -> Void = { _ in }
  ) throws -> Sink {
    let segments = assets.enumerated().map { index, asset in
      Segment(
        .asset(asset), source: TimeRange(start: .zero, end: seconds(10)),
        at: isMix ? .zero : seconds(Int64(index) * 10))
    }
    let tracks = isMix ? segments.map { Track(segments: [$0]) } : [Track(segments: segments)]
    var export = Export(
      name: "x", composition: Composition(tracks: tracks), metadata: Metadata(),
      outputs: [Output(path: path, format: format)])
    edit(&export)
    return try #require(try Graph(compiling: export).sinks.first)
  }

  private var wav: Output.Format { .wav(.int24) }
  private var flac: Output.Format { .flac(bitDepth: 24) }

  @Test(
    "a time reference that the job gives or takes away stands in 'bext' and in iXML, with its points",
    arguments: [0..<10, 1..<6] as [Range<Int64>])
  func givenTimeReference(_ range: Range<Int64>) throws {
    var asset = tape
    var defects: [ChunkDefect] = []
    asset.marks?.iXML = IXML(
      Array(
        """
        <BWFXML><SPEED><TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>0</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>
        <TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>1000</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO></SPEED>
        <SYNC_POINT_LIST><SYNC_POINT><SYNC_POINT_TYPE>ABSOLUTE</SYNC_POINT_TYPE>
        <SYNC_POINT_LOW>97000</SYNC_POINT_LOW></SYNC_POINT></SYNC_POINT_LIST>
        <BEXT><BWF_TIME_REFERENCE_LOW>1000</BWF_TIME_REFERENCE_LOW>
        <BWF_TIME_REFERENCE_HIGH>0</BWF_TIME_REFERENCE_HIGH></BEXT></BWFXML>
        """.utf8), defects: &defects)
    let point = 96_000 - range.lowerBound * 48_000
    for (given, time) in [("77", 77), ("", 0)] as [(String, UInt64)] {
      let sink = try sink(of: asset, range) { _, export in
        export.metadata["time_reference"] = given.isEmpty ? nil : given
        if given.isEmpty { export.removedTags = ["time_reference"] }
      }
      let text = try #require(sink.marks.iXML)
      #expect(sink.marks.broadcast?.timeReference == time && text.timestamp == time)
      #expect(text.texts("BEXT/BWF_TIME_REFERENCE_LOW") == ["\(time)"])
      #expect(
        text.texts("SYNC_POINT_LIST/SYNC_POINT/SYNC_POINT_LOW") == ["\(Int64(time) + point)"])
      // A file without 'bext' has it in iXML all the same.
      var bare = asset
      bare.marks?.broadcast = nil
      bare.metadata = Metadata()
      let other = try self.sink(of: bare, range) { _, export in
        export.metadata["time_reference"] = given.isEmpty ? nil : given
        if given.isEmpty { export.removedTags = ["time_reference"] }
      }
      #expect(other.marks.iXML?.timestamp == time)
    }
  }

  @Test("absolute points of iXML move with a time reference of a copy, or are named")
  func movedSyncPoints() throws {
    func point(_ type: String, _ low: String) -> String {
      "<SYNC_POINT><SYNC_POINT_TYPE>\(type)</SYNC_POINT_TYPE>"
        + "<SYNC_POINT_LOW>\(low)</SYNC_POINT_LOW></SYNC_POINT>"
    }
    // The sound begins at 480000, behind the first point.
    let points = point("ABSOLUTE", "400000") + point("RELATIVE", "5") + point("RELATIVE", "?")
    for (points, given, positions, isNamed) in [
      (points, "500000", ["420000", "5", "?"], false), (points, "80000", ["0", "5", "?"], false),
      (points, "79999", ["5", "?"], true), (point("ABSOLUTE", "?"), "500000", [], true),
    ] as [(String, String, [String], Bool)] {
      var asset = tape
      var defects: [ChunkDefect] = []
      asset.marks?.iXML = IXML(
        Array(
          """
          <BWFXML><SPEED><TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>0</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>
          <TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>480000</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO></SPEED>
          <SYNC_POINT_LIST>\(points)</SYNC_POINT_LIST></BWFXML>
          """.utf8), defects: &defects)
      let sink = try sink(of: asset, 0..<10) { $1.metadata["time_reference"] = given }
      #expect(
        sink.marks.iXML?.texts("SYNC_POINT_LIST/SYNC_POINT/SYNC_POINT_LOW") == positions, "\(given)"
      )
      #expect(lost(sink).contains("sync points of iXML") == isNamed, "\(given)")
    }
  }

  @Test("a UMID and a time that 'bext' has are left out with it, unless each output has that")
  func tagsOfChunk() {
    var asset = tape
    #expect(asset.soundTags(withBroadcast: true) == [])
    #expect(asset.soundTags(withBroadcast: false) == ["time_reference", "umid"])
    asset.marks?.broadcast = nil
    #expect(asset.soundTags(withBroadcast: true) == ["time_reference", "umid"])
  }

  @Test("loops in tags of the first source stay in a sequence as those of samplers do")
  func loopsOfSequence() throws {
    for assets in [[looped(), plain], [looped()]] {
      let wave = try sink(of: assets, to: "o.wav", wav)
      #expect(wave.marks.sampler?.loops.map(\.first) == [48_000])
      #expect(wave.marks.sampler?.loops.map(\.last) == [143_999])
      let file = try sink(of: assets, to: "o.flac", flac)
      #expect(file.metadata["LoopStart"] == "48000" && file.metadata["LOOPLENGTH"] == "96000")
      #expect(lost(wave) == [] && lost(file) == [])
    }
    for assets in [[looped(), plain], [looped(), looped("b.ogg")]] {
      let mix = try sink(of: assets, atOnce: true, to: "o.flac", flac)
      #expect(mix.metadata.items.isEmpty && lost(mix) == ["LoopStart", "LOOPLENGTH"])
    }
    // What the job takes away does not come back.
    let none = try sink(of: [looped()], to: "o.wav", wav) { $0.removedTags = ["loopstart"] }
    #expect(none.marks.sampler == nil && lost(none) == [])
    // Nor where the output gives a loop itself.
    for (path, format): (FilePath, Output.Format) in [("o.wav", wav), ("o.flac", flac)] {
      let own = try sink(of: [looped()], to: path, format) {
        $0.removedTags = ["loopstart"]
        $0.outputs[0].metadata["LOOPSTART"] = "7"
      }
      #expect(own.marks.sampler == nil && own.metadata["LOOPSTART"] == "7", "\(path)")
      #expect(lost(own) == [], "\(path)")
    }
  }

  @Test(
    "what tags of another file say of its sound is left out by name, and what is of the work stays")
  func foreignTags() throws {
    let facts = [
      "LOOPSTART": "48000", "LOOPLENGTH": "96000", "time_reference": "480000", "liq_cue_in": "1",
      "REPLAYGAIN_TRACK_GAIN": "-3 dB", "REPLAYGAIN_TRACK_PEAK": "0.5", "CUESHEET": "x",
    ]
    for isOfOutput in [false, true] {
      for (path, format): (FilePath, Output.Format) in [("o.flac", flac), ("o.wav", wav)] {
        let sink = try sink(of: [plain], to: path, format) { export in
          var tags = Metadata()
          for key in facts.keys.sorted() { tags[key] = facts[key] }
          tags["title"] = "T"
          let keys = tags.items.map { $0.key.lowercased() }
          if isOfOutput {
            (export.outputs[0].metadata, export.outputs[0].inheritedTags) = (tags, keys)
          } else {
            (export.metadata, export.inheritedTags) = (tags, keys)
          }
        }
        #expect(sink.metadata.items.map(\.key) == ["title"], "\(path)")
        #expect(Set(lost(sink)) == Set(facts.keys), "\(path)")
        #expect(
          sink.staleTags.map(\.reason) == ["it is of a sound that the output does not have"])
        #expect(sink.marks.sampler == nil && sink.marks.broadcast == nil)
      }
    }
    // The loops of the file that sounds stay beside another file's.
    let own = try sink(of: [looped()], to: "o.flac", flac) { export in
      export.metadata["LOOPSTART"] = "7"
      export.inheritedTags = ["loopstart"]
    }
    #expect(own.metadata["LoopStart"] == "48000" && lost(own) == ["LOOPSTART"])
  }

  @Test("a format without any tags names loops and texts once, and says nothing of clicks")
  func bareFormats() throws {
    var asset = marked
    asset.marks?.broadcast = tape.marks?.broadcast
    let raw = try sink(of: asset, 1..<6, to: "o.ulaw", .raw(.muLaw), rate: 8000)
    for name in ["loops", "texts of bext", "time_reference"] {
      #expect(lost(raw).filter { $0 == name }.count == 1, "\(name): \(lost(raw))")
    }
    // Of a chunk without texts only the time goes.
    asset.marks?.broadcast?.description = ""
    asset.marks?.broadcast?.codingHistory = ""
    let bare = lost(try sink(of: asset, 1..<6, to: "o.ulaw", .raw(.muLaw), rate: 8000))
    #expect(bare.contains("time_reference") && !bare.contains("texts of bext"))
    var inexact = looped()
    inexact.metadata["LOOPLENGTH"] = "95999"
    let tagged = try sink(of: inexact, 1..<6, to: "o.ulaw", .raw(.muLaw), rate: 8000)
    #expect(lost(tagged) == ["LoopStart", "LOOPLENGTH"] && tagged.markNotes == [])
    let exact = try sink(of: inexact, 1..<6, to: "o.flac", flac, rate: 8000)
    #expect(exact.markNotes.count == 1 && exact.metadata["LOOPLENGTH"] == "16000")
    var given = plain
    given.marks = MediaMarks()
    given.marks?.givenLoops = [48_000..<96_000]
    #expect(
      try sink(of: given, 1..<6, to: "o.ulaw", .raw(.muLaw)).markNotes
        == ["'loop_points' left out, since its format has no place for it"])
  }

  @Test("a loop that tags end behind the sound is shortened with a note, and one of a sampler goes")
  func loopsBehindEnd() throws {
    var asset = looped()
    asset.metadata["LOOPLENGTH"] = "960000"
    for (path, format): (FilePath, Output.Format) in [("o.flac", flac), ("o.wav", wav)] {
      let sink = try sink(of: asset, 1..<10, to: path, format)
      #expect(
        sink.markNotes == [
          "its loop would end behind the end of the source, by the source's tags: it ends there"
        ], "\(path)")
    }
    // As they are written in the source.
    asset.codec = "flac"
    let same = try sink(of: asset, 0..<10, to: "o.flac", flac)
    #expect(same.metadata["LOOPLENGTH"] == "960000" && same.markNotes == [])
    var sampled = marked
    sampled.marks?.sampler?.loops.append(.init(first: 0, last: 480_000))
    #expect(lost(try sink(of: sampled, 1..<6)).contains("loops behind the end of the sound"))
    #expect(try sink(of: sampled, 0..<10).marks.sampler?.loops.count == 2)
  }

  @Test("of gains in both notations those of the source's format count, and the others are named")
  func twoGains() throws {
    let opus = Output.Format.opus(bitRate: 64_000)
    // R128 of −500 is a gain of 3.05 dB, and −9 dB are R128 of −3584.
    for (codec, path, format, key, value): (String, FilePath, Output.Format, String, String) in [
      ("opus", "o.flac", flac, "REPLAYGAIN_TRACK_GAIN", "3.05 dB"),
      ("opus", "o.opus", opus, "R128_TRACK_GAIN", "-500"),
      ("flac", "o.flac", flac, "REPLAYGAIN_TRACK_GAIN", "-9dB"),
      ("flac", "o.opus", opus, "R128_TRACK_GAIN", "-3584"),
    ] {
      var asset = plain
      asset.codec = codec
      asset.metadata["R128_TRACK_GAIN"] = "-500"
      asset.metadata["REPLAYGAIN_TRACK_GAIN"] = "-9dB"
      let sink = try sink(of: asset, 0..<10, to: path, format)
      #expect(sink.metadata.items.map { $0.key.uppercased() } == [key], "\(codec) \(path)")
      #expect(sink.metadata[key] == value, "\(codec) \(path)")
      #expect(
        lost(sink) == [codec == "opus" ? "REPLAYGAIN_TRACK_GAIN" : "R128_TRACK_GAIN"],
        "\(codec) \(path)")
      // The same gain twice is one.
      asset.metadata["REPLAYGAIN_TRACK_GAIN"] = "3.05 dB"
      #expect(lost(try self.sink(of: asset, 0..<10, to: path, format)) == [], "\(codec) \(path)")
    }
  }
}
