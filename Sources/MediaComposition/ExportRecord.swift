import Diagnosis
import SystemPackage

/// A JSON file about the sources, settings and outputs of an export (`json: sidecar` in job files). It
/// appears together with the outputs.
public struct ExportRecord: Sendable, Hashable, Codable {
  /// Where the file will be.
  @CodedPath public var path: FilePath
  /// Where it was written.
  public var origin: Origin

  /// A record at `path`.
  public init(path: FilePath, origin: Origin = .unknown) {
    self.path = path
    self.origin = origin
  }
}
