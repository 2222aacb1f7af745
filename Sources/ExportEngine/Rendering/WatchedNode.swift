import Diagnosis
import MediaComposition

/// Sees a node's sound before its reader does, and may change its level.
package protocol NodeWatcher: AnyObject {
  /// Called on the rendering thread for every block of the node, at `frames` of the timeline,
  /// before it is read.
  func pass(_ block: AudioBuffer, at frames: Range<Int64>)

  /// Called on the rendering thread with the least gain that a duck, a leveler, a limiter or a
  /// compressor had over frames of the node, 0 … 1: of frames that may be heard much later, and
  /// again where they are rendered again.
  func lowered(by gain: Float, at frames: Range<Int64>)

  /// Whether the gains of compressors are wanted, which takes as long as compressing.
  var isReading: Bool { get }
}

extension NodeWatcher {
  package func lowered(by gain: Float, at frames: Range<Int64>) {}
  package var isReading: Bool { true }
}

/// The most frames in which a gain that moves is reported as one.
let watchedFrames = 512

final class WatchedNode: RenderNode {
  private let node: any RenderNode
  private let watcher: any NodeWatcher

  init(_ node: any RenderNode, _ watcher: any NodeWatcher) {
    self.node = node
    self.watcher = watcher
  }

  func render(_ frames: Range<Int64>, into buffer: AudioBuffer) throws(Failure) {
    try node.render(frames, into: buffer)
    watcher.pass(buffer, at: frames)
  }

  func close() { node.close() }
}
