internal import CFFmpeg

/// Cyclic redundancy checks, as libavutil has them (`av_crc`).
package enum Checksum {
  /// CRC-8 with x^8 + x^2 + x + 1 (`AV_CRC_8_ATM`). O(n).
  package static func crc8(_ bytes: UnsafeRawBufferPointer) -> UInt8 {
    UInt8(truncatingIfNeeded: sum(bytes, AV_CRC_8_ATM))
  }

  /// CRC-16 with x^16 + x^15 + x^2 + 1, from zero on, the highest bit first (`AV_CRC_16_ANSI`). O(n).
  package static func crc16(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
    // The table is of a little-endian sum.
    UInt16(truncatingIfNeeded: sum(bytes, AV_CRC_16_ANSI)).byteSwapped
  }

  /// The CRC-32 of a page of Ogg (RFC 3533, 6, field 7), of which the old one, bytes 22 to 25, does not
  /// matter; nil of fewer bytes than a head has. O(n).
  package static func oggPage(_ page: UnsafeRawBufferPointer) -> UInt32? {
    guard page.count >= 27, let bytes = page.bindMemory(to: UInt8.self).baseAddress else {
      return nil
    }
    let table = av_crc_get_table(AV_CRC_32_IEEE)
    let head = av_crc(table, av_crc(table, 0, bytes, 22), [0, 0, 0, 0], 4)
    // The table is of a little-endian sum.
    return av_crc(table, head, bytes + 26, page.count - 26).byteSwapped
  }

  /// How many bytes the first and the last one of the starts of `bytes` have whose CRC-16 is 0, as that of
  /// bytes is that end with their own sum; nil without one. O(n).
  package static func crc16Ends(in bytes: UnsafeRawBufferPointer) -> ClosedRange<Int>? {
    var sum: UInt32 = 0
    var ends: ClosedRange<Int>?
    let table = av_crc_get_table(AV_CRC_16_ANSI)
    for index in bytes.indices {
      sum = withUnsafePointer(to: bytes[index]) { av_crc(table, sum, $0, 1) }
      if sum == 0 { ends = (ends?.lowerBound ?? index + 1)...index + 1 }
    }
    return ends
  }

  /// The CRC-16 of the bytes that have the CRC-16 `sum`, and of `count` zeros behind them: its product
  /// with x^(8 · count). O(log count).
  package static func crc16(_ sum: UInt16, thenZeros count: Int) -> UInt16 {
    var (result, power, count) = (sum, UInt16(1 << 8), count)
    while count > 0 {
      if count & 1 == 1 { result = product(result, power) }
      power = product(power, power)
      count >>= 1
    }
    return result
  }

  /// The remainder of a product of polynomials.
  private static func product(_ one: UInt16, _ other: UInt16) -> UInt16 {
    (0..<16).reversed().reduce(0) { sum, bit in
      sum << 1 ^ (sum >> 15) * 0x8005 ^ (other >> bit & 1) * one
    }
  }

  private static func sum(_ bytes: UnsafeRawBufferPointer, _ id: AVCRCId) -> UInt32 {
    av_crc(
      av_crc_get_table(id), 0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
  }
}
