import Diagnosis
import ExportGraph
import FoundationEssentials
import LibAV
import MediaComposition
import SystemPackage

/// Where the findings of analyses outlast a run. Called from any thread.
package struct RememberedAnalyses: Sendable {
  /// The finding under a digest (64 hexadecimal digits), as it was kept; nil without one.
  package var recall: @Sendable (_ digest: String) -> [UInt8]?
  /// Keeps a finding: JSON in one line.
  package var keep: @Sendable (_ digest: String, _ finding: [UInt8]) -> Void

  /// Memory of these.
  package init(
    recall: @escaping @Sendable (_ digest: String) -> [UInt8]?,
    keep: @escaping @Sendable (_ digest: String, _ finding: [UInt8]) -> Void
  ) {
    self.recall = recall
    self.keep = keep
  }
}

/// Everything that an analysis' finding depends on. Sources count by their identities, wherever they
/// lie.
struct AnalysisKey: Encodable {
  private var name: String
  private var revision: Int
  /// What the analysis is told besides the sound, each with its name.
  private var parameters: [String]
  private var grid: ChunkPass.Grid
  private var nodes: [Node]
  private var frames: Range<Int64>
  private var tools: [String]

  /// What an analysis finds in a pass; `revision` is raised with each change of the analysis that
  /// changes its findings.
  init(_ name: String, revision: Int, _ parameters: [String] = [], of pass: ChunkPass) {
    self.name = name
    self.revision = revision
    self.parameters = parameters
    grid = pass.grid
    nodes = pass.graph.nodes
    frames = pass.frames
    tools = Engine.tools(for: [pass.graph]).sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value)" }
  }

  /// SHA-256 as 64 hexadecimal digits. O(nodes)
  func digest() throws -> String { try canonicalDigest(of: self, nodes.namingByIdentity) }
}

extension [Node] {
  /// Names the paths of their sources by the files' identities. O(nodes)
  var namingByIdentity: (MediaLocation) -> [UInt8] {
    var identities: [MediaLocation: FileIdentity] = [:]
    for asset in lazy.compactMap(\.asset) { identities[asset.location] = asset.identity }
    return { location in
      let identity = identities[location]
      // Not the device, which has another number whenever some file systems are mounted.
      return [UInt8](
        "\(identity?.inode ?? 0) \(identity?.size ?? 0) \(identity?.modificationTime ?? 0)".utf8)
    }
  }
}

extension MediaLibrary {
  /// Has the finding of an analysis from an earlier run, or from `find`, and keeps it then.
  ///
  /// - Parameters:
  ///   - key: What the finding depends on.
  ///   - isPlausible: Whether something that was kept could be a finding.
  ///   - find: Analyses.
  /// - Returns: The finding.
  /// - Throws: What `find` throws.
  func remembering<Finding: Codable>(
    _ key: AnalysisKey, isPlausible: (Finding) -> Bool,
    _ find: () throws -> Finding
  ) throws -> Finding {
    guard let analyses, let digest = try? key.digest() else { return try find() }
    if let kept = analyses.recall(digest),
      let finding = try? JSONDecoder().decode(Finding.self, from: Data(kept)), isPlausible(finding)
    {
      return finding
    }
    let finding = try find()
    if let json = try? JSONEncoder().encode(finding) { analyses.keep(digest, Array(json)) }
    return finding
  }
}
