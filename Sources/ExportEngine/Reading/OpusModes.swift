import Diagnosis
import LibAV

/// How packets of an Opus stream are coded, as far as that decides where a decoder may begin.
///
/// CELT forgets its past within some packets. SILK, alone or below CELT (hybrid), predicts each pitch
/// period from the one before: a fresh decoder comes to the same samples after 0.1 to 40 s.
struct OpusModes: Sendable {
  /// Whether a packet is of SILK, or a hybrid one.
  private(set) var hasSILK: Bool
  /// Whether a packet has no sound (`OPUS_SET_DTX`): what its decoder makes up for it depends on
  /// all that was before.
  private(set) var hasPauses = false

  /// Whether blocks of CELT are shorter than 20 ms, whose levels are no state for longer ones.
  private(set) var hasShortBlocks = false

  /// Of `streamCount` streams in one without packets yet: of several, only the first one's mode stands
  /// at the head of a packet (RFC 6716, appendix B).
  init(streamCount: Int) { hasSILK = streamCount > 1 }

  /// Of a stream without packets yet.
  init(_ stream: LibAV.Stream) { self.init(streamCount: stream.opusStreamCount) }

  mutating func note(_ packet: Packet) {
    if let head = packet.firstByte { note(head, size: packet.size) }
  }

  /// Notes a packet by its first byte and its size.
  mutating func note(_ head: UInt8, size: Int) {
    // Configurations 0 to 11 are SILK's, 12 to 15 hybrid, and every fourth one from 19 on has blocks of
    // 20 ms (RFC 6716, 3.1).
    guard head >> 3 < 16 else {
      if head >> 3 & 3 != 3 { hasShortBlocks = true }
      return
    }
    hasSILK = true
    // Frames of at most one byte are not decoded (`opus_decode_frame`).
    if size <= 2 { hasPauses = true }
  }

  /// How such a stream is reached.
  var access: Access {
    guard hasSILK else { return .anchors(stride: 1 << 17, preRoll: 1 << 15) }
    return .converging(hasPauses ? nil : ConvergenceFinder())
  }
}

extension StreamFacts {
  /// The modes of all packets of an Opus stream; of a server's, which would be fetched for it, those
  /// of the first second.
  func opusModes(of stream: LibAV.Stream) throws(Failure) -> OpusModes {
    try reading(location) { () throws(LibAVError) in
      var modes = OpusModes(stream)
      let packets = try PacketReader(self)
      var left = location.url == nil ? Int.max : 50
      while left > 0, let packet = try packets.next() {
        modes.note(packet)
        left -= 1
      }
      return modes
    }
  }
}
