/// Reads the bits of a raw byte sequence payload, the highest bit of each byte first
/// (H.264 and H.265, clause 7.2). Reading behind the end throws, and so does each value that the
/// standard does not allow; no bytes trap.
package struct BitReader: Sendable {
  private let bytes: [UInt8]
  private let structure: BitstreamRefusal.Structure
  /// How many bits have been read.
  package private(set) var position: Int

  /// A reader of a payload without emulation prevention.
  ///
  /// - Parameters:
  ///   - bytes: The payload.
  ///   - structure: What is refused if the bytes are none.
  ///   - position: The first bit to read.
  package init(_ bytes: [UInt8], of structure: BitstreamRefusal.Structure, at position: Int = 0) {
    self.bytes = bytes
    self.structure = structure
    self.position = position
  }

  /// Up to 32 bits: u(n).
  package mutating func bits(_ count: Int) throws(BitstreamRefusal) -> UInt32 {
    guard count <= bytes.count * 8 - position else { throw .truncated(structure) }
    var value: UInt32 = 0
    var remaining = count
    while remaining > 0 {
      let offset = position & 7
      let taken = min(8 - offset, remaining)
      let byte = UInt32(bytes[position >> 3]) >> UInt32(8 - offset - taken)
      value = value << UInt32(taken) | byte & ((1 << UInt32(taken)) - 1)
      position += taken
      remaining -= taken
    }
    return value
  }

  /// u(1).
  package mutating func flag() throws(BitstreamRefusal) -> Bool { try bits(1) == 1 }

  /// Skips u(n) of any length.
  package mutating func skip(_ count: Int) throws(BitstreamRefusal) {
    guard count <= bytes.count * 8 - position else { throw .truncated(structure) }
    position += count
  }

  /// ue(v), clause 9.1 (H.265: 9.2); at most 2³² − 2.
  package mutating func unsigned(
    atMost limit: UInt32 = .max
  ) throws(BitstreamRefusal) -> UInt32 {
    var zeros = 0
    while try !flag() {
      zeros += 1
      guard zeros < 32 else { throw .invalid(structure) }
    }
    let value = try (1 << UInt32(zeros)) - 1 + bits(zeros)
    guard value <= limit else { throw .invalid(structure) }
    return value
  }

  /// se(v), clause 9.1.1 (H.265: 9.2.2).
  package mutating func signed() throws(BitstreamRefusal) -> Int32 {
    let code = try unsigned()
    return code & 1 == 1 ? Int32(code / 2 + 1) : -Int32(code / 2)
  }

  /// Where the trailing bits begin: at the last bit that is 1 (7.2, `rbsp_trailing_bits`). Nil where
  /// all bits are 0.
  package var end: Int? {
    guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return nil }
    return last * 8 + 7 - bytes[last].trailingZeroBitCount
  }

  /// Whether there is more than trailing bits (7.2, `more_rbsp_data`).
  package var hasMore: Bool { position < end ?? 0 }
}

/// Writes the bits of a raw byte sequence payload, the highest bit of each byte first.
package struct BitWriter: Sendable {
  /// What was written; zeros fill the last byte.
  package private(set) var bytes: [UInt8] = []
  /// How many bits were written.
  package private(set) var position = 0

  /// An empty payload.
  package init() {}

  /// The lower `count` bits of a value: u(n), 0 to 32 of them.
  package mutating func bits(_ value: UInt32, _ count: Int) {
    var remaining = count
    while remaining > 0 {
      let offset = position & 7
      if offset == 0 { bytes.append(0) }
      let taken = min(8 - offset, remaining)
      let part = value >> UInt32(remaining - taken) & ((1 << UInt32(taken)) - 1)
      bytes[bytes.count - 1] |= UInt8(truncatingIfNeeded: part << UInt32(8 - offset - taken))
      position += taken
      remaining -= taken
    }
  }

  /// u(1).
  package mutating func flag(_ value: Bool) { bits(value ? 1 : 0, 1) }

  /// ue(v) of at most 2³² − 2.
  package mutating func unsigned(_ value: UInt32) {
    let code = value &+ 1
    let length = 32 - code.leadingZeroBitCount
    bits(0, length - 1)
    bits(code, length)
  }

  /// se(v), above −2³¹.
  package mutating func signed(_ value: Int32) {
    let magnitude = value.magnitude
    unsigned(value > 0 ? magnitude &* 2 &- 1 : magnitude &* 2)
  }

  /// Ones up to the next byte (H.264 7.3.4, `cabac_alignment_one_bit`).
  package mutating func alignWithOnes() {
    while position & 7 != 0 { flag(true) }
  }

  /// What a reader has left, up to a bit.
  package mutating func rest(
    of reader: BitReader, until end: Int
  ) throws(BitstreamRefusal) {
    var reader = reader
    while reader.position < end {
      let count = min(32, end - reader.position)
      bits(try reader.bits(count), count)
    }
  }

  /// The bit 1 and zeros up to the next byte (7.3.2.11, `rbsp_trailing_bits`).
  package mutating func trailingBits() {
    flag(true)
    position = bytes.count * 8
  }
}
