import ExportGraph
import MediaComposition
import MediaTime
import Transcripts

extension SoundAnalyst {
  /// Where the edges of a search are moved to, as `SilenceSearch` says.
  ///
  /// Only the sound near the edges is rendered, in order, unless it can be rendered from its start only.
  ///
  /// - Complexity: O(segments + edges), or O(segments + frames)
  func quietPlaces(
    near search: SilenceSearch, in graph: Graph, _ node: Node.ID, frameCount: Int64
  ) throws -> SilenceFindings {
    let rate = graph.nodes[node].format.sampleRate
    let grid = StepGrid(rate: Int64(rate), frameCount: frameCount, perSecond: QuietPlaces.perSecond)
    let pass = ChunkPass(
      over: node, of: graph, grid: ChunkPass.Grid(length: 10 * rate, warmUp: 1), library: library,
      budget: budget, cancellation: cancellation)
    let parameters = search.edges.map { "\($0.time) \($0.earliest) \($0.latest)" }
    return try library.remembering(
      AnalysisKey("quiet", revision: 1, parameters, of: pass),
      isPlausible: { $0.edges.arePlausible(for: search.edges) }
    ) {
      if let found = try library.listen?(search) { return found }
      var places = QuietPlaces(grid, near: search.edges)
      if try graph.isRenderedInOrder(library) {
        try pass.run { chunk in
          let first = grid.step(at: chunk.frames.lowerBound)
          return StepAnalyzer(grid, from: first, into: StepEnergies(from: first))
        } collect: {
          places.add($0)
        }
      } else {
        let reader = try StepReader(graph, node, grid, library, cancellation)
        for steps in places.steps {
          var analyzer = StepAnalyzer(
            grid, from: steps.lowerBound, into: StepEnergies(from: steps.lowerBound))
          try reader.read(steps) { analyzer.add($0) }
          places.add(analyzer.finish())
        }
      }
      var found = SilenceFindings([])
      found.edges = search.edges.map(places.place)
      return found
    }
  }
}

extension [Time] {
  /// Whether these could be where edges are moved to.
  fileprivate func arePlausible(for edges: [SpokenEdge]) -> Bool {
    count == edges.count
      && zip(self, edges).allSatisfy { $0 == $1.time || ($1.earliest...$1.latest).contains($0) }
  }
}

/// The energies of steps near edges, and what is quiet among them.
private struct QuietPlaces {
  static let perSecond: Int64 = 200
  /// Steps on each side of a place.
  private static let reach: Int64 = 2

  private let grid: StepGrid
  /// What is to be heard, in order and apart.
  let steps: [Range<Int64>]
  private var energies: [Int64: Double] = [:]

  init(_ grid: StepGrid, near edges: [SpokenEdge]) {
    self.grid = grid
    var steps: [Range<Int64>] = []
    for edge in edges.map({ Self.steps(near: $0, in: grid) })
      .sorted(by: { $0.lowerBound < $1.lowerBound }) where !edge.isEmpty
    {
      if let last = steps.last, edge.lowerBound <= last.upperBound {
        steps[steps.count - 1] = last.lowerBound..<max(last.upperBound, edge.upperBound)
      } else {
        steps.append(edge)
      }
    }
    self.steps = steps
  }

  /// The places to which an edge may be moved, as numbers of the steps that begin there.
  private static func candidates(for edge: SpokenEdge, in grid: StepGrid) -> Range<Int64> {
    let rate = Int(perSecond)
    let first = max(0, edge.earliest.frames(atRate: rate, rounding: .towardPositiveInfinity))
    let last = min(grid.count, edge.latest.frames(atRate: rate, rounding: .towardNegativeInfinity))
    return first..<max(first, last + 1)
  }

  private static func steps(near edge: SpokenEdge, in grid: StepGrid) -> Range<Int64> {
    let candidates = candidates(for: edge, in: grid)
    guard let last = candidates.last else { return 0..<0 }
    return max(0, candidates.lowerBound - reach)..<min(grid.count, last + reach)
  }

  mutating func add(_ found: StepEnergies) {
    for (index, energy) in found.all.enumerated() {
      let step = found.first + Int64(index)
      let next = steps.partitioningIndex { $0.upperBound > step }
      if next < steps.count, steps[next].contains(step) { energies[step] = energy }
    }
  }

  /// The quietest place near an edge; the edge itself if it cannot be moved.
  func place(of edge: SpokenEdge) -> Time {
    let candidates = Self.candidates(for: edge, in: grid).map { step in
      let time = Time(value: step, timescale: Int32(Self.perSecond))
      return (
        step: step, time: time, distance: time < edge.time ? edge.time - time : time - edge.time
      )
    }
    .sorted { ($0.distance, $0.step) < ($1.distance, $1.step) }
    var best: (time: Time, level: Double)?
    for candidate in candidates {
      let around =
        max(0, candidate.step - Self.reach)..<min(grid.count, candidate.step + Self.reach)
      guard !around.isEmpty else { continue }
      let energy = around.reduce(0) { $0 + (energies[$1] ?? 0) }
      let level = energy / Double(grid.frames(of: around).count)
      if level < best?.level ?? .infinity { best = (candidate.time, level) }
    }
    return best?.time ?? edge.time
  }
}

/// The energies of steps in a row, of all channels together.
private struct StepEnergies: StepFindings {
  let first: Int64
  /// Those of whole steps.
  private(set) var all: [Double] = []

  init(from step: Int64) { first = step }

  mutating func add(_ energy: [Double], frameCount: Int) { all.append(energy.reduce(0, +)) }
}
