import MediaComposition
import SystemPackage
import Testing

@testable import JobModel

/// What texts of the language are read as.
@Suite struct TextTests {
  @Test(
    "Gains are read as factors on amplitude",
    arguments: [
      ("0 dB", 1), ("20 dB", 10), ("-20dB", 0.1), ("+6.0 dB", 1.9952623149688795),
      ("50 %", 0.5), ("150%", 1.5), ("-inf dB", 0), ("0 %", 0),
    ])
  func gains(text: String, factor: Double) throws {
    #expect(abs(try Gain(parsing: text).factor - factor) < 1e-12)
  }

  @Test(
    "Texts that are no gain",
    arguments: ["", "dB", "1e3 dB", "0x1 dB", "inf dB", "- 3 dB", "3 db 4", "1.2.3 dB", "nan dB"])
  func noGains(text: String) {
    #expect(throws: QuantityError.self) { try Gain(parsing: text) }
  }

  private func level(_ text: String, in unit: LevelUnit) throws(QuantityError) -> Double {
    try Quantity.level(text, in: unit, from: -70...0, example: "-16 LUFS")
  }

  @Test(
    "Levels are numbers with their unit",
    arguments: [
      ("-16 LUFS", LevelUnit.lufs, -16), ("-16lufs", .lufs, -16), ("-24 LKFS", .lufs, -24),
      ("-1.5 dBTP", .dbtp, -1.5), ("-3 dBFS", .dbfs, -3), ("-0 dB", .db, 0), ("-7 lu", .lu, -7),
    ])
  func levels(text: String, unit: LevelUnit, value: Double) throws {
    #expect(try level(text, in: unit) == value)
  }

  @Test(
    "Texts that are no level in a unit",
    arguments: [
      ("-16", "'-16' has no unit", "write '-16 LUFS'"),
      ("-16 dB", "'-16 dB' is not in LUFS", "write '-16 LUFS'"),
      ("-1 dBTP", "'-1 dBTP' is not in LUFS", "write '-1 LUFS'"),
      ("- 16 LUFS", "'- 16 LUFS' is no level", "write '-16 LUFS'"),
      ("\u{2212}16 LUFS", "'\u{2212}16 LUFS' has a typographic minus", "write '-16 LUFS'"),
      ("-inf LUFS", "'-inf LUFS' is no level", "write '-16 LUFS'"),
      ("", "'' is no level", "write '-16 LUFS'"),
      ("1 LUFS", "'1 LUFS' is out of range", "-70 to 0 LUFS are possible"),
    ])
  func noLevels(text: String, message: String, help: String) {
    #expect(throws: QuantityError(message, help: help)) { try level(text, in: .lufs) }
  }

  @Test(
    "A name may hold what it likes, and an offset too",
    arguments: [
      ("talk.end", "talk.end"), ("my talk.v2.start+1.5s", "my talk.v2.start+1.5s"),
      ("a-b.end-1:02", "a-b.end-1:02"), ("x.end-44100 samples", "x.end-44100 samples"),
      ("end-10s", "end-10s"), ("start", "start"), ("1.5s", "1.5s"),
    ])
  func texts(text: String, description: String) throws {
    #expect("\(try Moment(parsing: text))" == description)
  }

  @Test("A part's number stands in a name, whatever bytes the name has")
  func bytes() throws {
    let latin = FilePath(platformString: [0x61, CChar(bitPattern: 0xE9), 0x24, 0x7B, 0x2E, 0x77, 0])
    let part = Part(number: 3, count: 3)
    let path = try PartTemplate.path(PartTemplate.numbered(PartTemplate.escaped(latin)), for: part)
    #expect(
      path.withPlatformString { name in (0..<path.length).map { UInt8(bitPattern: name[$0]) } }
        == [0x61, 0xE9, 0x24, 0x7B, 0x20, 0x30, 0x33, 0x2E, 0x77])
  }

  @Test("A moment that is no time away from another item's end is that end")
  func noTimeAway() throws {
    #expect(try Moment(parsing: "talk.end-0s") == Moment(parsing: "talk.end"))
  }

  @Test(
    "A number without a unit that is larger than any integer is no place between left and right")
  func largePan() {
    #expect(throws: QuantityError.self) { try Quantity.pan("888888888888888888888802") }
    #expect(throws: QuantityError("'20' has no unit", help: "write '20 %'")) {
      try Quantity.pan("20")
    }
  }
}
