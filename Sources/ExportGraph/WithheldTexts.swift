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
