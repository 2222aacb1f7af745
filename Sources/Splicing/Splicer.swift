internal import Threads

/// Makes one stream of the packets of many lanes.
///
/// A lane takes over from the one before it at the first packet before which both made packets that
/// agree, and for which the stream has room. Until then, the lane before continues, at worst through
/// the whole chunk: then the other one's packets are dropped. So the stream has at each place the
/// packets of an encoder that was fed all sound before it, or of one that agreed with such.
struct Splicer<Codec: SplicedCodec> {
  typealias Problem = Codec.Encoder.Problem

  private let codec: Codec
  private let grid: ChunkGrid
  private let cancellation: CancellationFlag
  var stream: Codec.Stream
  /// Whose packets come next.
  private(set) var lane: Lane<Codec>?
  /// How often a lane has taken over.
  private(set) var seamCount = 0
  /// Those of its packets that the stream has.
  private var given = 0

  init(
    _ codec: Codec, to stream: Codec.Stream, grid: ChunkGrid, _ cancellation: CancellationFlag
  ) {
    (self.codec, self.stream, self.grid) = (codec, stream, grid)
    self.cancellation = cancellation
  }

  /// Takes the next encoded chunk in; gives the packets that are certain to the stream.
  mutating func add(_ chunk: Chunk<Codec>) throws(Problem) {
    guard let before = lane else {
      lane = chunk.lane
      return
    }
    if let next = chunk.lane, let seam = try seam(between: before, and: next, in: chunk) {
      try give(seam.before, of: before, before: next.packets[seam.next].packet)
      (lane, given) = (next, seam.next)
      seamCount += 1
    } else {
      while try advance(before, in: chunk) {}
      // All but the packets that the lane of the next chunk is compared with: memory must not grow
      // where no lane takes over for hours.
      let end = before.index(at: chunk.start)
      guard !chunk.isLast, end > given, end < before.packets.count else { return }
      try give(end, of: before, before: before.packets[end].packet)
      before.forget(end)
      given = 0
    }
  }

  /// Where `next` takes over from `before`, which has gone on until there: behind how many packets of
  /// the one, and with which of the other; nil where it does not.
  private func seam(
    between before: Lane<Codec>, and next: Lane<Codec>, in chunk: Chunk<Codec>
  ) throws(Problem) -> (before: Int, next: Int)? {
    for index in next.index(at: chunk.start)..<next.packets.count {
      let start = next.packets[index].frames.lowerBound
      while before.end < start {
        guard try advance(before, in: chunk) else { return nil }
      }
      let count = before.index(at: start)
      if agree(before.packets[..<count], next.packets[..<index]),
        stream.accepts(next.packets[index].packet, behind: before.packets[given..<count])
      {
        return (count, index)
      }
    }
    return nil
  }

  private func advance(_ lane: Lane<Codec>, in chunk: Chunk<Codec>) throws(Problem) -> Bool {
    if cancellation.isCancelled { throw .cancelled }
    return try lane.advance(in: chunk, by: 1)
  }

  /// Whether the last packets of two lanes agree, up to the same frame.
  private func agree(
    _ one: ArraySlice<Lane<Codec>.Packet>, _ other: ArraySlice<Lane<Codec>.Packet>
  ) -> Bool {
    let (one, other) = (one.suffix(grid.agreement), other.suffix(grid.agreement))
    return one.count == grid.agreement && other.count == grid.agreement
      && zip(one, other).allSatisfy {
        $0.frames == $1.frames && codec.agree($0.packet, $1.packet)
      }
  }

  private mutating func give(
    _ end: Int, of lane: Lane<Codec>, before next: Codec.Encoder.Packet?
  ) throws(Problem) {
    try stream.append(lane.packets[given..<end], of: lane.encoder, before: next)
    given = end
  }

  /// Gives all packets that are left to the stream, once the last chunk is in.
  mutating func finish() throws(Problem) {
    guard let lane else { return }
    try give(lane.packets.count, of: lane, before: nil)
  }
}
