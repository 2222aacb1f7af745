import Diagnosis
import ExportGraph
import MediaComposition

/// A child's whole sound, changed by a source. Both count from zeros of their own.
final class ProcessNode: RenderNode {
  private let child: any RenderNode
  private let makeSource: (any FrameSource) throws(Failure) -> any FrameSource
  private let frameCount: Int64
  private let channelCount: Int
  private let origin: Origin
  private let level: LevelApplier
  /// Where its processing waits for nodes with the same sound, if there are others.
  private let twins: ProcessPool.Place?
  /// Has the processing's state; released when the node closes.
  private var opened: ProcessPool.Opened?

  init(
    _ node: Node, _ child: any RenderNode, frameCount: Int64,
    twins: ProcessPool.Place?,
    _ makeSource: @escaping (any FrameSource) throws(Failure) -> any FrameSource
  ) {
    self.child = child
    self.makeSource = makeSource
    self.frameCount = frameCount
    channelCount = node.format.channelLayout.count
    origin = node.origin
    level = LevelApplier(node.level, node.format.channelLayout)
    self.twins = twins
  }

  func render(_ frames: Range<Int64>, into buffer: AudioBuffer) throws(Failure) {
    do throws(Failure) {
      let source = try open(at: frames.lowerBound)
      try source.seek(to: frames.lowerBound)
      let taken = try source.read(into: buffer, at: 0, count: frames.count)
      // Rounding may leave an empty frame at the end.
      for channel in 0..<buffer.channelCount {
        (buffer.planes[channel] + taken).update(repeating: 0, count: frames.count - taken)
      }
      buffer.frameCount = frames.count
    } catch {
      throw error.placed(at: origin)
    }
    level.apply(to: buffer, frames: frames)
  }

  private func open(at frame: Int64) throws(Failure) -> any FrameSource {
    if let opened { return opened.source }
    if let twins, let waiting = twins.pool.take(twins.first, near: frame) {
      opened = waiting
      return waiting.source
    }
    let input = NodeSource(child, channelCount: channelCount, frameCount: frameCount)
    let source = try makeSource(input)
    opened = (source, input)
    return source
  }

  func close() {
    level.close()
    guard let opened else { return }
    self.opened = nil
    opened.input.close()
    if let twins { twins.pool.put(opened, at: twins) }
  }
}

/// The processing of sounds that several nodes have: what lies between two parts of a sound is
/// processed once, on the way from one to the next, and not from the start for each. One thread at a
/// time.
final class ProcessPool {
  /// A node among those with the same sound.
  struct Place {
    let pool: ProcessPool
    /// The first of them, which stands for the sound.
    let first: Node.ID
    /// Whether no other one follows it.
    let isLast: Bool
  }

  /// A processing, and what it reads: the nodes below the one that opened it.
  fileprivate typealias Opened = (source: any FrameSource, input: NodeSource)

  /// Several effects of some sounds at once, and two of each: parts that are cross-faded sound together.
  private var idle = IdleSources<Node.ID, Opened>(limit: 64)

  fileprivate func take(_ sound: Node.ID, near frame: Int64) -> Opened? {
    idle.take(sound, near: frame)
  }

  fileprivate func put(_ opened: Opened, at place: Place) {
    // Processings may take megabytes each.
    guard !place.isLast else { return idle.remove(place.first) }
    idle.put(opened, of: place.first, at: opened.source.position)
  }
}

/// A node's frames from 0 on, read like a file's.
fileprivate final class NodeSource: FrameSource {
  let channelCount: Int
  private(set) var position: Int64 = 0
  private let node: any RenderNode
  private let frameCount: Int64
  private var block: AudioBuffer?

  init(_ node: any RenderNode, channelCount: Int, frameCount: Int64) {
    self.node = node
    self.channelCount = channelCount
    self.frameCount = frameCount
  }

  func seek(to frame: Int64) { position = frame }

  func close() {
    block = nil
    node.close()
  }

  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    let block =
      self.block ?? AudioBuffer(channelCount: channelCount, capacity: Renderer.blockSize)
    self.block = block
    var filled = 0
    while filled < count, position < frameCount {
      let wanted = Int(min(Int64(min(count - filled, block.capacity)), frameCount - position))
      try node.render(position..<position + Int64(wanted), into: block)
      for channel in 0..<channelCount {
        (buffer.planes[channel] + offset + filled).update(
          from: block.planes[channel], count: wanted)
      }
      filled += wanted
      position += Int64(wanted)
    }
    return filled
  }
}
