import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition

/// Containers that are nothing but packets, one behind the other, whose parsers skip what is none, or
/// hand it on with the packet before.
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
    }
    return min(end, packet.count)
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
    case "ac3", "eac3": return AC3Head.frameSize(startOf: bytes) ?? 0
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
  /// - Returns: How many bytes are left; 0 of a packet that is no frame, which stays as it is.
  func keepFrames(in format: String) -> Int {
    let size = withBytes { BareStream.framedSize(of: $0, in: format) }
    if size > 0 { shrink(to: size) }
    return size
  }
}

extension Prober {
  /// Whether the medium is a file of packets alone.
  func isBare(_ demuxer: Demuxer) -> Bool {
    BareStream.formats.contains(demuxer.formatName) && location.url == nil
  }

  /// A warning of a bare stream that has more between its frames than one of them has bytes.
  func warnings(ofBytesBetweenFrames count: CountedStream.Count) -> [Warning] {
    guard let end = count.lastEnd else { return [] }
    let rest = end - count.firstPosition - count.packetBytes
    guard rest * Int64(count.packets) > count.packetBytes else { return [] }
    return [
      Warning(
        "has \(rest) bytes between its frames that are no sound: they are left out",
        location: location)
    ]
  }
}
