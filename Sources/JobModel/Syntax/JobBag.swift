import Diagnosis
import SystemPackage

/// A bag (RFC 8493) of all that the jobs of a file write, as the file asks for it.
package struct JobBag: Sendable, Hashable {
  /// A line of `bag-info.txt`.
  package struct Field: Sendable, Hashable {
    /// What stands before the colon, such as `Source-Organization`.
    package var label: String
    /// What stands behind it.
    package var value: String

    /// A field with a label and a value.
    package init(_ label: String, _ value: String) { (self.label, self.value) = (label, value) }
  }

  /// The folder that it will be.
  package var path: FilePath
  /// What `bag-info.txt` has besides facts that follow from the content, in the order of writing.
  package var fields: [Field]
  /// Where it was written.
  package var origin: Origin

  /// A bag at `path`.
  package init(path: FilePath, fields: [Field] = [], origin: Origin = .unknown) {
    (self.path, self.fields, self.origin) = (path, fields, origin)
  }
}
