import Diagnosis
import MediaComposition
import MediaTime

extension Job {
  /// The job whole, and the tags that its own are put over.
  struct Whole {
    /// Without tags.
    var export: Export
    var baseTags: Metadata
    /// Of each output that has others.
    var outputTags: [Metadata?]
  }

  /// The composition of this job and its outputs, with the facts of its media put in.
  ///
  /// - Throws: As `exports`.
  func whole(assets known: [MediaReference: Asset]) throws(Diagnostics) -> Whole {
    var lowering = Lowering(assets: known, sampleRate: sampleRate)
    guard let lowered = lowering.lowered(ofJob: item), lowering.diagnostics.isEmpty else {
      throw lowering.diagnostics
    }
    let export = Export(
      name: name, composition: lowered.timeline, mix: lowered.mix, sampleRate: sampleRate,
      channelLayout: channelLayout, chapters: lowered.chapters,
      outputs: try outputs(from: soundingMedia.compactMap { known[$0] }), records: records,
      origin: origin)
    func tags(_ base: MetadataBase) -> Metadata {
      base.media.flatMap { known[$0]?.metadata } ?? Metadata()
    }
    return Whole(
      export: export, baseTags: tags(metadataBase ?? inheritedBase),
      outputTags: outputs.map { $0.metadataBase.map(tags) })
  }

  /// A job that is one clip keeps its tags, whatever is done to it.
  private var inheritedBase: MetadataBase {
    if case .clip(let reference) = item.content { .file(reference) } else { .nothing }
  }
}

extension LoweredItem {
  /// The item as a job's timeline: without its level and its chapters, which are the export's.
  fileprivate var timeline: Composition {
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
