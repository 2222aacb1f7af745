import LibAV

/// Packets of AMR without speech, which a phone sends in pauses (discontinuous transmission).
/// FFmpeg's decoders refuse comfort noise and packets without data. Each stands for 20 ms of
/// silence, so the following sound keeps its place.
enum SpeechPause {
  /// A packet's frames of silence; nil for one that has to be decoded.
  static func frames(of packet: Packet, codec: String) -> Int? {
    guard let head = packet.firstByte else { return nil }
    let type = head >> 3 & 15
    switch codec {
    // 3GPP TS 26.101, table 1a: 8 is comfort noise, 9 to 11 are that of other systems, 15 is no data.
    case "amr_nb" where 8...15 ~= type: return 160
    // 3GPP TS 26.201, table 1a: 9 is comfort noise, 14 is lost, 15 is no data.
    case "amr_wb" where 9...15 ~= type: return 320
    default: return nil
    }
  }
}
