/// The slopes with which a frame's blocks begin and end, by channel: long, or short as those of
/// short blocks are.
///
/// Where frames of two encoders meet, the alias terms of the two halves of an overlap cancel only if
/// both slopes are of one kind (ISO 11172-3 §2.4.3.4, "window switching": types 0 to 3).
package struct WindowSlopes: Sendable, Hashable {
  /// Whether the first granule of each channel begins with a short slope.
  package private(set) var isShortAtStart: [Bool] = []
  /// Whether the last granule of each channel ends with one.
  package private(set) var isShortAtEnd: [Bool] = []

  /// Reads them off side information, which must be as long as the header says.
  package init(_ side: UnsafeBufferPointer<UInt8>, _ header: FrameHeader) {
    let channels = header.channelCount
    let (first, step, granules) =
      header.version == .mpeg1
      ? (9 + (channels == 1 ? 5 : 3) + 4 * channels, 59, 2) : (8 + (channels == 1 ? 1 : 2), 63, 1)
    // The flag lies behind lengths, gain and how the scale factors are stored.
    let flag = header.version == .mpeg1 ? 33 : 38
    for channel in 0..<channels {
      let early = SideInformation.blockType(side, flagAt: first + step * channel + flag)
      let position = first + step * ((granules - 1) * channels + channel) + flag
      let late = SideInformation.blockType(side, flagAt: position)
      isShortAtStart.append(early == 2 || early == 3)
      isShortAtEnd.append(late == 1 || late == 2)
    }
  }

  /// Whether all are long at the start.
  package var beginsLong: Bool { !isShortAtStart.contains(true) }
  /// Whether all are long at the end.
  package var endsLong: Bool { !isShortAtEnd.contains(true) }
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
