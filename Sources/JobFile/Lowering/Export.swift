import MediaComposition
import MediaTime

extension Job {
  /// The composition of this job and its outputs, with the facts of its media put in.
  ///
  /// - Parameter assets: Called once for each of `media`. nil where probing failed: the caller has
  ///   said so, and what depends on that file's length is not checked.
  /// - Returns: The export, with every time exact.
  /// - Throws: what only those facts show: a range past the end, a fade or a cross-fade that is
  ///   longer than its item, items that overlap. Empty where only `assets` gave nil.
  /// - Complexity: O(n log n) in the number of items
  public func export(assets: (MediaReference) -> Asset?) throws(Diagnostics) -> Export {
    let media = self.media
    var known: [MediaReference: Asset] = [:]
    for reference in media { known[reference] = assets(reference) }
    var lowering = Lowering(assets: known, sampleRate: sampleRate)
    guard let voice = lowering.voice(item), lowering.diagnostics.isEmpty else {
      throw lowering.diagnostics
    }
    let outputs = try outputs(from: media.compactMap { known[$0] })
    return Export(
      name: name, composition: voice.composition, mix: voice.mix, sampleRate: sampleRate,
      channelLayout: channelLayout, metadata: voice.metadata.overridden(by: metadata),
      chapters: voice.chapters.isEmpty ? voice.inheritedChapters : voice.chapters,
      outputs: outputs, origin: origin)
  }
}

extension Lowering.Voice {
  /// The voice as a job's timeline: without its level, which the export applies to the whole.
  fileprivate var composition: Composition {
    if case .composition(let composition) = content,
      source == TimeRange(start: .zero, duration: composition.duration)
    {
      return composition
    }
    let segment = Segment(content, source: source, at: .zero, origin: origin)
    return Composition(tracks: [Track(segments: [segment], origin: origin)])
  }

  /// A clip keeps its tags.
  fileprivate var metadata: Metadata {
    if case .asset(let asset) = content { asset.metadata } else { Metadata() }
  }

  /// A clip keeps the chapters that its range touches.
  fileprivate var inheritedChapters: [Chapter] {
    guard case .asset(let asset) = content else { return [] }
    let chapters = asset.chapters.sorted { $0.start < $1.start }
    // The one that is under way where the range starts begins with it.
    let first = chapters.lastIndex { $0.start <= source.start } ?? 0
    return chapters.dropFirst(first).filter { $0.start < source.end }.map { chapter in
      var chapter = chapter
      chapter.start = max(.zero, chapter.start - source.start)
      return chapter
    }
  }
}
