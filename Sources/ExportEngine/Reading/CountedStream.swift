import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition

/// A stream whose timestamps do not count frames: decoded frames are counted, from the first packet
/// or from an anchor.
final class CountedStream: Sound {
  let channelCount: Int
  private var position: Int64 { cursor.position }

  private let facts: StreamFacts
  private let index: AnchorIndex
  /// Set while the stream is counted for the first time.
  private let finder: AnchorFinder?
  private var holes: HoleFinder?
  /// Of Ogg, where pages are missing, and of AVI, where chunks are empty.
  private var gapHoles: GapHoles?
  private let damage: Damage
  private let cursor: FrameCursor
  /// The last frame of the decoder that is fed ahead, and one that is overwritten.
  private var scratch: Frame
  private var spare: Frame

  private let packets: PacketReader
  private var demuxer: Demuxer { packets.demuxer }
  private var stream: LibAV.Stream { packets.stream }
  private var lane: DecodingLane?
  /// The decoder that is fed ahead of the next anchor.
  private var successor: DecodingLane?
  private var nextAnchor = 0
  private var ordinal = 0
  private var discarded = 0
  private var packetBytes: Int64 = 0
  private let isBare: Bool
  /// Of a bare stream: where its last frame ended, whether zeros follow it, and bytes between frames.
  private var frameEnd: Int64?
  private var isPadded = false
  private var strayBytes: Int64 = 0
  private var firstPosition: Int64?
  private var isAtEnd = false
  private var canJump = true
  /// The last packet's silence, and the raw frame where it begins.
  private var pause: (start: Int64, count: Int)?
  /// The last packet, and the counts of frames before it.
  private var sent: (packet: Packet, countBefore: Int64, fed: Int64)?
  /// The packet that was read last, the damage before it, and the damage before bytes behind it that are
  /// no packet.
  private var last: Packet?
  private var damageBefore = 0
  private var damageBehind: Int?
  /// Whether the frame that the decoder in use gave last is the other one's as well.
  private var isSame = false
  /// Frames of the last packet that was counted.
  private var lastFrames: Int64 = 0

  private init(
    _ facts: StreamFacts, _ index: AnchorIndex, _ spacing: AnchorIndex.Spacing?, _ damage: Damage
  ) throws(LibAVError) {
    self.facts = facts
    self.index = index
    self.damage = damage
    let packets = try PacketReader(facts, unless: damage.cancellation)
    self.packets = packets
    isBare = BareStream.formats.contains(packets.demuxer.formatName)
    finder = spacing.map { AnchorFinder($0, seeksByBytes: packets.demuxer.seeksByBytes) }
    channelCount = facts.channelCount
    cursor = try FrameCursor(
      facts.location, sampleRate: facts.sampleRate, channelCount: facts.channelCount,
      planes: facts.planes, damage)
    (scratch, spare) = (try Frame(), try Frame())
  }

  static func open(
    _ facts: StreamFacts, _ index: AnchorIndex, _ damage: Damage
  ) throws(Failure) -> CountedStream {
    try reading(facts.location) { () throws(LibAVError) in
      try CountedStream(facts, index, nil, damage)
    }
  }

  // MARK: Counting

  struct Count {
    var frames: Int64
    var padding: Int64
    var index: AnchorIndex
    /// In its time stamps, before frames counted from `origin` on; nil where these contradict the
    /// sound.
    var holes: [HoleFinder.Hole]?
    /// Where time stamps go back, before raw frames.
    var falls: [HoleFinder.Hole] = []
    /// Packets, how many of them the decoder refused, and of how many the demuxer leaves the sound out.
    var packets = 0
    var refused = 0
    var discarded = 0
    /// Bytes of all packets, and where the first one lies.
    var packetBytes: Int64 = 0
    var firstPosition: Int64 = 0
    /// Of a bare stream: bytes between its frames, where these are at least half a frame.
    var strayBytes: Int64 = 0
    /// Whether the file ends within the last packet.
    var breaksOff = false
    /// Of the last packet.
    var lastFrames: Int64 = 0
    /// Where the last packet ends in the file.
    var lastEnd: Int64?
  }

  /// Decodes a stream to its end, and finds anchors and holes on the way; those of `gaps` where
  /// libavformat's time stamps count the packets on, as those of Ogg from page to page.
  static func count(
    _ facts: StreamFacts, codec: String, _ gaps: [SoundGap]
  ) throws(Failure) -> Count {
    let damage = Damage()
    let stream = try reading(facts.location) { () throws(LibAVError) -> CountedStream in
      let stream = try CountedStream(
        facts, AnchorIndex(),
        AnchorIndex.spacing(of: codec) ?? AnchorIndex.Spacing(stride: .max, preRoll: 0), damage)
      stream.holes = HoleFinder(
        HoleFinder.Trust(container: stream.demuxer.formatName), rate: facts.sampleRate,
        tick: facts.frames(inTicks: 1, of: stream.stream.timeBase) + 1)
      if !gaps.isEmpty { stream.gapHoles = GapHoles(gaps) }
      return stream
    }
    let buffer = AudioBuffer(channelCount: facts.channelCount, capacity: 16_384)
    let size = Int64(buffer.capacity)
    while try stream.read(stream.position..<stream.position + size, into: buffer, at: 0) == size {}
    let holes =
      stream.gapHoles?.holes(
        in: stream.lane?.end ?? 0, least: Int64(facts.sampleRate / 1000)) ?? stream.holes?.finish()
    return Count(
      frames: stream.position, padding: stream.finder?.padding ?? 0,
      index: stream.finder?.index ?? AnchorIndex(),
      holes: holes?.compactMap { hole in
        // The frames before `origin` are left out, with their holes.
        hole.frame > facts.origin
          ? HoleFinder.Hole(frame: hole.frame - facts.origin, count: hole.count) : nil
      },
      falls: holes == nil ? [] : stream.holes?.falls ?? [],
      packets: stream.ordinal, refused: damage.count, discarded: stream.discarded,
      packetBytes: stream.packetBytes,
      firstPosition: stream.firstPosition ?? 0, strayBytes: stream.strayBytes,
      breaksOff: stream.breaksOff,
      lastFrames: stream.lastFrames,
      lastEnd: stream.last.flatMap { last in last.position.map { $0 + Int64(last.size) } })
  }

  /// Whether the file ended within the packet that was read last: by its demuxer, its header or its
  /// decoder.
  private var breaksOff: Bool {
    demuxer.breaksOff || damageBehind ?? damage.count > damageBefore
      || last?.isCutShort(codec: stream.codecName) == true
  }

  // MARK: Reading

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    try seek(to: frames.lowerBound)
    return try cursor.read(into: buffer, at: offset, count: frames.count) { () throws(Failure) in
      try advance()
    }
  }

  /// Decodes the next frame; false at the end of the stream.
  private func advance() throws(Failure) -> Bool {
    try reading(facts.location) { () throws(LibAVError) in
      while true {
        if let raw = try lane?.receive(into: cursor.frame, { _ in nil }) {
          try cursor.requireFormat(at: raw - facts.origin)
          // Codecs whose samples are compared give a frame a packet.
          isSame = finder?.comparesSamples == true && cursor.frame.hasSameSamples(as: scratch)
          cursor.place(at: raw - facts.origin)
          return true
        }
        if let pause {
          self.pause = nil
          cursor.placeSilence(at: pause.start - facts.origin, count: pause.count)
          return true
        }
        if isAtEnd { return false }
        try feed()
      }
    }
  }

  private func feed() throws(LibAVError) {
    noteSent()
    guard let packet = try nextPacket() else {
      isAtEnd = true
      try lane?.send(nil)
      return
    }
    holes?.note(
      lane?.end ?? 0,
      at: packet.timestamp.map { facts.frames(inTicks: $0, of: stream.timeBase) })
    gapHoles?.note(lane?.end ?? 0, at: packet.position)
    let heard: DecodingLane
    if let lane {
      heard = lane
    } else {
      heard = DecodingLane(
        try openDecoder(), .counted(from: 0), origin: facts.origin, damage)
      lane = heard
    }
    switch step(before: packet, count: heard.end) {
    case .none: break
    case .feed: successor = try openSuccessor()
    case .drop: successor = nil
    case .takeOver:
      successor?.begin(at: heard.end, damage)
      lane = successor
      successor = nil
    }
    let count = lane?.end ?? 0
    if let frames = SpeechPause.frames(of: packet, codec: stream.codecName) {
      pause = (count, frames)
      lane?.skip(frames)
    } else {
      let damaged = damage.count
      try lane?.send(packet)
      if damage.count > damaged { holes?.noteDamage() }
    }
    sent = (packet, count, try feedAhead(packet))
    ordinal += 1
  }

  private func step(before packet: Packet, count: Int64) -> AnchorFinder.Step {
    if let finder { return finder.step(before: packet, ordinal: ordinal, count: count) }
    guard nextAnchor < index.anchors.count else { return .none }
    if ordinal == index.anchors[nextAnchor].feedFrom { return .feed }
    guard ordinal == index.anchors[nextAnchor].packet else { return .none }
    nextAnchor += 1
    return .takeOver
  }

  /// The number of frames that a packet gives in the decoder that is fed ahead.
  private func feedAhead(_ packet: Packet) throws(LibAVError) -> Int64 {
    guard let successor else { return 0 }
    if let frames = SpeechPause.frames(of: packet, codec: stream.codecName) {
      successor.skip(frames)
      return Int64(frames)
    }
    let before = successor.end
    try successor.send(packet)
    while try successor.receive(into: spare, { _ in nil }) != nil { swap(&scratch, &spare) }
    return successor.end - before
  }

  private func noteSent() {
    guard let finder, let sent else { return }
    lastFrames = (lane?.end ?? 0) - sent.countBefore
    finder.note(sent.packet, heard: lastFrames, fed: sent.fed, isSame: isSame)
    (self.sent, isSame) = (nil, false)
  }

  private func openDecoder() throws(LibAVError) -> Decoder {
    // What our own reading of an edit list or of Vorbis' granules leaves out is left out once.
    let isOurs =
      facts.opening.ignoresEditLists
      || demuxer.formatName == "ogg" && stream.codecName == "vorbis"
    return try Decoder.open(stream, removesPadding: !isOurs)
  }

  /// A fresh decoder; its errors before its sound is used are no damage.
  private func openSuccessor() throws(LibAVError) -> DecodingLane {
    DecodingLane(try openDecoder(), .counted(from: 0), origin: facts.origin, Damage())
  }

  private func nextPacket() throws(LibAVError) -> Packet? {
    guard let packet = try packets.next() else { return nil }
    packetBytes += Int64(packet.size)
    let size = isBare ? keepFrames(of: packet) : packet.size
    if packet.isDiscarded { discarded += 1 }
    firstPosition = firstPosition ?? packet.position
    if size > 0 {
      (last, damageBefore, damageBehind) = (packet, damage.count, nil)
    } else if damageBehind == nil {
      damageBehind = damage.count
    }
    return packet
  }

  /// Leaves out what is no frame of a packet of a bare stream, and counts what lies before it.
  ///
  /// - Returns: Bytes of its frames.
  private func keepFrames(of packet: Packet) -> Int {
    let (size, isPadded) = packet.keepFrames(in: demuxer.formatName)
    guard size > 0, let start = packet.position else {
      self.isPadded = self.isPadded && isPadded
      return size
    }
    // Tags and heads of other programs between frames are smaller than these.
    if let frameEnd, !self.isPadded, start - frameEnd >= Int64(size / 2) {
      strayBytes += start - frameEnd
    }
    (frameEnd, self.isPadded) = (start + Int64(size), isPadded)
    return size
  }

  // MARK: Seeking

  private func seek(to frame: Int64) throws(Failure) {
    guard frame != position else { return }
    let target = index.anchor(before: frame + facts.origin)
    let isAhead = frame > position
    // Reading on is cheaper than a jump with the decoding ahead of the anchor.
    let isNear =
      isAhead && (frame - position < Int64(facts.sampleRate) || (target ?? -1) < nextAnchor)
    if !isNear {
      try reading(facts.location) { () throws(LibAVError) in
        if let target, canJump {
          if try jump(to: target) { return }
          canJump = false
          try reopen()
        } else if !isAhead {
          try reopen()
        }
      }
    }
    cursor.position = frame
  }

  /// Jumps to an anchor; false where the packet there is not the one that was counted, as the
  /// demuxer cannot seek, or not exactly.
  private func jump(to target: Int) throws(LibAVError) -> Bool {
    let anchor = index.anchors[target]
    restart()
    guard var packet = try find(anchor.key) else { return false }
    var hasher = Hasher()
    successor = try openSuccessor()
    ordinal = anchor.feedFrom
    while true {
      packet.hash(into: &hasher)
      _ = try feedAhead(packet)
      ordinal += 1
      guard ordinal < anchor.packet else { break }
      guard let next = try nextPacket() else { return false }
      packet = next
    }
    guard hasher.finalize() == anchor.fingerprint else { return false }
    successor?.begin(at: anchor.frame, damage)
    lane = successor
    successor = nil
    nextAnchor = target + 1
    return true
  }

  /// Seeks, and reads on to the packet of `key`.
  private func find(_ key: PacketKey) throws(LibAVError) -> Packet? {
    let byPosition = demuxer.seeksByBytes
    do throws(LibAVError) {
      if byPosition {
        guard let position = key.position else { return nil }
        try demuxer.seek(toByte: position)
      } else {
        guard let timestamp = key.timestamp else { return nil }
        try demuxer.seek(stream: facts.streamIndex, to: timestamp)
      }
    } catch {
      return nil
    }
    while let packet = try nextPacket() {
      let found = PacketKey(packet)
      let isSame = byPosition ? found.position == key.position : found.timestamp == key.timestamp
      if isSame, found.size == key.size { return packet }
      if found.isBehind(key, byPosition: byPosition) { return nil }
    }
    return nil
  }

  private func reopen() throws(LibAVError) {
    try packets.reopen()
    restart()
  }

  private func restart() {
    pause = nil
    lane = nil
    successor = nil
    nextAnchor = 0
    ordinal = 0
    isAtEnd = false
    cursor.clear()
  }
}

extension Packet {
  /// Whether its file ends within it: libavformat says so of packets that it cuts out itself; frames of
  /// MPEG audio say how long they are.
  fileprivate func isCutShort(codec: String) -> Bool {
    if isCutShort { return true }
    guard ["mp1", "mp2", "mp3"].contains(codec) else { return false }
    return withBytes { bytes in
      FrameHeader(startOf: bytes)?.frameLength.map { bytes.count < $0 } ?? false
    }
  }
}
