import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Threads

extension ExportSession {
  /// Renders a graph whose sounds are all measured.
  ///
  /// - Throws: As `run`; nothing is left behind.
  func render(
    _ graph: Graph, _ crew: Crew, inspecting isInspecting: Bool, _ progress: (Progress) -> Void
  ) throws -> Rendering {
    var rendering = Rendering(graph: graph)
    do {
      for sink in graph.sinks {
        let format = graph.nodes[sink.node].format
        rendering.writers.append(
          try makeWriter(for: sink, format: format, crew: crew, library: library, of: graph))
      }
      let spans = RenderedSpans(of: graph)
      var masterWriters = MasterWriters(
        graph, spans.whole, rendering.writers, inspecting: isInspecting)
      rendering.warnings = try render(graph, spans, by: crew, for: &masterWriters, progress)
      // The last sounds of all outputs are encoded together.
      for writer in rendering.writers { try writer.end() }
      rendering.outputs = try rendering.writers.map { try $0.finish() }
      masterWriters.finish(&rendering)
      rendering.warnings += try warnings(of: rendering.writers)
    } catch {
      rendering.abandon()
      throw error
    }
    return rendering
  }

  /// What writers found, each of it once: several may copy one source.
  ///
  /// - Throws: `mendInput` where the export is strict and a source is in doubt.
  private func warnings(of writers: [SoundWriter]) throws(Failure) -> [Warning] {
    let found = writers.flatMap(\.warnings)
    let sources = Set(export.composition.readAssets.map(\.location))
    try requireNoDoubt(found.filter { $0.location.map(sources.contains) ?? false })
    var known: Set<Warning> = []
    return found.filter { warning in
      var unplaced = warning
      unplaced.origin = .unknown
      return known.insert(unplaced).inserted
    }
  }

  // MARK: - Sound

  /// Of sound that is copied: some milliseconds of work.
  private static let secondsSkippedAtOnce = 60
  /// Blocks of a span that are rendered at once.
  private static let pace = 4

  /// Renders for the writers, on this thread or on as many as are idle; gives warnings of damage.
  private func render(
    _ graph: Graph, _ spans: RenderedSpans, by crew: Crew, for writers: inout MasterWriters,
    _ progress: (Progress) -> Void
  ) throws -> [Warning] {
    let renderers = ReusePool<Renderer>()
    let open = { [library, cancellation = crew.cancellation] () throws(Failure) in
      try Renderer(graph, library: library, cancellation: cancellation)
    }
    let total = export.duration
    func report() {
      progress(Progress(completed: min(writers.rendition.position, total), total: total))
    }
    func write(_ block: AudioBuffer, of index: Int) throws {
      if crew.cancellation.isCancelled { throw CancellationError() }
      try writers.write(block, of: index)
      report()
    }
    if mayBeShared(spans, of: graph, crew) {
      try crew.inOrder(spans.count, priority: .ahead) {
        min($0 + 2, spans.mostRenderers)
      } make: {
        task(spans[$0], renderers, open)
      } collect: {
        try $0.give { try write($0.sound, of: $0.master) }
      }
    } else {
      let renderer = try open()
      let buffers = spans.whole.all.map {
        AudioBuffer(channelCount: $0.channelCount, capacity: Renderer.blockSize)
      }
      while let (index, frames) = writers.rendition.next {
        let master = writers.rendition.all[index]
        let skipped = min(
          writers.skippable(index), Int64(master.rate * Self.secondsSkippedAtOnce))
        if skipped > 0 {
          if crew.cancellation.isCancelled { throw CancellationError() }
          try writers.skip(skipped, of: index)
          report()
        } else {
          try renderer.read(frames, of: master.id, into: buffers[index])
          try write(buffers[index], of: index)
        }
      }
      renderers.put(renderer)
    }
    let used = renderers.takeAll()
    try Renderer.requireHeard(used)
    let warnings = Renderer.damageWarnings(of: used)
    try requireNoDoubt(warnings)
    return warnings
  }

  /// The blocks of a span, in the order in which they are to be written.
  private func task(
    _ span: Rendition, _ renderers: ReusePool<Renderer>,
    _ open: @escaping () throws(Failure) -> Renderer
  ) -> SpanTask<(master: Int, sound: AudioBuffer)> {
    var (rest, own) = (span, nil as Renderer?)
    return SpanTask(pace: Self.pace) { () throws(Failure) in
      // Best the one that was there.
      let renderer =
        if let own { own } else { try renderers.take(where: { $0.stands(at: span) }, or: open) }
      own = renderer
      guard let (index, frames) = rest.next else {
        renderers.put(renderer)
        return nil
      }
      let master = rest.all[index]
      let block = AudioBuffer(channelCount: master.channelCount, capacity: frames.count)
      try renderer.read(frames, of: master.id, into: block)
      rest.advance(index, by: Int64(block.frameCount))
      return (index, block)
    }
  }

  /// Whether several renderers make the export's sound: where rendering would keep threads waiting, and
  /// a renderer can begin anywhere at little cost.
  func mayBeShared(_ spans: RenderedSpans, of graph: Graph, _ crew: Crew) -> Bool {
    guard crew.mostThreads > 1, spans.count > 2, spans.mostRenderers > 1,
      graph.renderingShare * Double(crew.mostThreads) > 1,
      // Of a server's file, one connection reads all of it.
      !graph.nodes.contains(where: { $0.asset?.location.isFetched == true }),
      // On one thread, copied sound is not rendered.
      spans.whole.all.count > 1 || graph.sinks.contains(where: { $0.sparedParts == nil })
    else { return false }
    // Rendering on one thread reports a file that cannot be read, at the file's place in the job.
    return (try? graph.isRenderedInOrder(library)) == false
  }
}

/// An export's masters, in spans that are rendered by themselves.
struct RenderedSpans {
  let whole: Rendition
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
    let masters = Rendition(of: graph)
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
  fileprivate subscript(index: Int) -> Rendition {
    whole.clamped { master in
      let length = Int64(seconds * master.rate)
      return Int64(index) * length..<Int64(index + 1) * length
    }
  }
}
