import Diagnosis
import ExportGraph
import MediaComposition

/// A part of a child that counts frames from a zero of its own.
final class ExcerptNode: RenderNode {
  private let child: any RenderNode
  /// The child's frame less the timeline's.
  private let shift: Int64
  private let level: LevelApplier

  init(_ node: Node, _ child: any RenderNode, start: Int64) {
    self.child = child
    shift = start - node.frames.lowerBound
    level = LevelApplier(node.level, node.format.channelLayout)
  }

  func render(_ frames: Range<Int64>, into buffer: AudioBuffer) throws(Failure) {
    try child.render(frames.lowerBound + shift..<frames.upperBound + shift, into: buffer)
    level.apply(to: buffer, frames: frames)
  }

  func close() {
    level.close()
    child.close()
  }
}
