import Diagnosis
import SystemPackage

/// A JSON file about the sources, settings and outputs of an export (`json: sidecar` in job files). It
/// appears together with the outputs.
package struct ExportRecord: Sendable, Hashable, Codable {
  /// Where the file will be.
  @CodedPath package var path: FilePath
  /// Where it was written.
  package var origin: Origin

  /// A record at `path`.
  package init(path: FilePath, origin: Origin = .unknown) {
    self.path = path
    self.origin = origin
  }
}
