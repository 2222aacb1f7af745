internal import MPEGAudio

/// Makes one stream of the frames of many lanes.
///
/// A lane takes over from the one before it at the first frame before which both made the same
/// frames, and whose main data find room in the reservoir. Until they do, the lane before goes on,
/// at worst through the whole chunk: then the other one's frames are dropped. So the stream holds
/// at each place what an encoder makes that has heard the sound before it, however hard the sound
/// is.
struct Splicer {
  private let grid: ChunkGrid
  private let samplesPerFrame: Int
  private let slots: FramePacker.Slots
  /// Made with the first frame.
  private var packer: FramePacker?
  /// Whose frames come next, and the first of them in the stream.
  private var lane: Lane?
  private var nextFrame = 0

  init(grid: ChunkGrid, samplesPerFrame: Int, slots: FramePacker.Slots) {
    self.grid = grid
    self.samplesPerFrame = samplesPerFrame
    self.slots = slots
  }

  /// Takes the next encoded chunk in; appends frames that are complete to `bytes`.
  mutating func add(
    _ chunk: Chunk, into bytes: inout [UInt8], lengths: inout [Int]
  ) throws(LAMEError) {
    guard let before = lane else {
      lane = chunk.lane
      return
    }
    guard let sound = chunk.sound else { return }
    var position = chunk.warmUp * samplesPerFrame
    /// Feeds the lane before with one more frame; false at the end.
    func goOn() throws(LAMEError) -> Bool {
      guard position < sound.count else {
        if chunk.isLast { try before.flush() }
        return false
      }
      let end = min(sound.count, position + samplesPerFrame)
      try before.feed(sound, position..<end)
      position = end
      return true
    }
    guard let next = chunk.lane else {
      while try goOn() {}
      return
    }
    // How much room the frames before the splice can leave, from the first that is not packed yet.
    var reservoir = packer?.reservoir ?? 0
    var index = nextFrame
    var frame = chunk.firstFrame
    while frame < next.endFrame {
      while before.endFrame < frame { guard try goOn() else { return } }
      let packer = packer(like: before.frame(nextFrame))
      while index < frame {
        reservoir = packer.mostReservoir(after: before.frame(index), from: reservoir)
        index += 1
      }
      if agree(before, next, before: frame), reservoir >= next.frame(frame).mainDataBegin {
        try pack(before, to: frame, leaving: next.frame(frame).mainDataBegin, &bytes, &lengths)
        lane = next
        return
      }
      frame += 1
    }
    while try goOn() {}
  }

  private func agree(_ a: Lane, _ b: Lane, before frame: Int) -> Bool {
    let first = frame - grid.agreement
    guard first >= a.firstFrame, first >= b.firstFrame else { return false }
    return (first..<frame).allSatisfy { a.frame($0).hasSameSound(as: b.frame($0)) }
  }

  private mutating func packer(like frame: UnpackedFrame) -> FramePacker {
    if let packer { return packer }
    let new = FramePacker(slots, like: frame.header)
    packer = new
    return new
  }

  private mutating func pack(
    _ lane: Lane, to end: Int, leaving mainDataBegin: Int, _ bytes: inout [UInt8],
    _ lengths: inout [Int]
  ) throws(LAMEError) {
    let frames = lane.frames[(nextFrame - lane.firstFrame)..<(end - lane.firstFrame)]
    guard let first = frames.first else { return }
    var packer = packer(like: first)
    do throws(FramePacker.NoRoom) {
      try packer.pack(frames, leaving: mainDataBegin, into: &bytes, lengths: &lengths)
    } catch {
      throw .noRoom(frame: error.frame)
    }
    self.packer = packer
    nextFrame = end
  }

  /// Gives out all that is left, once the last chunk is in. Returns the lane that heard the end.
  mutating func finish(
    into bytes: inout [UInt8], lengths: inout [Int]
  ) throws(LAMEError) -> Lane? {
    guard let lane else { return nil }
    try pack(lane, to: lane.endFrame, leaving: 0, &bytes, &lengths)
    packer?.finish(into: &bytes, lengths: &lengths)
    return lane
  }
}
