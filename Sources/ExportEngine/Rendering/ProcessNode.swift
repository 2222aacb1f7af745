import Diagnosis
import ExportGraph
import MediaComposition

/// A child's whole sound, changed by a source. Both count from zeros of their own.
final class ProcessNode: RenderNode {
  private let child: any RenderNode
  private let makeSource: (any FrameSource) throws(Failure) -> any FrameSource
  private let input: NodeSource
  private let origin: Origin
  private let level: LevelApplier
  /// Has the processing's state; released when the node closes.
  private var opened: (any FrameSource)?

  init(
    _ node: Node, _ child: any RenderNode, frameCount: Int64,
    _ makeSource: @escaping (any FrameSource) throws(Failure) -> any FrameSource
  ) {
    self.child = child
    self.makeSource = makeSource
    origin = node.origin
    input = NodeSource(
      child, channelCount: node.format.channelLayout.count, frameCount: frameCount)
    level = LevelApplier(node.level, node.format.channelLayout)
  }

  func render(_ frames: Range<Int64>, into buffer: AudioBuffer) throws(Failure) {
    do throws(Failure) {
      let source: any FrameSource
      if let opened { source = opened } else { source = try makeSource(input) }
      opened = source
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

  func close() {
    level.close()
    opened = nil
    input.close()
    child.close()
  }
}

/// A node's frames from 0 on, read like a file's.
private final class NodeSource: FrameSource {
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

  func close() { block = nil }

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
