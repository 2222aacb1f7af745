/// The CRC that LAME's tag uses: x¹⁶ + x¹⁵ + x² + 1, reflected, from 0 (`CRC_update_lookup` in
/// LAME's VbrTag.c).
package enum CRC16 {
  /// The sum of `bytes`, or of what gave `previous` and them. Linear; contiguous bytes are taken
  /// eight at a time.
  package static func checksum(
    _ bytes: some Sequence<UInt8>, continuing previous: UInt16 = 0
  ) -> UInt16 {
    tables.withUnsafeBufferPointer { tables in
      bytes.withContiguousStorageIfAvailable { sum($0, previous, tables) }
        ?? Array(bytes).withUnsafeBufferPointer { sum($0, previous, tables) }
    }
  }

  /// What a byte does to the sum when 0 … 7 bytes come behind it: eight tables of 256.
  private static let tables: [UInt16] = {
    var tables: [UInt16] = []
    for byte in 0..<UInt16(256) {
      var crc = byte
      for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ 0xA001 }
      tables.append(crc)
    }
    for index in 256..<8 * 256 {
      let crc = tables[index - 256]
      tables.append((crc >> 8) ^ tables[Int(crc & 0xFF)])
    }
    return tables
  }()

  /// "Slicing by eight": eight look-ups that do not wait for one another.
  private static func sum(
    _ bytes: UnsafeBufferPointer<UInt8>, _ previous: UInt16, _ tables: UnsafeBufferPointer<UInt16>
  ) -> UInt16 {
    var crc = previous
    var index = 0
    while index + 8 <= bytes.count {
      let first = tables[7 * 256 + Int(bytes[index] ^ UInt8(truncatingIfNeeded: crc))]
      let second = tables[6 * 256 + Int(bytes[index + 1] ^ UInt8(truncatingIfNeeded: crc >> 8))]
      let third = tables[5 * 256 + Int(bytes[index + 2])] ^ tables[4 * 256 + Int(bytes[index + 3])]
      let fifth = tables[3 * 256 + Int(bytes[index + 4])] ^ tables[2 * 256 + Int(bytes[index + 5])]
      let seventh = tables[256 + Int(bytes[index + 6])] ^ tables[Int(bytes[index + 7])]
      crc = first ^ second ^ third ^ fifth ^ seventh
      index += 8
    }
    while index < bytes.count {
      crc = (crc >> 8) ^ tables[Int(bytes[index] ^ UInt8(truncatingIfNeeded: crc))]
      index += 1
    }
    return crc
  }
}
