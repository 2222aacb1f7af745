import TestSupport
import Testing

@testable import VideoBitstream

@Suite struct NALFramingTests {
  /// Bytes of which most are small, so that emulation prevention has much to do.
  static func bytes(_ count: Int, _ dice: inout Dice) -> [UInt8] {
    (0..<count).map { _ in UInt8(dice.number(0..<5)) }
  }

  /// Emulation prevention as 7.4.1 says it, without a state.
  static func slowlyEscaped(_ payload: [UInt8]) -> [UInt8] {
    var unit: [UInt8] = []
    for byte in payload {
      if unit.suffix(2) == [0, 0], byte <= 3 { unit.append(3) }
      unit.append(byte)
    }
    return unit.last == 0 ? unit + [3] : unit
  }

  @Test("Units of packets are found behind lengths of 1 to 4 bytes", arguments: 1...4)
  func lengths(size: Int) throws {
    var dice = Dice(2)
    let framing = NALFraming.lengths(bytes: size)
    let units = (0..<20).map { _ in Self.bytes(Int(dice.number(1..<200)), &dice)[...] }
    let packet = try framing.packet(of: units)
    #expect(packet.count == units.reduce(0) { $0 + $1.count + size })
    #expect(try framing.units(of: packet[...]) == units)
    #expect(throws: BitstreamRefusal.truncated(.nalUnit)) {
      try framing.units(of: packet.dropLast())
    }
    let none = NALFraming.lengths(bytes: 0)
    #expect(throws: BitstreamRefusal.invalid(.nalUnit)) { try none.units(of: packet[...]) }
    guard size < 3 else { return }
    #expect(throws: BitstreamRefusal.tooLarge(.nalUnit)) {
      try framing.packet(of: [Array(repeating: 1, count: 1 << (8 * size))[...]])
    }
  }

  @Test("Units are found behind start codes of three and more bytes")
  func startCodes() throws {
    let stream: [UInt8] = [
      9, 0, 0, 0, 1, 7, 5, 0, 0, 1, 8, 0, 0, 0, 0, 1, 0, 0, 1, 6, 0, 0, 3, 0, 0,
    ]
    let units = try NALFraming.startCodes.units(of: stream[...])
    #expect(units.map(Array.init) == [[7, 5], [8], [6, 0, 0, 3]])
    let packet = try NALFraming.startCodes.packet(of: units)
    #expect(try NALFraming.startCodes.units(of: packet[...]) == units)
    #expect(try NALFraming.startCodes.units(of: []) == [])
  }

  @Test("Emulation prevention goes and comes, and equals its slow twin")
  func escapes() {
    var dice = Dice(3)
    for round in 0..<2000 {
      // A payload ends with the bit 1, or with words of zeros behind it.
      let end: [UInt8] = round % 3 == 0 ? [4, 0, 0, 0, 0] : [4]
      let payload = Self.bytes(Int(dice.number(0..<40)), &dice) + end
      let unit = EscapedBytes.unit(of: payload)
      #expect(unit == Self.slowlyEscaped(payload))
      #expect(Array(UnescapedBytes(unit[...])) == payload)
    }
  }

  @Test("A payload that is copied behind another header equals one that is escaped anew")
  func seams() {
    var dice = Dice(4)
    for _ in 0..<5000 {
      let payload = Self.bytes(Int(dice.number(0..<30)), &dice) + [4]
      let header = Self.bytes(Int(dice.number(0..<6)), &dice)
      let skipped = Int(dice.number(0..<Int64(payload.count)))
      var escaped = EscapedBytes()
      for byte in header { escaped.append(byte) }
      escaped.append(payloadOf: EscapedBytes.unit(of: payload)[...], from: skipped)
      #expect(escaped.finished() == Self.slowlyEscaped(header + payload[skipped...]))
    }
  }
}
