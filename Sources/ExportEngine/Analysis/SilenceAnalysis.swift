import Diagnosis
import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import Threads

extension SoundAnalyst {
  /// The silences at both ends of a sound, and those between that last long enough, as
  /// `SilenceSearch` measures them; or, where these are to be shortened, what is removed of each; or, where
  /// edges are to be moved, the quietest places near these.
  ///
  /// The sound has the highest rate and the layout of its sources. If only its ends are asked for,
  /// it is rendered up to its first sound and back to its last one, in windows that double, unless it
  /// can be rendered in order only.
  ///
  /// Where its library has another process for that, the sound is rendered there. Sounds in it that are
  /// brought to levels are measured before.
  ///
  /// - Throws: The `Failure` of a source, or of a composition without a graph; `CancellationError`.
  /// - Complexity: O(segments + frames)
  package func silences(_ search: SilenceSearch) throws -> SilenceFindings {
    let graph = try solved(
      Graph(
        compiling: Export(
          name: "silence", composition: search.composition, mix: search.mix,
          outputs: [Output(path: "silence.wav", format: .wav(.float32))])))
    guard let sink = graph.sinks.first else { return SilenceFindings([]) }
    guard search.edges.isEmpty else {
      return try quietPlaces(
        near: search, in: graph, sink.node, frameCount: sink.frames.upperBound)
    }
    let rate = graph.nodes[sink.node].format.sampleRate
    let grid = StepGrid(rate: Int64(rate), frameCount: sink.frames.upperBound)
    let pass = ChunkPass(
      over: sink.node, of: graph, grid: ChunkPass.Grid(length: 10 * rate, warmUp: 1),
      library: library, budget: budget, cancellation: cancellation)
    return try library.remembering(
      AnalysisKey("silence", revision: 3, search.parameters, of: pass),
      isPlausible: { $0.arePlausible(in: search.composition.duration) }
    ) {
      if let found = try library.listen?(search) { return found }
      var sounds = SoundingSteps(least: search.least, shortening: search.shortening)
      if try search.least != nil || graph.isRenderedInOrder(library) {
        try pass.run { chunk in
          let first = grid.step(at: chunk.frames.lowerBound)
          return StepAnalyzer(
            grid, from: first,
            into: StepLevels(
              from: first, below: search.threshold, keepsAll: search.shortening != nil))
        } collect: {
          sounds.add($0)
        }
      } else {
        try addEnds(to: &sounds, of: graph, sink.node, grid, below: search.threshold)
      }
      return sounds.findings(in: grid, lasting: search.composition.duration)
    }
  }

  /// Looks from both ends of a sound until there is some: at two seconds first, then at twice as much.
  private func addEnds(
    to sounds: inout SoundingSteps, of graph: Graph, _ node: Node.ID, _ grid: StepGrid,
    below threshold: Gain
  ) throws {
    let reader = try StepReader(graph, node, grid, library, cancellation)
    func levels(of steps: Range<Int64>) throws -> StepLevels {
      var analyzer = StepAnalyzer(
        grid, from: steps.lowerBound,
        into: StepLevels(from: steps.lowerBound, below: threshold))
      try reader.read(steps) { analyzer.add($0) }
      return analyzer.finish()
    }
    let firstWindow: Int64 = 200
    var (start, end, length) = (0 as Int64, grid.count, firstWindow)
    while start < end, sounds.first == nil {
      let next = min(start + length, end)
      sounds.add(try levels(of: start..<next))
      (start, length) = (next, length * 2)
    }
    length = firstWindow
    while start < end, sounds.end <= start {
      let next = max(start, end - length)
      sounds.add(try levels(of: next..<end))
      (end, length) = (next, length * 2)
    }
  }
}

extension SilenceSearch {
  /// What the search is told besides the sound.
  fileprivate var parameters: [String] {
    var parameters = ["\(threshold.factor)", "\(least as Time?)"]
    guard let shortening else { return parameters }
    parameters += ["\(shortening.length)"] + shortening.words.map { "\($0)" }
    return parameters
  }
}

extension SilenceFindings {
  /// Whether they could be those of a sound of `duration`.
  fileprivate func arePlausible(in duration: Time) -> Bool {
    let bounds = TimeRange(start: .zero, duration: duration)
    return silences.allSatisfy { $0.isValid && bounds.contains($0) }
      && zip(silences, silences.dropFirst()).allSatisfy { $0.end <= $1.start }
      && pauses.allSatisfy { pause in
        bounds.contains(pause.silence)
          && pause.removedSteps.map { pause.steps.contains($0) && !$0.isEmpty } ?? true
      }
      && zip(pauses, pauses.dropFirst()).allSatisfy { $0.steps.upperBound <= $1.steps.lowerBound }
  }
}

/// The steps of a sound, from its first frame: step k begins with frame ⌊k · rate / perSecond⌋.
struct StepGrid {
  let rate: Int64
  let frameCount: Int64
  var perSecond: Int64 = 100

  /// How many steps there are; the last one may be shorter.
  var count: Int64 { (frameCount * perSecond + rate - 1) / rate }

  func frame(_ step: Int64) -> Int64 { min(frameCount, step * rate / perSecond) }

  func frames(of steps: Range<Int64>) -> Range<Int64> {
    frame(steps.lowerBound)..<frame(steps.upperBound)
  }

  /// The step that begins with `frame`.
  func step(at frame: Int64) -> Int64 { (frame * perSecond + rate - 1) / rate }
}

/// Reads steps of a sound. One thread at a time.
final class StepReader {
  private let renderer: Renderer
  private let node: Node.ID
  private let grid: StepGrid
  private let block: AudioBuffer
  private let cancellation: CancellationFlag

  init(
    _ graph: Graph, _ node: Node.ID, _ grid: StepGrid, _ library: MediaLibrary,
    _ cancellation: CancellationFlag
  ) throws(Failure) {
    self.node = node
    self.grid = grid
    self.cancellation = cancellation
    renderer = try Renderer(graph, library: library, cancellation: cancellation)
    block = AudioBuffer(
      channelCount: graph.nodes[node].format.channelLayout.count, capacity: Renderer.blockSize)
  }

  /// Passes on the blocks of some steps.
  func read(_ steps: Range<Int64>, to use: (AudioBuffer) -> Void) throws {
    var rest = grid.frames(of: steps)
    while !rest.isEmpty {
      if cancellation.isCancelled { throw CancellationError() }
      let next = rest.prefix(block.capacity)
      try renderer.read(next, of: node, into: block)
      guard block.frameCount == next.count else {
        throw Failure(.reportBug, "a sound ended early")
      }
      use(block)
      rest = next.upperBound..<rest.upperBound
    }
  }
}

/// The levels of steps in a row.
private struct StepLevels: StepFindings {
  /// Of the mean square.
  private let threshold: Double
  private var step: Int64
  /// Steps that are not silent, in order; neighbours are one range.
  private(set) var sounds: [Range<Int64>] = []
  /// The highest mean square.
  private(set) var loudest = 0.0
  private let keepsAll: Bool
  /// Of all steps, if they are kept: their mean squares, infinite of those that are not silent.
  private(set) var all: [Float] = []

  init(from step: Int64, below threshold: Gain, keepsAll: Bool = false) {
    self.step = step
    self.threshold = threshold.factor * threshold.factor
    self.keepsAll = keepsAll
  }

  mutating func add(_ energy: [Double], frameCount: Int) {
    let level = (energy.max() ?? 0) / Double(frameCount)
    loudest = max(loudest, level)
    if keepsAll { all.append(level >= threshold ? .infinity : Float(level)) }
    if level >= threshold {
      if let last = sounds.last, last.upperBound == step {
        sounds[sounds.count - 1] = last.lowerBound..<step + 1
      } else {
        sounds.append(step..<step + 1)
      }
    }
    step += 1
  }
}

/// Where a sound is not silent, as far as it was looked at.
private struct SoundingSteps {
  /// How many silent steps count between sounds; none where nil.
  private let least: Int64?
  /// Where the first sound begins.
  private(set) var first: Int64?
  /// Behind the last sound.
  private(set) var end: Int64 = 0
  private var gaps: [Range<Int64>] = []
  private var loudest = 0.0
  /// If gaps are pauses to be shortened, what finds them.
  private var finder: PauseFinder?

  init(least: Time?, shortening: PauseShortening?) {
    // A part of a step is a step.
    self.least = least.map { max(1, $0.frames(atRate: 100, rounding: .towardPositiveInfinity)) }
    guard let shortening, let least = self.least else { return }
    finder = PauseFinder(shortening, least: least)
  }

  /// Adds what lies behind what was added, or, if only ends are sought, anything.
  mutating func add(_ levels: StepLevels) {
    loudest = max(loudest, levels.loudest)
    finder?.add(levels.all)
    for sound in levels.sounds {
      if finder == nil, first != nil, let least, sound.lowerBound - end >= least {
        gaps.append(end..<sound.lowerBound)
      }
      first = min(first ?? sound.lowerBound, sound.lowerBound)
      end = max(end, sound.upperBound)
    }
  }

  func findings(in grid: StepGrid, lasting duration: Time) -> SilenceFindings {
    func range(_ steps: Range<Int64>) -> TimeRange {
      let end =
        steps.upperBound == grid.count ? duration : Time(value: steps.upperBound, timescale: 100)
      return TimeRange(start: Time(value: steps.lowerBound, timescale: 100), end: end)
    }
    guard let first else {
      return SilenceFindings(
        [range(0..<grid.count)], loudest: Gain(factor: loudest.squareRoot()))
    }
    var silent = gaps
    if first > 0 { silent.insert(0..<first, at: 0) }
    if end < grid.count { silent.append(end..<grid.count) }
    return SilenceFindings(
      silent.map(range), loudest: Gain(factor: loudest.squareRoot()), pauses: finder?.pauses ?? [])
  }
}
