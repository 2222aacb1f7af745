/// A value of a message (D-Bus specification, "Type System"), as far as avjob has use for it.
package enum DBusValue: Sendable, Hashable {
  case boolean(Bool)
  case int32(Int32)
  case int64(Int64)
  case double(Double)
  case string(String)
  /// The path of an object: `/` or names of letters, digits and `_`, each after a `/`.
  case objectPath(String)
  /// A list of values that all have a signature, which an empty list needs, too.
  case array(of: String, [DBusValue])
  /// Values of any types by their names, `a{sv}`, in order.
  case dictionary([Entry])

  /// An entry of a dictionary.
  package struct Entry: Sendable, Hashable {
    /// Its name.
    package var key: String
    /// Its value.
    package var value: DBusValue

    /// An entry.
    package init(_ key: String, _ value: DBusValue) { (self.key, self.value) = (key, value) }
  }

  /// The type of the value: `s`, `ao`, `a{sv}` (D-Bus specification, "Summary of types").
  package var signature: String {
    switch self {
    case .boolean: "b"
    case .int32: "i"
    case .int64: "x"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .array(let element, _): "a" + element
    case .dictionary: "a{sv}"
    }
  }

  /// A list of texts.
  package static func strings(_ texts: [String]) -> DBusValue {
    .array(of: "s", texts.map { .string($0) })
  }

  /// A list of paths of objects.
  package static func objectPaths(_ paths: [String]) -> DBusValue {
    .array(of: "o", paths.map { .objectPath($0) })
  }
}

extension String {
  /// The text without what no message may hold: NUL, and the code points that are no characters,
  /// which libsystemd refuses.
  var fitForDBus: String {
    guard unicodeScalars.contains(where: { !$0.isFitForDBus }) else { return self }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: unicodeScalars.lazy.map { $0.isFitForDBus ? $0 : "\u{FFFD}" })
    return String(text)
  }
}

extension Unicode.Scalar {
  fileprivate var isFitForDBus: Bool {
    value != 0 && !(0xFDD0...0xFDEF).contains(value) && value & 0xFFFE != 0xFFFE
  }
}
