import Diagnosis
import SystemPackage

/// The files that an export writes: by these it clashes with others, and a hundred thousand of them
/// take a twentieth of the memory of their exports.
package struct ExportFiles: Sendable, Hashable {
  /// What a file holds.
  package enum Content: Sendable, Hashable {
    /// Sound, which another export may read.
    case sound
    /// Something of an output, beside it.
    case sidecar(Sidecar)
    /// The facts of the export that are recorded.
    case record
    /// A list of the files of one export or several, which is written after them.
    case manifest
  }

  /// A file to be written.
  package struct File: Sendable, Hashable {
    /// Where it will be.
    package var path: FilePath
    /// What it holds.
    package var content: Content
    /// Where it, or the output that it stands beside, was written.
    package var origin: Origin

    /// A file at `path`.
    package init(path: FilePath, content: Content, origin: Origin = .unknown) {
      self.path = path
      self.content = content
      self.origin = origin
    }
  }

  /// The export's.
  package var name: String
  /// Each output with the files beside it, then the records.
  package var files: [File]

  /// Those of an export.
  ///
  /// - Complexity: O(outputs + records)
  package init(_ export: Export) {
    name = export.name
    files = export.outputs.flatMap { Self.files(at: $0.path, $0.sidecars, $0.origin) }
    files += export.records.map(Self.file)
  }

  /// Those of an export that has these outputs, as paths with the files beside them and origins.
  package init(
    name: String, outputs: [(path: FilePath, sidecars: [Sidecar], origin: Origin)],
    records: [ExportRecord]
  ) {
    self.name = name
    files = outputs.flatMap { Self.files(at: $0.path, $0.sidecars, $0.origin) }
    files += records.map(Self.file)
  }

  private static func files(
    at path: FilePath, _ sidecars: [Sidecar], _ origin: Origin
  ) -> [File] {
    [File(path: path, content: .sound, origin: origin)]
      + sidecars.map { File(path: path.sidecar($0), content: .sidecar($0), origin: origin) }
  }

  private static func file(_ record: ExportRecord) -> File {
    File(path: record.path, content: .record, origin: record.origin)
  }
}
