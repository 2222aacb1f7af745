import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Transcripts

extension Job {
  /// The whole job, and the base tags of its outputs.
  struct Whole {
    /// Settled, without tags.
    var export: Export
    /// Notes for the user on settled values.
    var notes: [Diagnostic]
    /// Notes on what was decided by an analysis of its sound.
    var remarks: [Diagnostic]
    var baseTags: Metadata
    /// The base tags of outputs that differ from the job's.
    var outputTags: [Metadata?]
    /// The keys of tags of loops of its sources, if the job or an output takes all their tags away.
    var loopKeys: [String]
  }

  /// The composition of this job and its outputs, with the facts of its media.
  ///
  /// - Throws: As `exports`.
  func whole(
    assets known: [MediaReference: Asset], _ listen: @escaping Listen,
    _ findKeyPicture: @escaping FindKeyPicture, _ readTranscript: @escaping ReadTranscript,
    within budget: inout SegmentBudget
  ) throws(Diagnostics) -> Whole {
    var lowering = Lowering(
      assets: known, sampleRate: sampleRate, budget: budget, listen: listen,
      findKeyPicture: findKeyPicture, readTranscript: readTranscript)
    lowering.leftOut = leftOut ?? [:]
    defer { budget = lowering.budget }
    guard var lowered = lowering.lowered(ofJob: item, isWritten: folder != nil),
      lowering.diagnostics.isEmpty
    else {
      throw lowering.diagnostics
    }
    // Mapped once, and then no part of the sound: neither what renders it nor what remembers it depends
    // on words, and parts need not search all of it.
    let transcript = lowering.hasTranscripts ? lowering.transcript(of: lowered) : nil
    var (redacted, silenced): ([MediaLocation], [MediaLocation]) = ([], [])
    if transcript != nil || item.hasMutes {
      let whole = Composition(tracks: [Track(segments: [lowered.segment(at: .zero)])])
      if transcript != nil { redacted = whole.redactedSources }
      if item.hasMutes { silenced = whole.silencedSources.filter { !redacted.contains($0) } }
      lowered = lowered.withoutTranscripts
    }
    var export = Export(
      name: name, composition: lowered.timeline, mix: lowered.mix, sampleRate: sampleRate,
      channelLayout: channelLayout, chapters: lowered.chapters,
      outputs: outputs.map { $0.like(clip.flatMap { known[$0] }) }, records: records,
      origin: origin)
    (export.origins, export.loudness) = (origins, loudness)
    (export.transcript, export.redactedSources) = (transcript, redacted)
    export.silencedSources = silenced
    let settled = try export.settled()
    func tags(_ base: MetadataBase) -> Metadata {
      base.media.flatMap { known[$0]?.metadata } ?? Metadata()
    }
    return Whole(
      export: settled.export,
      notes: lowering.notes + settled.notes + notesOfNotKept(known),
      remarks: lowering.remarks,
      baseTags: tags(metadataBase ?? inheritedBase),
      outputTags: outputs.indices.map { outputBases?[$0].map(tags) },
      loopKeys: metadataBase == .nothing || outputBases?.values.contains(.nothing) == true
        ? settled.export.composition.assets.flatMap(\.loopKeys).map { $0.lowercased() } : [])
  }

  /// A job of one clip keeps its tags, whatever its modifiers are.
  private var inheritedBase: MetadataBase {
    clip.map { .file($0) } ?? .nothing
  }

  private var clip: MediaReference? {
    if case .clip(let reference) = item.content { reference } else { nil }
  }
}

extension Output {
  /// The output, with the clip whose format it keeps, if it is set to.
  fileprivate func like(_ clip: Asset?) -> Output {
    guard case .same(nil, let isInFolder) = request else { return self }
    var output = self
    output.request = .same(as: clip, isInFolder: isInFolder)
    return output
  }
}

extension LoweredItem {
  /// The item as a job's timeline, without its level and chapters, which are the export's.
  var timeline: Composition {
    var bare = self
    (bare.mix, bare.chapters) = (.unity, [])
    let segment = bare.segment(at: .zero)
    if case .composition(let inner) = content,
      segment
        == Segment(
          content, source: TimeRange(start: .zero, duration: inner.duration), at: .zero,
          origin: origin)
    {
      return inner
    }
    return bare.composition
  }
}
