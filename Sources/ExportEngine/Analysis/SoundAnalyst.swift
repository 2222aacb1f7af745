import Diagnosis
import ExportGraph
import Loudness
import MediaComposition
import Threads

/// Measures whole sounds before they are rendered or after they were written: nodes of graphs.
///
/// Figures depend on the sound alone, not on cores. A value that any thread may use; its functions
/// block their thread.
package struct SoundAnalyst: Sendable {
  let library: MediaLibrary
  let budget: CPUBudget?
  let cancellation: CancellationFlag

  /// An analyst.
  ///
  /// - Parameters:
  ///   - library: Opens the files.
  ///   - budget: Whose idle cores help, beside the calling thread, which should hold one of it; nil:
  ///     all cores that the process may use.
  ///   - cancellation: Ends all work within a fraction of a second.
  package init(
    library: MediaLibrary, budget: CPUBudget?,
    cancellation: CancellationFlag = CancellationFlag()
  ) {
    self.library = library
    self.budget = budget
    self.cancellation = cancellation
  }

  /// Measures loudness and levels of some frames of a node's sound, as of a file of them.
  ///
  /// - Parameters:
  ///   - node: The node of the graph.
  ///   - graph: The graph.
  ///   - frames: Of the node; nil: all.
  ///   - dualMono: Whether mono is measured as it sounds from two loudspeakers.
  ///   - progress: Called on this thread with the share that is done.
  /// - Returns: The figures.
  /// - Throws: The `Failure` of a source; `CancellationError`.
  /// - Complexity: O(frames), and O(nodes) if the library remembers the sound
  package func loudness(
    of node: Node.ID, in graph: Graph, frames: Range<Int64>? = nil, dualMono: Bool = false,
    progress: (Double) -> Void = { _ in }
  ) throws -> LoudnessMeasurement {
    let pass = pass(over: node, of: graph, frames)
    let key = AnalysisKey("loudness", revision: 3, of: pass)
    let layout = graph.nodes[node].format.channelLayout
    let measurement = try library.remembering(key, isPlausible: \.isPlausible) {
      try levels(by: pass, layout, drawing: false, progress).measurement
    }
    return dualMono && layout.count == 1 ? measurement.asDualMono : measurement
  }

  /// Measures all of a node's sound, and draws it; nothing of that is remembered.
  ///
  /// - Parameters:
  ///   - node: The node of the graph.
  ///   - graph: The graph.
  ///   - progress: Called on this thread with the share that is done.
  /// - Returns: The figures, and the sound in columns.
  /// - Throws: As `loudness`.
  /// - Complexity: O(frames)
  package func portrait(
    of node: Node.ID, in graph: Graph, progress: (Double) -> Void = { _ in }
  ) throws -> (loudness: LoudnessMeasurement, overview: SoundOverview?) {
    let pass = pass(over: node, of: graph)
    let layout = graph.nodes[node].format.channelLayout
    let levels = try levels(by: pass, layout, drawing: true, progress)
    return (levels.measurement, levels.overview)
  }

  /// A graph with the gains of its sounds that are brought to levels, as every analysis renders it that
  /// looks at a composition before its export is made. What is measured here is remembered, and the
  /// export does not measure it again.
  ///
  /// Where the library has another process for analyses, the graph stays as it is: that one measures.
  ///
  /// - Throws: `mendJob` for a level of a group, and as `loudness`.
  /// - Complexity: As `Normalizer.solve`
  func solved(_ graph: Graph) throws -> Graph {
    // A group's gain is that of sounds of many jobs, and what these are may depend on analyses.
    for (id, normalization, _) in graph.normalizations {
      guard let group = normalization.target.group else { continue }
      let name = "the group '\(group)'"
      throw Failure(
        .mendJob,
        "cannot be analysed: a sound in it has the level of \(name), which is known when all sounds of "
          + "the group are; give that sound a 'loudness' of its own, or trim, split or shorten it in a "
          + "job that comes before", origin: graph.nodes[id].origin)
    }
    guard library.listen == nil else { return graph }
    var solved = Normalizer.Result(graph: graph)
    try Normalizer(analyst: self).solve(&solved)
    return solved.graph
  }

  private func pass(
    over node: Node.ID, of graph: Graph, _ frames: Range<Int64>? = nil
  ) -> ChunkPass {
    ChunkPass(
      over: node, of: graph, frames: frames,
      grid: .loudness(at: graph.nodes[node].format.sampleRate), library: library, budget: budget,
      cancellation: cancellation)
  }

  private func levels(
    by pass: ChunkPass, _ layout: ChannelLayout, drawing isDrawing: Bool,
    _ progress: (Double) -> Void
  ) throws -> LevelAccumulator {
    let positions = layout.loudnessPositions
    guard let format = pass.graph.nodes.last?.format else {
      throw Failure(.reportBug, "a graph of no nodes has no levels")
    }
    var levels = LevelAccumulator(
      sampleRate: format.sampleRate, channelCount: positions.count,
      drawing: isDrawing ? pass.frames.count : nil)
    var done = 0
    try pass.run { chunk throws(Failure) in
      try LoudnessAnalyzer(chunk, format, positions)
    } collect: { chunk in
      levels.add(chunk)
      done += 1
      progress(Double(done) / Double(pass.count))
    }
    return levels
  }
}

extension ChunkPass.Grid {
  /// For loudness: ten seconds, which end with a step of the meter at every rate.
  fileprivate static func loudness(at sampleRate: Int) -> Self {
    Self(length: 10 * sampleRate, warmUp: max(1, sampleRate * ChunkMeter.warmUp / 1000))
  }
}

private struct LoudnessAnalyzer: ChunkAnalyzer {
  private let meter: ChunkMeter
  private let isLast: Bool

  init(
    _ chunk: SoundChunk, _ format: AudioFormat, _ positions: [LoudnessMeter.Position]
  ) throws(Failure) {
    do throws(LoudnessMeter.MeterError) {
      meter = try ChunkMeter(sampleRate: format.sampleRate, positions: positions)
    } catch {
      throw Failure(.mendMachine, error.description)
    }
    isLast = chunk.isLast
  }

  func warmUp(_ block: AudioBuffer) { meter.warmUp(block.planes, count: block.frameCount) }

  func add(_ block: AudioBuffer) { meter.add(block.planes, count: block.frameCount) }

  func finish() throws(Failure) -> ChunkLevels {
    let levels = meter.finish(isLast: isLast)
    guard levels.isFinite else {
      throw Failure(.mendInput, "holds samples that are no numbers (NaN or infinity)")
    }
    return levels
  }
}

extension ChannelLayout {
  /// The positions for BS.1770-4: back channels count as sides if there are no sides, as in 5.1.
  /// Wides stand at 60° and count as sides; those at another height than the ears' count as fronts do
  /// (annex 3, table 4).
  package var loudnessPositions: [LoudnessMeter.Position] {
    let hasSides = channels.contains { $0 == .sideLeft || $0 == .sideRight }
    return channels.map { channel in
      switch channel {
      case .lowFrequency, .lowFrequency2: .ignored
      case .sideLeft, .sideRight, .surroundDirectLeft, .surroundDirectRight, .wideLeft, .wideRight:
        .surround
      case .backLeft, .backRight: hasSides ? .front : .surround
      default: .front
      }
    }
  }
}
