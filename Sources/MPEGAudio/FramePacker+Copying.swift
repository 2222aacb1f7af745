extension FramePacker {
  /// Fills what is free, so that `end` are the last bytes before the next slot; all frames are then
  /// complete.
  ///
  /// - Throws: `NoRoom` where less than that is free; nothing is changed.
  package mutating func fill(
    endingWith end: ArraySlice<UInt8>, into bytes: inout [UInt8], lengths: inout [Int]
  ) throws(NoRoom) {
    guard end.count <= reservoir else { throw NoRoom(frame: count) }
    append(repeatElement(0, count: reservoir - end.count))
    append(end)
    giveOut(into: &bytes, lengths: &lengths)
  }

  /// Counts frames that were given out elsewhere, while no slot had room.
  mutating func pass(_ count: Int) { self.count += count }

  /// Takes whole frames as they lie in another stream, and leaves the last `freeCount` bytes of their
  /// main data free; no slot before them may have room. The last of them gets a longer slot, as far as
  /// that makes more room for the next frame.
  ///
  /// Frames of damaged streams may free more than they hold: then it is all of it.
  package mutating func copyEnd(
    _ frames: [ArraySlice<UInt8>], freeing freeCount: Int, into bytes: inout [UInt8],
    lengths: inout [Int]
  ) {
    for (index, frame) in frames.enumerated() {
      guard let header = FrameHeader(startOf: frame), frame.count >= header.headLength else {
        preconditionFailure("a copied frame has a header and side information")
      }
      let slot = frame.dropFirst(header.headLength)
      let isLast = index + 1 == frames.count
      let missing = isLast ? header.largestMainDataBegin - min(freeCount, held + slot.count) : 0
      let longer = header.lengthened(by: missing)
      let head = frame.prefix(header.headLength)
      if longer == header {
        addHead(Array(head), slotLength: slot.count)
      } else {
        addHead(
          FrameHeader.relabelled(head, as: longer), slotLength: max(longer.slotLength, slot.count))
      }
      append(slot)
    }
    free(freeCount)
    giveOut(into: &bytes, lengths: &lengths)
  }
}

extension FrameHeader {
  /// A frame that lacks main data, as one without: silent, with the same slot.
  package static func silenced(_ frame: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let header = FrameHeader(startOf: frame), frame.count >= header.headLength else {
      return frame
    }
    var bytes = frame
    let side = frame.startIndex + header.headLength - header.sideInformationLength
    for index in side..<side + header.sideInformationLength { bytes[index] = 0 }
    header.protect(&bytes)
    return bytes
  }

  /// The same header with a slot that is longer by some bytes, as far as there is one.
  fileprivate func lengthened(by byteCount: Int) -> FrameHeader {
    let longer = (bits >> 12 & 15..<15).lazy
      .compactMap { FrameHeader(bits: bits & ~0xF000 | $0 << 12) }
    return longer.first { $0.slotLength >= slotLength + byteCount } ?? longer.last ?? self
  }

  /// What stands before a slot, under another header.
  fileprivate static func relabelled(_ head: ArraySlice<UInt8>, as header: FrameHeader) -> [UInt8] {
    var bytes = Array(head)
    bytes.replaceSubrange(0..<4, with: header.bits.bigEndianBytes)
    header.protect(&bytes[...])
    return bytes
  }

  /// Writes the checksum of what stands before a slot, in a frame that has one.
  private func protect(_ frame: inout ArraySlice<UInt8>) {
    guard hasChecksum else { return }
    let (place, sum) = (frame.startIndex + 4, checksum(of: frame))
    frame[place] = UInt8(sum >> 8)
    frame[place + 1] = UInt8(sum & 0xFF)
  }

  /// The checksum of what stands before a slot, of a frame that has one.
  func checksum(of frame: ArraySlice<UInt8>) -> UInt16 {
    let side = frame.startIndex + 6
    return FrameChecksum.checksum(
      frame[side - 4..<side - 2] + frame[side..<side + sideInformationLength])
  }
}

/// The CRC of a frame's header and side information: x¹⁶ + x¹⁵ + x² + 1 from all ones
/// (ISO 11172-3 §2.4.3.1).
enum FrameChecksum {
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0xFFFF) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in
        sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x8005
      }
    }
  }
}

extension UnpackedFrame {
  /// The frame in `bytes`, whose main data begin with `mainData`, which lie before it; nil if they end
  /// behind its slot.
  package init?(_ bytes: ArraySlice<UInt8>, after mainData: ArraySlice<UInt8>) {
    guard let header = FrameHeader(startOf: bytes), bytes.count > header.headLength else {
      return nil
    }
    let head = bytes.prefix(header.headLength)
    var side = Array(head.suffix(header.sideInformationLength))
    let bits = side.withUnsafeBufferPointer { SideInformation.mainDataBits($0, header) }
    SideInformation.setMainDataBegin(0, in: &side, at: 0, header)
    var data = (mainData + bytes.dropFirst(head.count)).prefix((bits + 7) / 8)
    guard data.count == (bits + 7) / 8 else { return nil }
    if bits % 8 != 0 { data[data.endIndex - 1] &= 0xFF << UInt8(8 - bits % 8) }
    self.init(header: header, mainDataBegin: mainData.count, content: side + data)
  }

  /// A frame without main data, which is silent behind silence.
  package static func silence(like header: FrameHeader) -> UnpackedFrame {
    // Without joint stereo's mode extension.
    UnpackedFrame(
      header: FrameHeader(bits: header.bits & ~0x30) ?? header, mainDataBegin: 0,
      content: [UInt8](repeating: 0, count: header.sideInformationLength))
  }
}
