import SystemPackage
import Transcripts

/// A file beside an output, under its name, which appears with it.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
package enum Sidecar: Sendable, Hashable, Codable {
  /// The output's chapters.
  case chapters(ChapterPlaces.Sidecar)
  /// Its words.
  case transcript(TranscriptFormat)
  /// Its silences.
  case silences(SilencePlaces.Sidecar)

  /// Every kind.
  package static let all =
    ChapterPlaces.Sidecar.allCases.map(Sidecar.chapters)
    + TranscriptFormat.allCases.map(Sidecar.transcript)
    + SilencePlaces.Sidecar.allCases.map(Sidecar.silences)

  /// What stands in place of the output's extension.
  package var fileExtension: String {
    switch self {
    case .chapters(let format): format.fileExtension
    case .transcript(let format): format.fileExtension
    case .silences(let format): format.fileExtension
    }
  }

  /// Whether it has the output's chapters.
  package var isOfChapters: Bool { if case .chapters = self { true } else { false } }

  /// Its format's name for people.
  package var name: String {
    switch self {
    case .chapters(let format): format.name
    case .transcript(let format): format.name
    case .silences(let format): format.name
    }
  }
}

extension FilePath {
  /// The path of a sidecar of the output at this path: beside it, with its stem.
  package func sidecar(_ sidecar: Sidecar) -> FilePath {
    var path = self
    path.extension = sidecar.fileExtension
    return path
  }
}

extension Output {
  /// The files that may be written beside it.
  package var sidecars: [Sidecar] {
    chapters.sidecars.map(Sidecar.chapters) + transcript.sidecars.map(Sidecar.transcript)
      + (silences?.sidecars ?? []).map(Sidecar.silences)
  }

  /// Every file that may be written: the output, then its sidecars.
  package var paths: [FilePath] { [path] + sidecars.map(path.sidecar) }
}
