import MediaComposition
import Transcripts

/// The words of a file among what outlasts a run: all of a Matroska file is read to find them.
///
/// Findings are bounded, so that cues stand in parts.
enum RememberedTranscript {
  /// What stands before the parts.
  private struct Head: Codable {
    var streamIndex: Int
    var note: String?
    var language: String?
    var partCount: Int
  }

  /// Of a part: so many with many words each are some 500 kB.
  private static let mostCues = 200

  private static func key(of asset: Asset, _ part: String) -> AnalysisKey {
    AnalysisKey(
      "texts", revision: 2, ["\(asset.soundIndex ?? -1)", part], of: asset)
  }

  /// What an earlier run found in the file as it is; nil where none did.
  static func recalled(of asset: Asset, by library: MediaLibrary) -> EmbeddedTranscript? {
    guard library.analyses != nil,
      let head: Head = library.recalled(key(of: asset, "head"))
    else { return nil }
    var cues: [Transcripts.Cue] = []
    for part in 0..<max(0, head.partCount) {
      guard let next: [Transcripts.Cue] = library.recalled(key(of: asset, "part \(part)")),
        next.allSatisfy({ $0.range.isValid && $0.range.start >= .zero })
      else { return nil }
      cues += next
    }
    return EmbeddedTranscript(
      transcript: Transcript(cues, language: head.language), streamIndex: head.streamIndex,
      note: head.note)
  }

  /// Keeps what was found.
  static func keep(_ found: EmbeddedTranscript, of asset: Asset, by library: MediaLibrary) {
    guard library.analyses != nil else { return }
    let cues = found.transcript.cues
    let starts = stride(from: 0, to: cues.count, by: mostCues)
    for (part, start) in starts.enumerated() {
      let end = min(start + mostCues, cues.count)
      library.keep(Array(cues[start..<end]), under: key(of: asset, "part \(part)"))
    }
    let head = Head(
      streamIndex: found.streamIndex, note: found.note, language: found.transcript.language,
      partCount: (cues.count + mostCues - 1) / mostCues)
    library.keep(head, under: key(of: asset, "head"))
  }
}
