import TestSupport
import Testing

@testable import Tagging

/// The chunk `bext` as EBU Tech 3285 has it, and as files have it.
@Suite("Broadcast extension") struct BroadcastExtensionTests {
  /// EBU Tech 3285, 2.3: each field at its offset.
  private let literal = Field.all(
    Field.text("Interview, side A", 256), Field.text("Archive X", 32),
    Field.text("CHABC123456789012000000123456789", 32), Field.name("2026-11-29"),
    Field.name("07:30:00"), Field.little(0x0A4C_B800), Field.little(1), Field.little(2, 2),
    Field.text("\u{6}\u{A}+4", 64), Field.little(UInt64(bitPattern: -2300), 2),
    Field.little(750, 2), Field.little(UInt64(bitPattern: -105), 2), Field.little(0x7FFF, 2),
    Field.little(UInt64(bitPattern: -1875), 2), Field.zeros(180),
    Field.name("A=ANALOGUE,M=mono,T=Studer A80\r\nA=PCM,F=48000,W=24,M=mono\r\n"))

  private func read(_ bytes: [UInt8]) -> (BroadcastExtension?, [ChunkDefect]) {
    var defects: [ChunkDefect] = []
    let value = BroadcastExtension(bytes, defects: &defects)
    return (value, defects)
  }

  @Test("all fields of version 2 are read and written where the standard has them")
  func literalFields() throws {
    let (found, defects) = read(literal)
    let value = try #require(found)
    #expect(defects.isEmpty && literal.count == 602 + 59)
    #expect(value.description == "Interview, side A" && value.originator == "Archive X")
    #expect(value.originatorReference == "CHABC123456789012000000123456789")
    #expect(value.originationDate == "2026-11-29" && value.originationTime == "07:30:00")
    #expect(value.timeReference == 0x1_0A4C_B800 && value.version == 2)
    #expect(value.umid.count == 32 && value.umid.starts(with: [6, 10]))
    #expect(
      value.loudness
        == .init(integrated: -2300, range: 750, truePeak: -105, momentary: nil, shortTerm: -1875))
    #expect(
      value.codingHistory
        == "A=ANALOGUE,M=mono,T=Studer A80\r\nA=PCM,F=48000,W=24,M=mono\r\n")
    #expect(value.bytes() == literal && value.losses.isEmpty)
  }

  @Test("fields that came after the version are not read, whatever lies there")
  func versions() throws {
    var bytes = literal
    bytes[346] = 0
    let zero = try #require(read(bytes).0)
    #expect(zero.umid.isEmpty && zero.loudness == nil && zero.version == 0)
    #expect(zero.bytes()[348..<602].allSatisfy { $0 == 0 })
    bytes[346] = 1
    let one = try #require(read(bytes).0)
    #expect(!one.umid.isEmpty && one.loudness == nil)
    bytes[346] = 9
    let (nine, defects) = read(bytes)
    #expect(nine?.version == 2 && defects == [ChunkDefect("bext", .version(9))])
  }

  @Test("a chunk of 300 bytes gives what it has, and names its fault")
  func short() throws {
    let (found, defects) = read(Array(literal.prefix(300)))
    let value = try #require(found)
    #expect(value.originator == "Archive X" && value.originatorReference == "CHABC1234567")
    #expect(value.timeReference == 0 && value.codingHistory.isEmpty)
    #expect(defects == [ChunkDefect("bext", .short(has: 300, needs: 602))])
    #expect(defects[0].description == "the chunk 'bext' has 300 bytes, and its fields take 602")
    #expect(read([]).0 == nil)
    #expect(read([]).1 == [ChunkDefect("bext", .unreadable(has: 0, needs: 602))])
  }

  @Test("loudness out of range says nothing, and five zeros are no measurement")
  func loudness() throws {
    var bytes = literal
    bytes.replaceSubrange(412..<414, with: Field.little(10_000, 2))
    bytes.replaceSubrange(414..<416, with: Field.little(UInt64(bitPattern: -1), 2))
    let (value, defects) = read(bytes)
    #expect(value?.loudness == .init(truePeak: -105, shortTerm: -1875))
    #expect(
      defects.map(\.problem) == [.badValue(field: "loudness"), .badValue(field: "loudness range")])
    bytes.replaceSubrange(412..<422, with: Field.zeros(10))
    #expect(read(bytes).0.map { $0.loudness == nil } == true)
    bytes.replaceSubrange(412..<422, with: (0..<5).flatMap { _ in Field.little(0x7FFF, 2) })
    #expect(read(bytes).0.map { $0.loudness == nil } == true)
    #expect(read(bytes).0?.bytes() == bytes)
  }

  @Test("texts are UTF-8 if they can be, else Windows-1252; a full field has no NUL")
  func texts() throws {
    var bytes = literal
    bytes.replaceSubrange(256..<288, with: [UInt8](repeating: UInt8(ascii: "x"), count: 32))
    bytes.replaceSubrange(0..<7, with: [0x4D, 0xFC, 0x6C, 0x6C, 0x65, 0x72, 0])
    let (value, defects) = read(bytes)
    #expect(
      value?.description == "Müller" && value?.originator == String(repeating: "x", count: 32))
    #expect(defects == [ChunkDefect("bext", .guessedEncoding(field: "description"))])
    bytes.replaceSubrange(0..<8, with: Array("Müller".utf8) + [0])
    #expect(read(bytes).0?.description == "Müller" && read(bytes).1.isEmpty)
    // Cut by its writer in the middle of a letter.
    bytes.replaceSubrange(287..<288, with: [0xC3])
    #expect(read(bytes).0?.originator.utf8.count == 31 && read(bytes).1.isEmpty)
    // A history has no bound.
    let (history, problems) = read(bytes + [0x54, 0x3D, 0xE9])
    #expect(history?.codingHistory.hasSuffix("\r\nT=é") == true)
    #expect(problems == [ChunkDefect("bext", .guessedEncoding(field: "coding history"))])
  }

  @Test("texts that nobody changes keep their bytes in any encoding, and a changed one is UTF-8")
  func storedTexts() throws {
    var bytes = literal + [0xC4, 0x0D, 0x0A]
    bytes.replaceSubrange(0..<256, with: [UInt8](repeating: 0xE9, count: 256))
    // Rubbish behind a NUL, and a letter that was cut.
    bytes.replaceSubrange(256..<262, with: [0xDF, 0, 0x41, 0x42, 0, 0x43])
    bytes.replaceSubrange(319..<320, with: [0xC3])
    var value = try #require(read(bytes).0)
    #expect(value.bytes() == bytes && value.losses.isEmpty)
    #expect(read(value.bytes()).0 == value)
    value.timeReference += 48_000
    value.codingHistory = CodingHistory.adding(
      .init(algorithm: "PCM", text: "über"), to: value.codingHistory)
    var expected = bytes
    expected.replaceSubrange(338..<342, with: Field.little(0x0A4C_B800 + 48_000))
    expected += Array("A=PCM,T=über\r\n".utf8)
    #expect(value.bytes() == expected)
    value.originator = "Straße"
    expected.replaceSubrange(256..<288, with: Field.text("Straße", 32))
    #expect(value.bytes() == expected)
    #expect(value.losses.map(\.problem) == [.notASCII(field: "originator")])
  }

  @Test("what does not fit is cut at a whole letter, and named")
  func losses() {
    var value = BroadcastExtension()
    value.originator = String(repeating: "x", count: 31) + "ü"
    value.description = "a\0b"
    #expect(
      value.losses.map(\.problem) == [
        .cut(field: "originator", limit: 32), .notASCII(field: "originator"),
      ])
    let bytes = value.bytes()
    #expect(Array(bytes[256..<288]) == Field.text(String(repeating: "x", count: 31), 32))
    #expect(Array(bytes[0..<4]) == [UInt8(ascii: "a"), 0, 0, 0])
    #expect(bytes.count == 602)
  }

  @Test("what is written reads as the same, in both orders of bytes")
  func roundTrips() {
    var dice = Dice(3285)
    for _ in 0..<500 {
      var value = BroadcastExtension()
      value.description = dice.text(256)
      value.originator = dice.text(32)
      value.originatorReference = dice.text(32)
      value.originationDate = dice.text(10)
      value.originationTime = dice.text(8)
      value.timeReference = dice.next()
      value.version = Int(dice.number(0..<3))
      if value.version > 0, dice.bit() { value.umid = dice.bytes(63) + [1] }
      if value.version > 1, dice.bit() {
        value.loudness = .init(integrated: Int16(dice.number(-9999..<10_000)), range: 1)
      }
      value.codingHistory = CodingHistory.row(algorithm: "PCM", text: dice.text(30))
      var defects: [ChunkDefect] = []
      let isBig = dice.bit()
      let again = BroadcastExtension(
        value.bytes(isBigEndian: isBig), isBigEndian: isBig, defects: &defects)
      #expect(again == value && defects.isEmpty)
    }
  }

  @Test("a row of history has its fields in the order of EBU R 98, and no commas within")
  func history() {
    let line = CodingHistory.row(
      algorithm: "PCM", sampleRate: 48_000, wordLength: 24, mode: "stereo",
      text: "avjob 0.2,cut\r\n")
    #expect(line == "A=PCM,F=48000,W=24,M=stereo,T=avjob 0.2;cut;;\r\n")
    let layer = CodingHistory.row(algorithm: "MPEG1L2", bitRate: 192, mode: "joint-stereo")
    #expect(layer == "A=MPEG1L2,B=192,M=joint-stereo\r\n")
    let row = CodingHistory.Row(algorithm: "PCM")
    #expect(CodingHistory.adding(row, to: "A=ANALOGUE") == "A=ANALOGUE\r\nA=PCM\r\n")
    #expect(CodingHistory.adding(row, to: "A=ANALOGUE\r\n") == "A=ANALOGUE\r\nA=PCM\r\n")
    #expect(CodingHistory.adding(row, to: "") == "A=PCM\r\n")
  }
}
