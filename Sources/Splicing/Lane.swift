/// One encoder of a part of the stream, and the packets that it has made.
///
/// ```
///   chunk 0         chunk 1         chunk 2
///   ├───────────────┼───────────────┼───────────
///   ████████████████▒▒┐                             lane 0
///               ░░░░░░└█████████████▒▒▒▒▒┐          lane 1
///                               ░░░░░░░░░└███████   lane 2
///
///   ░ dropped: the warm-up, and packets before which two lanes do not agree yet
///   █ ▒ in the stream; ▒ is a lane that continues until the next one agrees
/// ```
///
/// Used by one thread at a time.
package final class Lane<Codec: SplicedCodec> {
  /// A packet with its place.
  package typealias Packet = Placed<Codec.Encoder.Packet>
  /// Why the codec did not encode.
  package typealias Problem = Codec.Encoder.Problem

  /// In order of time, without those that were forgotten.
  package private(set) var packets: [Packet] = []
  /// What makes them.
  package let encoder: Codec.Encoder
  private let framesPerPacket: Int
  /// Which PCM frame of the stream comes next.
  private var position: Int64
  private var isFinished = false

  /// A lane that starts with PCM frame `frame` of the stream.
  package init(_ codec: Codec, at frame: Int64) throws(Problem) {
    encoder = try codec.open(at: frame)
    framesPerPacket = codec.framesPerPacket
    position = frame
  }

  /// Behind the last PCM frame of a packet that was made.
  var end: Int64 { packets.last?.frames.upperBound ?? .min }

  /// The first packet that begins at `frame` or later.
  func index(at frame: Int64) -> Int {
    var (low, high) = (0, packets.count)
    while low < high {
      let middle = (low + high) / 2
      if packets[middle].frames.lowerBound < frame { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Goes on with the sound of `chunk`, which holds what comes next, by so many packets; at the end of
  /// the last chunk makes the last packets. False where there is no more of it.
  func advance(in chunk: Chunk<Codec>, by packetCount: Int) throws(Problem) -> Bool {
    guard let sound = chunk.sound, !isFinished else { return false }
    let start = Int(position - chunk.soundStart)
    let count = min(sound.count - start, packetCount * framesPerPacket)
    if count > 0 {
      try encode(sound.planes, from: start, count: count)
    } else if chunk.isLast {
      try finish()
    } else {
      return false
    }
    return true
  }

  /// Goes on with `count` frames of sound from `start` of the planes on.
  package func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Codec.Encoder.Sample>>, from start: Int, count: Int
  ) throws(Problem) {
    try encoder.encode(planes, from: start, count: count, into: &packets)
    position += Int64(count)
  }

  /// Makes the last packets. Nothing may be encoded after it.
  package func finish() throws(Problem) {
    try encoder.finish(into: &packets)
    isFinished = true
  }

  /// Drops the first packets.
  package func forget(_ count: Int) { packets.removeFirst(count) }
}
