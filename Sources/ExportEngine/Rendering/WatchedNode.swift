import Diagnosis
import MediaComposition

/// Sees a node's sound before its reader does, and may change its level.
package protocol NodeWatcher: AnyObject {
  /// Called on the rendering thread for every block of the node before it is read: from frame `offset`
  /// of a buffer on, with the sound at `frames` of the timeline.
  func pass(_ buffer: AudioBuffer, from offset: Int, at frames: Range<Int64>)

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

final class WatchedNode: DerivedSound {
  let input: any Sound
  private let watcher: any NodeWatcher

  init(_ input: any Sound, _ watcher: any NodeWatcher) {
    (self.input, self.watcher) = (input, watcher)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    let count = try input.read(frames, into: buffer, at: offset)
    watcher.pass(buffer, from: offset, at: frames)
    return count
  }
}
