import Diagnosis
import JobModel
import YAML

extension ArgumentNode {
  /// The same tree as a job file, which reads back unchanged: lists and maps in blocks, one value a
  /// line, texts in quotes where YAML or the language would read them otherwise. Keys are printed
  /// unchanged: in them `${` begins a variable.
  package var yaml: String {
    var lines: [String] = []
    append(to: &lines, indent: "")
    return lines.joined(separator: "\n") + "\n"
  }

  private func append(to lines: inout [String], indent: String) {
    switch self {
    case .text(let text, _): lines.append(indent + Self.scalar(Template.literal(text)))
    case .list(let nodes, _):
      for node in nodes { node.append(to: &lines, after: "- ", indent: indent) }
    case .map(let entries, _):
      for entry in entries {
        let key = Self.scalar(entry.key) + ":"
        if case .text(let text, _) = entry.value {
          lines.append(indent + key + " " + Self.scalar(Template.literal(text)))
        } else {
          lines.append(indent + key)
          entry.value.append(to: &lines, indent: indent + "  ")
        }
      }
    }
  }

  /// An element of a list, with its first line after the dash.
  private func append(to lines: inout [String], after dash: String, indent: String) {
    var own: [String] = []
    append(to: &own, indent: "")
    for (index, line) in own.enumerated() {
      lines.append(indent + (index == 0 ? dash : "  ") + line)
    }
  }

  /// `text` plain where it reads back as itself, and else in double quotes, which can hold every
  /// character (YAML 1.2.2, section 7.3.1).
  static func scalar(_ text: String) -> String { isPlain(text) ? text : quoted(text) }

  /// `text` as a scalar inside brackets and braces: a plain one has no colon, about which YAML's
  /// readers disagree there.
  static func flowScalar(_ text: String) -> String {
    isPlain(text) && !text.containsScalars(":") ? text : quoted(text)
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      default:
        guard needsEscape(scalar) else {
          quoted.unicodeScalars.append(scalar)
          continue
        }
        let (mark, width) = scalar.value > 0xFFFF ? ("\\U", 8) : ("\\u", 4)
        quoted += mark + scalar.value.digits(width, radix: 16)
      }
    }
    // To runners of CI systems, a command wherever it stands in a line.
    return quoted.replacingScalars("##", with: "#\\u0023") + "\""
  }

  /// Characters that YAML does not print, and those that change a line's direction.
  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xFEFF, 0xFFFE, 0xFFFF, 0x10_0000...: true
    default: scalar.isUnprintable
    }
  }

  private static func isPlain(_ text: String) -> Bool {
    guard !YAMLScalar.isNull(text),
      let first = text.unicodeScalars.first, let last = text.unicodeScalars.last
    else { return false }
    let second = text.unicodeScalars.dropFirst().first
    let startsWell =
      isWord(first) || first == "/" || first == "." || (first == "-" && second.map(isWord) == true)
    guard startsWell, last != " ", last != ":" else { return false }
    var before: Unicode.Scalar = "x"
    for scalar in text.unicodeScalars {
      defer { before = scalar }
      if scalar == " " {
        // One blank, and none after a colon.
        guard before != " ", before != ":" else { return false }
      } else {
        guard isWord(scalar) || "./-+%:".unicodeScalars.contains(scalar) else { return false }
      }
    }
    return true
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
      : scalar.properties.isAlphabetic && scalar.value < 0x10_0000
  }
}
