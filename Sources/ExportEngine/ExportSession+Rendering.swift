import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Threads

extension ExportSession {
  /// Renders a graph whose sounds are all measured.
  ///
  /// - Throws: As `run`; nothing is left behind.
  func take(_ graph: Graph, _ crew: Crew, _ progress: (Progress) -> Void) throws -> Take {
    var take = Take(graph: graph, writers: try openWriters(for: graph, crew))
    do {
      let spans = RenderedSpans(of: graph)
      take.warnings =
        mayBeShared(spans, of: graph, crew)
        ? try render(graph, spans, by: crew, take.writers, progress)
        : try render(graph, spans.whole, take.writers, crew.cancellation, progress)
      // The last sounds of all outputs are encoded together.
      for (writer, sink) in zip(take.writers, graph.sinks) {
        try placed(at: sink) { () throws(Failure) in try writer.end() }
      }
      take.outputs = try zip(take.writers, graph.sinks).map { writer, sink in
        try placed(at: sink) { () throws(Failure) in try writer.finish() }
      }
    } catch {
      take.abandon()
      throw error
    }
    return take
  }

  private func openWriters(
    for graph: Graph, _ crew: Crew
  ) throws(Failure) -> [any SoundWriter] {
    var writers: [any SoundWriter] = []
    for sink in graph.sinks {
      let node = graph.nodes[sink.node]
      do throws(Failure) {
        writers.append(
          try makeWriter(for: sink, format: node.format, crew: crew, library: library))
      } catch {
        for writer in writers { writer.abandon() }
        throw error.placed(at: sink.output.origin)
      }
    }
    return writers
  }

  // MARK: - On one thread

  /// Of sound that is copied: some milliseconds of work.
  private static let secondsSkippedAtOnce = 60

  /// Renders on this thread; gives warnings of damage.
  private func render(
    _ graph: Graph, _ masters: MastersInStep, _ writers: [any SoundWriter],
    _ cancellation: CancellationFlag, _ progress: (Progress) -> Void
  ) throws -> [Warning] {
    let renderer = try Renderer(graph, library: library, cancellation: cancellation)
    var masters = masters
    let buffers = masters.all.map {
      AudioBuffer(channelCount: $0.channelCount, capacity: Renderer.blockSize)
    }
    while let index = masters.latest {
      if cancellation.isCancelled { throw CancellationError() }
      let master = masters.all[index]
      // With others, the mix between them would become long.
      let needed =
        masters.all.count > 1 ? 0 : master.sinks.map { writers[$0].firstNeeded }.min() ?? 0
      let skipped = min(needed, master.frames.upperBound) - master.frames.lowerBound
      if skipped > 0 {
        let piece = min(skipped, Int64(master.rate * Self.secondsSkippedAtOnce))
        for sink in master.sinks {
          try placed(at: graph.sinks[sink]) { () throws(Failure) in try writers[sink].skip(piece) }
        }
        masters.advance(index, by: piece)
        let next = masters.all[index]
        if piece == skipped, !next.frames.isEmpty {
          try renderer.seek(next.id, to: next.frames.lowerBound)
        }
      } else {
        try renderer.pull(master.id, into: buffers[index])
        try write(buffers[index], of: master, to: writers, in: graph)
        masters.advance(index, by: Int64(buffers[index].frameCount))
      }
      report(masters, progress)
    }
    return Renderer.damageWarnings(of: [renderer])
  }

  private func write(
    _ block: AudioBuffer, of master: MastersInStep.Master, to writers: [any SoundWriter],
    in graph: Graph
  ) throws(Failure) {
    for sink in master.sinks {
      try placed(at: graph.sinks[sink]) { () throws(Failure) in try writers[sink].write(block) }
    }
  }

  private func report(_ masters: MastersInStep, _ progress: (Progress) -> Void) {
    let total = export.duration
    progress(Progress(completed: min(masters.position, total), total: total))
  }

  // MARK: - On many

  /// Whether several renderers make the export's sound: where rendering would keep threads waiting, and
  /// a renderer can begin anywhere at little cost.
  func mayBeShared(_ spans: RenderedSpans, of graph: Graph, _ crew: Crew) -> Bool {
    guard crew.mostThreads > 1, spans.count > 2, spans.mostRenderers > 1,
      graph.renderingShare * Double(crew.mostThreads) > 1,
      // Of a server's file, one connection reads all of it.
      !graph.nodes.contains(where: { $0.asset?.location.url != nil }),
      // On one thread, copied sound is not rendered.
      spans.whole.all.count > 1 || graph.sinks.contains(where: { $0.sparedParts == nil })
    else { return false }
    // Rendering on one thread reports a file that cannot be read, at the file's place in the job.
    return (try? graph.isRenderedInOrder(library)) == false
  }

  /// Renders on as many threads as are idle; gives warnings of damage.
  private func render(
    _ graph: Graph, _ spans: RenderedSpans, by crew: Crew, _ writers: [any SoundWriter],
    _ progress: (Progress) -> Void
  ) throws -> [Warning] {
    let renderers = ReusePool<Renderer>()
    var written = spans.whole
    try crew.inOrder(spans.count, priority: .ahead) {
      min($0 + 2, spans.mostRenderers)
    } make: { index in
      SpanTask(spans[index], renderers) {
        [library, cancellation = crew.cancellation] () throws(Failure) in
        try Renderer(graph, library: library, cancellation: cancellation)
      }
    } collect: { span in
      for (index, block) in span.blocks {
        if crew.cancellation.isCancelled { throw CancellationError() }
        try write(block, of: written.all[index], to: writers, in: graph)
        written.advance(index, by: Int64(block.frameCount))
        report(written, progress)
      }
      if let failure = span.failure { throw failure }
    }
    return Renderer.damageWarnings(of: renderers.takeAll())
  }
}

/// An export's masters, in spans that are rendered by themselves.
struct RenderedSpans {
  fileprivate let whole: MastersInStep
  /// Of one span.
  private let seconds: Int
  /// How many renderers may be open: as many as may have files open, and hold sound that is not needed
  /// yet.
  let mostRenderers: Int

  /// Anchors of sources without an index of their own lie so many frames apart (`AnchorIndex`).
  private static let anchorStride = 1 << 17
  /// Files that all renderers may have open.
  private static let mostFiles = 128

  init(of graph: Graph) {
    let masters = MastersInStep(of: graph)
    // Up to an anchor's stride is decoded in vain before a span.
    let anchored = graph.nodes.compactMap(\.asset).filter { asset in
      !["pcm_", "flac", "mp3"].contains { asset.codec.hasPrefix($0) }
    }
    let length = max(
      10, anchored.map { 8 * Self.anchorStride / max(1, $0.sampleRate) }.max() ?? 0)
    let bytes = masters.all.reduce(0) {
      $0 + length * $1.rate * $1.channelCount * MemoryLayout<Float>.size
    }
    let sources = masters.all.reduce(0) { $0 + graph.subgraph(of: $1.id).sourcesAtOnce }
    mostRenderers = min(
      Renderer.most(reading: sources, files: Self.mostFiles),
      Renderer.mostHeldBytes / max(1, bytes))
    (whole, seconds) = (masters, length)
  }

  var count: Int {
    whole.all.map { ($0.frames.count + seconds * $0.rate - 1) / (seconds * $0.rate) }.max() ?? 0
  }

  /// A span by its number: whole seconds are whole frames at every rate.
  fileprivate subscript(index: Int) -> MastersInStep {
    whole.clamped { master in
      let length = Int64(seconds * master.rate)
      return Int64(index) * length..<Int64(index + 1) * length
    }
  }
}

/// The rendered nodes that outputs are made of. They are pulled in step, so that the mix between them
/// stays short.
private struct MastersInStep {
  struct Master {
    let id: Node.ID
    let rate: Int
    let channelCount: Int
    /// The sinks that it feeds.
    let sinks: [Int]
    /// Those that are still to come.
    var frames: Range<Int64>

    var position: Time { Time(frames: frames.lowerBound, rate: rate) }
  }

  private(set) var all: [Master]

  init(of graph: Graph) {
    all = Set(graph.sinks.map(\.node)).sorted().map { id in
      let node = graph.nodes[id]
      let sinks = graph.sinks.indices.filter { graph.sinks[$0].node == id }
      return Master(
        id: id, rate: node.format.sampleRate, channelCount: node.format.channelLayout.count,
        sinks: sinks, frames: 0..<Int64(sinks.first.map { graph.sinks[$0].frames.count } ?? 0))
    }
  }

  /// The one whose sound comes next; nil at the end.
  var latest: Int? {
    all.indices.filter { !all[$0].frames.isEmpty }
      .min { all[$0].position < all[$1].position }
  }

  /// How far all have come.
  var position: Time { all.map(\.position).max() ?? .zero }

  mutating func advance(_ index: Int, by count: Int64) {
    all[index].frames = all[index].frames.lowerBound + count..<all[index].frames.upperBound
  }

  /// Those of its frames within a range of each master.
  func clamped(to range: (Master) -> Range<Int64>) -> MastersInStep {
    var copy = self
    for place in all.indices {
      copy.all[place].frames = range(all[place]).clamped(to: all[place].frames)
    }
    return copy
  }
}

/// The rendering of a span of all masters.
//
// `@unchecked Sendable`: one thread at a time advances a task. The crew's lock orders these threads, and
// the owner, which touches the task before it is added and after it is done.
private final class SpanTask: CrewTask, @unchecked Sendable {
  private var masters: MastersInStep
  private let renderers: ReusePool<Renderer>
  private let open: () throws(Failure) -> Renderer
  private var renderer: Renderer?
  /// The sound of each master, in the order in which it is to be written.
  private(set) var blocks: [(master: Int, sound: AudioBuffer)] = []
  private(set) var failure: Failure?

  init(
    _ masters: MastersInStep, _ renderers: ReusePool<Renderer>,
    _ open: @escaping () throws(Failure) -> Renderer
  ) {
    (self.masters, self.renderers, self.open) = (masters, renderers, open)
  }

  /// Blocks that are rendered between two looks at whether to stop.
  private static let pace = 4

  func advance() -> Bool {
    do throws(Failure) {
      let renderer = if let renderer { renderer } else { try begin() }
      self.renderer = renderer
      for _ in 0..<Self.pace {
        guard let index = masters.latest else {
          renderers.put(renderer)
          return true
        }
        let master = masters.all[index]
        let count = min(master.frames.count, Renderer.blockSize)
        let block = AudioBuffer(channelCount: master.channelCount, capacity: count)
        try renderer.pull(master.id, into: block)
        blocks.append((index, block))
        masters.advance(index, by: Int64(block.frameCount))
      }
      return false
    } catch {
      failure = error
      return true
    }
  }

  /// A renderer at the span's first frames: best the one that was there.
  private func begin() throws(Failure) -> Renderer {
    let places = masters.all.filter { !$0.frames.isEmpty }.map { ($0.id, $0.frames.lowerBound) }
    let renderer = try renderers.take(
      where: { idle in places.allSatisfy { idle.position(of: $0) == $1 } }, or: open)
    for (id, frame) in places where renderer.position(of: id) != frame {
      try renderer.seek(id, to: frame)
    }
    return renderer
  }
}
