import ExportGraph
import MediaComposition

/// What a sink's format has no place for and its writer therefore leaves out, in words: for the
/// plan.
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
