internal import MPEGAudio

/// Makes one stream of the frames of many lanes.
///
/// A lane takes over from the one before it at the first frame before which both made the same
/// frames, and whose main data find room in the reservoir. Until then, the lane before continues,
/// at worst through the whole chunk: then the other one's frames are dropped. So the stream has
/// at each place the frames of an encoder that was fed all sound before it.
struct Splicer {
  private let grid: ChunkGrid
  private let slots: FramePacker.Slots
  /// Begun with the first frame.
  private var stream: FrameStream?
  /// Whose frames come next, and the first of them in the stream.
  private var lane: Lane?
  private var nextFrame = 0

  init(grid: ChunkGrid, slots: FramePacker.Slots) {
    self.grid = grid
    self.slots = slots
  }

  /// Takes the next encoded chunk in; appends frames that are complete to `bytes`.
  mutating func add(_ chunk: Chunk, into bytes: inout [UInt8]) throws(LAMEError) {
    guard let before = lane else {
      lane = chunk.lane
      return
    }
    if let next = chunk.lane, let frame = try takeover(from: before, by: next, in: chunk) {
      try pack(before, to: frame, leaving: next.frame(frame).mainDataBegin, into: &bytes)
      lane = next
    } else {
      while try before.advance(in: chunk, by: 1) {}
      // All but the frames that the lane of the next chunk is compared with: memory must not grow
      // where no lane takes over for hours.
      guard !chunk.isLast else { return }
      let end = chunk.firstFrame
      try pack(before, to: end, leaving: before.frame(end).mainDataBegin, into: &bytes)
      before.forget(to: end)
    }
  }

  /// The frame of the chunk with which `next` takes over from `before`, which has gone on until
  /// there; nil where it does not.
  private func takeover(
    from before: Lane, by next: Lane, in chunk: Chunk
  ) throws(LAMEError) -> Int? {
    // How much room the frames before the splice can leave, from the first that is not packed yet.
    let packer = stream?.packer ?? FramePacker(slots, like: before.frame(nextFrame).header)
    var reservoir = packer.reservoir
    var index = nextFrame
    for frame in chunk.firstFrame..<max(chunk.firstFrame, next.endFrame) {
      while before.endFrame < frame {
        guard try before.advance(in: chunk, by: 1) else { return nil }
      }
      while index < frame {
        reservoir = packer.mostReservoir(after: before.frame(index), from: reservoir)
        index += 1
      }
      if agree(before, next, before: frame), reservoir >= next.frame(frame).mainDataBegin {
        return frame
      }
    }
    return nil
  }

  private func agree(_ a: Lane, _ b: Lane, before frame: Int) -> Bool {
    let first = frame - grid.agreement
    guard first >= a.firstFrame, first >= b.firstFrame else { return false }
    return (first..<frame).allSatisfy { a.frame($0).hasSameSound(as: b.frame($0)) }
  }

  private mutating func pack(
    _ lane: Lane, to end: Int, leaving mainDataBegin: Int, into bytes: inout [UInt8]
  ) throws(LAMEError) {
    let frames = lane.frames[(nextFrame - lane.firstFrame)..<(end - lane.firstFrame)]
    var stream = stream ?? frames.first.map { FrameStream(slots, $0.header, lane.encoding, &bytes) }
    self.stream = nil
    try stream?.pack(frames, leaving: mainDataBegin, into: &bytes)
    self.stream = stream
    nextFrame = end
  }

  /// Gives out all that is left, once the last chunk is in.
  ///
  /// - Returns: The frame that belongs where the first, empty one stands.
  mutating func finish(into bytes: inout [UInt8]) throws(LAMEError) -> [UInt8] {
    guard let lane else { return [] }
    try pack(lane, to: lane.endFrame, leaving: 0, into: &bytes)
    stream?.finish(into: &bytes)
    return stream?.infoFrame(delay: lane.delay, padding: lane.padding) ?? []
  }
}
