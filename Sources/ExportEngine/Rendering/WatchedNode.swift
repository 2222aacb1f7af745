import Diagnosis
import MediaComposition

/// Sees what a node gives on its way to whoever asked for it, and may change its level.
package protocol NodeWatcher: AnyObject {
  /// Called on the rendering thread for every block that the node gives, before anybody reads it:
  /// its sound at `frames` of the timeline.
  func pass(_ block: AudioBuffer, at frames: Range<Int64>)
}

/// A node that somebody watches.
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
