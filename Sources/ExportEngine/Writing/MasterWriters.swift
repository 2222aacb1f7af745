import Diagnosis
import ExportGraph
import Joins
import MediaComposition

/// What takes the sound of an export's masters, in order: the writers of their outputs, and inspectors
/// of their joins.
struct MasterWriters {
  private let graph: Graph
  private let writers: [SoundWriter]
  /// The frames of each master that are still to be written.
  private(set) var rendition: Rendition
  /// One for each master; none where joins are not wanted.
  private var inspectors: [JoinInspector]

  init(
    _ graph: Graph, _ rendition: Rendition, _ writers: [SoundWriter],
    inspecting isInspecting: Bool
  ) {
    (self.graph, self.rendition, self.writers) = (graph, rendition, writers)
    inspectors =
      !isInspecting
      ? []
      : rendition.all.map { master in
        let joins = master.sinks.first.map { graph.joins(of: graph.sinks[$0]) } ?? []
        return JoinInspector(
          sampleRate: master.rate, channelCount: master.channelCount,
          places: joins.map { JoinPlace($0.frames, isSteady: $0.isSteady, origin: $0.origin) })
      }
  }

  /// Frames of a master that no writer needs; with other masters, the mix between them would become
  /// long.
  func skippable(_ index: Int) -> Int64 {
    guard rendition.all.count == 1 else { return 0 }
    let master = rendition.all[index]
    let needed = master.sinks.map { writers[$0].firstNeeded }.min() ?? 0
    return min(needed, master.frames.upperBound) - master.frames.lowerBound
  }

  /// Passes over the next frames of a master, which are not rendered.
  mutating func skip(_ count: Int64, of index: Int) throws(Failure) {
    for sink in rendition.all[index].sinks { try writers[sink].skip(count) }
    if !inspectors.isEmpty { inspectors[index].skip(count) }
    rendition.advance(index, by: count)
  }

  /// Takes the next frames of a master.
  mutating func write(_ block: AudioBuffer, of index: Int) throws(Failure) {
    for sink in rendition.all[index].sinks { try writers[sink].write(block) }
    if !inspectors.isEmpty { inspectors[index].add(block.planes, count: block.frameCount) }
    rendition.advance(index, by: Int64(block.frameCount))
  }

  /// Gives the outputs their joins, once all sound was taken.
  mutating func finish(_ rendering: inout ExportSession.Rendering) {
    for index in inspectors.indices {
      inspectors[index].finish()
      for sink in rendition.all[index].sinks {
        rendering.outputs[sink].joins = inspectors[index].joins
      }
    }
  }
}
