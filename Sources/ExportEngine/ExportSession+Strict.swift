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

  /// The sounds that are to be proved by the digests in their headers, each once: those of a strict export
  /// that were not proved before.
  func unprovenSounds(in graph: Graph) -> [(asset: Asset, origin: Origin)] {
    guard export.isStrict else { return [] }
    var known: Set<FLACProof.Key> = []
    return graph.nodes.compactMap { node in
      guard let asset = node.asset, !library.hasProven(asset),
        known.insert(FLACProof.Key(asset)).inserted
      else { return nil }
      return (asset, node.origin)
    }
  }

  /// Refuses the first FLAC whose sound is not that of the digest in its header. Each is decoded as a
  /// whole, whatever the export takes of it.
  ///
  /// - Parameters:
  ///   - sounds: As `unprovenSounds`.
  ///   - crew: As `FLACProof.prove`.
  ///   - progress: Gets the share that is done, 0 to 1, on this thread.
  /// - Throws: `mendInput`, as reading does, and `CancellationError`.
  /// - Complexity: O(samples) of each FLAC
  func requireOwnDigests(
    of sounds: [(asset: Asset, origin: Origin)], _ crew: Crew, progress: (Double) -> Void
  ) throws {
    let total = sounds.reduce(0) { $0 + Double($1.asset.frameCount) }
    var done: Double = 0
    for (asset, origin) in sounds {
      let doubt = try library.doubt(ofDigestIn: asset, by: crew) {
        progress(min(1, (done + Double($0)) / max(1, total)))
      }
      if var doubt {
        doubt.origin = origin
        throw Self.refusal(of: doubt)
      }
      done += Double(asset.frameCount)
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
