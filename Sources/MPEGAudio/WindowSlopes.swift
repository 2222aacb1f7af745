/// The slopes with which a frame's blocks begin and end, by channel: long, or short as those of
/// short blocks are.
///
/// Where frames of two encoders meet, the alias terms of the two halves of an overlap cancel only if
/// both slopes are of one kind (ISO 11172-3 §2.4.3.4, "window switching": types 0 to 3).
package struct WindowSlopes: Sendable, Hashable {
  /// Whether the first granule of each channel begins with a short slope.
  package let isShortAtStart: [Bool]
  /// Whether the last granule of each channel ends with one.
  package let isShortAtEnd: [Bool]

  /// Reads them off side information, which must be as long as the header says.
  package init(_ side: UnsafeBufferPointer<UInt8>, _ header: FrameHeader) {
    // The flag lies behind lengths, gain and how the scale factors are stored.
    let flag = header.version == .mpeg1 ? 33 : 38
    let types = SideInformation.granules(header).map {
      SideInformation.blockType(side, flagAt: $0 + flag)
    }
    isShortAtStart = types.prefix(header.channelCount).map { $0 == 2 || $0 == 3 }
    isShortAtEnd = types.suffix(header.channelCount).map { $0 == 1 || $0 == 2 }
  }
}

extension SideInformation {
  /// The block type behind `window_switching_flag` at a bit; 0 without the flag.
  fileprivate static func blockType(
    _ bytes: UnsafeBufferPointer<UInt8>, flagAt position: Int
  ) -> Int {
    func bit(_ position: Int) -> Int { Int(bytes[position >> 3] >> (7 - position & 7)) & 1 }
    return bit(position) == 0 ? 0 : bit(position + 1) << 1 | bit(position + 2)
  }
}

extension UnpackedFrame {
  /// The slopes of its blocks.
  package var slopes: WindowSlopes {
    content.withUnsafeBufferPointer { WindowSlopes($0, header) }
  }
}
