import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime

/// The facts for reading one stream, found by probing.
struct StreamFacts: Sendable {
  enum Reader: Sendable {
    /// Bare MPEG frames, by our own index, and iTunes' note. The index is nil where it was not kept,
    /// or has not all frames, and is made again.
    indirect case mpegAudio(FrameIndex?, ITunesGapless?)
    /// Through libavformat, by timestamps that are proven to count frames.
    case demuxer(Access, TimeBase)
    /// Through libavformat, by counting decoded frames, from the start or from an anchor.
    case counted(AnchorIndex)
    /// The links of a chained file, one after the other.
    case chained([ChainLink])
    /// No stream: a picture without sound.
    case silence

    /// Whether going back decodes from the first packet.
    var startsAnew: Bool {
      switch self {
      case .demuxer(.converging(let finder), _): finder == nil
      case .demuxer, .mpegAudio, .silence: false
      case .counted(let index): index.anchors.isEmpty
      case .chained(let links): links.contains { $0.facts.reader.startsAnew }
      }
    }
  }

  var location: MediaLocation
  var streamIndex: Int
  var sampleRate: Int
  var channelCount: Int
  var reader: Reader
  /// The raw frame that is frame 0 of the asset. By timestamps, where these are proven; else the
  /// number of decoded frames to leave out.
  var origin: Int64
  /// The raw frame of the first decoded sample.
  var firstRaw: Int64
  /// The frame of the container's clock that is raw frame 0: of Opus in Ogg the first that sounds.
  var clockStart: Int64 = 0
  /// The file that is read; nil: the one at `location`, or a server's medium.
  var file: HeldFile?
  /// Whether each packet of AAC gives twice as many frames as it codes: by spectral band replication
  /// (HE-AAC), which headers need not mention.
  var hasBandReplication = false
  /// What MP4 would have as the header of a bare stream of AAC, whose packets have 1024 frames each; nil
  /// for others.
  var bareHeader: [UInt8]?
  /// Whether it is AAC-LC in CAF or MP4, whose packets were counted: all of them have 1024 frames, which
  /// time stamps need not say.
  var hasCountedPackets = false
  /// For each channel of the file its plane, where that is not its own number.
  var planes: [Int]?
  /// How its demuxer gets it.
  var opening = MediumOpening()
  /// Whether it is Opus in blocks that are shorter than 20 ms.
  var hasShortBlocks = false
  /// When its first frame sounds by the file's clock, by which texts in it are shown.
  var start = Time.zero
  /// What is played of the frames from `origin` on; nil: all of them, one after the other.
  var pieces: SoundPieces?
  /// Which bytes of the file are the stream's, if it is one of several that are chained.
  var range: Range<Int64>?

  var access: Access {
    if case .demuxer(let access, _) = reader { access } else { .packets }
  }

  /// Frames of each packet of AAC, of which time stamps do not say them; nil for others.
  var countedLength: Int64? {
    // ISO 14496-3, 4.6.18.
    hasBandReplication ? 2048 : hasCountedPackets ? 1024 : nil
  }

  /// Frames a second that AAC codes, where band replication makes twice as many of them; nil for others.
  var coreRate: Int? { hasBandReplication ? sampleRate / 2 : nil }

  /// Beyond any file, and near enough that differences of two numbers fit.
  static let farthestFrame: Int64 = 1 << 60

  /// Frames in the longest packet of any anchored codec: a block of Vorbis.
  static let longestPacket: Int64 = 8192

  /// Counts raw frames from the first on that sounds: a stream of Opus may begin at any granule (RFC
  /// 7845, 4.5).
  mutating func countFromSound() {
    clockStart += origin
    (origin, firstRaw) = (0, firstRaw - origin)
  }

  /// A timestamp as a raw frame; nil where the time base does not count frames, or far beyond any file.
  func rawFrame(_ timestamp: Int64) -> Int64? {
    guard case .demuxer(_, let base) = reader else { return nil }
    let ticks = Int128(timestamp) * Int128(base.numerator) * Int128(sampleRate)
    let (frames, rest) = ticks.quotientAndRemainder(dividingBy: Int128(base.denominator))
    guard rest == 0, frames.magnitude < Self.farthestFrame else { return nil }
    return Int64(frames) - clockStart
  }

  /// Ticks in frames, rounded down.
  func frames(inTicks ticks: Int64, of base: TimeBase) -> Int64 {
    base.frames(inTicks: ticks, atRate: sampleRate)
  }

  /// The timestamp of a raw frame, or the last one before it.
  func timestamp(ofRaw frame: Int64) -> Int64 {
    guard case .demuxer(_, let base) = reader else { return frame }
    let ticks = (Int128(frame) + Int128(clockStart)) * Int128(base.denominator)
    let scale = Int128(base.numerator) * Int128(sampleRate)
    return Int64(clamping: ticks < 0 ? (ticks - scale + 1) / scale : ticks / scale)
  }
}

extension StreamFacts {
  /// Whether packets of the stream can be copied exactly.
  func hasExactPackets(of stream: LibAV.Stream) -> Bool { packetObstacle(of: stream) == nil }

  /// Why packets of the stream cannot be copied exactly; nil: they can.
  private func packetObstacle(of stream: LibAV.Stream) -> PacketObstacle? {
    if let pieces { return pieces.areEdits ? .edits : .gaps }
    if hasBandReplication { return .highEfficiency }
    if let bareHeader {
      let isLow = LibAV.Stream.audioObjectType(bareHeader) == 2
      return isLow && stream.sampleRate == sampleRate ? nil : .profile
    }
    switch reader {
    case .demuxer: break
    // Its packets are counted, whatever their timestamps say.
    case .counted where stream.codecName == "vorbis" || hasCountedPackets: break
    case .chained: return .chain
    case .counted where stream.codecName == "aac" && stream.audioObjectType != 2: return .profile
    case .counted, .mpegAudio, .silence: return .times
    }
    let isOtherAAC =
      stream.codecName == "aac"
      && (stream.audioObjectType != 2 || stream.sampleRate != sampleRate)
    return isOtherAAC ? .profile : nil
  }

  /// Whether all packets of the stream together can be copied, as `Asset` has it: they are counted,
  /// whatever their timestamps say. Where the core's rate is the container's, times of the copy would be
  /// other ones.
  func hasWholePackets(of stream: LibAV.Stream) -> Bool {
    guard pieces == nil, bareHeader == nil, hasBandReplication else { return false }
    switch reader {
    case .demuxer, .counted: return stream.codecName == "aac" && stream.sampleRate == sampleRate
    case .mpegAudio, .chained, .silence: return false
    }
  }

  /// What can be copied of the stream, as `Asset` has it.
  func addPackets(of stream: LibAV.Stream, to asset: inout Asset) {
    asset.packetObstacle = packetObstacle(of: stream)
    asset.hasExactPackets = asset.packetObstacle == nil
    asset.hasWholePackets = hasWholePackets(of: stream)
    asset.packetSetup = packetSetup(of: stream)
  }

  /// As `Asset.packetSetup`.
  ///
  /// Not of SILK, whose decoders come together after no fixed time, and not of short blocks of CELT,
  /// behind which those of an encoder are loud for 40 ms.
  func packetSetup(of stream: LibAV.Stream) -> String? {
    guard hasExactPackets(of: stream) else { return nil }
    switch stream.codecName {
    case "aac": return LibAV.Stream.aacSetup(bareHeader ?? stream.header)
    case "opus":
      if case .converging = access { return nil }
      guard !hasShortBlocks else { return nil }
      return stream.opusSetup
    default: return nil
    }
  }

  /// The stream as it is played, from its first frame on.
  func sound(noting damage: Damage) throws(Failure) -> any Sound {
    let stream: any Sound =
      switch reader {
      case .mpegAudio(let index, let note): try MPEGStream.open(self, index, note, damage)
      case .demuxer: try DemuxedStream.open(self, damage)
      case .counted(let index): try CountedStream.open(self, index, damage)
      case .chained(let links):
        ChainedStream(links.map { $0.reading(file) }, channelCount: channelCount, damage)
      case .silence: SilentSound()
      }
    return pieces.map { PiecedSource(stream, $0, damage) } ?? stream
  }

  /// The medium's bytes, beside any demuxer.
  func bytes() throws(Failure) -> MediumBytes {
    if let file { MediumBytes(file, at: location) } else { try MediumBytes(location) }
  }

  /// The medium's demuxer, at its first packet.
  func demuxer() throws(LibAVError) -> Demuxer {
    let demuxer = try location.demuxer(opening, reading: file, of: range)
    try demuxer.completeParameters()
    return demuxer
  }

  /// The stream, at its first packet, in a demuxer that reads no other.
  func open() throws(LibAVError) -> (Demuxer, LibAV.Stream) {
    let demuxer = try demuxer()
    demuxer.select(stream: streamIndex)
    let streams = demuxer.streams
    guard streams.indices.contains(streamIndex) else { throw LibAVError.streamMissing }
    return (demuxer, streams[streamIndex])
  }
}
