import Glibc
import LibAV

/// What stands before the frames of a FLAC file (`STREAMINFO`, RFC 9639, 8.2), which no single encoder
/// of several can fill in.
struct FLACHeader {
  private var sizes: ClosedRange<Int>?
  /// The number of frames of sound, and their MD5; known before the last packet.
  var sound: (frameCount: Int64, digest: [UInt8])?

  /// Counts a frame; completes the header that an encoder's last packet has.
  mutating func add(_ packet: Packet) {
    guard packet.size > 0 else { return complete(&packet.newHeader) }
    sizes = min(sizes?.lowerBound ?? .max, packet.size)...max(sizes?.upperBound ?? 0, packet.size)
  }

  private func complete(_ header: inout [UInt8]) {
    guard header.count == 34, let sizes, let sound else { return }
    for (place, size) in [(4, sizes.lowerBound), (7, sizes.upperBound)] {
      for index in 0..<3 { header[place + index] = UInt8(size >> (16 - 8 * index) & 0xFF) }
    }
    // 36 bits; a number that does not fit is left open.
    let total = sound.frameCount >> 36 == 0 ? sound.frameCount : 0
    header[13] = header[13] & 0xF0 | UInt8(total >> 32)
    for index in 0..<4 { header[14 + index] = UInt8(total >> (24 - 8 * Int64(index)) & 0xFF) }
    header.replaceSubrange(18..<34, with: sound.digest)
  }
}

/// A frame of FLAC, which does not depend on others, but for its number (RFC 9639, 9.1.5).
enum FLACFrame {
  /// A frame with another number, and the checksums that change with it.
  static func numbered(_ packet: Packet, _ number: UInt64) throws(LibAVError) -> Packet {
    try packet.withBytes { frame throws(LibAVError) in
      guard let old = FLACFrameHead(frame, blockSize: 1) else {
        throw LibAVError(code: -EINVAL, operation: "reading the head of a frame of FLAC")
      }
      let end = old.end
      let body = UnsafeRawBufferPointer(rebasing: frame[(end + 1)..<(frame.count - 2)])
      var head = [UInt8](frame[..<4]) + coded(number) + frame[old.numberEnd..<end]
      head.append(head.withUnsafeBytes { Checksum.crc8($0) })
      // The sum changes by that of the head's change, whatever the body is.
      let change =
        head.withUnsafeBytes { Checksum.crc16($0) }
        ^ Checksum.crc16(UnsafeRawBufferPointer(rebasing: frame[...end]))
      let sum =
        UInt16(frame[frame.count - 2]) << 8 ^ UInt16(frame[frame.count - 1])
        ^ Checksum.crc16(change, thenZeros: body.count)
      return try Packet(
        joining: head, body, [UInt8(sum >> 8), UInt8(sum & 0xFF)], like: packet)
    }
  }

  /// A number as UTF-8 codes it, extended to 36 bits (9.1.5).
  private static func coded(_ number: UInt64) -> [UInt8] {
    guard number >= 0x80 else { return [UInt8(number)] }
    // 5 bits beside the lead of two bytes, and with each further one 6 more and one fewer.
    var count = 2
    while count < 7, number >> UInt64(5 * count + 1) != 0 { count += 1 }
    let lead = UInt8(truncatingIfNeeded: 0xFF00 >> count) | UInt8(number >> UInt64(6 * (count - 1)))
    let rest = (0..<count - 1).reversed().map { UInt8(0x80 | number >> UInt64(6 * $0) & 0x3F) }
    return [lead] + rest
  }
}
