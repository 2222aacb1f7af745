import ExportGraph
import Glibc
import MediaComposition
import Synchronization

/// Sounds of several exports that get one gain, by which all of them together have a level.
///
/// Safe from any thread. It is measured once, by the first export that needs it.
package final class LoudnessGroup: Sendable {
  /// The exports that have the sounds; a process of its own makes the group from them again.
  package let exports: [Export]
  /// A graph of each sound, which is the graph's last node.
  let sounds: [Graph]
  private let measured = Mutex<LoudnessMeasurement?>(nil)
  private let digested = Mutex<String?>(nil)

  /// The group called `name` of these exports.
  package init(_ name: String, of sessions: [ExportSession]) {
    exports = sessions.map(\.export)
    sounds = sessions.flatMap { session -> [Graph] in
      guard let graph = try? session.graph() else { return [] }
      return graph.sounds(ofGroup: name).map { graph.subgraph(of: $0) }
    }
  }

  /// SHA-256 of everything that its gain depends on; sources count by their identities. O(nodes)
  ///
  /// - Throws: Where a sound has no canonical form.
  func digest() throws -> String {
    if let known = digested.withLock({ $0 }) { return known }
    let nodes = sounds.flatMap(\.nodes)
    let digest = try canonicalDigest(of: sounds.map(\.nodes), nodes.namingByIdentity)
    digested.withLock { $0 = digest }
    return digest
  }

  /// The measurement of all sounds together.
  ///
  /// - Throws: As rendering does, and `CancellationError`.
  /// - Complexity: O(frames of all sounds) the first time
  func measurement(
    by normalizer: Normalizer, dualMono: Bool, progress: (Double) -> Void
  ) throws -> LoudnessMeasurement? {
    while true {
      let found = try measured.withLockIfAvailable { known throws -> LoudnessMeasurement? in
        if known == nil { known = try measure(by: normalizer, dualMono: dualMono, progress) }
        return known
      }
      if let found { return found }
      // Another export measures it, which may take long.
      guard !normalizer.analyst.cancellation.isCancelled else { throw CancellationError() }
      usleep(20_000)
    }
  }

  private func measure(
    by normalizer: Normalizer, dualMono: Bool, _ progress: (Double) -> Void
  ) throws -> LoudnessMeasurement? {
    var all: [LoudnessMeasurement] = []
    for sound in sounds {
      // Items within it may have levels of their own.
      var solved = Normalizer.Result(graph: sound)
      try normalizer.solve(&solved)
      all.append(
        try normalizer.analyst.loudness(
          of: sound.nodes.count - 1, in: solved.graph, dualMono: dualMono))
      progress(Double(all.count) / Double(sounds.count))
    }
    return LoudnessMeasurement.merged(all)
  }
}
