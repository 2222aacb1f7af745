import LibAV
import MediaComposition

/// Places in a stream where a fresh decoder may take over, found while the stream was counted. For
/// streams whose timestamps do not count frames. 48 bytes for some three seconds of sound.
struct AnchorIndex: Sendable {
  struct Anchor: Sendable {
    /// The first packet that the fresh decoder is fed, counted from the stream's first.
    var feedFrom: Int
    /// The packet from which on its sound is used.
    var packet: Int
    /// Frames of all packets before that one.
    var frame: Int64
    /// The key of packet `feedFrom`.
    var key: PacketKey
    /// Of all bytes of the packets `feedFrom ..< packet`.
    var fingerprint: Int
  }

  /// In the stream's order.
  var anchors: [Anchor] = []

  /// The last anchor at or before a raw frame, nil where that is the stream's start. O(log n).
  func anchor(before frame: Int64) -> Int? {
    let behind = anchors.partitioningIndex { $0.frame > frame }
    return behind == 0 ? nil : behind - 1
  }

  /// Frames between two anchors, and how many a decoder of this codec is fed before its output
  /// equals that of the decoder before; nil for codecs that are not known to converge.
  ///
  /// Packets that decode by themselves need one packet, which shows that both decoders give the
  /// same number of frames. MP3 at its lowest rates keeps bits in up to 47 frames; the others overlap by
  /// less than 8192 frames. CELT converges in 32 packets, SILK after no fixed time, so of Opus the samples
  /// are compared.
  static func spacing(of codec: String) -> Spacing? {
    if codec.hasPrefix("pcm_") || independent.contains(codec) { return Spacing(preRoll: 1) }
    if codec == "opus" {
      return Spacing(preRoll: 1 << 15, agreement: ConvergenceFinder.agreement)
    }
    if ["mp3", "truehd", "mlp"].contains(codec) { return Spacing(preRoll: 1 << 15) }
    return converging.contains(codec) ? Spacing(preRoll: 1 << 14) : nil
  }

  struct Spacing: Sendable {
    /// Frames between two anchors.
    var stride: Int64 = 1 << 17
    /// Frames that a fresh decoder is fed at least.
    var preRoll: Int64
    /// Packets in a row whose samples must be the same; nil: their number alone.
    var agreement: Int?
    /// A fresh decoder that has not come to agree by then is dropped.
    static let longest: Int64 = 1 << 22
  }

  private static let independent: Set<String> = [
    "flac", "alac", "tta", "wavpack", "ape", "tak", "adpcm_ima_wav", "adpcm_ms",
    "s302m",
  ]

  private static let converging: Set<String> = [
    "aac", "aac_latm", "mp1", "mp2", "ac3", "eac3", "dts", "vorbis", "wmav1", "wmav2", "wmapro",
    "amr_nb", "amr_wb", "gsm", "gsm_ms", "speex", "ilbc", "nellymoser", "musepack7", "musepack8",
    "atrac3", "atrac3p", "cook", "adpcm_g722",
  ]
}

/// What distinguishes a packet from its neighbours.
struct PacketKey: Sendable, Hashable {
  /// In ticks of the stream.
  var timestamp: Int64?
  var position: Int64?
  var size: Int

  init() { size = 0 }

  init(_ packet: Packet) {
    timestamp = packet.timestamp
    position = packet.position
    size = packet.size
  }

  /// Takes over a later packet's numbers: only the first in a page has a position.
  mutating func pass(_ later: PacketKey) {
    timestamp = later.timestamp ?? timestamp
    position = later.position ?? position
    size = later.size
  }

  /// Whether this packet's number is beyond that of `other`.
  func isBehind(_ other: PacketKey, byPosition: Bool) -> Bool {
    byPosition
      ? Self.isGreater(position, other.position) : Self.isGreater(timestamp, other.timestamp)
  }

  private static func isGreater(_ a: Int64?, _ b: Int64?) -> Bool {
    guard let a, let b else { return false }
    return a > b
  }
}
