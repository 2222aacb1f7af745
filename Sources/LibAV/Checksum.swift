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

  private static func sum(_ bytes: UnsafeRawBufferPointer, _ id: AVCRCId) -> UInt32 {
    av_crc(
      av_crc_get_table(id), 0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
  }
}
