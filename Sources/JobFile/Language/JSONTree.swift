/// A value of JSON (RFC 8259), whose maps keep their order.
indirect enum JSONTree: Sendable {
  case text(String)
  case number(String)
  case boolean(Bool)
  case list([JSONTree])
  case map([(key: String, value: JSONTree)])

  /// The entries of a map; none of anything else.
  var entries: [(key: String, value: JSONTree)] {
    if case .map(let entries) = self { entries } else { [] }
  }

  /// The map with the entries of `other` behind its own.
  func with(_ other: JSONTree) -> JSONTree { .map(entries + other.entries) }

  /// As text, indented by two spaces a level, with short lists and maps on one line.
  var rendered: String { rendered(indent: "") + "\n" }

  private func rendered(indent: String) -> String {
    let line = compact
    if indent.count + line.count <= 96 { return line }
    let inner = indent + "  "
    switch self {
    case .text, .number, .boolean: return line
    case .list(let values):
      let lines = values.map { inner + $0.rendered(indent: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
    case .map(let entries):
      let lines = entries.map { key, value in
        inner + Self.quoted(key) + ": " + value.rendered(indent: inner)
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    }
  }

  private var compact: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .number(let number): number
    case .boolean(let value): value ? "true" : "false"
    case .list(let values): "[" + values.map(\.compact).joined(separator: ", ") + "]"
    case .map(let entries):
      entries.isEmpty
        ? "{}"
        : "{ " + entries.map { Self.quoted($0) + ": " + $1.compact }.joined(separator: ", ") + " }"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      default:
        guard scalar.value < 0x20 else {
          quoted.unicodeScalars.append(scalar)
          continue
        }
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return quoted + "\""
  }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(booleanLiteral value: Bool) { self = .boolean(value) }
  init(integerLiteral value: Int) { self = .number("\(value)") }
  init(arrayLiteral elements: JSONTree...) { self = .list(elements) }
  init(dictionaryLiteral elements: (String, JSONTree)...) {
    self = .map(elements.map { (key: $0.0, value: $0.1) })
  }
}
