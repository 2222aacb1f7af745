import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Threads

extension ExportSession {
  /// Renders a graph whose sounds are all measured.
  ///
  /// - Throws: As `run`; nothing is left behind.
  func take(
    _ graph: Graph, _ crew: Crew, inspecting isInspecting: Bool, _ progress: (Progress) -> Void
  ) throws -> Take {
    var take = Take(graph: graph)
    do {
      for sink in graph.sinks {
        let format = graph.nodes[sink.node].format
        take.writers.append(
          try makeWriter(for: sink, format: format, crew: crew, library: library))
      }
      let spans = RenderedSpans(of: graph)
      var masterWriters = MasterWriters(graph, spans.whole, take.writers, inspecting: isInspecting)
      take.warnings =
        mayBeShared(spans, of: graph, crew)
        ? try render(graph, spans, by: crew, &masterWriters, progress)
        : try render(graph, &masterWriters, crew.cancellation, progress)
      // The last sounds of all outputs are encoded together.
      for writer in take.writers { try writer.end() }
      take.outputs = try take.writers.map { try $0.finish() }
      masterWriters.finish(&take)
      take.warnings += take.writers.flatMap(\.warnings)
    } catch {
      take.abandon()
      throw error
    }
    return take
  }

  // MARK: - On one thread

  /// Of sound that is copied: some milliseconds of work.
  private static let secondsSkippedAtOnce = 60

  /// Renders on this thread; gives warnings of damage.
  private func render(
    _ graph: Graph, _ masterWriters: inout MasterWriters, _ cancellation: CancellationFlag,
    _ progress: (Progress) -> Void
  ) throws -> [Warning] {
    let renderer = try Renderer(graph, library: library, cancellation: cancellation)
    let buffers = masterWriters.masters.all.map {
      AudioBuffer(channelCount: $0.channelCount, capacity: Renderer.blockSize)
    }
    while let index = masterWriters.masters.latest {
      if cancellation.isCancelled { throw CancellationError() }
      let master = masterWriters.masters.all[index]
      let skipped = masterWriters.skippable(index)
      if skipped > 0 {
        let piece = min(skipped, Int64(master.rate * Self.secondsSkippedAtOnce))
        try masterWriters.skip(piece, of: index)
        let next = masterWriters.masters.all[index]
        if piece == skipped, !next.frames.isEmpty {
          try renderer.seek(next.id, to: next.frames.lowerBound)
        }
      } else {
        try renderer.pull(master.id, into: buffers[index])
        try masterWriters.write(buffers[index], of: index)
      }
      report(masterWriters.masters, progress)
    }
    try Renderer.requireHeard([renderer])
    let warnings = Renderer.damageWarnings(of: [renderer])
    try requireNoDoubt(warnings)
    return warnings
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
    _ graph: Graph, _ spans: RenderedSpans, by crew: Crew, _ masterWriters: inout MasterWriters,
    _ progress: (Progress) -> Void
  ) throws -> [Warning] {
    let renderers = ReusePool<Renderer>()
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
        try masterWriters.write(block, of: index)
        report(masterWriters.masters, progress)
      }
      if let failure = span.failure { throw failure }
    }
    let used = renderers.takeAll()
    try Renderer.requireHeard(used)
    let warnings = Renderer.damageWarnings(of: used)
    try requireNoDoubt(warnings)
    return warnings
  }
}

/// An export's masters, in spans that are rendered by themselves.
struct RenderedSpans {
  let whole: MastersInStep
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
