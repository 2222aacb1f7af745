import TestSupport
import Testing

@testable import VideoBitstream

@Suite struct BitReaderTests {
  @Test("What is written is read, whatever the widths")
  func roundTrip() throws {
    var dice = Dice(1)
    for _ in 0..<200 {
      var fields: [(kind: Int, value: UInt32, width: Int)] = []
      var writer = BitWriter()
      for _ in 0..<50 {
        let width = Int(dice.number(0..<33))
        let value = UInt32(truncatingIfNeeded: dice.next() & ((1 << UInt64(width)) - 1))
        let kind = Int(dice.number(0..<3))
        switch kind {
        case 0: writer.bits(value, width)
        case 1: writer.unsigned(min(value, .max - 1))
        default: writer.signed(max(Int32(bitPattern: value), -.max))
        }
        fields.append((kind, value, width))
      }
      writer.trailingBits()
      var reader = BitReader(writer.bytes, of: .sliceHeader)
      for field in fields {
        #expect(reader.hasMore)
        switch field.kind {
        case 0: #expect(try reader.bits(field.width) == field.value)
        case 1: #expect(try reader.unsigned() == min(field.value, .max - 1))
        default: #expect(try reader.signed() == max(Int32(bitPattern: field.value), -.max))
        }
      }
      #expect(reader.position == reader.end && !reader.hasMore)
    }
  }

  @Test(
    "Exponential codes are those of Table 9-2",
    arguments: [(0, "1"), (1, "010"), (2, "011"), (3, "00100"), (8, "0001001")])
  func codes(value: UInt32, code: String) throws {
    var writer = BitWriter()
    writer.unsigned(value)
    let text = (0..<writer.position).map { writer.bytes[$0 / 8] >> (7 - UInt8($0 % 8)) & 1 }
    #expect(text.map(String.init).joined() == code)
  }

  @Test("Reading behind the end, and codes of more than 32 bits, are refused")
  func ends() {
    var short = BitReader([0xFF], of: .sliceHeader)
    #expect(throws: BitstreamRefusal.truncated(.sliceHeader)) { try short.bits(9) }
    #expect(throws: BitstreamRefusal.truncated(.sliceHeader)) { try short.skip(9) }
    #expect(short.position == 0)
    var long = BitReader([0, 0, 0, 0, 0xFF], of: .sliceHeader)
    #expect(throws: BitstreamRefusal.invalid(.sliceHeader)) { try long.unsigned() }
    var large = BitReader([0x08, 0x80], of: .pictureParameterSet)
    #expect(throws: BitstreamRefusal.invalid(.pictureParameterSet)) {
      try large.unsigned(atMost: 14)
    }
    #expect(BitReader([0, 0], of: .sliceHeader).end == nil)
  }
}
