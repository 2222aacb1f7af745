import Diagnosis
import ExportGraph
import FoundationEssentials
import LibAV
import MediaComposition
import SystemPackage
import Threads

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
  /// nil: it is of no rendered sound.
  private var grid: ChunkPass.Grid?
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

  /// What is found in the file of an asset, without rendering it.
  init(_ name: String, revision: Int, _ parameters: [String], of asset: Asset) {
    self.name = name
    self.revision = revision
    self.parameters =
      parameters + ["\(asset.identity.namingContent) \(asset.start) \(asset.duration)"]
    (nodes, frames) = ([], 0..<0)
    tools = Engine.tools(for: []).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
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
      [UInt8]((identities[location]?.namingContent ?? "0 0 0").utf8)
    }
  }
}

extension FileIdentity {
  /// What stands for a file in keys. Not the device, which has another number whenever some file systems
  /// are mounted.
  fileprivate var namingContent: String { "\(inode) \(size) \(modificationTime)" }
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
    if let kept: Finding = recalled(key), isPlausible(kept) { return kept }
    let finding = try find()
    try CancellationFlag.requireWanted()
    keep(finding, under: key)
    return finding
  }

  /// What was kept under a key; nil where nothing was.
  func recalled<Finding: Decodable>(_ key: AnalysisKey) -> Finding? {
    guard let analyses, let digest = try? key.digest(), let kept = analyses.recall(digest) else {
      return nil
    }
    return try? JSONDecoder().decode(Finding.self, from: Data(kept))
  }

  /// Keeps a finding, of less than 1 MB as JSON.
  func keep(_ finding: some Encodable, under key: AnalysisKey) {
    guard let analyses, let digest = try? key.digest(),
      let json = try? JSONEncoder().encode(finding)
    else { return }
    analyses.keep(digest, Array(json))
  }
}
