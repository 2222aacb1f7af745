import ExportGraph
import MediaComposition

/// What a sink's format has no place for and its writer therefore leaves out, in words; but for
/// what `sources` brought along, which nobody asked for.
package func omissions(of sink: Sink, besides sources: Set<Asset> = []) -> [Warning] {
  let sink = sink.without(sources)
  let format = sink.output.format.kind.capabilities
  var lost: [String] = []
  if let held = format.heldTags {
    let tags = sink.metadata.items.map(\.key).filter { !held.contains($0.lowercased()) }
    if !tags.isEmpty { lost.append("the tags " + tags.joined(separator: ", ")) }
  }
  if !format.holdsCover, sink.metadata.cover != nil { lost.append("the cover") }
  if !format.holdsChapters, !sink.chapters.isEmpty {
    lost.append("the chapters")
  } else if !format.holdsChapterLinks,
    sink.chapters.contains(where: { $0.url != nil || $0.image != nil })
  {
    lost.append("the chapters' links and images")
  }
  return lost.map {
    Warning(
      "\(format.name) has no place for \($0): left out", path: sink.output.path,
      origin: sink.output.origin)
  }
}

extension Sink {
  /// The sink without tags and chapters that are those of a source.
  fileprivate func without(_ sources: Set<Asset>) -> Sink {
    guard !sources.isEmpty else { return self }
    let tags = Set(sources.flatMap(\.metadata.items))
    let titles = Set(sources.flatMap { $0.chapters.map(\.title) })
    var copy = self
    for item in metadata.items where tags.contains(item) { copy.metadata[item.key] = nil }
    copy.chapters.removeAll { titles.contains($0.title) }
    return copy
  }
}
