import Diagnosis
import ExportGraph
import MediaComposition
import Threads

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

  /// Refuses the first FLAC whose sound is not that of the digest in its header, where the export is
  /// strict. Each is decoded as a whole, whatever the export takes of it, unless it is known already.
  ///
  /// - Throws: `mendInput`, as reading does, and `CancellationError`.
  /// - Complexity: O(samples) of each FLAC
  func requireOwnDigests(_ graph: Graph, _ crew: Crew) throws {
    guard export.isStrict else { return }
    for node in graph.nodes {
      guard let asset = node.asset, var doubt = try library.doubt(ofDigestIn: asset, by: crew)
      else { continue }
      doubt.origin = node.origin
      throw Self.refusal(of: doubt)
    }
  }

  /// The failure of a source that would be read with a warning, but for `strict`.
  package static func refusal(of warning: Warning) -> Failure {
    Failure(
      .mendInput,
      warning.message + "; 'strict' refuses it: mend the file, or leave 'strict' out",
      location: warning.location, origin: warning.origin)
  }
}
