/// Text inside XML.
package enum XMLText {
  /// What may stand between tags and as an attribute's value in double quotes, and is read there as
  /// `text` (XML 1.0 §2.2, §2.4 and §3.3.3, which would make spaces of line feeds). What has no place
  /// in XML at all becomes U+FFFD. O(length).
  package static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r": result += "&#\(scalar.value);"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
