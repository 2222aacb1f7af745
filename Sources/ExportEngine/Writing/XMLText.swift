import Diagnosis

/// Text inside XML.
package enum XMLText {
  /// Text for element content and for attributes in double quotes that parses back to `text` (XML
  /// 1.0 §2.2, §2.4 and §3.3.3, which would turn line feeds into spaces). Characters that XML
  /// cannot hold become U+FFFD; other controls and marks of direction are references, which parse
  /// back, and do nothing to who reads the file itself. O(length).
  package static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r": result += "&#\(scalar.value);"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      case _ where scalar.isUnprintable: result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
