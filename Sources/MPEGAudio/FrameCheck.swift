/// Looks for frames of Layer III that are damaged behind their header, as far as that can be seen without
/// decoding them.
///
/// Fed with the frames of a stream in order. Other damage of main data makes other sound, which no
/// checksum tells from the right one: a frame's own covers its header and its side information alone.
package struct FrameCheck: Sendable {
  /// What is wrong with a frame.
  package enum Fault: Sendable, Hashable {
    /// Its checksum is that of other bytes (ISO 11172-3 §2.4.3.1).
    case checksum
    /// Its side information has numbers that no frame may have, or places its main data behind its slot,
    /// or where those of the frame before lie.
    case sideInformation
  }

  /// Frames whose checksum was compared, and fits.
  package private(set) var fittingChecksums = 0
  /// The end of the main data of the frame before, counted from the next slot: 0 or less; nil where that
  /// is not known.
  private var end: Int?

  /// Has seen no frame.
  package init() {}

  /// Looks at the next frame.
  ///
  /// - Parameters:
  ///   - frame: All of its bytes.
  ///   - header: The one that they begin with.
  /// - Returns: What is wrong with it, if something is found.
  package mutating func fault(
    of frame: ArraySlice<UInt8>, _ header: FrameHeader
  ) -> Fault? {
    guard frame.count >= header.headLength else { return nil }
    let side = frame[
      frame.startIndex + header.headLength - header.sideInformationLength..<frame.endIndex
    ]
    .prefix(header.sideInformationLength)
    let (begin, length, isPossible) = side.withUnsafeBufferPointer {
      (
        SideInformation.mainDataBegin($0, header), SideInformation.mainDataLength($0, header),
        SideInformation.isPossible($0, header)
      )
    }
    let (before, behind) = (end ?? -begin, length - begin - (frame.count - header.headLength))
    // Nothing is known of what follows a frame that ends nowhere.
    end = behind <= 0 && isPossible ? behind : nil
    if header.hasChecksum {
      guard header.checksum(of: frame) == frame.dropFirst(4).prefix(2).number else {
        return .checksum
      }
      fittingChecksums += 1
    }
    return !isPossible || behind > 0 || -begin < before ? .sideInformation : nil
  }

  /// Forgets the frames before: the next one follows others.
  package mutating func restart() { end = nil }
}

extension ArraySlice<UInt8> {
  /// As a number, the most significant byte first.
  fileprivate var number: UInt16 { reduce(0) { $0 << 8 | UInt16($1) } }
}

extension SideInformation {
  /// Whether no number is one that the standard excludes: more than 576 lines in pairs (`big_values`;
  /// ISO 11172-3 §2.4.2.7), other windows of no kind (`block_type` 0 behind `window_switching_flag`), or
  /// code tables that there are not (4 and 14; its Annex B, table 3-B.7).
  static func isPossible(_ bytes: UnsafeBufferPointer<UInt8>, _ header: FrameHeader) -> Bool {
    // Before the flag: `part2_3_length`, `big_values`, `global_gain`, `scalefac_compress`.
    let flag = header.version == .mpeg1 ? 33 : 38
    return granules(header).allSatisfy { start in
      let pairs = bits(bytes, start + 12, 9)
      guard pairs <= 288 else { return false }
      let isSwitched = bits(bytes, start + flag, 1) == 1
      if isSwitched, bits(bytes, start + flag + 1, 2) == 0 { return false }
      let table = bits(bytes, start + flag + (isSwitched ? 4 : 1), 5)
      return pairs == 0 || ![4, 14].contains(table)
    }
  }

  private static func bits(
    _ bytes: UnsafeBufferPointer<UInt8>, _ position: Int, _ count: Int
  ) -> Int {
    (position..<position + count).reduce(0) { number, place in
      number << 1 | Int(bytes[place >> 3] >> (7 - place & 7) & 1)
    }
  }
}
