import LibAV

/// Where in a stream a fresh decoder may take over, found while the stream was counted.
///
/// For streams whose timestamps do not count frames. 48 bytes for some three seconds of sound.
struct AnchorIndex: Sendable {
  /// One such place.
  struct Anchor: Sendable {
    /// The first packet that the fresh decoder is fed, counted from the stream's first.
    var feedFrom: Int
    /// The packet from which on it is heard.
    var packet: Int
    /// Frames that all packets before that one gave.
    var frame: Int64
    /// What packet `feedFrom` is found by.
    var key: PacketKey
    /// Of all bytes of the packets `feedFrom ..< packet`.
    var fingerprint: Int
  }

  /// In the stream's order.
  var anchors: [Anchor] = []

  /// The last anchor at or before a raw frame, nil where that is the stream's start. O(log n).
  func anchor(before frame: Int64) -> Int? {
    var (low, high) = (0, anchors.count)
    while low < high {
      let middle = (low + high) / 2
      if anchors[middle].frame <= frame { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }

  /// Frames between two anchors, and how many a decoder of this codec must be fed before what it gives
  /// is as good as what the one before gave; nil where a codec is not known to come to that.
  ///
  /// Packets that decode by themselves take one packet, which shows that both decoders give the same
  /// number of frames for it. Opus takes 32 packets to converge; MP3 at its lowest rates keeps its
  /// bits in up to 47 frames; the others overlap by less than 8192 frames.
  static func spacing(of codec: String) -> (stride: Int64, preRoll: Int64)? {
    if codec.hasPrefix("pcm_") || independent.contains(codec) { return (1 << 17, 1) }
    if ["opus", "mp3", "truehd", "mlp"].contains(codec) { return (1 << 17, 1 << 15) }
    return converging.contains(codec) ? (1 << 17, 1 << 14) : nil
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

/// What a packet is told from its neighbours by.
struct PacketKey: Sendable, Hashable {
  /// In ticks of the stream.
  var timestamp: Int64?
  /// Byte offset in the file.
  var position: Int64?
  /// Bytes.
  var size: Int

  /// Of no packet.
  init() { size = 0 }

  init(_ packet: Packet) {
    timestamp = packet.timestamp
    position = packet.position
    size = packet.size
  }

  /// Takes over what a later packet tells: of several that share a page, only the first has a place.
  mutating func pass(_ later: PacketKey) {
    timestamp = later.timestamp ?? timestamp
    position = later.position ?? position
    size = later.size
  }

  /// Whether one of the two numbers says that this packet is behind `other`.
  func isBehind(_ other: PacketKey, byPosition: Bool) -> Bool {
    byPosition
      ? Self.isGreater(position, other.position) : Self.isGreater(timestamp, other.timestamp)
  }

  private static func isGreater(_ a: Int64?, _ b: Int64?) -> Bool {
    guard let a, let b else { return false }
    return a > b
  }
}
