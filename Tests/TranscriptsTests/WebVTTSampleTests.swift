import MediaTime
import Testing
import Transcripts

@Suite("Transcripts: cues of WebVTT in MP4 and Matroska") struct WebVTTSampleTests {
  private static func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let size = body.count + 8
    return [24, 16, 8, 0].map { UInt8(size >> $0 & 0xFF) } + Array(name.utf8) + body
  }

  private static func cue(_ parts: (String, String)...) -> [UInt8] {
    box("vttc", parts.flatMap { box($0.0, Array($0.1.utf8)) })
  }

  private static func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: Time(value: start, timescale: 1000), end: Time(value: end, timescale: 1000))
  }

  @Test("voices, references, names and settings are read, and each voice is a cue")
  func voices() {
    let bytes = Self.cue(
      ("iden", "a1"), ("sttg", "align:start region:x"),
      ("payl", "<v Ann &amp; Bo>Fish &amp; <i>chips</i></v>\n<v Cy>Yes"))
    var track = WebVTTTrack()
    for sample in WebVTTSample.all(in: bytes) { track.add(sample, in: Self.range(1000, 2000)) }
    let cues = track.cues
    #expect(cues.map(\.text) == ["Fish & chips", "Yes"])
    #expect(cues.map(\.speaker) == ["Ann & Bo", "Cy"])
    #expect(cues.map(\.settings) == ["align:start", "align:start"])
    #expect(cues.map(\.identifier) == ["a1", nil])
    #expect(cues[0].markup == "Fish &amp; <i>chips</i>")
    #expect(cues.allSatisfy { $0.range == Self.range(1000, 2000) })
  }

  @Test("an empty sample shows nothing, and a cue in two samples is one")
  func parts() {
    let one = Self.cue(("vsid", "abcd"), ("payl", "one"))
    let two = Self.cue(("payl", "two"))
    var track = WebVTTTrack()
    let samples: [([UInt8], TimeRange)] = [
      (Self.box("vtte", []), Self.range(0, 500)), (one, Self.range(500, 1000)),
      (one + two, Self.range(1000, 1500)), (two, Self.range(1500, 2000)),
      (two, Self.range(2500, 3000)),
    ]
    for (bytes, range) in samples {
      for sample in WebVTTSample.all(in: bytes) { track.add(sample, in: range) }
    }
    #expect(track.cues.map(\.text) == ["one", "two", "two"])
    #expect(
      track.cues.map(\.range) == [
        Self.range(500, 1500), Self.range(1000, 2000), Self.range(2500, 3000),
      ])
  }

  @Test(
    "times within a text count from its start, from what its box says, or from the start of the file"
  )
  func innerTimes() {
    let text = "one <00:00:01.500>two"
    var block = WebVTTSample(payload: Array(text.utf8))
    var boxed = WebVTTSample.all(
      in: Self.cue(("ctim", "00:00:01.000"), ("payl", text)))[0]
    boxed.identifier = [1]
    var old = WebVTTSample(payload: Array(text.utf8))
    old.clock = .file(soundStart: Time(value: 1, timescale: 2))
    block.identifier = [2]
    let moments = [(block, 1500), (boxed, 500), (old, 1000)].map { sample, moment in
      var track = WebVTTTrack()
      let start: Int64 = sample == old ? 500 : 10_000
      track.add(sample, in: Self.range(start, start + 3000))
      let words = track.cues[0].words
      #expect(words.map(\.text) == ["one", "two"])
      return words[1].range?.start
        == Time(value: (sample == old ? 0 : start) + Int64(moment), timescale: 1000)
    }
    #expect(moments == [true, true, true])
  }

  @Test(
    "boxes of wrong sizes end the sample",
    arguments: [
      [], [0, 0, 0], [0, 0, 0, 7] + Array("vttc".utf8), [0, 0, 0, 0] + Array("vttc".utf8),
      [0xFF, 0xFF, 0xFF, 0xFF] + Array("vttc".utf8), [0, 0, 0, 9] + Array("vttc".utf8),
      [0, 0, 0, 16] + Array("vttc".utf8) + [0, 0, 0, 99] + Array("payl".utf8),
    ] as [[UInt8]])
  func damage(bytes: [UInt8]) { #expect(WebVTTSample.all(in: bytes).isEmpty) }

  @Test("no more cues of one sample are read than anybody can see")
  func many() {
    let bytes = (0..<1000).flatMap { Self.cue(("payl", "\($0)")) }
    #expect(WebVTTSample.all(in: bytes).count == 256)
  }
}

@Suite("Transcripts: captions without markup") struct CaptionTests {
  @Test("a name or a dash stands where the speaker changes, and times are whole milliseconds")
  func names() {
    func cue(_ text: String, _ start: Int64, _ speaker: String?) -> Cue {
      Cue(
        text,
        in: TimeRange(
          start: Time(value: start, timescale: 3000), duration: Time(value: 1, timescale: 3000)),
        speaker: speaker)
    }
    let transcript = Transcript([
      cue("a", 0, "Ann"), cue("b", 4, "Ann"), cue("", 5, "Bo"), cue("c", 3000, "Bo"),
      cue("d", 6000, nil),
    ])
    let captions = transcript.captions()
    #expect(captions.map(\.text) == ["Ann: a", "b", "Bo: c", "- d"])
    #expect(captions.map(\.milliseconds) == [0..<1, 1..<2, 1000..<1001, 2000..<2001])
  }
}
