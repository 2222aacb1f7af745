import Diagnosis
import Files
import MediaComposition
import SystemPackage

/// The layout of a bag (RFC 8493): files of one kind in `data/`, and what they are to be beside it.
package enum Bag {
  static let declaration: FilePath.Component = "bagit.txt"
  static let info: FilePath.Component = "bag-info.txt"
  static let payload: FilePath.Component = "data"
  static let manifest: FilePath.Component = "manifest-sha256.txt"
  static let tagManifest: FilePath.Component = "tagmanifest-sha256.txt"
  /// The lists whose digests avjob computes.
  static let lists: Set<FilePath.Component> = [manifest, tagManifest]

  /// Bytes of a tag file that is read whole.
  static let largestTagFile = 1_000_000

  /// Whether a folder is a bag, by the file that every bag has.
  package static func isBag(_ folder: FilePath) -> Bool {
    folder.appending(declaration).exists
  }

  /// What is wrong with the declaration (RFC 8493, 2.1.1); nil where it is right.
  static func declarationFault(of folder: FilePath) -> String? {
    let fields = self.fields(of: folder.appending(declaration))
    guard let fields, fields.count == 2, fields[0].label == "BagIt-Version",
      fields[1].label == "Tag-File-Character-Encoding"
    else { return "is no declaration of a bag: it has a version and an encoding" }
    guard fields[1].value.uppercased() == "UTF-8" else {
      return "names the encoding '\(fields[1].value)', and avjob reads UTF-8"
    }
    return nil
  }

  /// A line of `bag-info.txt`.
  package struct Field: Sendable, Hashable {
    /// What stands before the colon.
    package var label: String
    /// What stands behind it, on one line.
    package var value: String

    /// A field with a label and a value.
    package init(_ label: String, _ value: String) { (self.label, self.value) = (label, value) }

    /// Whether the field has a label, which is the same in capitals and small letters.
    func isLabelled(_ other: String) -> Bool { label.lowercased() == other.lowercased() }
  }

  /// The fields of a tag file (RFC 8493, 2.2.2), with the lines of each put together; nil where it
  /// cannot be read.
  static func fields(of path: FilePath) -> [Field]? {
    guard let bytes = try? PathCalls.contents(of: path, limit: largestTagFile) else { return nil }
    var fields: [Field] = []
    for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let text = String(decoding: line, as: UTF8.self)
      if text.first?.isWhitespace == true, !fields.isEmpty {
        let more = text.drop { $0.isWhitespace }.onOneLine
        let isFirst = fields[fields.count - 1].value.isEmpty
        fields[fields.count - 1].value += isFirst || more.isEmpty ? more : " " + more
      } else if let colon = text.unicodeScalars.firstIndex(of: ":") {
        let value = String(text.unicodeScalars[colon...].dropFirst())
        fields.append(Field(text[..<colon].onOneLine, value.onOneLine))
      }
    }
    return fields
  }

  /// What lies where a bag is to be.
  package enum Presence: Sendable, Hashable {
    /// A bag with the fields that are wanted.
    case bag
    /// Something else; why the bag cannot be made, to stand after its path.
    case other(String)
  }

  static let neverReplaced = "a bag is never replaced"
  /// What to do where something else lies there.
  package static let remedy = "move it away, or choose another name"

  /// What lies where a bag with these fields of `bag-info.txt` is to be; nil: nothing. What is in the bag is
  /// not looked at.
  package static func presence(at path: FilePath, with fields: [Field]) -> Presence? {
    guard let status = try? FileStatus(at: path, followingLinks: false) else { return nil }
    guard status.kind == .folder, isBag(path) else { return .other("exists, and is no bag") }
    guard let difference = infoDifference(of: path, from: fields) else { return .bag }
    return .other("exists, and \(difference): \(neverReplaced)")
  }

  /// In what the facts that a bag has about it are others than those that are wanted, whatever their order
  /// is; nil where they are the same. Those that follow from the content do not count.
  private static func infoDifference(of folder: FilePath, from wanted: [Field]) -> String? {
    guard let found = fields(of: folder.appending(info)) else {
      return "its '\(info)' cannot be read"
    }
    let (here, there) = (values(of: wanted), values(of: found))
    let other = (wanted + found).first { field in
      let label = field.label.lowercased()
      return here[label] != there[label]
    }
    return other.map { "its '\(info)' has another '\($0.label)' than the job" }
  }

  /// The values of each label in lower case, in order, but for those that follow from the content.
  private static func values(of fields: [Field]) -> [String: [String]] {
    Dictionary(grouping: fields.filter { !BagLabels.isOwn($0.label) }) { $0.label.lowercased() }
      .mapValues { $0.map(\.value) }
  }

  /// What `Payload-Oxum` is for files of so many bytes together.
  static func oxum(bytes: Int64, files: Int) -> String { "\(bytes).\(files)" }
}

extension Substring {
  fileprivate var onOneLine: String { String(self).onOneLine }
}
