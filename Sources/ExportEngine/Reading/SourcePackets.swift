import Diagnosis
import LibAV
import MediaComposition

/// The packets of a stream whose timestamps count frames, to be put into another file. One thread at
/// a time.
final class SourcePackets {
  /// A packet and its place among the stream's raw frames.
  struct Placed {
    let packet: Packet
    let frames: Range<Int64>
  }

  let stream: LibAV.Stream
  private let facts: StreamFacts
  private var demuxer: Demuxer
  /// Read ahead: a packet ends where the next one begins.
  private var following: (packet: Packet, start: Int64)?

  private init(_ facts: StreamFacts, _ demuxer: Demuxer, _ stream: LibAV.Stream) {
    (self.facts, self.demuxer, self.stream) = (facts, demuxer, stream)
  }

  static func open(_ facts: StreamFacts) throws(Failure) -> SourcePackets {
    guard case .demuxer = facts.reader else {
      throw Failure(
        .mendInput,
        "has no timestamps that count its frames, by which packets are copied; write a bit rate to "
          + "encode it", location: facts.location)
    }
    let packets = try reading(facts.location) { () throws(LibAVError) in
      let (demuxer, stream) = try facts.open()
      return SourcePackets(facts, demuxer, stream)
    }
    // Spectral band replication, also where the header does not mention it, doubles the rate.
    let isLC =
      packets.stream.audioObjectType == 2 && packets.stream.sampleRate == facts.sampleRate
    guard packets.stream.codecName != "aac" || isLC else {
      throw Failure(
        .mendInput,
        "is AAC of another profile than LC, whose packets cannot be cut exactly; write a bit rate, "
          + "as '128k', to encode it", location: facts.location)
    }
    return packets
  }

  /// How many frames before a place decoding must begin for its samples to be those of the whole.
  ///
  /// Blocks of AAC and Vorbis overlap with the one before. Opus' decoder forgets its past within some
  /// packets; 32,768 frames are what reading gives it (`Access.anchors`).
  private var preRoll: Int64 { stream.codecName == "opus" ? 1 << 15 : 0 }

  /// Goes to the packets of some frames of the sound: gives those before the first that is read next,
  /// with which decoding begins.
  func begin(_ frames: Range<Int64>) throws(Failure) -> [Placed] {
    let first = frames.lowerBound + facts.origin
    return try reading(facts.location) { () throws(LibAVError) in
      try jump(toRaw: first - preRoll - Self.longest)
      var before: [Placed] = []
      while let placed = try read() {
        before.append(placed)
        if placed.frames.upperBound > first { return before }
        // One more than the pre-roll: blocks overlap.
        while before.count > 2, before[1].frames.upperBound <= first - preRoll {
          before.removeFirst()
        }
      }
      return before
    }
  }

  /// Frames of the longest packet, and of the one before it.
  private static let longest: Int64 = 2 * 8192

  /// The raw frame of a frame of the sound.
  func raw(_ frame: Int64) -> Int64 { frame + facts.origin }

  /// The next packet; nil at the end.
  func next() throws(Failure) -> Placed? {
    try reading(facts.location) { () throws(LibAVError) in try read() }
  }

  private func read() throws(LibAVError) -> Placed? {
    if following == nil { following = try readStart() }
    guard let (packet, start) = following else { return nil }
    following = try readStart()
    let end = following?.start ?? start + max(packet.duration, 1)
    return Placed(packet: packet, frames: start..<max(start, end))
  }

  private func readStart() throws(LibAVError) -> (packet: Packet, start: Int64)? {
    while let packet = try demuxer.readWhatIsThere() {
      guard packet.streamIndex == facts.streamIndex,
        let start = packet.timestamp.flatMap(facts.rawFrame)
      else { continue }
      return (packet, start)
    }
    return nil
  }

  /// Goes to a packet at or before a raw frame; to the first one where the demuxer finds none.
  private func jump(toRaw raw: Int64) throws(LibAVError) {
    guard raw > facts.firstRaw else { return }
    var margin: Int64 = 0
    try facts.notePlaces(near: raw, of: stream, in: demuxer)
    for _ in 0..<4 {
      do throws(LibAVError) {
        try demuxer.seek(stream: facts.streamIndex, to: facts.timestamp(ofRaw: raw - margin))
      } catch {
        break
      }
      following = try readStart()
      if let following, following.start <= raw { return }
      margin += Int64(facts.sampleRate) << 2
    }
    (demuxer, _) = try facts.open()
    following = nil
  }
}
