import JSON
import MediaComposition
import SystemPackage
import Transcripts

extension Sink {
  /// The files beside it that are written, in words.
  var sidecarTexts: [String] {
    sidecars.map { sidecar in
      let text = "\(output.path.sidecar(sidecar))  \(sidecar.name)"
      return switch sidecar {
      case .chapters: text
      case .transcript: text + ", " + transcript.countText
      case .silences: text + ", " + silenceCountText
      }
    }
  }

  /// For example `1 silence`, and `12 silences`.
  private var silenceCountText: String {
    let count = output.silences?.found.count ?? 0
    return count == 1 ? "1 silence" : "\(count) silences"
  }

  /// The files of words beside it that are written.
  var transcriptFiles: [(format: TranscriptFormat, path: FilePath)] {
    sidecars.compactMap { sidecar in
      guard case .transcript(let format) = sidecar else { return nil }
      return (format, output.path.sidecar(sidecar))
    }
  }

  /// What becomes of its words within the file, in words.
  var wordTexts: [String] {
    guard !transcript.cues.isEmpty else { return [] }
    let places = [
      output.transcript.inFile ? "a track of captions" : nil,
      output.transcript.lyrics ? "lyrics" : nil,
    ]
    return places.compactMap(\.self).map { "in it: \($0), \(transcript.countText)" }
  }

  /// How many words it has and where, for programs; nil for an output without a place for any.
  package var wordsJSON: JSONValue? {
    let places = output.transcript
    guard !places.isEmpty else { return nil }
    return .members([
      "cues": .count(transcript.cues.count),
      "words": .count(transcript.wordCount),
      "language": transcript.language.map { .text($0) },
      "captions": .boolean(places.inFile && !transcript.cues.isEmpty),
      "lyrics": .boolean(places.lyrics && !transcript.cues.isEmpty),
    ])
  }
}

extension Transcript {
  /// Those with places of their own.
  fileprivate var wordCount: Int { cues.reduce(0) { $0 + $1.words.count } }

  /// For example `1 cue`, and `12 cues`.
  fileprivate var countText: String { cues.count == 1 ? "1 cue" : "\(cues.count) cues" }
}
