import Diagnosis
import SystemPackage

/// A bag (RFC 8493) of all that the jobs of a file write, as the file asks for it.
public struct JobBag: Sendable, Hashable {
  /// A line of `bag-info.txt`.
  public struct Field: Sendable, Hashable {
    /// What stands before the colon, such as `Source-Organization`.
    public var label: String
    /// What stands behind it.
    public var value: String

    /// A field with a label and a value.
    public init(_ label: String, _ value: String) { (self.label, self.value) = (label, value) }
  }

  /// The folder that it will be.
  public var path: FilePath
  /// What `bag-info.txt` has besides facts that follow from the content, in the order of writing.
  public var fields: [Field]
  /// Where it was written.
  public var origin: Origin

  /// A bag at `path`.
  public init(path: FilePath, fields: [Field] = [], origin: Origin = .unknown) {
    (self.path, self.fields, self.origin) = (path, fields, origin)
  }
}
