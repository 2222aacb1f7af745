import Diagnosis
import Dynamics
import ExportGraph
import MediaComposition

/// One node, rendered once for several readers in rough step: outputs of a mix, or a mix and the
/// ducks that the node is a key of, which read its level ahead.
///
/// Memory is bounded by how far the readers are apart. One thread at a time.
final class SharedNode {
  /// How far its readers may be apart, in frames.
  struct ReaderReach {
    /// How far before the frame of one reader another one may begin.
    var behind: Int64 = 0
    /// How far after the frame of one reader another one may have read.
    var ahead: Int64 = 0
  }

  private let node: any Sound
  private let frames: Range<Int64>
  private let channelCount: Int
  private let reach: ReaderReach
  /// Frames by which readers in step are apart at most: some blocks, or one of an output at 8 kHz.
  private let mostAhead: Int64
  /// Weak, as readers hold the node: a cycle would never be released.
  private var readers: [WeakReader] = []
  /// The last blocks that were rendered, in order, as far as a reader may need them.
  private var blocks: [AudioBuffer] = []
  private var spare: [AudioBuffer] = []
  /// The frame after the last block; blocks begin every `size` frames from the node's first.
  private var end: Int64
  /// Of a key.
  private var powers: StepPowers?

  private static let size = Int64(Renderer.blockSize)

  /// A shared node; `key` where its level is read.
  init(_ sound: any Sound, _ node: Node, _ reach: ReaderReach, key ducking: Ducking?) {
    self.node = sound
    frames = node.frames
    channelCount = node.format.channelLayout.count
    self.reach = reach
    mostAhead = max(16 * Self.size, Int64(node.format.sampleRate))
    end = node.frames.lowerBound
    powers = ducking.map {
      StepPowers(
        channelCount: node.format.channelLayout.count, step: $0.step, zero: $0.zero,
        kept: reach.behind + reach.ahead + 4 * Self.size)
    }
    powers?.restart(at: end, afterSilence: true)
  }

  func reader() -> Reader {
    let reader = Reader(self)
    readers.append(WeakReader(reader: reader))
    return reader
  }

  // MARK: Blocks

  /// Where readers are that have begun.
  private var positions: [Int64] {
    readers.compactMap { $0.reader.flatMap { $0.isOpen ? $0.position : nil } }
  }

  private var firstFrame: Int64 { end - blocks.reduce(0) { $0 + Int64($1.frameCount) } }

  /// The block that holds `frame`, and the frame's place in it.
  private func block(holding frame: Int64) throws(Failure) -> (AudioBuffer, offset: Int) {
    if frame < firstFrame || frame > end + reach.behind && !isInStep(frame) {
      restart(before: frame)
    }
    while end <= frame { try renderBlock() }
    var start = firstFrame
    for block in blocks {
      if frame < start + Int64(block.frameCount) { return (block, Int(frame - start)) }
      start += Int64(block.frameCount)
    }
    throw Failure(.reportBug, "a shared node lost a block")
  }

  /// Whether another reader needs what lies before a frame that is ahead: one of two that began one
  /// after the other, and of which this one reads further ahead.
  private func isInStep(_ frame: Int64) -> Bool {
    frame < end + mostAhead && positions.contains { (firstFrame...end).contains($0) }
  }

  /// Continues at the block that holds `frame`, or so far before it as another reader may begin.
  private func restart(before frame: Int64) {
    let first = max(0, frame - reach.behind - frames.lowerBound)
    end = frames.lowerBound + first / Self.size * Self.size
    spare += blocks
    blocks = []
    powers?.restart(at: end, afterSilence: end == frames.lowerBound)
  }

  private func renderBlock() throws(Failure) {
    dropBlocks()
    let buffer =
      spare.popLast() ?? AudioBuffer(channelCount: channelCount, capacity: Renderer.blockSize)
    let next = end..<min(end + Self.size, frames.upperBound)
    try node.fill(next, of: buffer, at: 0)
    buffer.frameCount = next.count
    blocks.append(buffer)
    end = next.upperBound
    powers?.add(UnsafePointer(buffer.planes), count: next.count)
    if end == frames.upperBound { powers?.addSilence() }
  }

  /// Drops blocks that no reader needs any more, one that is still to begin included.
  private func dropBlocks() {
    let needed = min(positions.min() ?? end, end - reach.ahead)
    while let first = blocks.first, firstFrame + Int64(first.frameCount) <= needed {
      spare.append(blocks.removeFirst())
    }
  }

  private func closeIfUnread() {
    guard !readers.contains(where: { $0.reader?.isOpen == true }) else { return }
    // The powers stay: a duck that opens later continues behind them.
    (blocks, spare) = ([], [])
    node.close()
  }

  // MARK: Readers

  private struct WeakReader {
    weak var reader: Reader?
  }

  /// Reads the node's sound in any order, cheapest in that of time, or its power alone.
  final class Reader: Sound {
    private let shared: SharedNode
    private(set) var position: Int64 = 0
    fileprivate private(set) var isOpen = false
    var channelCount: Int { shared.channelCount }

    fileprivate init(_ shared: SharedNode) { self.shared = shared }

    func read(
      _ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int
    ) throws(Failure) -> Int {
      (position, isOpen) = (frames.lowerBound, true)
      var filled = 0
      while filled < frames.count, position < shared.frames.upperBound {
        let (block, start) = try shared.block(holding: position)
        let taken = min(frames.count - filled, block.frameCount - start)
        for channel in 0..<channelCount {
          (buffer.planes[channel] + offset + filled).update(
            from: block.planes[channel] + start, count: taken)
        }
        filled += taken
        position += Int64(taken)
      }
      return filled
    }

    /// Calls `body` with the frames of each step in `reach` whose power is at least `least`, in
    /// order. Steps that begin before `reach`, or end after it, may be missing.
    ///
    /// - Parameters:
    ///   - reach: The frames; outside those of the node is silence.
    ///   - frame: The frame that is rendered by the caller, in `reach`.
    ///   - least: More than 0.
    ///   - body: Gets the frames.
    /// - Throws: As rendering the node.
    func forEachStep(
      in reach: Range<Int64>, around frame: Int64, withPower least: Float,
      _ body: (Range<Int64>) -> Void
    ) throws(Failure) {
      (position, isOpen) = (.max, true)
      try shared.read(powersIn: reach, around: frame)
      guard let powers = shared.powers else { return }
      let steps = powers.step(of: reach.lowerBound)..<powers.step(of: reach.upperBound) + 1
      for step in powers.known.clamped(to: steps) where powers.power(of: step) >= least {
        body(powers.start(of: step)..<powers.start(of: step + 1))
      }
    }

    func close() {
      isOpen = false
      shared.closeIfUnread()
    }
  }

  /// Renders on until the powers of all steps within `reach` are known.
  private func read(powersIn reach: Range<Int64>, around frame: Int64) throws(Failure) {
    let wanted = reach.clamped(to: frames)
    guard !wanted.isEmpty, let powers else { return }
    let first =
      reach.lowerBound <= frames.lowerBound
      ? powers.step(of: frames.lowerBound) : powers.firstStep(from: reach.lowerBound)
    if first < powers.known.lowerBound || wanted.lowerBound > end { restart(before: frame) }
    while end < wanted.upperBound { try renderBlock() }
  }
}
