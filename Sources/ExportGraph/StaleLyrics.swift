import MediaComposition
import Tagging

extension Sink {
  /// Leaves out lyrics of sources where the output's own words are its lyrics, and where words of them are
  /// muted. Those that the job gives it stay.
  mutating func dropStaleLyrics(in export: Export) {
    guard output.transcript.lyrics || !export.redactedSources.isEmpty else { return }
    let names = inheritedLyrics(of: export.composition.assets, in: export).map(\.key)
    guard !names.isEmpty else { return }
    for name in names { metadata[name] = nil }
    staleTags.append(
      StaleTags(
        names: names,
        reason: output.transcript.lyrics
          ? "its lyrics are the words of the job" : "words of the source are muted"))
  }

  /// Its lyrics that are from a file: all that the job has not written for this output, and of those the
  /// ones that some of `assets` have. O(tags of the assets) where it has any.
  func inheritedLyrics(of assets: some Sequence<Asset>, in export: Export) -> [Metadata.Item] {
    let candidates = metadata.items.filter { item in
      TagNames.isLyrics(item.key) && export.inheritedTags.contains(item.key.lowercased())
    }
    guard !candidates.isEmpty else { return [] }
    let known = Set(assets.flatMap(\.metadata.items))
    return candidates.filter { output.metadata[$0.key] == nil || known.contains($0) }
  }
}
