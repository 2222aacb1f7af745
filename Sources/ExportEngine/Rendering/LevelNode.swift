import Diagnosis
import ExportGraph
import MediaComposition

/// A node's sound at the node's level.
final class LevelNode: DerivedSound {
  let input: any Sound
  private let level: LevelApplier

  init(_ input: any Sound, at level: Level, _ layout: ChannelLayout) {
    self.input = input
    self.level = LevelApplier(level, layout)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    let count = try input.read(frames, into: buffer, at: offset)
    level.apply(to: buffer, at: offset, frames: frames)
    return count
  }

  func close() {
    level.close()
    input.close()
  }
}
