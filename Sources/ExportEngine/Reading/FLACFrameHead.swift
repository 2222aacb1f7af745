/// The head of a frame (RFC 9639, 9.1).
struct FLACFrameHead: Sendable, Hashable {
  /// The first sample's number.
  let sample: Int64
  /// Samples of the frame.
  let count: Int64

  /// Reads a head at the start of `bytes`; nil where there is none.
  ///
  /// - Parameters:
  ///   - bytes: From the first byte of the head on.
  ///   - blockSize: Samples of a frame, for streams that count frames.
  init?(_ bytes: ArraySlice<UInt8>, blockSize: Int64?) {
    let head = Array(bytes.prefix(16))
    guard head.count == 16, head[0] == 0xFF, head[1] >> 1 == 0x7C, head[3] & 1 == 0,
      head[3] >> 4 < 11, head[3] >> 1 & 7 != 3, head[2] & 15 != 15,
      let (number, end) = Self.number(head)
    else { return nil }
    var index = end
    func next() -> Int64 {
      defer { index += 1 }
      return Int64(head[index])
    }
    switch head[2] >> 4 {
    case 0: return nil
    case 1: count = 192
    case let code where code < 6: count = 576 << Int64(code - 2)
    case 6: count = next() + 1
    case 7: count = (next() << 8 | next()) + 1
    case let code: count = 256 << Int64(code - 8)
    }
    switch head[2] & 15 {
    case 12: index += 1
    case 13, 14: index += 2
    default: break
    }
    guard Self.checksum(head[..<index]) == head[index] else { return nil }
    let countsSamples = head[1] & 1 == 1
    guard countsSamples || blockSize != nil else { return nil }
    sample = countsSamples ? number : number * (blockSize ?? 0)
  }

  /// The coded number from the fifth byte on, and where it ends (9.1.5).
  private static func number(_ head: [UInt8]) -> (value: Int64, end: Int)? {
    let first = head[4]
    guard first & 0x80 != 0 else { return (Int64(first), 5) }
    let ones = (~first).leadingZeroBitCount
    guard (2...7).contains(ones) else { return nil }
    var value = ones == 7 ? 0 : Int64(first & (0x7F >> UInt8(ones)))
    for byte in head[5..<4 + ones] {
      guard byte >> 6 == 2 else { return nil }
      value = value << 6 | Int64(byte & 0x3F)
    }
    return (value, 4 + ones)
  }

  /// CRC-8 with x^8 + x^2 + x + 1 (9.1.8).
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ byte) { value, _ in value & 0x80 == 0 ? value << 1 : value << 1 ^ 0x07 }
    }
  }
}
