import Glibc
import SystemPackage

/// A JSON value whose members keep their order, and whose text depends on nothing else: no locale,
/// no version of a library (RFC 8259).
package enum JSONValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  /// Rounded to so many decimals, half away from zero, and written without trailing zeros; null
  /// where it is no finite number.
  case number(Double, decimals: Int)
  case text(String)
  case list([JSONValue])
  /// In this order; no name twice.
  case object([Member])

  /// A name and what stands behind it.
  package struct Member: Sendable, Hashable {
    package var name: String
    package var value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// An object of the members that have a value.
  package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  /// An object that begins with a file's path: `path`, and where that is not UTF-8, and so no
  /// text that would lead back to the file, its bytes in hexadecimal as `path_hex`.
  package static func file(
    _ path: FilePath, _ others: KeyValuePairs<String, JSONValue?>
  ) -> JSONValue {
    var all = [Member(name: "path", value: .text(path.string))]
    if String(validating: path) == nil {
      let bytes = path.withPlatformString { name in
        (0..<strlen(name)).map { UInt8(bitPattern: name[$0]) }
      }
      all.append(Member(name: "path_hex", value: .text(hexadecimal(bytes))))
    }
    guard case .object(let rest) = members(others) else { return .object(all) }
    return .object(all + rest)
  }

  /// Two lower-case digits a byte.
  package static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
  }

  /// An integer.
  package static func count(_ number: some BinaryInteger) -> JSONValue {
    .integer(Int64(clamping: number))
  }

  /// On one line, without spaces. O(length).
  package var line: String {
    var text = ""
    write(to: &text, indent: nil)
    return text
  }

  /// Indented by two spaces for each level, with a final line feed. O(length).
  package var document: String {
    var text = ""
    write(to: &text, indent: "\n")
    return text + "\n"
  }

  /// With `indent` a line feed and the present indentation, or nil for everything on one line.
  private func write(to text: inout String, indent: String?) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value, let decimals): text += Self.decimal(value, decimals)
    case .text(let value): text += Self.quoted(value)
    case .list(let values):
      Self.write("[", values, "]", to: &text, indent) { value, text, indent in
        value.write(to: &text, indent: indent)
      }
    case .object(let members):
      Self.write("{", members, "}", to: &text, indent) { member, text, indent in
        text += Self.quoted(member.name) + (indent == nil ? ":" : ": ")
        member.value.write(to: &text, indent: indent)
      }
    }
  }

  private static func write<Element>(
    _ opening: String, _ elements: [Element], _ closing: String, to text: inout String,
    _ indent: String?, _ write: (Element, inout String, String?) -> Void
  ) {
    text += opening
    let inner = indent.map { $0 + "  " }
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      text += inner ?? ""
      write(element, &text, inner)
    }
    if !elements.isEmpty { text += indent ?? "" }
    text += closing
  }

  private static func decimal(_ value: Double, _ decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let scaled = (value * scale).rounded(.toNearestOrAwayFromZero)
    guard let units = Int64(exactly: scaled), let factor = Int64(exactly: scale) else {
      return "null"
    }
    let (whole, rest) = units.magnitude.quotientAndRemainder(dividingBy: factor.magnitude)
    var fraction = Substring(String(rest))
    fraction = String(repeating: "0", count: max(0, decimals - fraction.count)) + fraction
    while fraction.last == "0" { fraction.removeLast() }
    return (units < 0 ? "-" : "") + String(whole) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// A string (§7). Controls beyond those that must be escaped are escaped too, so that a line that
  /// is shown on a terminal gives it no orders.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
