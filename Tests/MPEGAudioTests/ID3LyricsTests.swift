import MPEGAudio
import MediaTime
import TestSupport
import Testing

@Suite("ID3: lyrics with and without times") struct ID3LyricsTests {
  private static func line(_ milliseconds: Int64, _ text: String) -> ID3Tag.Lyrics.Line {
    ID3Tag.Lyrics.Line(start: Time(value: milliseconds, timescale: 1000), text: text)
  }

  /// The frames of a tag, by their names.
  private func frames(of tag: ID3Tag, as version: ID3Version) throws -> [(String, [UInt8])] {
    var rest = try tag.encoded(as: version).dropFirst(10)
    var frames: [(String, [UInt8])] = []
    while rest.count > 10, rest.first != 0 {
      let shift = version == .v24 ? 7 : 8
      let size = rest.dropFirst(4).prefix(4).reduce(0) { $0 << shift | Int($1) }
      let body = rest.dropFirst(10).prefix(size)
      frames.append((String(decoding: rest.prefix(4), as: UTF8.self), Array(body)))
      rest = rest.dropFirst(10 + size)
    }
    return frames
  }

  @Test("in 2.4 each cue is an entry in UTF-8, and a line feed begins each but the first")
  func utf8() throws {
    let lyrics = ID3Tag.Lyrics(
      lines: [Self.line(0, "Grüße"), Self.line(70_001, "Zwei\nZeilen")], language: "de-AT")
    let found = try frames(of: ID3Tag(lyrics: lyrics), as: .v24)
    #expect(found.map(\.0) == ["USLT", "SYLT"])
    let language = Array("deu".utf8)
    let plain: [UInt8] = [3] + language + [0] + Array("Grüße\nZwei\nZeilen".utf8)
    #expect(found[0].1 == plain)
    var timed: [UInt8] = [3] + language + [2, 2, 0] + Array("Grüße".utf8) + [0, 0, 0, 0, 0]
    timed += Array("\nZwei\nZeilen".utf8) + [0, 0, 1, 0x11, 0x71]
    #expect(found[1].1 == timed)
  }

  @Test("in 2.3 each text is UTF-16 with a mark of its order, or ASCII where all are")
  func utf16() throws {
    let mark: [UInt8] = [0xFF, 0xFE]
    let found = try frames(
      of: ID3Tag(lyrics: ID3Tag.Lyrics(lines: [Self.line(1, "é"), Self.line(2, "b")])), as: .v23)
    var plain: [UInt8] = [1] + Array("XXX".utf8) + mark + [0, 0] + mark
    plain += [0xE9, 0, 0x0A, 0, 0x62, 0]
    #expect(found[0].1 == plain)
    var timed: [UInt8] = [1] + Array("XXX".utf8) + [2, 2] + mark + [0, 0]
    timed += mark + [0xE9, 0, 0, 0, 0, 0, 0, 1]
    timed += mark + [0x0A, 0, 0x62, 0, 0, 0, 0, 0, 0, 2]
    #expect(found[1].1 == timed)
    let ascii = try frames(
      of: ID3Tag(lyrics: ID3Tag.Lyrics(lines: [Self.line(1, "a")])), as: .v23)
    #expect(ascii[0].1 == [UInt8](arrayLiteral: 0, 0x58, 0x58, 0x58, 0, 0x61))
  }

  @Test("beside a tag of lyrics they have another description, since two frames may not have one")
  func beside() throws {
    let tag = ID3Tag(
      items: [ID3Tag.Item(key: "lyrics", value: "La")],
      lyrics: ID3Tag.Lyrics(lines: [Self.line(0, "a")]))
    let found = try frames(of: tag, as: .v24)
    #expect(found.map(\.0) == ["USLT", "USLT", "SYLT"])
    let named: [UInt8] = [3] + Array("XXXTranscript".utf8) + [0, 0x61]
    #expect(found[1].1 == named)
  }

  @Test("beside lyrics with their description they have one with a number")
  func besideNamed() throws {
    let tag = ID3Tag(
      items: ["lyrics", "lyrics:Transcript", "lyrics:Transcript 2"].map {
        ID3Tag.Item(key: $0, value: "La")
      }, lyrics: ID3Tag.Lyrics(lines: [Self.line(0, "a")]))
    let named: [UInt8] = [3] + Array("XXXTranscript 3".utf8) + [0, 0x61]
    #expect(try frames(of: tag, as: .v24).map(\.1).contains(named))
  }

  @Test("a time that does not fit is refused")
  func endless() throws {
    let lyrics = ID3Tag.Lyrics(lines: [
      ID3Tag.Lyrics.Line(start: Time(value: 50 * 86_400, timescale: 1), text: "a")
    ])
    #expect(throws: ID3TagError.self) { try ID3Tag(lyrics: lyrics).encoded() }
  }

  @Test(
    "a language of three letters gets its shortest name",
    arguments: [
      ("eng", "en"), ("ger", "de"), ("deu", "de"), ("fre", "fr"), ("en-GB", "en-gb"),
      ("gsw", "gsw"),
    ])
  func languages(code: String, tag: String) { #expect(ID3Languages.tag(code) == tag) }

  @Test("what is no language has no name", arguments: ["und", "", "e", "123", "english"])
  func noLanguage(code: String) { #expect(ID3Languages.tag(code) == nil) }
}
