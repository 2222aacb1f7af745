import ExportEngine

/// The blocks of an item that were rendered last: those of the last second, so that a pause and a
/// short way back give the same sound again, whatever it remembers, and those that are rendered
/// ahead of the place. Of one thread.
struct RenderedBlocks {
  struct Block {
    let firstFrame: Int64
    let sound: AudioBuffer
    let meters: MeterFrame

    var end: Int64 { firstFrame + Int64(sound.frameCount) }
  }

  /// In order, without gaps.
  private var blocks: [Block] = []
  /// The block that is read next, and its frames that were read. Behind the last block: nothing is
  /// rendered ahead.
  private var next = (block: 0, frame: 0)
  private var spare: [AudioBuffer] = []
  private let channelCount: Int
  private let capacity: Int
  /// Frames that are kept behind the place.
  private let keptFrames: Int64

  /// No blocks; each will have up to `capacity` frames.
  init(channelCount: Int, capacity: Int, keeping keptFrames: Int) {
    (self.channelCount, self.capacity) = (channelCount, capacity)
    self.keptFrames = Int64(keptFrames)
  }

  /// The frame that is read next; nil: the next one that is rendered.
  var place: Int64? {
    next.block < blocks.count ? blocks[next.block].firstFrame + Int64(next.frame) : nil
  }

  /// Frames that are rendered ahead of the place.
  var framesAhead: Int64 {
    guard let place, let last = blocks.last else { return 0 }
    return last.end - place
  }

  /// A buffer to render the next block into.
  mutating func buffer() -> AudioBuffer {
    spare.popLast() ?? AudioBuffer(channelCount: channelCount, capacity: capacity)
  }

  /// Appends a block behind the last one, and forgets those far behind the place.
  mutating func append(_ block: Block) {
    // What could not be read would end every reading.
    guard block.sound.frameCount > 0 else { return spare.append(block.sound) }
    blocks.append(block)
    let place = blocks[min(next.block, blocks.count - 1)].firstFrame
    while next.block > 0, let first = blocks.first, first.end < place - keptFrames {
      spare.append(blocks.removeFirst().sound)
      next.block -= 1
    }
  }

  /// Copies the next frames, up to `count` of one block.
  ///
  /// - Returns: How many, the meters of their block, and whether they are its beginning; nil: nothing
  ///   is rendered ahead.
  mutating func take(
    into buffer: AudioBuffer, at offset: Int, count: Int
  ) -> (count: Int, meters: MeterFrame, isStart: Bool)? {
    guard next.block < blocks.count else { return nil }
    let block = blocks[next.block]
    let taken = max(0, min(count, block.sound.frameCount - next.frame))
    for channel in 0..<channelCount {
      (buffer.planes[channel] + offset).update(
        from: block.sound.planes[channel] + next.frame, count: taken)
    }
    let isStart = next.frame == 0
    next.frame += taken
    if next.frame == block.sound.frameCount { next = (next.block + 1, 0) }
    return (taken, block.meters, isStart)
  }

  /// Goes to a frame.
  ///
  /// - Returns: Whether it is there, or is the one that is rendered next.
  mutating func seek(to frame: Int64) -> Bool {
    guard let first = blocks.first, let last = blocks.last, first.firstFrame <= frame,
      frame <= last.end
    else { return false }
    let index = blocks.firstIndex { frame < $0.end } ?? blocks.count
    next = (index, index < blocks.count ? Int(frame - blocks[index].firstFrame) : 0)
    return true
  }

  /// Forgets the blocks before the place.
  mutating func removePast() {
    spare += blocks[..<next.block].map(\.sound)
    blocks.removeFirst(next.block)
    next.block = 0
  }

  /// Forgets all blocks.
  mutating func removeAll() {
    spare += blocks.map(\.sound)
    (blocks, next) = ([], (0, 0))
  }
}
