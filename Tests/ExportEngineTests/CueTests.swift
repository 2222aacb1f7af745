import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Texts that are cut and joined with a picture.
@Suite struct CueTests {
  private func time(_ milliseconds: Int64) -> Time { Time(value: milliseconds, timescale: 1000) }

  private func cue(_ milliseconds: Range<Int64>, _ text: String) throws -> Cue {
    try #require(
      TextConversion(codec: "subrip", form: .timedText).cue(
        Array(text.utf8), from: time(milliseconds.lowerBound), to: time(milliseconds.upperBound)))
  }

  /// What becomes of a text in another form; nil where it shows nothing.
  private func sample(
    _ bytes: [UInt8], _ codec: String, as form: TextForm = .timedText
  ) -> [UInt8]? {
    TextConversion(codec: codec, form: form).cue(bytes, from: .zero, to: time(1))?.sample
  }

  /// A range of a source, in milliseconds, from a moment of the output on.
  private func span(_ from: Int64?, _ to: Int64?, at start: Int64) -> PictureRange {
    PictureRange(
      source: 0, from: from.map(time), to: to.map(time),
      place: { [time] in $0 - time(from ?? 0) + time(start) })
  }

  /// Samples in milliseconds, and the texts of them.
  private func samples(_ cues: [Cue]) -> [String] {
    CueSamples(of: cues, timescale: 1000).map {
      "\($0.ticks) " + String(decoding: $0.bytes.dropFirst(2), as: UTF8.self)
    }
  }

  @Test("a cue has one part in each range that it is shown in")
  func parts() throws {
    let cue = try cue(1000..<8000, "all")
    let spans = [span(1500, 3200, at: 0), span(4000, 4500, at: 1700), span(9000, 9900, at: 2200)]
    let parts = spans.compactMap { cue.part(in: $0) }
    #expect(parts.map(\.start) == [time(0), time(1700)])
    #expect(parts.map(\.end) == [time(1700), time(2200)])
    let others = [try self.cue(8500..<8600, "late"), try self.cue(500..<1000, "early")]
    #expect(Cue.parts(of: others + [cue], in: spans) == parts)
    #expect(cue.part(in: span(8000, 9000, at: 0)) == nil)
    #expect(cue.part(in: span(0, 1000, at: 0)) == nil)
  }

  @Test("cues that would be too many are not held")
  func tooMany() throws {
    let cues = try (0..<100).map { try cue($0 * 10..<$0 * 10 + 10, "\($0)") }
    let spans = (0..<10).map { span(0, 500, at: $0 * 500) }
    #expect(Cue.parts(of: cues, in: spans, atMost: 500)?.count == 500)
    #expect(Cue.parts(of: cues, in: spans, atMost: 499) == nil)
  }

  @Test("where nothing is said up to the end, an empty sample lasts until then")
  func end() throws {
    func texts(_ cues: [Cue]) -> [String] {
      CueSamples(of: cues, timescale: 1000, until: 500).map {
        "\($0.ticks) " + String(decoding: $0.bytes.dropFirst(2), as: UTF8.self)
      }
    }
    #expect(texts([try cue(100..<200, "a")]) == ["0..<100 ", "100..<200 a", "200..<500 "])
    #expect(texts([try cue(0..<600, "a")]) == ["0..<600 a"])
    #expect(texts([]) == ["0..<500 "])
  }

  @Test(
    "a text of ASS says who says it, and one of timed text has no more bytes than its length says")
  func plainTexts() {
    let line = PlainText(Array("3,0,Default,Ann,0,0,0,,{\\i1}One\\Ntwo".utf8), codec: "ass")
    #expect(line.text == "One\ntwo" && line.speaker == "Ann")
    let unnamed = PlainText(Array("3,0,Default,,0,0,0,,One, two".utf8), codec: "ssa")
    #expect(unnamed.text == "One, two" && unnamed.speaker == nil)
    let styles: [UInt8] = [0, 0, 0, 22] + Array("styl".utf8) + [UInt8](repeating: 0, count: 14)
    #expect(PlainText([0, 2] + Array("ab".utf8) + styles, codec: "mov_text").text == "ab")
    #expect(PlainText([0xFF, 0xFF] + Array("ab".utf8), codec: "mov_text").text == "ab")
    #expect(PlainText([0, 4, 0xFE, 0xFF, 0, 0x61], codec: "mov_text").text == "a")
    for short in [[], [0], [0, 9], [0, 3, 0xFE, 0xFF, 0]] as [[UInt8]] {
      #expect(PlainText(short, codec: "mov_text").text.isEmpty)
    }
  }

  @Test("markup is found, whatever stands beside its signs")
  func joinedMarkup() {
    func text(_ text: String, _ codec: String) -> [UInt8] {
      Array(PlainText(Array(text.utf8), codec: codec).text.utf8)
    }
    for mark in JoinedTexts.behind {
      let line = "3,0,Default,,0,0,0,,\(mark)a, b{\\i1}\(mark)c\\N\(mark)d"
      #expect(text(line, "ass") == Array("\(mark)a, b\(mark)c\n\(mark)d".utf8))
      #expect(text("a<i>\(mark)b</i>\(mark)c", "subrip") == Array("a\(mark)b\(mark)c".utf8))
    }
    for mark in JoinedTexts.before {
      #expect(text("3,0,D,,0,0,0,\(mark),b\(mark){\\i1}c", "ass") == Array("b\(mark)c".utf8))
      #expect(text("a\(mark)<i>b\(mark)</i>c", "subrip") == Array("a\(mark)b\(mark)c".utf8))
    }
  }

  @Test("a CUE sheet quotes each text once, whatever stands beside a quotation mark in it")
  func joinedQuotes() {
    for joined in JoinedTexts.around("\"") {
      let track = CueSheetText.Track(title: "a \(joined) b", gap: nil, start: .zero)
      let sheet = CueSheetText([track], of: FilePath("\(joined).wav"), Metadata()).text
      let quotes = sheet.split(separator: "\n").map { line in
        line.utf8.count { $0 == UInt8(ascii: "\"") }
      }
      #expect(quotes == [2, 0, 2, 0], "\(sheet)")
    }
  }

  @Test("samples are made one by one, of cues that are all shown at once too")
  func lazily() throws {
    let text = String(repeating: "x", count: 2000)
    let cues = try (0..<1000).map { try cue($0..<1000, "\($0)" + text) }
    var samples = CueSamples(of: cues, timescale: 1000)
    for tick in 0..<3 {
      let next = samples.next()
      let sample = try #require(next)
      #expect(sample.ticks == Int64(tick)..<Int64(tick) + 1)
      #expect(sample.bytes.count == 2 + 2002 * (tick + 1) - 1)
    }
  }

  @Test("texts beyond what is shown at once are counted, and so are samples without their end")
  func omitted() throws {
    func texts(_ cues: [Cue]) -> [String] {
      CueSamples(of: cues, timescale: 1000).omissionTexts("caption", "captions")
    }
    let many = try (0..<34).map { try cue(0..<1000, "\($0)") }
    #expect(texts(Array(many.prefix(32))) == [])
    #expect(texts(Array(many.prefix(33))) == ["1 caption begins beside 32 others: left out"])
    #expect(texts(many + [many[0]]) == ["2 captions begin beside 32 others: left out"])
    let half = String(repeating: "x", count: 40_000)
    let long = [try cue(0..<2000, half), try cue(1000..<3000, half + "y")]
    #expect(
      texts(long) == [
        "captions that are shown at once have more than 65535 bytes at one time: their ends are left out"
      ])
  }

  @Test("a range without a start or an end has what is shown before and behind it")
  func ends() throws {
    let cue = try cue(1000..<8000, "all")
    #expect(cue.part(in: span(nil, nil, at: 0)) == cue)
    #expect(cue.part(in: span(nil, nil, at: -3000))?.start == .zero)
    #expect(cue.part(in: span(nil, nil, at: -8000)) == nil)
  }

  @Test("samples follow each other without gaps, from the start on")
  func gaps() throws {
    let cues = [try cue(2000..<3000, "b"), try cue(500..<1000, "a"), try cue(3000..<3500, "c")]
    #expect(
      samples(cues) == [
        "0..<500 ", "500..<1000 a", "1000..<2000 ", "2000..<3000 b", "3000..<3500 c",
      ])
    #expect(samples([]) == [])
  }

  @Test("cues that overlap are shown below each other while they do")
  func overlaps() throws {
    let cues = [try cue(0..<5000, "a"), try cue(3000..<4000, "b"), try cue(3000..<4000, "b")]
    #expect(samples(cues) == ["0..<3000 a", "3000..<4000 a\nb", "4000..<5000 a"])
  }

  @Test(
    "markup is left out of texts",
    arguments: [
      ("subrip", "<i>One</i> <font color=\"red\">two</font>\r\n{\\an8}three", "One two\nthree"),
      ("subrip", "1 < 2 and {this} <3", "1 < 2 and {this} <3"),
      ("webvtt", "<v Ann>Salt &amp; <c.x>pepper</c> &lt;3", "Salt & pepper <3"),
      (
        "ass", "0,0,Default,,0,0,0,,{\\b1}One{\\b0}, two\\Nthree\\hfour",
        "One, two\nthree\u{A0}four"
      ),
      ("ass", "0,0,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}word", "word"),
      ("text", "\n ä \n", " ä "),
    ])
  func markup(codec: String, text: String, plain: String) throws {
    let made = try #require(sample(Array(text.utf8), codec))
    #expect(made[0] == 0 && Int(made[1]) == plain.utf8.count)
    #expect(String(decoding: made.dropFirst(2), as: UTF8.self) == plain)
  }

  @Test("what shows nothing is no cue")
  func nothing() {
    #expect(sample([0, 0], "mov_text") == nil)
    #expect(sample([], "mov_text") == nil)
    #expect(sample(Array("<i> </i>".utf8), "subrip") == nil)
    #expect(sample(Array("no fields".utf8), "ass") == nil)
  }

  @Test("timed text stays as it is, and one that is too long ends with a whole character")
  func bytes() throws {
    let styled: [UInt8] = [0, 1, 65, 0, 0, 0, 8, 1, 2, 3, 4]
    #expect(sample(styled, "mov_text") == styled)
    let long = try #require(
      sample(Array(String(repeating: "ä", count: 40_000).utf8), "subrip"))
    #expect(long.count == 2 + 65_534 && long[0] == 0xFF && long[1] == 0xFE)
  }

  @Test(
    "in another form a text has no markup, no empty lines, and signs of markup as they are read",
    arguments: [
      ("mov_text", "\0\u{9}1 < 2\n\n&3", TextForm.webVTT, "1 &lt; 2\n&amp;3"),
      ("mov_text", "\0\u{9}1 < 2\n\n&3", TextForm.subRip, "1 < 2\n&3"),
      ("subrip", "<i>One</i>\r\n{\\an8}two", TextForm.webVTT, "One\ntwo"),
      ("webvtt", "<v Ann>Salt &amp; <b>pepper</b>", TextForm.subRip, "Salt & pepper"),
      (
        "ass", "4,0,Default,,0,0,0,,{\\b1}One{\\b0}\\N\\Ntwo, three", TextForm.subRip,
        "One\ntwo, three"
      ),
    ])
  func converted(codec: String, text: String, form: TextForm, expected: String) throws {
    let found = try #require(sample(Array(text.utf8), codec, as: form))
    #expect(String(decoding: found, as: UTF8.self) == expected)
  }

  @Test("timed text in UTF-16 is read by its mark")
  func utf16() throws {
    let bytes: [UInt8] = [0, 6, 0xFE, 0xFF, 0, 0x41, 0x20, 0xAC]
    #expect(sample(bytes, "mov_text", as: .subRip) == Array("A€".utf8))
  }

  @Test("in its own form a text keeps its markup")
  func kept() throws {
    let markup = Array("<i>One</i>\r\n<b>two</b>".utf8)
    #expect(sample(markup, "subrip", as: .subRip) == markup)
    let placed = TextConversion(codec: "webvtt", form: .webVTT)
      .cue(markup, from: .zero, to: time(1))
    #expect(placed?.sample == markup && placed?.hasInnerTimes == true)
    #expect(sample(Array("<i></i>".utf8), "subrip", as: .subRip) == nil)
  }

  @Test("parts of a text of ASS have numbers of their own, in the order of those that they had")
  func numbers() throws {
    let ass = TextConversion(codec: "ass", form: .ass)
    func cue(_ text: String, _ milliseconds: Range<Int64>) throws -> Cue {
      try #require(
        ass.cue(
          Array(text.utf8), from: time(milliseconds.lowerBound),
          to: time(milliseconds.upperBound)))
    }
    // A drawing shows something, too.
    let cues = [
      try cue("7,0,Sign,,0,0,0,,{\\p1}m 0 0 l 9 9", 0..<4000),
      try cue("3,0,Low,,0,0,0,,a, b", 500..<3000),
    ]
    let spans = [span(0, 1000, at: 0), span(2000, 3000, at: 1000)]
    let parts = try #require(Cue.parts(of: cues, in: spans))
    let samples = CueTrack.Sample.each(of: parts, as: .ass, timescale: 1000)
    #expect(samples.map(\.ticks) == [0..<1000, 500..<1000, 1000..<2000, 1000..<2000])
    #expect(
      samples.map { String(decoding: $0.bytes.prefix(6), as: UTF8.self) }
        == ["2,0,Si", "0,0,Lo", "1,0,Lo", "3,0,Si"])
    #expect(ass.cue(Array("no number".utf8), from: .zero, to: time(1)) == nil)
  }
}
