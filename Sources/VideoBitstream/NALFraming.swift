/// How NAL units lie in a packet.
package enum NALFraming: Sendable, Hashable {
  /// Each behind its length, of 1 to 4 bytes (ISO/IEC 14496-15, 5.3.3 and 8.3.3).
  case lengths(bytes: Int)
  /// Each behind a start code (H.264 and H.265, Annex B).
  case startCodes

  /// The NAL units of a packet, empty ones left out. Complexity: O(bytes).
  ///
  /// - Throws: `.truncated(.nalUnit)` where a length points behind the end.
  package func units(
    of packet: ArraySlice<UInt8>
  ) throws(BitstreamRefusal) -> [ArraySlice<UInt8>] {
    guard case .lengths(let size) = self else { return Self.unitsBehindStartCodes(of: packet) }
    guard 1...4 ~= size else { throw .invalid(.nalUnit) }
    var units: [ArraySlice<UInt8>] = []
    var rest = packet
    while !rest.isEmpty {
      guard rest.count >= size else { throw .truncated(.nalUnit) }
      let length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(size)
      guard length <= rest.count else { throw .truncated(.nalUnit) }
      if length > 0 { units.append(rest.prefix(length)) }
      rest = rest.dropFirst(length)
    }
    return units
  }

  /// Annex B, clause B.1: what lies before the first start code and zeros behind a unit are no part.
  private static func unitsBehindStartCodes(of stream: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var units: [ArraySlice<UInt8>] = []
    var start: Int?
    var zeros = 0
    func end(at index: Int) {
      guard let start, start < index else { return }
      let unit = stream[start..<index]
      guard let last = unit.lastIndex(where: { $0 != 0 }) else { return }
      units.append(unit[...last])
    }
    for index in stream.indices {
      let byte = stream[index]
      if byte == 0 {
        zeros += 1
        continue
      }
      if byte == 1, zeros >= 2 {
        end(at: index - zeros)
        start = index + 1
      }
      zeros = 0
    }
    end(at: stream.endIndex)
    return units
  }

  /// A packet of units; each start code has four bytes.
  ///
  /// - Throws: `.tooLarge(.nalUnit)` where a length does not fit.
  package func packet(
    of units: some Sequence<ArraySlice<UInt8>>
  ) throws(BitstreamRefusal) -> [UInt8] {
    var packet: [UInt8] = []
    for unit in units {
      switch self {
      case .startCodes: packet += [0, 0, 0, 1]
      case .lengths(let size):
        guard 1...4 ~= size, unit.count < 1 << (8 * size) else { throw .tooLarge(.nalUnit) }
        for place in (0..<size).reversed() {
          packet.append(UInt8(truncatingIfNeeded: unit.count >> (8 * place)))
        }
      }
      packet += unit
    }
    return packet
  }
}

/// Emulation prevention: within a NAL unit no three bytes look like a start code, because a 3 is put
/// behind each two zeros that a byte of 0 to 3 would follow (H.264 7.4.1, H.265 7.4.2).
package struct EscapedBytes: Sendable {
  /// A NAL unit with its emulation prevention.
  package private(set) var bytes: [UInt8] = []
  private var zeros = 0

  /// No bytes yet.
  package init() {}

  /// Adds one byte of the payload.
  package mutating func append(_ byte: UInt8) {
    if zeros == 2, byte <= 3 {
      bytes.append(3)
      zeros = 0
    }
    bytes.append(byte)
    zeros = byte == 0 ? zeros + 1 : 0
  }

  /// Adds what follows `count` bytes of payload in another NAL unit. As soon as both stand behind
  /// the same zeros, its own emulation prevention is right, and the rest is copied at once.
  package mutating func append(payloadOf unit: ArraySlice<UInt8>, from count: Int) {
    var reader = UnescapedBytes(unit)
    for _ in 0..<count where reader.next() == nil { return }
    while reader.zeros != zeros {
      guard let byte = reader.next() else { return }
      append(byte)
    }
    bytes += reader.rest
    zeros = 0
  }

  /// The whole unit. A payload that ends with a zero (`cabac_zero_word`) gets a 3 behind it.
  package mutating func finished() -> [UInt8] {
    if bytes.last == 0 { bytes.append(3) }
    return bytes
  }

  /// A NAL unit of a payload.
  package static func unit(of payload: some Sequence<UInt8>) -> [UInt8] {
    var escaped = EscapedBytes()
    for byte in payload { escaped.append(byte) }
    return escaped.finished()
  }
}

/// The payload of a NAL unit, its first bytes of header among it.
package struct UnescapedBytes: IteratorProtocol, Sequence, Sendable {
  /// What was not read yet, with its emulation prevention.
  package private(set) var rest: ArraySlice<UInt8>
  /// How many zeros were read last, 2 at most.
  fileprivate var zeros = 0

  /// The payload of `unit`.
  package init(_ unit: ArraySlice<UInt8>) { rest = unit }

  /// The next byte of the payload.
  package mutating func next() -> UInt8? {
    guard var byte = rest.popFirst() else { return nil }
    if zeros == 2, byte == 3 {
      zeros = 0
      guard let following = rest.popFirst() else { return nil }
      byte = following
    }
    zeros = byte == 0 ? Swift.min(zeros + 1, 2) : 0
    return byte
  }
}
