import Diagnosis
import LibAV
import MediaComposition

/// How a position in a stream is reached so that its samples are the same on every path.
enum Access: Sendable, Hashable {
  /// Timestamps count frames, and each packet decodes on its own (PCM, FLAC, ALAC).
  case packets
  /// Timestamps count frames; every `stride` frames a fresh decoder takes over that was fed
  /// `preRoll` frames before. So codecs whose state never converges, such as AAC with noise
  /// substitution, sound the same however they are reached.
  case anchors(stride: Int64, preRoll: Int64)
  /// Timestamps count frames; a decoder takes from a fraction of a second to half a minute to come to
  /// the samples of the whole. It begins at a place where it was found to, or, without a finder, at
  /// the stream's start (SILK in Opus).
  case converging(ConvergenceFinder?)
}

/// A stream read through libavformat, whose timestamps are proven to count frames.
final class DemuxedStream: Sound {
  let channelCount: Int
  private let damage: Damage

  private let facts: StreamFacts
  private let packets: PacketReader

  private var lane: DecodingLane?
  /// The decoder that is fed ahead of the next anchor, and its next packet.
  private var successor: DecodingLane?
  private var unshared: Packet?
  /// An unused decoder, if its codec's flush makes one as good as new.
  private var spare: Decoder?
  private var segment: Segment
  private var isAtEnd = false

  private let cursor: FrameCursor
  /// The buffer for the successor's frames, which are not used.
  private let scratch: Frame

  /// The raw frames of one lane, and the first that it is fed.
  private struct Segment {
    var feedFrom: Int64
    var frames: Range<Int64>

    init(from place: ConvergenceFinder.Place?) {
      feedFrom = place?.feedFrom ?? .min
      frames = (place?.frame ?? .min)..<Int64.max
    }

    init(containing raw: Int64, _ access: Access) {
      guard case .anchors(let stride, let preRoll) = access else {
        feedFrom = .min
        frames = .min..<Int64.max
        return
      }
      let index = max(0, raw / stride)
      feedFrom = index == 0 ? .min : index * stride - preRoll
      frames = (index == 0 ? .min : index * stride)..<(index + 1) * stride
    }
  }

  private init(_ facts: StreamFacts, _ damage: Damage) throws(LibAVError) {
    self.facts = facts
    self.damage = damage
    packets = try PacketReader(facts, unless: damage.cancellation)
    channelCount = facts.channelCount
    segment = Segment(containing: 0, facts.access)
    cursor = try FrameCursor(
      facts.location, sampleRate: facts.sampleRate, channelCount: facts.channelCount,
      planes: facts.planes, damage)
    scratch = try Frame()
  }

  static func open(_ facts: StreamFacts, _ damage: Damage) throws(Failure) -> DemuxedStream {
    try reading(facts.location) { () throws(LibAVError) in
      try DemuxedStream(facts, damage)
    }
  }

  // MARK: Reading

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    try seek(to: frames.lowerBound)
    return try cursor.read(into: buffer, at: offset, count: frames.count) { () throws(Failure) in
      try advance()
    }
  }

  /// Decodes until a frame of the current segment is there; false at the end of the stream.
  private func advance() throws(Failure) -> Bool {
    try reading(facts.location) { () throws(LibAVError) in
      while true {
        if let raw = try lane?.receive(into: cursor.frame, facts.rawFrame) {
          try cursor.requireFormat(at: raw - facts.origin)
          if raw >= segment.frames.upperBound {
            try takeOver(at: raw)
          } else if raw >= segment.frames.lowerBound {
            cursor.place(at: raw - facts.origin)
            return true
          }
          continue
        }
        if isAtEnd { return false }
        try feed()
      }
    }
  }

  private func feed() throws(LibAVError) {
    if let packet = unshared { try share(packet) }
    unshared = nil
    guard let packet = try packets.next() else {
      isAtEnd = true
      try lane?.send(nil)
      return
    }
    if let raw = packet.timestamp.flatMap(facts.rawFrame), raw < segment.feedFrom { return }
    if lane == nil { lane = try openLane(isFirst: segment.feedFrom == .min) }
    try lane?.send(packet)
    unshared = packet
  }

  /// Feeds the lane for the next anchor, once that is near.
  private func share(_ packet: Packet) throws(LibAVError) {
    guard case .anchors(_, let preRoll) = facts.access,
      let raw = packet.timestamp.flatMap(facts.rawFrame),
      raw >= segment.frames.upperBound - preRoll
    else { return }
    if successor == nil { successor = try openLane(isFirst: false) }
    try successor?.send(packet)
    while try successor?.receive(into: scratch, facts.rawFrame) != nil {}
  }

  /// Switches to the lane that was fed ahead, from the packet that the old one just decoded.
  private func takeOver(at raw: Int64) throws(LibAVError) {
    retire(lane)
    if successor == nil { successor = try openLane(isFirst: false) }
    lane = successor
    successor = nil
    segment = Segment(containing: raw, facts.access)
    try lane?.send(unshared)
    unshared = nil
  }

  private func openLane(isFirst: Bool) throws(LibAVError) -> DecodingLane {
    let decoder: Decoder
    if let spare {
      decoder = spare
    } else {
      decoder = try Decoder.open(packets.stream, removesPadding: false)
    }
    spare = nil
    switch facts.access {
    case .packets: return DecodingLane(decoder, .stamped, origin: facts.origin, damage)
    case .anchors, .converging:
      return DecodingLane(
        decoder, isFirst ? .counted(from: facts.firstRaw) : .agreed, origin: facts.origin, damage)
    }
  }

  /// Keeps a lane's decoder for the next one. Opening one for Vorbis costs as much as decoding half
  /// a second, for its codebooks; other codecs' flushes may keep some state (AAC's noise).
  private func retire(_ lane: DecodingLane?) {
    guard let decoder = lane?.decoder, packets.stream.codecName == "vorbis" else { return }
    decoder.flush()
    spare = decoder
  }

  // MARK: Seeking

  private func seek(to frame: Int64) throws(Failure) {
    let position = cursor.position
    guard frame != position else { return }
    // Reading on is cheaper than a seek with its repeated decoding.
    var near = Int64(facts.sampleRate)
    if case .converging = facts.access { near = ConvergenceFinder.stride }
    let isAhead = frame > position && frame - position < near
    if !isAhead {
      try reading(facts.location) { () throws(LibAVError) in
        // The packet at an anchor may begin before it, in the lane before.
        let target = try segment(containing: frame + facts.origin - StreamFacts.longestPacket)
        switch facts.access {
        case .packets:
          if try jump(toRaw: frame + facts.origin) { break }
          try reopen()
        case .converging where target.frames.contains(position + facts.origin) && frame > position:
          break
        case .anchors where target.feedFrom != .min, .converging where target.feedFrom != .min:
          if try jump(toRaw: target.feedFrom) {
            segment = target
            break
          }
          try reopen()
        case .anchors, .converging:
          try reopen()
        }
      }
    }
    cursor.position = frame
  }

  private func segment(containing raw: Int64) throws(LibAVError) -> Segment {
    guard case .converging(let finder) = facts.access else {
      return Segment(containing: raw, facts.access)
    }
    return Segment(
      from: try finder?.place(before: raw, in: facts, unless: damage.cancellation))
  }

  /// Jumps to a packet at or before a raw frame; false where the demuxer cannot.
  private func jump(toRaw raw: Int64) throws(LibAVError) -> Bool {
    guard let (packet, start) = try packets.jump(toRaw: raw) else { return false }
    restart()
    // The lane must not be fed before an anchor's pre-roll; elsewhere this is the packet.
    if facts.access == .packets || start == raw {
      lane = try openLane(isFirst: false)
      try lane?.send(packet)
      unshared = packet
    }
    return true
  }

  private func reopen() throws(LibAVError) {
    try packets.reopen()
    restart()
  }

  private func restart() {
    retire(successor)
    retire(lane)
    lane = nil
    successor = nil
    unshared = nil
    isAtEnd = false
    cursor.clear()
    segment = Segment(containing: 0, facts.access)
  }
}
