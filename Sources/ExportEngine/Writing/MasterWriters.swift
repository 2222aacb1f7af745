import Diagnosis
import ExportGraph
import Joins
import MediaComposition

/// What takes the sound of an export's masters, in order: the writers of their outputs, and inspectors
/// of their joins.
struct MasterWriters {
  private let graph: Graph
  private let writers: [SoundWriter]
  /// How far each master has come.
  private(set) var masters: MastersInStep
  /// One for each master; none where joins are not wanted.
  private var inspectors: [JoinInspector]

  init(
    _ graph: Graph, _ masters: MastersInStep, _ writers: [SoundWriter],
    inspecting isInspecting: Bool
  ) {
    (self.graph, self.masters, self.writers) = (graph, masters, writers)
    inspectors =
      !isInspecting
      ? []
      : masters.all.map { master in
        let joins = master.sinks.first.map { graph.joins(of: graph.sinks[$0]) } ?? []
        return JoinInspector(
          sampleRate: master.rate, channelCount: master.channelCount,
          places: joins.map { JoinPlace($0.frames, isSteady: $0.isSteady, origin: $0.origin) })
      }
  }

  /// Frames of a master that no writer needs; with other masters, the mix between them would become
  /// long.
  func skippable(_ index: Int) -> Int64 {
    guard masters.all.count == 1 else { return 0 }
    let master = masters.all[index]
    let needed = master.sinks.map { writers[$0].firstNeeded }.min() ?? 0
    return min(needed, master.frames.upperBound) - master.frames.lowerBound
  }

  /// Passes over the next frames of a master, which are not rendered.
  mutating func skip(_ count: Int64, of index: Int) throws(Failure) {
    for sink in masters.all[index].sinks { try writers[sink].skip(count) }
    if !inspectors.isEmpty { inspectors[index].skip(count) }
    masters.advance(index, by: count)
  }

  /// Takes the next frames of a master.
  mutating func write(_ block: AudioBuffer, of index: Int) throws(Failure) {
    for sink in masters.all[index].sinks { try writers[sink].write(block) }
    if !inspectors.isEmpty { inspectors[index].add(block.planes, count: block.frameCount) }
    masters.advance(index, by: Int64(block.frameCount))
  }

  /// Gives the outputs their joins, once all sound was taken.
  mutating func finish(_ take: inout ExportSession.Take) {
    for index in inspectors.indices {
      inspectors[index].finish()
      for sink in masters.all[index].sinks { take.outputs[sink].joins = inspectors[index].joins }
    }
  }
}
