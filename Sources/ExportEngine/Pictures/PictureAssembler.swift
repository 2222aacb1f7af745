import LibAV
import MediaTime
import VideoBitstream

/// Puts runs of pictures of one or more sources together into one stream: parameter sets, NAL framing, and
/// times of the output.
struct PictureAssembler {
  /// The decoder's configuration for the container; nil: the first source's own.
  let header: [UInt8]?
  /// The sample entry's name in MP4 and MOV; nil: the usual one.
  let sampleEntry: String?
  /// Ticks a second of the output.
  let timescale: Int32
  /// Whether nothing may be encoded.
  let isStrict: Bool
  /// When the output ends.
  private let end: Time
  /// Whether no packet was put in yet.
  private(set) var isEmpty = true
  /// How NAL units lie in packets of the output; nil where there are none.
  private let framing: NALFraming?
  private let sets: [PictureSets]
  /// Whether no parameter sets stand in the stream, which those of copied pictures may do.
  private let leavesSetsOut: Bool
  /// Whether sets stand in the stream, which those of its header do not serve alone. All of them then stand
  /// before each key picture, since players begin with any (ISO/IEC 14496-15, 5.3.3 and 8.3.3).
  private var repeatsSets: Bool
  private var clock: DecodingClock
  /// Whether pictures of the run that is copied are in it.
  private var isRunBegun = false
  /// The parity of the runs that begin with an IDR picture of ours.
  private var parity: UInt16 = 0

  /// - Parameters:
  ///   - first: The first source, whose facts are the container's.
  ///   - sets: Those of all sources, of one codec, by their places.
  ///   - depth: How many pictures of any may be decoded before one that is shown before them.
  ///   - encodes: Whether runs may be encoded.
  ///   - timescale: Ticks a second of the output.
  ///   - end: When the output ends.
  ///   - isStrict: Whether what would have to be encoded is refused.
  init(
    _ first: PictureReel, _ sets: [PictureSets], depth: Int, encodes: Bool, timescale: Int32,
    until end: Time, isStrict: Bool
  ) {
    (self.sets, self.timescale, self.end) = (sets, timescale, end)
    clock = DecodingClock(depth: depth, step: 1)
    self.isStrict = isStrict
    let own = sets[first.index]
    framing = first.coding.framing.map { $0 == .startCodes ? .lengths(bytes: 4) : $0 }
    // Where sets stand in the stream, the sample entry has another name (ISO/IEC 14496-15, 5.3.3 and 8.3.3).
    let isAlone = sets.allSatisfy { $0.units == own.units }
    let isComplete = isAlone && (!encodes || own.includeEncoded)
    switch first.coding {
    case .hevc:
      (leavesSetsOut, sampleEntry) = (isComplete, isComplete ? "hvc1" : "hev1")
      header = isComplete ? own.header : own.openHeader
    case .h264:
      // Sets of the source that it repeats change nothing, and stay.
      (leavesSetsOut, sampleEntry, header) = (false, isComplete ? nil : "avc3", own.header)
    case .other: (leavesSetsOut, sampleEntry, header) = (false, nil, own.header)
    }
    repeatsSets = !isComplete
  }

  // MARK: - Copied pictures

  /// An `idr_pic_id` that no run next to it has; sources count from 0.
  private mutating func nextPictureID() -> UInt16 {
    parity ^= 1
    return .max - parity
  }

  /// Notes what is decoded before an entry of a source.
  mutating func observer(of reel: PictureReel) -> GroupObserver? {
    GroupObserver(reel.coding, idrPictureID: nextPictureID())
  }

  /// Begins to copy from an entry of a source.
  mutating func beginCopy(
    of reel: PictureReel, from kind: PictureKind, after observer: GroupObserver? = nil
  ) throws(LibAVError) -> RunRewriter {
    isRunBegun = false
    do throws(BitstreamRefusal) {
      return try RunRewriter(
        reel.coding, from: kind, after: observer, idrPictureID: nextPictureID())
    } catch {
      throw LibAVError(refusing: error)
    }
  }

  /// Packets of pictures that are copied, in order of decoding.
  mutating func copied(
    _ pictures: [RewrittenPicture], of reel: PictureReel, _ place: (Int64) -> Time
  ) throws(LibAVError) -> [Packet] {
    var note = isRunBegun ? [] : reel.encoderNote.map { [$0] } ?? []
    isRunBegun = true
    var packets: [Packet] = []
    for picture in pictures {
      let packet = try packet(
        picture, of: reel, picture.packet.isKey ? repeatedSets(of: reel) : [], note: note)
      note = []
      packets.append(
        try placed(
          packet, picture.shown, lasting: picture.duration, place))
    }
    return packets
  }

  /// The parameter sets that stand before each key picture of a source.
  private func repeatedSets(of reel: PictureReel) -> [[UInt8]] {
    repeatsSets ? sets[reel.index].units : []
  }

  /// A picture's packet, with `sets` before it, which stand there once, and the encoder's note.
  private func packet(
    _ picture: RewrittenPicture, of reel: PictureReel, _ sets: [[UInt8]], note: [[UInt8]]
  ) throws(LibAVError) -> Packet {
    guard let framing, let own = reel.coding.framing else {
      let bytes = picture.packet.bytes
      guard !sets.isEmpty, !reel.coding.hasHeader(bytes) else { return picture.packet }
      return try (sets.flatMap { $0 } + bytes).packet(like: picture.packet)
    }
    let prefix = sets + note
    let isChanged = picture.units != nil || own != framing || !prefix.isEmpty
    guard isChanged || leavesSetsOut else { return picture.packet }
    let bytes = picture.packet.bytes
    var units: [ArraySlice<UInt8>]
    do throws(BitstreamRefusal) {
      if let changed = picture.units {
        units = changed.map { $0[...] }
      } else {
        units = try own.units(of: bytes[...])
      }
    } catch {
      throw LibAVError(refusing: error)
    }
    // All sets of a source's pictures are among those that are repeated.
    if leavesSetsOut || !sets.isEmpty {
      let others = units.filter { !reel.coding.isParameterSet($0) }
      guard isChanged || others.count < units.count else { return picture.packet }
      units = others
    }
    return try reframed(units: reel.coding.putting(prefix, before: units), like: picture.packet)
  }

  // MARK: - Encoded pictures

  /// Begins a run of pictures that were encoded like a source; `header` is what the encoder says of them
  /// beside its packets.
  mutating func beginRun(
    of reel: PictureReel, _ header: [UInt8]
  ) throws(LibAVError) -> EncodedRun {
    let number = nextPictureID()
    if let rewriter = sets[reel.index].rewriter(header, number) {
      return EncodedRun(
        method: .rewritten(rewriter), sets: repeatedSets(of: reel),
        keepsMessage: reel.encoderNote != nil)
    }
    guard !leavesSetsOut else {
      throw LibAVError.refusedPicture(
        "changes its colours or its form at a place where pictures are encoded; encode it throughout, as "
          + "with 'video: { h265: crf 20 }'")
    }
    guard case .h264 = reel.coding else {
      // Their sets stand in the stream.
      if let code = reel.coding.shapeAndRate { return EncodedRun(method: .shaped(code)) }
      return EncodedRun(method: framing == nil ? .asTheyAre : .reframed)
    }
    // Also where the encoder gave others than those which were put under the source's.
    repeatsSets = true
    return EncodedRun(method: .reframed, sets: try Self.units(ofStartCodes: header))
  }

  /// The NAL units of what an encoder gave.
  static func units(ofStartCodes bytes: [UInt8]) throws(LibAVError) -> [[UInt8]] {
    do throws(BitstreamRefusal) {
      return try NALFraming.startCodes.units(of: bytes[...]).map(Array.init)
    } catch {
      throw LibAVError(refusing: error)
    }
  }

  /// A packet of other NAL units, as they lie in the output.
  func reframed(
    units: [ArraySlice<UInt8>], like packet: Packet
  ) throws(LibAVError) -> Packet {
    let bytes: [UInt8]
    do throws(BitstreamRefusal) {
      bytes = try (framing ?? .startCodes).packet(of: units)
    } catch {
      throw LibAVError(refusing: error)
    }
    return try bytes.packet(like: packet)
  }

  // MARK: - Times

  /// Gives a packet its times in the output.
  mutating func placed(
    _ packet: Packet, _ source: Int64, lasting duration: Int64, _ place: (Int64) -> Time
  ) throws(LibAVError) -> Packet {
    let shown = ticks(place(source))
    let length = max(1, ticks(place(source + max(1, duration))) - shown)
    guard let decoded = clock.decoded(shown, lasting: length) else {
      throw LibAVError.disordered
    }
    isEmpty = false
    packet.place(shown: shown, decoded: decoded, lasting: length)
    return packet
  }

  /// When the output ends.
  var lastTick: Int64 { ticks(end) }

  private func ticks(_ time: Time) -> Int64 { time.frames(atRate: Int(timescale)) }
}

/// Pictures that an encoder made one after the other, put between copied ones.
struct EncodedRun {
  fileprivate enum Method {
    case asTheyAre
    /// Their sequence headers have the source's `shapeAndRate`.
    case shaped(UInt8)
    /// Their NAL units lie as in the output.
    case reframed
    /// Beside the source's sets in the header.
    case rewritten(EncodedRunRewriter)
  }

  fileprivate var method: Method
  /// Parameter sets that stand before each key picture.
  fileprivate var sets: [[UInt8]] = []
  /// Whether its encoder must be told from the source's.
  fileprivate var keepsMessage = false

  /// The packets of the next pictures.
  mutating func packets(
    of pictures: [EncodedPicture], _ assembler: inout PictureAssembler, _ place: (Int64) -> Time
  ) throws(LibAVError) -> [Packet] {
    var packets: [Packet] = []
    for picture in pictures {
      let packet = try packet(of: picture.packet, assembler)
      packets.append(
        try assembler.placed(packet, picture.shown, lasting: picture.end - picture.shown, place))
    }
    return packets
  }

  private mutating func packet(
    of packet: Packet, _ assembler: PictureAssembler
  ) throws(LibAVError) -> Packet {
    if case .asTheyAre = method { return packet }
    var bytes = packet.bytes
    if case .shaped(let code) = method {
      guard PictureCoding.hasSequenceHeader(bytes) else { return packet }
      bytes[PictureCoding.shapeAndRatePlace] = code
      return try bytes.packet(like: packet)
    }
    var units = packet.isKey ? sets.map { $0[...] } : []
    do throws(BitstreamRefusal) {
      let own = try NALFraming.startCodes.units(of: bytes[...])
      if case .rewritten(var rewriter) = method {
        if keepsMessage { units += H264.encoderMessage(in: own).map { [$0[...]] } ?? [] }
        if case .h264 = rewriter { units += H264.registeredMessages(in: own) }
        units += try rewriter.rewrite(own).map { $0[...] }
        method = .rewritten(rewriter)
      } else {
        units += own
      }
    } catch {
      throw LibAVError(refusing: error)
    }
    return try assembler.reframed(units: units, like: packet)
  }
}
