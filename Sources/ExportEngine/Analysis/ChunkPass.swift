import Diagnosis
import ExportGraph
import MediaComposition
import Threads

/// A part of a sound that is analysed by itself.
package struct SoundChunk: Sendable, Hashable {
  /// From 0.
  package let index: Int
  /// Its frames of the node.
  package let frames: Range<Int64>
  /// Frames of sound before it, with which its analyzer settles.
  package let warmUp: Int
  /// Whether the sound ends with it.
  package let isLast: Bool
}

/// Analyses one chunk. One thread at a time.
package protocol ChunkAnalyzer {
  /// What it finds.
  associatedtype Outcome: Sendable

  /// Takes the filled frames of a block before the chunk, on which its filters settle.
  mutating func warmUp(_ block: AudioBuffer)
  /// Takes the filled frames of the chunk's next block; the blocks of a chunk are always the same.
  mutating func add(_ block: AudioBuffer)
  /// The findings; nothing is taken after it.
  mutating func finish() throws(Failure) -> Outcome
}

/// Looks at a whole sound before it is rendered: a node of a graph, in chunks of a fixed grid, on all
/// idle cores.
///
/// Findings depend on the sound and the grid alone. Each thread renders the chunks that it analyses;
/// where it would have to begin anew for that, with the node's first frame, or where hundreds of
/// sources sound at once, one thread renders, and the others analyse. Memory is bounded.
package struct ChunkPass: Sendable {
  /// How a sound is cut, in frames. It begins with the first frame that is looked at, so that a
  /// range is analysed as a file of it would be.
  package struct Grid: Sendable, Hashable, Encodable {
    /// Of every chunk but the last.
    package var length: Int
    /// Of sound before each chunk but the first; no more than `length`.
    package var warmUp: Int

    /// A grid; both are positive.
    package init(length: Int, warmUp: Int) {
      self.length = length
      self.warmUp = warmUp
    }
  }

  /// The sound is that of its last node.
  let graph: Graph
  let frames: Range<Int64>
  let grid: Grid
  private let library: MediaLibrary
  private let budget: CPUBudget?
  private let cancellation: CancellationFlag

  /// A pass over some frames of a node, which lie within its own.
  ///
  /// - Parameters:
  ///   - node: The node of the graph.
  ///   - graph: The graph.
  ///   - frames: What is looked at; nil: all of the node's.
  ///   - grid: How it is cut.
  ///   - library: Opens the files.
  ///   - budget: Whose idle cores help, beside the calling thread, which should hold one of it; nil:
  ///     all cores that the process may use.
  ///   - cancellation: Ends it within a fraction of a second.
  package init(
    over node: Node.ID, of graph: Graph, frames: Range<Int64>? = nil, grid: Grid,
    library: MediaLibrary, budget: CPUBudget?, cancellation: CancellationFlag
  ) {
    let own = graph.nodes[node].frames
    self.frames = frames?.clamped(to: own) ?? own
    self.graph = graph.subgraph(of: node).beginningAtZero
    self.grid = grid
    self.library = library
    self.budget = budget
    self.cancellation = cancellation
  }

  /// How many chunks there are.
  package var count: Int { (frames.count + grid.length - 1) / grid.length }

  /// Analyses all chunks.
  ///
  /// - Parameters:
  ///   - makeAnalyzer: An analyzer for a chunk, called on the thread that analyses it.
  ///   - collect: Takes the findings in order of time, on this thread.
  /// - Throws: The `Failure` of a source, of an analyzer or of `collect`, the first one in time;
  ///   `CancellationError`.
  /// - Complexity: O(frames)
  package func run<Analyzer: ChunkAnalyzer>(
    _ makeAnalyzer: @escaping @Sendable (SoundChunk) throws(Failure) -> Analyzer,
    collect: (Analyzer.Outcome) throws -> Void
  ) throws {
    let renderers = Renderer.most(reading: graph.sourcesAtOnce)
    // Whatever other threads have found by then: a pass that was cancelled has no findings.
    func collectFurther(_ outcome: Analyzer.Outcome) throws {
      guard !cancellation.isCancelled else { throw CancellationError() }
      try collect(outcome)
    }
    do {
      try Crew.gather(from: budget, unless: cancellation) { crew in
        if try renderers < 2 || graph.isRenderedInOrder(library) {
          try analyze(renderingFor: crew, makeAnalyzer, collectFurther)
        } else {
          try renderAndAnalyze(by: crew, renderers, makeAnalyzer, collectFurther)
        }
      }
    } catch {
      throw cancellation.isCancelled ? CancellationError() : error
    }
  }

  /// Each thread has a renderer.
  private func renderAndAnalyze<Analyzer: ChunkAnalyzer>(
    by crew: Crew, _ renderers: Int,
    _ makeAnalyzer: @escaping @Sendable (SoundChunk) throws(Failure) -> Analyzer,
    _ collect: (Analyzer.Outcome) throws -> Void
  ) throws {
    let run = max(1, min(Self.longestRun, count / (4 * crew.mostThreads)))
    let readers = ReusePool<ChunkReader>()
    try crew.inOrder((count + run - 1) / run) {
      min(2 * ($0 + 1), renderers)
    } make: { index in
      let chunks = (index * run..<min(count, (index + 1) * run)).map(chunk)
      var own: ChunkReader?
      return task(chunks, makeAnalyzer) { chunk, hear, add throws(Failure) in
        let reader =
          if let own { own } else {
            try readers.take(
              where: { $0.position == chunk.frames.lowerBound },
              or: { () throws(Failure) in try openReader() })
          }
        own = reader
        try reader.read(chunk, warmUp: hear, sound: add)
        // One that has failed is not used again.
        if chunk == chunks.last { readers.put(reader) }
      }
    } collect: {
      try $0.give(to: collect)
    }
  }

  /// This thread renders, and analyses where no core is idle.
  private func analyze<Analyzer: ChunkAnalyzer>(
    renderingFor crew: Crew,
    _ makeAnalyzer: @escaping @Sendable (SoundChunk) throws(Failure) -> Analyzer,
    _ collect: (Analyzer.Outcome) throws -> Void
  ) throws {
    let reader = try openReader()
    let channelCount = graph.nodes.last?.format.channelLayout.count ?? 1
    let bytes = max(1, grid.length * channelCount * MemoryLayout<Float>.size)
    try crew.inOrder(count, keeping: 0) {
      $0 == 0 ? 1 : min($0 + 2, max(2, Renderer.mostHeldBytes / bytes))
    } make: { index in
      let chunk = chunk(index)
      var (warmUp, sound): ([AudioBuffer], [AudioBuffer]) = ([], [])
      try reader.read(chunk) {
        warmUp.append($0)
      } sound: {
        sound.append($0)
      }
      return task([chunk], makeAnalyzer) { [warmUp, sound] _, hear, add in
        warmUp.forEach(hear)
        sound.forEach(add)
      }
    } collect: {
      try $0.give(to: collect)
    }
  }

  /// The analysis of some chunks in a row, whose blocks `read` passes on.
  private func task<Analyzer: ChunkAnalyzer>(
    _ chunks: [SoundChunk], _ makeAnalyzer: @escaping (SoundChunk) throws(Failure) -> Analyzer,
    _ read:
      @escaping (SoundChunk, _ hear: (AudioBuffer) -> Void, _ add: (AudioBuffer) -> Void)
      throws(Failure) -> Void
  ) -> SpanTask<Analyzer.Outcome> {
    var rest = chunks[...]
    return SpanTask { () throws(Failure) in
      guard let chunk = rest.popFirst() else { return nil }
      var analyzer = try makeAnalyzer(chunk)
      try read(chunk, { analyzer.warmUp($0) }, { analyzer.add($0) })
      return try analyzer.finish()
    }
  }

  /// Chunks in a row that one thread renders: a few per cent go into each place where it begins.
  private static let longestRun = 8

  private func chunk(_ index: Int) -> SoundChunk {
    let start = frames.lowerBound + Int64(index) * Int64(grid.length)
    let end = min(start + Int64(grid.length), frames.upperBound)
    return SoundChunk(
      index: index, frames: start..<end,
      warmUp: Int(min(Int64(grid.warmUp), start - frames.lowerBound)),
      isLast: end == frames.upperBound)
  }

  private func openReader() throws(Failure) -> ChunkReader {
    try ChunkReader(graph, warmUp: grid.warmUp, library, cancellation)
  }
}

/// Reads the chunks of a graph's last node, each with the sound before it. One thread at a time.
private final class ChunkReader {
  private let renderer: Renderer
  private let node: Node.ID
  private let channelCount: Int
  private let warmUp: Int64
  private let cancellation: CancellationFlag
  /// The last sound that was read, as the next chunk's warm-up, and the frame behind it.
  private var tail: [AudioBuffer] = []
  private(set) var position: Int64 = -1

  init(
    _ graph: Graph, warmUp: Int, _ library: MediaLibrary, _ cancellation: CancellationFlag
  ) throws(Failure) {
    node = graph.nodes.count - 1
    channelCount = graph.nodes[node].format.channelLayout.count
    self.warmUp = Int64(warmUp)
    self.cancellation = cancellation
    renderer = try Renderer(graph, library: library, masters: [node], cancellation: cancellation)
  }

  /// Passes on the blocks before a chunk and those in it; they are the same however it is reached.
  func read(
    _ chunk: SoundChunk, warmUp hear: (AudioBuffer) -> Void, sound add: (AudioBuffer) -> Void
  ) throws(Failure) {
    let frames = chunk.frames
    if position != frames.lowerBound {
      tail = []
      try read(frames.lowerBound - Int64(chunk.warmUp)..<frames.lowerBound) { tail.append($0) }
    }
    for block in tail { hear(block) }
    tail = []
    position = -1
    let middle = max(frames.lowerBound, frames.upperBound - warmUp)
    try read(frames.lowerBound..<middle, to: add)
    try read(middle..<frames.upperBound) { block in
      add(block)
      tail.append(block)
    }
    position = frames.upperBound
  }

  private func read(_ frames: Range<Int64>, to use: (AudioBuffer) -> Void) throws(Failure) {
    var rest = frames
    while !rest.isEmpty {
      guard !cancellation.isCancelled else { throw Failure.cancelled }
      let next = rest.prefix(Renderer.blockSize)
      // A new one each time: some are kept.
      let block = AudioBuffer(channelCount: channelCount, capacity: next.count)
      try renderer.read(next, of: node, into: block)
      guard block.frameCount == next.count else {
        throw Failure(.reportBug, "a sound ended early")
      }
      use(block)
      rest = next.upperBound..<rest.upperBound
    }
  }
}

extension Graph {
  /// This graph with a last node that begins at frame 0, as a renderer's masters do.
  fileprivate var beginningAtZero: Graph {
    guard let last = nodes.last, last.frames.lowerBound != 0 else { return self }
    var copy = self
    copy.nodes.append(
      Node(
        .mix([nodes.count - 1]), format: last.format, frames: 0..<last.frames.upperBound,
        origin: last.origin))
    return copy
  }

  /// Whether going back, or to a place far ahead, renders from the start, or a tap sees the sound, which
  /// is to come to it in order. O(nodes).
  func isRenderedInOrder(_ library: MediaLibrary) throws(Failure) -> Bool {
    for node in nodes {
      if node.memory == .unbounded { return true }
      if case .process(.custom(let effect), _) = node.kind, effect.isTap { return true }
      if case .source(let source, _) = node.kind, try library.startsAnew(source.asset) {
        return true
      }
    }
    return false
  }
}
