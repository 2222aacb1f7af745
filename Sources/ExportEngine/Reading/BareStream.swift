import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition

/// Containers that are nothing but packets, one behind the other. libavformat's parsers skip bytes
/// between packets, or append them to the packet before.
enum BareStream {
  /// By libavformat's names.
  static let formats: Set<String> = [
    "aac", "ac3", "amr", "dts", "eac3", "loas", "mlp", "mp3", "truehd",
  ]

  /// How many bytes of a packet are its frames', by their own heads; all where these do not say it.
  ///
  /// - Complexity: O(frames)
  static func framedSize(of packet: UnsafeRawBufferPointer, in format: String) -> Int {
    var end = 0
    while end < packet.count {
      let rest = UnsafeRawBufferPointer(rebasing: packet[end...])
      guard let size = frameSize(startOf: rest, in: format) else { return packet.count }
      guard size > 0 else { break }
      end += size
      if format == "dts", let start = extensionStart(behind: end, in: packet) { end = start }
    }
    return min(end, packet.count)
  }

  /// Where the extension of a DTS frame begins, which stands at a multiple of four bytes (ETSI TS 102 114,
  /// 7.4); nil where there is none.
  private static func extensionStart(
    behind end: Int, in packet: UnsafeRawBufferPointer
  ) -> Int? {
    let start = (end + 3) / 4 * 4
    guard start + 4 <= packet.count,
      packet[start..<start + 4].elementsEqual([0x64, 0x58, 0x20, 0x25])
    else { return nil }
    return start
  }

  /// Bytes of the frame that some begin with, 0 where they begin with none; nil where it does not say.
  private static func frameSize(
    startOf bytes: UnsafeRawBufferPointer, in format: String
  ) -> Int? {
    func number(_ count: Int) -> Int {
      bytes.count < count ? 0 : bytes[..<count].reduce(0) { $0 << 8 | Int($1) }
    }
    switch format {
    case "mlp", "truehd":
      // 12 bits of 16-bit words behind four of a sum (Dolby TrueHD, "High-level bitstream description").
      return number(2) & 0xFFF != 0 ? (number(2) & 0xFFF) * 2 : nil
    case "dts": return dtsFrameSize(number)
    case "aac":
      // Of ADTS: a sync word, no layer, and 13 bits of size (ISO 13818-7, 6.2).
      return number(2) & 0xFFF6 == 0xFFF0 ? number(6) >> 5 & 0x1FFF : 0
    case "loas":
      // 11 bits of a sync word, and 13 of the size behind them (ISO 14496-3, 1.7.2).
      return number(3) >> 13 == 0x2B7 ? 3 + number(3) & 0x1FFF : 0
    case "ac3", "eac3":
      // No size is read of frames whose bytes are swapped.
      return number(2) == 0x770B ? nil : AC3Head.frameSize(startOf: bytes) ?? 0
    case "mp3":
      guard let head = FrameHeader(startOf: bytes) else { return 0 }
      return head.frameLength
    default: return nil
    }
  }

  /// Of a core frame, or of an extension's (ETSI TS 102 114, 5.3.1 and 7.4.1), by the number that the
  /// first bytes are; nil of what is stored in 14 bits, or with its bytes swapped.
  private static func dtsFrameSize(_ number: (_ count: Int) -> Int) -> Int? {
    switch number(4) {
    case 0x7FFE_8001: number(8) >> 4 & 0x3FFF + 1
    case 0x6458_2025:
      // The size of its header, and its own, are longer where a bit says so.
      number(6) >> 5 & 1 == 0
        ? number(9) >> 5 & 0xFFFF + 1 : number(10) >> 5 & 0xF_FFFF + 1
    case 0x1FFF_E800, 0xFF1F_00E8, 0xFE7F_0180: nil
    default: 0
    }
  }
}

extension Packet {
  /// Leaves out what follows its frames in a bare stream.
  ///
  /// - Returns: How many bytes are left, 0 of a packet that is no frame, which stays as it is; and whether
  ///   zeros alone followed.
  func keepFrames(in format: String) -> (size: Int, isPadded: Bool) {
    let (size, isPadded) = withBytes { bytes in
      let size = BareStream.framedSize(of: bytes, in: format)
      return (size, size < bytes.count && bytes[size...].allSatisfy { $0 == 0 })
    }
    if size > 0 { shrink(to: size) }
    return (size, isPadded)
  }
}

extension Prober {
  /// Whether the medium is a file of packets alone.
  func isBare(_ demuxer: Demuxer) -> Bool {
    BareStream.formats.contains(demuxer.formatName) && location.url == nil
  }

  /// A warning of a bare stream that has bytes between its frames which may have been some.
  func warnings(ofBytesBetweenFrames count: CountedStream.Count) -> [Warning] {
    guard count.strayBytes > 0 else { return [] }
    return [
      Warning(
        "has \(count.strayBytes) bytes between its frames that cannot be read: they are left out",
        location: location)
    ]
  }
}
