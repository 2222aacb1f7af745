import TestSupport
import Testing

@testable import Tagging

/// Cues, lists of texts, and loops of a WAV.
@Suite("Cues and loops of a WAV") struct CuePointsTests {
  private func chunk(_ name: String, _ content: [UInt8], padded: Bool = true) -> [UInt8] {
    Array(name.utf8) + Field.little(UInt64(content.count)) + content
      + (padded ? Field.zeros(content.count % 2) : [])
  }

  private func cue(_ id: UInt64, _ frame: UInt64) -> [UInt8] {
    Field.all(
      Field.little(id), Field.little(frame), Field.name("data"), Field.zeros(8),
      Field.little(frame))
  }

  private func read(_ cue: [UInt8], _ lists: [[UInt8]] = []) -> (CuePoints, [ChunkDefect.Problem]) {
    var defects: [ChunkDefect] = []
    let value = CuePoints(cue: cue, lists: lists, defects: &defects)
    return (value, defects.map(\.problem))
  }

  @Test("cues, labels, notes and regions are written as the specification has them")
  func literal() {
    let cues = CuePoints([
      .init(id: 7, frame: 48_000, label: "One"),
      .init(id: 2, frame: 0, note: "from", length: 96_000),
      .init(id: 3, frame: 5),
    ])
    let entries = Field.all(Field.little(3), cue(7, 48_000), cue(2, 0), cue(3, 5))
    let region = Field.all(
      Field.little(2), Field.little(96_000), Field.name("rgn "), Field.zeros(8))
    let list = Field.all(
      Field.name("adtl"), chunk("labl", Field.little(7) + Field.name("One\0")),
      chunk("note", Field.little(2) + Field.name("from\0")), chunk("ltxt", region))
    #expect(cues.cueBytes() == entries)
    #expect(cues.listBytes() == list && list.count % 2 == 0)
    let (again, problems) = read(entries, [list, Array("INFO".utf8)])
    #expect(again == cues && problems.isEmpty)
    #expect(CuePoints().cueBytes() == nil && CuePoints([.init(id: 1, frame: 2)]).listBytes() == nil)
  }

  @Test("a count of 2³² cues in 76 bytes gives the three that are there")
  func lyingCount() {
    let bytes = Field.all(Field.little(0xFFFF_FFFF), cue(0, 1), cue(0, 2), cue(5, 3))
    #expect(bytes.count == 76)
    let (cues, problems) = read(bytes)
    #expect(cues.cues.map(\.frame) == [1, 2, 3])
    #expect(problems == [.overstated(announced: 0xFFFF_FFFF, found: 3), .repeatedID(0)])
    #expect(read([1]).1 == [.unreadable(has: 1, needs: 4)])
  }

  @Test("texts of odd size are found without their padding, and those of no cue are named")
  func unpadded() {
    let list = Field.all(
      Field.name("adtl"), chunk("labl", Field.little(1) + Field.name("ab\0"), padded: false),
      chunk("labl", Field.little(2) + Field.name("cd\0")),
      chunk("labl", Field.little(9) + Field.zeros(1)), chunk("file", Field.zeros(8)),
      chunk("ltxt", [1]))
    let (cues, problems) = read(Field.all(Field.little(2), cue(1, 0), cue(2, 9)), [list])
    #expect(cues.cues.map(\.label) == ["ab", "cd"])
    #expect(
      problems == [
        .unpadded, .orphan(9), .unread("file"), .short(has: 1, needs: 12),
      ])
  }

  @Test("the last letter of a text that ends with its chunk, as in Windows-1252, stays")
  func lastLetters() {
    for text in [[0x63, 0x61, 0x66, 0xE9], [0xC0], [0x61, 0xF0], [0x78, 0xE2, 0x80]] as [[UInt8]] {
      let expected = EightBitText.windows1252(text)
      for (name, field) in [("labl", "label"), ("note", "note")] {
        let list = Field.name("adtl") + chunk(name, Field.little(1) + text)
        let (cues, problems) = read(Field.little(1) + cue(1, 0), [list])
        #expect((cues.cues.first?.label ?? cues.cues.first?.note) == expected)
        #expect(problems == [.guessedEncoding(field: field)])
        // Written and read again it is the same.
        let again = read(cues.cueBytes() ?? [], [cues.listBytes() ?? []])
        #expect((again.0.cues.first?.label ?? again.0.cues.first?.note) == expected)
      }
    }
  }

  @Test("a region's own text is its title if it has no other, and a length of zero is none")
  func regionTexts() {
    func region(_ length: UInt64, _ purpose: String, _ text: String) -> [UInt8] {
      chunk(
        "ltxt",
        Field.all(
          Field.little(1), Field.little(length), Field.name(purpose), Field.zeros(8),
          Field.name(text + "\0")))
    }
    let one = Field.little(1) + cue(1, 0)
    let adtl = Array("adtl".utf8)
    let label = chunk("labl", Field.little(1) + Field.name("title\0"))
    #expect(read(one, [adtl + region(5, "rgn ", "x")]).0.cues[0].label == "x")
    let both = read(one, [adtl + region(0, "rgn ", "x") + label]).0.cues[0]
    #expect(both.label == "title" && both.length == nil)
    let other = read(one, [adtl + region(5, "beat", "")])
    #expect(other.0.cues[0].length == nil && other.1 == [.unread("purpose beat")])
  }

  @Test("cues that share a number are written with numbers of their own")
  func renumbered() {
    let cues = CuePoints([.init(id: 0, frame: 4, label: "a"), .init(id: 0, frame: 5, label: "b")])
    let (again, problems) = read(cues.cueBytes() ?? [], [cues.listBytes() ?? []])
    #expect(again.cues.map(\.label) == ["a", "b"] && again.cues.map(\.id) == [1, 2])
    #expect(problems.isEmpty)
  }

  @Test("100,000 cues are read, and no more")
  func limit() {
    let cues = CuePoints((UInt32(0)...100_000).map { .init(id: $0, frame: $0, label: "x") })
    #expect(cues.losses.map(\.problem) == [.tooMany(limit: 100_000)])
    let bytes = cues.cueBytes() ?? []
    #expect(bytes.count == 4 + 24 * 100_000)
    let (again, problems) = read(
      Field.all(Field.little(100_001), Array(bytes.dropFirst(4)), cue(9, 9)),
      [cues.listBytes() ?? []])
    #expect(again.cues.count == 100_000 && again.cues.last?.label == "x")
    #expect(problems == [.tooMany(limit: 100_000)])
  }

  @Test("what is written reads as the same, in both orders of bytes")
  func roundTrips() {
    var dice = Dice(45)
    for _ in 0..<300 {
      let cues = CuePoints(
        (0..<UInt32(dice.number(1..<20))).map { index in
          .init(
            id: index &* 7 &+ 1, frame: dice.word(), label: dice.bit() ? dice.text(9) : nil,
            note: dice.bit() ? dice.text(9) : nil, length: dice.bit() ? dice.word() | 1 : nil)
        })
      let isBig = dice.bit()
      var defects: [ChunkDefect] = []
      let again = CuePoints(
        cue: cues.cueBytes(isBigEndian: isBig) ?? [],
        lists: [cues.listBytes(isBigEndian: isBig) ?? []], isBigEndian: isBig, defects: &defects)
      #expect(again == cues && defects.isEmpty)
      let info = InfoList((0..<9).map { .init("I00\($0)", dice.text(9) + "x") })
      let list = info.bytes(isBigEndian: isBig) ?? []
      #expect(InfoList(list, isBigEndian: isBig, defects: &defects) == info && defects.isEmpty)
    }
  }

  @Test("a list INFO has texts with their NULs, whatever their encoding")
  func info() {
    var defects: [ChunkDefect] = []
    let list = Field.all(
      Field.name("INFO"), chunk("INAM", Field.name("Title\0")), chunk("IART", [0xC4, 0x72]),
      chunk("ICMT", [0]), chunk("INAM", Field.name("odd"), padded: false))
    let info = InfoList(list, defects: &defects)
    #expect(
      info?.entries == [.init("INAM", "Title"), .init("IART", "Är"), .init("INAM", "odd")])
    #expect(defects.map(\.problem) == [.guessedEncoding(field: "IART")])
    #expect(
      InfoList([.init("INAM", "odd")]).bytes()
        == Field.name("INFO") + chunk("INAM", Field.name("odd\0")))
    #expect(InfoList(Array("adtl".utf8), defects: &defects) == nil && InfoList().bytes() == nil)
    let lying = Field.all(Field.name("INFOINAM"), Field.little(0xFFFF_FFFF), Field.name("x"))
    #expect(InfoList(lying, defects: &defects)?.entries == [.init("INAM", "x")])
    #expect(defects.last?.problem == .short(has: 1, needs: 0xFFFF_FFFF))
  }

  @Test("a sampler's loops include their last frame; one that ends before it begins is left out")
  func sampler() throws {
    let loop = Field.all(
      Field.little(1), Field.zeros(4), Field.little(10), Field.little(19), Field.zeros(8))
    let reversed = Field.all(
      Field.little(2), Field.zeros(4), Field.little(9), Field.little(8), Field.zeros(8))
    let bytes = Field.all(
      Field.zeros(8), Field.little(22_676), Field.little(60), Field.zeros(12), Field.little(2),
      Field.little(3), loop, reversed, [1, 2, 3])
    var defects: [ChunkDefect] = []
    let chunk = try #require(SamplerChunk(bytes, defects: &defects))
    #expect(chunk.loops == [.init(id: 1, first: 10, last: 19)] && chunk.loops[0].length == 10)
    #expect(chunk.period == SamplerChunk.period(sampleRate: 44_100) && chunk.unityNote == 60)
    #expect(chunk.samplerData == [1, 2, 3])
    #expect(defects.map(\.problem) == [.badLoop(first: 9, last: 8)])
    var whole = chunk
    whole.loops.append(.init(first: 0, last: .max))
    #expect(whole.loops[1].length == 1 << 32)
    defects = []
    for isBig in [false, true] {
      let bytes = whole.bytes(isBigEndian: isBig)
      #expect(bytes.count == 36 + 48 + 3)
      #expect(SamplerChunk(bytes, isBigEndian: isBig, defects: &defects) == whole)
    }
    #expect(SamplerChunk(Array(bytes.prefix(35)), defects: &defects) == nil)
    #expect(
      SamplerChunk.period(sampleRate: 48_000) == 20_833 && SamplerChunk.period(sampleRate: 0) == 0)
  }

  @Test("an instrument has seven bytes with signs where they belong")
  func instrument() {
    var defects: [ChunkDefect] = []
    let bytes: [UInt8] = [69, 0xCE, 0xFA, 0, 127, 1, 127]
    let chunk = InstrumentChunk(bytes, defects: &defects)
    #expect(chunk?.unityNote == 69 && chunk?.fineTune == -50 && chunk?.gain == -6)
    #expect(chunk?.bytes == bytes && defects.isEmpty)
    #expect(InstrumentChunk([1, 2], defects: &defects) == nil && defects.count == 1)
  }
}
