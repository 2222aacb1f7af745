import Diagnosis
import MediaComposition

/// Texts of sources that would stand beside the words of an export and say something else.
extension Export {
  /// Whether an output has a track of captions with the export's words.
  private func hasCaptions(_ output: Output) -> Bool {
    output.transcript.inFile && transcript?.cues.isEmpty == false
  }

  /// Tells which tracks of sources an output may not have: the one that its captions are made from, and
  /// subtitles of a source of which words are muted.
  func withheldTexts(of output: Output) -> (AssetTrack, Asset) -> Bool {
    let kept = Set(hasCaptions(output) ? keptTexts : [])
    let redacted = Set(redactedSources)
    return { track, asset in
      kept.contains(KeptText(asset.location, streamIndex: track.index))
        || track.mediaType == .subtitle && redacted.contains(asset.location)
    }
  }
}

extension PicturePlan {
  /// A note on texts that an output does not get since words are muted; nil where there are none.
  package func redactionNote(in output: Output, of export: Export) -> Diagnostic? {
    let replaced = Set(output.transcript.inFile ? export.keptTexts : [])
    let parts = zip(assets, withheld).compactMap { asset, tracks -> String? in
      guard export.redactedSources.contains(asset.location) else { return nil }
      let names = tracks.filter {
        !replaced.contains(KeptText(asset.location, streamIndex: $0.index))
      }.map(\.text)
      return names.isEmpty ? nil : "\(names.joined(separator: ", ")) of '\(asset.location)'"
    }
    guard !parts.isEmpty else { return nil }
    return Diagnostic(
      .note,
      "'\(output.path)': \(parts.joined(separator: ", ")) left out, since they have words that are muted",
      at: output.origin)
  }
}

extension Sink {
  /// A note on subtitles and lyrics of sources of which something is muted without a transcript: they may
  /// have its words, and the output gets them. nil where there are none. O(segments + tags).
  package func unmutedWordsNote(of export: Export) -> Diagnostic? {
    guard !export.silencedSources.isEmpty else { return nil }
    let assets = Dictionary(grouping: export.composition.assets, by: \.location)
    var (parts, removed): ([String], [String]) = ([], [])
    var hasSubtitles = false
    for location in export.silencedSources {
      let tags = Set((assets[location] ?? []).flatMap(\.metadata.items))
      let lyrics = inheritedLyrics(of: assets[location] ?? [], in: export)
        .filter(tags.contains).map(\.key)
      let texts = picture?.texts(of: location).map(\.text) ?? []
      hasSubtitles = hasSubtitles || !texts.isEmpty
      removed += lyrics.filter { !removed.contains($0) }
      guard !texts.isEmpty || !lyrics.isEmpty else { continue }
      parts.append("\((texts + lyrics).joined(separator: ", ")) of '\(location)'")
    }
    guard !parts.isEmpty else { return nil }
    let tags = removed.map { "\($0): \"\"" }.joined(separator: ", ")
    return Diagnostic(
      .note,
      "'\(output.path)': \(parts.joined(separator: ", ")) may have words that are muted, and stay",
      at: output.origin,
      help: hasSubtitles
        ? "give the clip its words, as 'transcript: keep': texts with muted ones are then left out"
        : "remove them by 'metadata: { \(tags) }', or give the clip a 'transcript'")
  }
}

extension PicturePlan {
  /// The tracks of texts that the output has of a source.
  fileprivate func texts(of location: MediaLocation) -> [AssetTrack] {
    assets.indices.filter { assets[$0].location == location }.flatMap { number in
      spans.isEmpty
        ? tracks.filter { $0.mediaType == .subtitle }
        : texts.compactMap { $0.streams[number] }
    }
  }
}
