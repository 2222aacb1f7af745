import Diagnosis
import ExportGraph
import MediaComposition
import SystemPackage

extension ExportSession {
  /// SHA-256 of everything that a player's item of this export depends on: its sound, and the names and
  /// chapters that are shown. Where it was written does not count; sources count by their places and
  /// identities.
  ///
  /// - Returns: Nil for an export without a canonical form, or without a graph.
  /// - Complexity: O(graph)
  package var heardDigest: String? {
    guard let graph = try? graph() else { return nil }
    var heard = export
    heard.records = []
    let identities = Dictionary(
      export.composition.assets.map { ($0.location, $0.identity) },
      uniquingKeysWith: { first, _ in
        first
      })
    let name: (MediaLocation) -> [UInt8] = { location in
      Array("\(location) \(identities[location].map { "\($0)" } ?? "")".utf8)
    }
    do {
      var digests = [
        try canonicalDigest(of: heard, name), try canonicalDigest(of: graph.nodes, name),
      ]
      for group in groups.sorted(by: { $0.key < $1.key }) {
        digests.append(try group.value.digest())
      }
      return digests.joined()
    } catch {
      return nil
    }
  }
}
