import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime

/// A node of the graph at work. One thread at a time; any frame may be rendered next, in order is
/// cheapest.
protocol RenderNode: AnyObject {
  /// Fills the buffer's first frames with the sound at `frames` of the timeline, which lie within
  /// the node's own.
  func render(_ frames: Range<Int64>, into buffer: AudioBuffer) throws(Failure)

  /// Closes files until the next render.
  func close()
}

final class SourceNode: RenderNode {
  private let node: Node
  private let source: Source
  private let start: Int64
  private let level: LevelApplier
  private let pool: SourcePool
  private var opened: (any FrameSource)?

  init(_ node: Node, _ source: Source, start: Int64, _ pool: SourcePool) {
    self.node = node
    self.source = source
    self.start = start
    self.pool = pool
    level = LevelApplier(node.level, node.format.channelLayout)
  }

  func render(_ frames: Range<Int64>, into buffer: AudioBuffer) throws(Failure) {
    do throws(Failure) {
      let first = start + frames.lowerBound - node.frames.lowerBound
      let opened = try open(at: first)
      try opened.seek(to: first)
      let taken = try opened.read(into: buffer, at: 0, count: frames.count)
      guard taken == frames.count else { throw endedEarly(at: first + Int64(taken)) }
      buffer.frameCount = taken
      try refuseNonFinite(buffer)
    } catch {
      throw error.placed(at: node.origin)
    }
    level.apply(to: buffer, frames: frames)
  }

  func close() {
    level.close()
    guard let opened else { return }
    pool.release(opened, of: source)
    self.opened = nil
  }

  private func open(at frame: Int64) throws(Failure) -> any FrameSource {
    if let opened { return opened }
    let acquired = try pool.acquire(source, at: frame)
    opened = acquired
    return acquired
  }

  private func endedEarly(at frame: Int64) -> Failure {
    let asset = source.asset
    let found = Time(frames: frame, rate: node.format.sampleRate)
    return Failure(
      .mendInput,
      "breaks off at \(found.inSeconds) and not at \(asset.duration.inSeconds); "
        + "download it again, or clip a range before that", location: asset.location)
  }

  /// Integers are finite by nature; decoders of other formats may pass on a file's NaN.
  private func refuseNonFinite(_ buffer: AudioBuffer) throws(Failure) {
    if source.asset.bitDepth != nil { return }
    for channel in 0..<buffer.channelCount {
      // Bit patterns of magnitudes have the order of their values, NaN above infinity, and loops
      // over integers vectorise.
      var largest: UInt32 = 0
      for sample in buffer.samples(channel) {
        largest = max(largest, sample.bitPattern & 0x7FFF_FFFF)
      }
      guard largest < Float.infinity.bitPattern else {
        throw Failure(
          .mendInput, "holds samples that are no numbers (NaN or infinity)",
          location: source.asset.location
        )
      }
    }
  }
}

/// The sum of children, each over its own frames.
final class MixNode: RenderNode {
  private struct Child {
    let frames: Range<Int64>
    let place: Int
    let node: any RenderNode
  }

  private let children: [Child]
  private let level: LevelApplier
  private let channelCount: Int
  private let capacity: Int
  /// Made when children overlap or meet inside a block, and released when the node closes: memory
  /// does not grow with the number of groups.
  private var scratch: AudioBuffer?
  /// Children that sound at the playhead, in the order that the graph has them in, and the first
  /// one to come. A sum of floats depends on its order, and a part of a mix must not begin with
  /// another one than the whole: starts would be clamped to the part.
  private var active: [Int] = []
  private var next = 0
  private var playhead: Int64 = .min

  init(_ node: Node, _ children: [(frames: Range<Int64>, node: any RenderNode)], capacity: Int) {
    self.children =
      children.enumerated()
      .sorted {
        ($0.element.frames.lowerBound, $0.offset) < ($1.element.frames.lowerBound, $1.offset)
      }
      .map { Child(frames: $0.element.frames, place: $0.offset, node: $0.element.node) }
    level = LevelApplier(node.level, node.format.channelLayout)
    channelCount = node.format.channelLayout.count
    self.capacity = capacity
  }

  func render(_ frames: Range<Int64>, into buffer: AudioBuffer) throws(Failure) {
    advance(to: frames)
    if active.count == 1, let only = active.first.map({ children[$0] }),
      only.frames.lowerBound <= frames.lowerBound, only.frames.upperBound >= frames.upperBound
    {
      try only.node.render(frames, into: buffer)
    } else {
      for channel in 0..<buffer.channelCount {
        buffer.planes[channel].update(repeating: 0, count: frames.count)
      }
      for index in active {
        let child = children[index]
        let common = child.frames.clamped(to: frames)
        let scratch = scratchBuffer()
        try child.node.render(common, into: scratch)
        // At once, so that the following clip continues with the same source.
        if common.upperBound == child.frames.upperBound { child.node.close() }
        let offset = Int(common.lowerBound - frames.lowerBound)
        for channel in 0..<buffer.channelCount {
          add(
            scratch.planes[channel], times: 1, to: buffer.planes[channel] + offset,
            count: common.count)
        }
      }
    }
    buffer.frameCount = frames.count
    level.apply(to: buffer, frames: frames)
  }

  func close() {
    level.close()
    scratch = nil
    for index in active { children[index].node.close() }
    active = []
    next = 0
    playhead = .min
  }

  private func scratchBuffer() -> AudioBuffer {
    if let scratch { return scratch }
    let made = AudioBuffer(channelCount: channelCount, capacity: capacity)
    scratch = made
    return made
  }

  /// Opens children that start before the block's end, closes those that ended before it.
  private func advance(to frames: Range<Int64>) {
    if frames.lowerBound < playhead { close() }
    playhead = frames.lowerBound
    active.removeAll { index in
      guard children[index].frames.upperBound <= frames.lowerBound else { return false }
      children[index].node.close()
      return true
    }
    while next < children.count, children[next].frames.lowerBound < frames.upperBound {
      let child = children[next]
      if child.frames.upperBound > frames.lowerBound {
        let later = active.firstIndex { children[$0].place > child.place }
        active.insert(next, at: later ?? active.endIndex)
      }
      next += 1
    }
  }
}
