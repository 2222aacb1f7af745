import Diagnosis
import MediaComposition

/// Doubts about sources, of which some exports will have none.
extension ExportSession {
  /// What probing found odd about the media that the export reads, in the order of their places.
  var sourceWarnings: [Warning] {
    export.composition.readAssets
      .sorted { ($0.location, $0.streamIndex) < ($1.location, $1.streamIndex) }
      .flatMap { library.warnings(for: $0.location, streamIndex: $0.streamIndex) }
  }

  /// Refuses the first of some warnings where the export is strict.
  ///
  /// - Throws: `mendInput`.
  func requireNoDoubt(_ warnings: [Warning]) throws(Failure) {
    guard export.isStrict, let first = warnings.first else { return }
    throw Self.refusal(of: first)
  }

  /// The failure of a source that would be read with a warning, but for `strict`.
  package static func refusal(of warning: Warning) -> Failure {
    Failure(
      .mendInput,
      warning.message + "; 'strict' refuses it: mend the file, or leave 'strict' out",
      location: warning.location, origin: warning.origin)
  }
}
