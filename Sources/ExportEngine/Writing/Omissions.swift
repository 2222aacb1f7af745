import ExportGraph
import MediaComposition

/// What a sink's format has no place for and its writer therefore leaves out, in words.
package func omissions(of sink: Sink) -> [Warning] {
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
  package func besides(_ sources: Set<Asset>) -> Sink { sorted(by: sources).own }

  /// The sink with only the tags and chapters that are those of a source.
  package func broughtAlong(by sources: Set<Asset>) -> Sink { sorted(by: sources).inherited }

  private func sorted(by sources: Set<Asset>) -> (own: Sink, inherited: Sink) {
    let tags = Set(sources.flatMap(\.metadata.items))
    let titles = Set(sources.flatMap { $0.chapters.map(\.title) })
    var (own, inherited) = (self, self)
    inherited.metadata.cover = nil
    for item in metadata.items {
      if tags.contains(item) {
        own.metadata[item.key] = nil
      } else {
        inherited.metadata[item.key] = nil
      }
    }
    own.chapters.removeAll { titles.contains($0.title) }
    inherited.chapters.removeAll { !titles.contains($0.title) }
    return (own, inherited)
  }
}
