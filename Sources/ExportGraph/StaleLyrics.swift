import MediaComposition

extension Sink {
  /// Leaves out lyrics of sources where the output's own words are its lyrics, and where words of them are
  /// muted. Those that the job gives it stay.
  mutating func dropStaleLyrics(in export: Export) {
    guard output.transcript.lyrics || !export.redactedSources.isEmpty else { return }
    let candidates = metadata.items.filter { item in
      Self.isLyrics(item.key) && export.inheritedTags.contains(item.key.lowercased())
    }
    guard !candidates.isEmpty else { return }
    let known = Set(export.composition.assets.flatMap(\.metadata.items))
    let names = candidates.filter { output.metadata[$0.key] == nil || known.contains($0) }
      .map(\.key)
    guard !names.isEmpty else { return }
    for name in names { metadata[name] = nil }
    staleTags.append(
      StaleTags(
        names: names,
        reason: output.transcript.lyrics
          ? "its lyrics are the words of the job" : "words of the source are muted"))
  }

  /// Whether a tag has lyrics: as ID3 has them in a language (`lyrics-eng`) or with a description
  /// (`lyrics:Live`), or by its names in Vorbis comments.
  private static func isLyrics(_ key: String) -> Bool {
    let name = key.lowercased().prefix { $0 != ":" && $0 != "-" }
    return ["lyrics", "unsyncedlyrics", "syncedlyrics"].contains(name)
  }
}
