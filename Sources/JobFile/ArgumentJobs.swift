import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import YAML

/// A job file's tree from a command line: texts, lists and maps, each with its place.
///
/// Texts are literal: no variables, no wildcards in a source's `file`.
package indirect enum ArgumentNode: Sendable {
  case text(String, Origin)
  case list([ArgumentNode], Origin)
  /// Entries in order; their keys are those of the job language.
  case map([(key: String, value: ArgumentNode)], Origin)

  fileprivate var node: YAMLNode {
    switch self {
    case .text(let text, let origin):
      YAMLNode(.scalar(YAMLScalar(text: text)), origin: origin)
    case .list(let nodes, let origin):
      YAMLNode(.sequence(nodes.map(\.node)), origin: origin)
    case .map(let entries, let origin):
      YAMLNode(
        .mapping(
          entries.map { entry in
            let value = entry.value.node
            return YAMLEntry(key: entry.key, keyOrigin: value.origin, value: value)
          }), origin: origin)
    }
  }
}

extension JobFile {
  /// The jobs of a command line: those of the same words in a job file.
  ///
  /// - Parameters:
  ///   - tree: A job file's outermost map. Relative paths count from the current folder.
  ///   - name: The name of a single job.
  ///   - map: Has the places of the tree's origins.
  ///   - files: The disk.
  /// - Returns: The jobs, in the order of the tree, and the warnings.
  /// - Throws: All errors, in order of place.
  package static func load(
    from tree: ArgumentNode, named name: String, places map: SourceMap,
    files: some FileSystem = LocalFileSystem()
  ) throws(Diagnostics) -> JobFile {
    let file = try jobs(
      in: tree.node, path: FilePath(name).lastComponent.map { FilePath($0.string) } ?? "job",
      quotedFolder: files.resolved("."), isOnDisk: false, options: Options(), map, DiagnosticSink(),
      files)
    try file.requireNoMistakes(by: map)
    return file
  }
}
