import Diagnosis
import FoundationEssentials
import MediaComposition
import MediaTime
import SystemPackage
import Tagging
import Testing

@testable import ExportGraph

@Suite("Marks of an output") struct SettledMarksTests {
  func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

  /// Ten seconds of 48 kHz in 24 bits.
  func source(_ change: (inout Asset, inout MediaMarks) -> Void) -> Asset {
    var asset = Asset(
      location: .file("tape.wav"), streamIndex: 0, container: "wav", codec: "pcm_s24le",
      sampleRate: 48_000, channelLayout: .stereo, bitDepth: 24, frameCount: 480_000,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    var marks = MediaMarks()
    marks.chunks = ["fmt ", "axml", "data"].map {
      MediaMarks.StoredChunk(name: $0, content: 100..<200)
    }
    change(&asset, &marks)
    asset.marks = marks
    return asset
  }

  /// The sink of an output that has a part of the source.
  func sink(
    of asset: Asset, _ range: Range<Int64>, to path: FilePath = "out.wav",
    _ format: Output.Format = .wav(.int24), rate: Int? = nil, isReversed: Bool = false,
    keepsChapters: Bool = true, marks: MarkRequest? = nil,
    edit: (inout Segment, inout Export) -> Void = { _, _ in }
  ) throws -> Sink {
    let part = TimeRange(start: seconds(range.lowerBound), end: seconds(range.upperBound))
    var segment = Segment(.asset(asset), source: part, at: .zero)
    segment.isReversed = isReversed
    if keepsChapters {
      segment.chapters = asset.chapters.filter { part.contains($0.start) }.map { chapter in
        var moved = chapter
        moved.start = chapter.start - part.start
        return moved
      }
    }
    var output = Output(path: path, format: format, sampleRate: rate)
    output.marks = marks
    var export = Export(
      name: "x", composition: Composition(), metadata: asset.metadata, outputs: [output])
    edit(&segment, &export)
    export.composition = Composition(tracks: [Track(segments: [segment])])
    return try #require(try Graph(compiling: export).sinks.first)
  }

  func lost(_ sink: Sink) -> [String] { sink.staleTags.flatMap(\.names) }

  var tape: Asset {
    source { asset, marks in
      var broadcast = BroadcastExtension()
      broadcast.description = "Interview"
      broadcast.timeReference = 172_800_000
      broadcast.umid = Array(repeating: 7, count: 32)
      broadcast.loudness = .init(integrated: -1800)
      broadcast.codingHistory = "A=ANALOGUE,M=stereo,T=Studer A80\r\n"
      marks.broadcast = broadcast
      asset.metadata["comment"] = "Interview"
      asset.metadata["time_reference"] = "172800000"
      asset.metadata["umid"] = "0x07"
    }
  }

  @Test("a part has the source's bext, its time moved, without what is not true of it any more")
  func broadcast() throws {
    let sink = try sink(of: tape, 1..<6)
    let broadcast = try #require(sink.broadcast(by: "avjob 1"))
    #expect(broadcast.description == "Interview" && broadcast.timeReference == 172_848_000)
    #expect(broadcast.umid.isEmpty && broadcast.loudness == nil)
    #expect(
      broadcast.codingHistory
        == "A=ANALOGUE,M=stereo,T=Studer A80\r\nA=PCM,F=48000,W=24,M=stereo,T=avjob 1;cut\r\n")
    // What the chunk says is in no other place.
    #expect(sink.metadata["comment"] == nil && sink.metadata["time_reference"] == nil)
    #expect(lost(sink).filter { $0 == "umid" }.count == 1 && lost(sink).contains("axml"))
    #expect(
      try self.sink(of: tape, 1..<6, rate: 44_100).marks.broadcast?.timeReference == 158_804_100)
    let back = try self.sink(of: tape, 0..<10, isReversed: true)
    #expect(
      back.marks.broadcast?.timeReference == 0
        && lost(back).filter { $0 == "time_reference" }.count == 1)
  }

  @Test("a whole of which each sample stays keeps all, and one in another format its tags")
  func whole() throws {
    let copy = try sink(of: tape, 0..<10)
    #expect(copy.marks.broadcast == tape.marks?.broadcast && copy.marks.step == nil)
    #expect(copy.marks.identical?.source.location == tape.location && lost(copy).isEmpty)
    let flac = try sink(of: tape, 0..<10, to: "out.flac", .flac(bitDepth: 24))
    #expect(flac.marks.broadcast == nil && flac.metadata["time_reference"] == "172800000")
    #expect(flac.marks.identical == nil && lost(flac) == ["axml"])
    var request = MarkRequest()
    request.keepsForeign = true
    let kept = try sink(
      of: tape, 0..<10, to: "out.flac", .flac(bitDepth: 24), marks: request)
    #expect(kept.marks.identical != nil && lost(kept).isEmpty)
    // 24 bits are not 16.
    #expect(try sink(of: tape, 0..<10, .wav(.int16)).marks.identical == nil)
  }

  @Test("a job's texts stand over the source's, and 'none' takes the chunk away")
  func requests() throws {
    var request = MarkRequest()
    request.broadcast = MarkRequest.Broadcast()
    request.broadcast?.originator = "Archive X"
    request.broadcast?.measuresLoudness = true
    let sink = try sink(of: tape, 1..<6, marks: request)
    #expect(sink.marks.broadcast?.originator == "Archive X" && sink.marks.measuresLoudness)
    #expect(sink.marks.broadcast?.description == "Interview")
    request.broadcast = nil
    request.removesBroadcast = true
    #expect(try self.sink(of: tape, 1..<6, marks: request).marks.broadcast == nil)
    let plain = source { _, marks in marks.chunks = [] }
    #expect(try self.sink(of: plain, 1..<6).marks.broadcast == nil)
    request.broadcast = MarkRequest.Broadcast()
    request.removesBroadcast = false
    #expect(try self.sink(of: plain, 1..<6, marks: request).marks.broadcast?.timeReference == 0)
  }

  @Test("a row of history says which levels and effects came between the source and the output")
  func codingSteps() throws {
    let sink = try sink(of: tape, 1..<6, .wav(.int16)) { segment, _ in
      segment.effects = [.highpass(frequency: 80), .compressor(Effect.Compressor())]
      segment.mix.gain = Gain(decibels: -3)
      segment.mix.pan = PanEnvelope(Pan(position: 0.5))
      segment.mix.invertsPolarity = true
    }
    let history = try #require(sink.broadcast(by: "avjob 1")?.codingHistory)
    #expect(
      history.hasSuffix(
        "\r\nA=PCM,F=48000,W=16,M=stereo,T=avjob 1;cut;highpass 80 Hz;compressor;"
          + "polarity inverted;gain -3.0 dB;pan;dither\r\n"), "\(history)")
    let fades = try self.sink(of: tape, 0..<10, isReversed: true) { segment, _ in
      segment.mix.envelopes = [
        VolumeEnvelope([
          VolumeRamp(
            from: .silence, to: .unity, over: TimeRange(start: .zero, end: self.seconds(1)))
        ])
      ]
    }
    #expect(
      fades.broadcast(by: "avjob 1")?.codingHistory.hasSuffix("T=avjob 1;reverse;fade\r\n") == true)
  }

  @Test("a bext with a text of the job leaves the source's text in no other place")
  func replacedTexts() throws {
    var request = MarkRequest()
    request.broadcast = MarkRequest.Broadcast()
    request.broadcast?.description = "Side B"
    let sink = try sink(of: tape, 0..<10, marks: request)
    #expect(sink.marks.broadcast?.description == "Side B" && sink.metadata["comment"] == nil)
    let told = try self.sink(of: tape, 0..<10) { _, export in
      export.metadata["originator_reference"] = "R1"
      export.metadata["time_reference"] = "48000"
      export.metadata["comment"] = "For the press"
    }
    #expect(told.marks.broadcast?.originatorReference == "R1")
    #expect(told.marks.broadcast?.timeReference == 48_000)
    #expect(told.marks.broadcast?.description == "Interview")
    #expect(told.metadata["comment"] == "For the press")
    #expect(told.metadata["originator_reference"] == nil)
  }

  @Test("of thousands of chunks the first are named, and that there are more")
  func manyChunks() throws {
    let asset = source { _, marks in
      marks.chunks += (0..<5000).map {
        MediaMarks.StoredChunk(name: "\(1000 + $0)", content: 9..<9)
      }
    }
    let names = lost(try sink(of: asset, 0..<9))
    #expect(names.contains("1000") && names.last == "chunks of further names")
    #expect(names.count < 510)
    #expect(try sink(of: asset, 0..<10).marks.identical != nil)
  }

  @Test("a digest of stored bytes goes where samples have others, and is named")
  func digests() throws {
    let asset = source { _, marks in
      marks.chunks.append(MediaMarks.StoredChunk(name: "MD5 ", content: 300..<316))
    }
    let same = try sink(of: asset, 0..<10)
    #expect(same.marks.identical?.omitted == [] && lost(same).isEmpty)
    let float = try sink(of: asset, 0..<10, .wav(.float32))
    #expect(float.marks.identical?.omitted == ["MD5 "] && lost(float) == ["MD5"])
    var flac = asset
    (flac.container, flac.codec) = ("flac", "flac")
    #expect(try sink(of: flac, 0..<10).marks.identical?.omitted == [])
    #expect(try sink(of: flac, 0..<10, .wav(.float32)).marks.identical?.omitted == ["MD5 "])
    #expect(lost(try sink(of: asset, 0..<9)).contains("MD5"))
  }

  @Test("a FLAC keeps its cue sheet, and has one of its chapters after an edit")
  func cueSheets() throws {
    var asset = source { asset, marks in
      (asset.container, asset.codec) = ("flac", "flac")
      var sheet = CueSheetBlock()
      sheet.catalog = "1234567890123"
      sheet.tracks = [
        .init(offset: 0, number: 1),
        .init(
          offset: 230_000, number: 2,
          indices: [.init(offset: 0, number: 0), .init(offset: 10_000, number: 1)]),
      ]
      sheet.leadOut = 480_000
      (marks.cueSheet, marks.chunks) = (sheet, [])
      marks.cues = [MediaMarks.Cue(frame: 0), MediaMarks.Cue(frame: 240_000)]
    }
    asset.chapters = [0, 5].map { Chapter(start: seconds($0), title: "", isInherited: true) }
    let whole = try sink(of: asset, 0..<10, to: "out.flac", .flac(bitDepth: 24))
    #expect(whole.marks.cueSheet == asset.marks?.cueSheet)
    let part = try sink(of: asset, 4..<10, to: "out.flac", .flac(bitDepth: 24), rate: 44_100)
    let sheet = try #require(part.marks.cueSheet)
    #expect(sheet.tracks.map(\.offset) == [44_100] && sheet.leadOut == 6 * 44_100)
    #expect(sheet.catalog.isEmpty && lost(part).contains("parts of CUESHEET (catalog, pregaps)"))
    let soft = try sink(of: asset, 0..<10, to: "out.flac", .flac(bitDepth: 24)) { segment, _ in
      segment.mix.gain = Gain(decibels: -6)
    }
    #expect(soft.marks.cueSheet == asset.marks?.cueSheet && lost(soft).isEmpty)
    let wav = try sink(of: asset, 0..<10)
    #expect(wav.marks.cueSheet == nil && lost(wav) == ["parts of CUESHEET (catalog, pregaps)"])
    let text = try JSONEncoder().encode(try #require(asset.marks))
    #expect(try JSONDecoder().decode(MediaMarks.self, from: text) == asset.marks)
  }

  @Test("formats without a place refuse what they are asked for, by the key's name")
  func refusals() {
    var request = MarkRequest()
    request.broadcast = MarkRequest.Broadcast()
    request.cart = MarkRequest.Cart()
    var output = Output(path: "out.mp3", request: .usual(.mp3))
    output.marks = request
    #expect(
      output.problems(mixRate: nil, mixLayout: nil).map(\.message) == [
        "'bwf' on an output that is MP3, which has no place for it",
        "'cart' on an output that is MP3, which has no place for it",
      ])
  }

  // MARK: Places

  var marked: Asset {
    source { asset, marks in
      marks.cues = [
        MediaMarks.Cue(frame: 48_000, length: 96_000, label: "Verse", note: "loud"),
        MediaMarks.Cue(frame: 240_000),
      ]
      asset.chapters = [
        Chapter(start: seconds(1), title: "Verse", isInherited: true),
        Chapter(start: seconds(5), title: "", isInherited: true),
      ]
      var sampler = SamplerChunk()
      sampler.loops = [.init(type: 1, first: 144_000, last: 191_999, count: 3)]
      marks.sampler = sampler
      var cart = CartChunk()
      cart.postTimers = [
        .init(usage: "AUDs", frame: 0), .init(usage: "SEGs", frame: 240_000),
        .init(usage: "AUDe", frame: 288_000),
      ]
      marks.cart = cart
    }
  }

  @Test("chapters are cues, with the length and the note of the cue that they are")
  func cues() throws {
    let sink = try sink(of: marked, 1..<6)
    #expect(
      sink.marks.cues == [
        MediaMarks.Cue(frame: 0, length: 96_000, label: "Verse", note: "loud"),
        MediaMarks.Cue(frame: 192_000),
      ])
    #expect(try self.sink(of: marked, 1..<6, keepsChapters: false).marks.cues.isEmpty)
    let flac = try self.sink(of: marked, 1..<6, to: "out.flac", .flac(bitDepth: 24))
    #expect(flac.chapters.map(\.title) == ["Verse", "Marker 2"])
    #expect(lost(flac).contains("lengths and notes of cues"))
  }

  @Test("a loop moves to the frame, and becomes tags where samplers have no place")
  func loops() throws {
    let sink = try sink(of: marked, 1..<6)
    #expect(
      sink.marks.sampler?.loops == [.init(type: 1, first: 96_000, last: 143_999, count: 3)])
    let flac = try self.sink(of: marked, 1..<6, to: "out.flac", .flac(bitDepth: 24), rate: 44_100)
    #expect(flac.metadata["LOOPSTART"] == "88200" && flac.metadata["LOOPLENGTH"] == "44100")
    #expect(try self.sink(of: marked, 0..<4).marks.sampler?.loops.isEmpty == false)
    let gone = try self.sink(of: marked, 0..<3)
    #expect(gone.marks.sampler?.loops == [] && lost(gone).contains("loops"))
    #expect(
      try self.sink(of: marked, 0..<10, isReversed: true).marks.sampler?.loops.map(\.first)
        == [288_000])
  }

  @Test("words of a loop's markers stay in AIFF, change places backwards, and are named elsewhere")
  func loopMarkers() throws {
    typealias Words = MediaMarks.LoopMarkers.Words
    var asset = marked
    let (begin, end) = (Words(label: "Start", note: "soft"), Words(label: ""))
    asset.marks?.loopMarkers = [.init(frames: 144_000..<192_000, begin: begin, end: end)]
    let aiff = try sink(of: asset, 1..<6, to: "out.aiff", .aiff(.int24))
    #expect(aiff.marks.loopMarkers == [.init(frames: 96_000..<144_000, begin: begin, end: end)])
    let back = try sink(of: asset, 0..<10, to: "out.aiff", .aiff(.int24), isReversed: true)
    #expect(back.marks.loopMarkers == [.init(frames: 288_000..<336_000, begin: end, end: begin)])
    let caf = try sink(of: asset, 1..<6, to: "out.caf", .caf(.int24))
    #expect(
      caf.marks.loopMarkers == [
        .init(frames: 96_000..<144_000, begin: Words(label: "Start"), end: Words())
      ])
    // CAF has the name of a whole loop, which its only named end gives; of CAF it stays at the start.
    var regions = asset
    regions.container = "caf"
    regions.marks?.loopMarkers[0].begin.note = nil
    for (path, format) in [("o.aiff", Output.Format.aiff(.int24)), ("o.caf", .caf(.int24))] {
      let whole = try sink(of: regions, 0..<10, to: FilePath(path), format, isReversed: true)
      #expect(whole.marks.loopMarkers.map(\.begin.label) == ["Start"])
      #expect(!lost(whole).contains { $0.contains("loops") })
    }
    // That of a held note and that behind it may have the same frames.
    asset.marks?.loopMarkers = [false, true].map { isRelease in
      .init(
        frames: 144_000..<192_000, isRelease: isRelease, begin: Words(label: "\(isRelease)"),
        end: Words())
    }
    for (path, format) in [("out.aiff", Output.Format.aiff(.int24)), ("out.caf", .caf(.int24))] {
      let both = try sink(of: asset, 1..<6, to: FilePath(path), format)
      #expect(both.marks.loopMarkers.map(\.begin.label) == ["false", "true"])
      #expect(both.marks.loopMarkers.map(\.isRelease) == [false, true])
    }
    let wav = try sink(of: asset, 1..<6)
    for sink in [caf, wav] { #expect(lost(sink).contains("names and comments of loops")) }
    let gone = try sink(of: asset, 0..<3, to: "out.aiff", .aiff(.int24))
    #expect(gone.marks.loopMarkers.isEmpty && lost(gone).contains("loops"))
  }

  @Test("tags of a loop keep their keys, and say where it is now")
  func loopTags() throws {
    var asset = marked
    asset.marks = nil
    asset.metadata["LoopStart"] = "144000"
    asset.metadata["LOOP_END"] = "192000"
    asset.metadata["liq_cue_in"] = "1.5"
    asset.metadata["liq_cue_out"] = "10"
    let flac = try sink(of: asset, 1..<6, to: "out.flac", .flac(bitDepth: 24), rate: 44_100)
    #expect(flac.metadata["LoopStart"] == "88200" && flac.metadata["LOOP_END"] == "132300")
    #expect(flac.metadata["liq_cue_in"] == "0.5" && flac.metadata["liq_cue_out"] == nil)
    #expect(lost(flac) == ["liq_cue_out"])
    let wav = try sink(of: asset, 1..<6)
    #expect(wav.marks.sampler?.loops.map(\.last) == [143_999] && wav.metadata["LoopStart"] == nil)
  }

  @Test("timers of radio move, end with what they mark, and stand behind a job's own")
  func cart() throws {
    var request = MarkRequest()
    var asked = MarkRequest.Cart()
    asked.texts = [.init(.cutID, "000123")]
    asked.timers = [.init("SEGs", .init(Time(value: 3, timescale: 2), isFromEnd: true))]
    request.cart = asked
    let sink = try sink(of: marked, 1..<6, marks: request)
    #expect(
      sink.marks.cart?.postTimers == [
        .init(usage: "AUDe", frame: 240_000), .init(usage: "SEGs", frame: 168_000),
      ])
    #expect(sink.marks.cart?.cutID == "000123")
    #expect(lost(sink).contains("timers of 'cart' (AUDs)") && sink.markNotes.isEmpty)
    request.cart?.timers = [
      .init("SEGs", .init(seconds(6))), .init("EOD ", .init(seconds(6), isFromEnd: true)),
    ]
    #expect(
      try self.sink(of: marked, 1..<6, marks: request).markNotes == [
        "the timer SEGs of 'cart' lies behind its end, and is put there: write a time within the "
          + "output",
        "the timer EOD of 'cart' lies before its start, and is put there: write a time within the "
          + "output",
      ])
    let caf = try self.sink(of: marked, 1..<6, to: "out.caf", .caf(.int24))
    #expect(caf.marks.cart == nil && lost(caf).contains("cart"))
  }

  @Test("marks survive being written down, and damaged ones are no facts of a file")
  func coding() throws {
    var marks = try #require(marked.marks)
    marks.broadcast = tape.marks?.broadcast
    // As long as its field in Windows-1252, and longer in UTF-8.
    marks.broadcast?.description = String(repeating: "é", count: 256)
    marks.cart?.title = String(repeating: "é", count: 64)
    marks.givenLoops = [3..<5]
    marks.loopMarkers = [.init(frames: 3..<5, begin: .init(label: "a"), end: .init(note: "b"))]
    let text = try JSONEncoder().encode(marks)
    #expect(try JSONDecoder().decode(MediaMarks.self, from: text) == marks)
    marks.cues[0].frame = -1
    #expect(!marks.isPlausible)
  }
}
