/// A Layer III frame with all of its main data, wherever in the bit reservoir they lay.
///
/// What a decoder makes of a frame depends on these bytes and on the frames before it, and not on
/// how the reservoir is laid out: frames may be taken out of one stream and put into another.
package struct UnpackedFrame: Sendable, Hashable {
  /// As it was, with the bit rate and the padding of the slot that it came with.
  package let header: FrameHeader
  /// How many bytes before its slot its main data began (ISO 11172-3 §2.4.2.7).
  package let mainDataBegin: Int
  /// The side information with `main_data_begin` zero, then the main data; bits behind the last
  /// one of these are zero.
  package let content: [UInt8]

  /// Bytes of main data.
  package var mainDataLength: Int { content.count - header.sideInformationLength }

  /// Whether both decode to the same sound after the same frames.
  package func hasSameSound(as other: UnpackedFrame) -> Bool {
    (header.bits ^ other.header.bits) & ~FrameHeader.slotMask == 0 && content == other.content
  }
}

extension FrameHeader {
  /// The bits that say how long a frame's slot is, and the private one: checksum, bit rate, padding.
  static let slotMask: UInt32 = 0x1_F300

  /// See `largestMainDataBegin(ofSampleRate:)`.
  package var largestMainDataBegin: Int { Self.largestMainDataBegin(ofSampleRate: sampleRate) }

  /// Bytes of a frame of Layer III before its slot.
  package var headLength: Int { 4 + (hasChecksum ? 2 : 0) + sideInformationLength }

  /// Bytes for main data in a frame of Layer III with this header; 0 in free format.
  package var slotLength: Int { max(0, (frameLength ?? 0) - headLength) }
}

/// Reading and writing what the bit reservoir needs of side information.
package enum SideInformation {
  /// Bytes of main data of a frame with this side information.
  package static func mainDataLength(
    _ bytes: UnsafeBufferPointer<UInt8>, _ header: FrameHeader
  ) -> Int {
    (mainDataBits(bytes, header) + 7) / 8
  }

  /// Bits of main data of both granules and all channels, the sum of `part2_3_length`
  /// (ISO 11172-3 §2.4.1.7, 13818-3 §2.4.1.7).
  static func mainDataBits(_ bytes: UnsafeBufferPointer<UInt8>, _ header: FrameHeader) -> Int {
    granules(header).reduce(0) { $0 + bits12(bytes, at: $1) }
  }

  /// At which bits the facts of each granule's channels begin, in the order of the stream.
  static func granules(_ header: FrameHeader) -> StrideTo<Int> {
    let channels = header.channelCount
    let isMono = channels == 1
    let (first, step, count) =
      header.version == .mpeg1
      ? (9 + (isMono ? 5 : 3) + 4 * channels, 59, 2 * channels)
      : (8 + (isMono ? 1 : 2), 63, channels)
    return stride(from: first, to: first + step * count, by: step)
  }

  /// `main_data_begin`, the first 9 or 8 bits.
  static func mainDataBegin(_ bytes: UnsafeBufferPointer<UInt8>, _ header: FrameHeader) -> Int {
    header.version == .mpeg1 ? Int(bytes[0]) << 1 | Int(bytes[1] >> 7) : Int(bytes[0])
  }

  /// Writes `main_data_begin` at `offset` of `bytes`.
  static func setMainDataBegin(
    _ value: Int, in bytes: inout [UInt8], at offset: Int, _ header: FrameHeader
  ) {
    guard header.version == .mpeg1 else {
      bytes[offset] = UInt8(value)
      return
    }
    bytes[offset] = UInt8(value >> 1)
    bytes[offset + 1] = bytes[offset + 1] & 0x7F | UInt8(value & 1) << 7
  }

  private static func bits12(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Int {
    let byte = position >> 3
    let word =
      Int(bytes[byte]) << 16 | Int(bytes[byte + 1]) << 8
      | (byte + 2 < bytes.count ? Int(bytes[byte + 2]) : 0)
    return word >> (12 - position & 7) & 0xFFF
  }
}
