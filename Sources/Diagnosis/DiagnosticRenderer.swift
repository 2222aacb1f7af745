extension Diagnostic {
  /// How diagnostics look.
  public enum Style: Sendable, Hashable {
    /// For files, pipes and tests.
    case plain
    /// For terminals (ECMA-48 `SGR`).
    case colour
  }

  /// The diagnostic as a compiler prints it: place, message, the line with a caret, help, notes.
  ///
  /// ```text
  /// jobs/podcast.yaml:12:9: error: unknown key 'fade_on'
  ///    12 |         fade_on: 2s
  ///       |         ^~~~~~~
  ///   help: did you mean 'fade_in'?
  /// ```
  ///
  /// Of a text that another one names, that place is noted too, and of a value that stands in a
  /// table, where it is used.
  ///
  /// Control characters come out escaped: nothing in a job file reaches the terminal as a command.
  public func render(in map: SourceMap, style: Style = .plain) -> String {
    let paint = Paint(style: style)
    var lines = paint.headline(severity.rawValue, message, at: map.place(of: origin), in: map)
    if let help { lines.append("  " + paint.bold("help:") + " " + printable(shortened(help))) }
    for note in notes {
      lines += paint.headline("note", note.message, at: map.place(of: note.origin), in: map)
    }
    if let use = map.place(of: map.use(of: origin)) {
      lines += paint.headline("note", "it is used here", at: use, in: map)
    }
    var place = map.place(of: origin)
    while let here = place {
      let inclusion = map.inclusion(of: here)
      place = map.place(of: inclusion.origin)
      lines += place.map { paint.headline("note", inclusion.message, at: $0, in: map) } ?? []
    }
    return lines.joined(separator: "\n")
  }
}

extension Diagnostics {
  /// All of them, in order of place, each as `Diagnostic.render` prints it.
  public func render(in map: SourceMap, style: Diagnostic.Style = .plain) -> String {
    sorted(by: map).all.map { $0.render(in: map, style: style) }.joined(separator: "\n")
  }
}

/// Lines of a diagnostic in one style.
private struct Paint {
  let style: Diagnostic.Style

  func bold(_ text: String) -> String { sgr("1", text) }

  func headline(_ label: String, _ message: String, at place: Place?, in map: SourceMap) -> [String]
  {
    let colour = ["error": "1;31", "warning": "1;35"][label] ?? "1;36"
    let where_ = place.map { bold("\(printable($0.file)):\($0.line):\($0.column):") + " " } ?? ""
    let head = where_ + sgr(colour, label + ":") + " " + bold(printable(shortened(message)))
    guard let place else { return [head] }
    let snippet = Snippet(of: map.line(at: place), at: place)
    let number = String(place.line)
    let margin = String(repeating: " ", count: max(0, 5 - number.count)) + number
    let blank = String(repeating: " ", count: margin.count)
    return [
      head, margin + " | " + snippet.text,
      blank + " | " + snippet.indent + sgr("1;32", snippet.caret),
    ]
  }

  private func sgr(_ code: String, _ text: String) -> String {
    style == .colour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// A line of a source and the caret below a stretch of it.
private struct Snippet {
  /// Of a longer line only a window around the caret is shown, in scalars.
  static let window = 160

  var text: String
  var indent: String
  var caret: String

  init(of line: Substring, at place: Place) {
    let view = line.unicodeScalars
    let isLong = !view.dropFirst(Self.window).isEmpty
    let first = isLong ? max(0, place.column - 1 - Self.window / 3) : 0
    let rest = view.dropFirst(first)
    let scalars = Array(rest.prefix(Self.window))
    let start = min(place.column - 1 - first, scalars.count)
    let length = max(1, min(place.length, scalars.count - start))
    text = first > 0 ? "…" : ""
    indent = String(repeating: " ", count: text.count)
    var width = 0
    for (index, scalar) in scalars.enumerated() {
      let shown = scalar == "\t" ? "\t" : printable(String(scalar))
      text += shown
      let columns = shown.unicodeScalars.reduce(0) { $0 + columnCount(of: $1) }
      if index < start { indent += scalar == "\t" ? "\t" : String(repeating: " ", count: columns) }
      if index >= start, index < start + length { width += columns }
    }
    if !rest.dropFirst(Self.window).isEmpty { text += "…" }
    caret = "^" + String(repeating: "~", count: max(0, width - 1))
  }
}

/// `text`, cut where it is longer than anyone reads: a message may quote a whole value.
private func shortened(_ text: String) -> String {
  let limit = 600
  let rest = text.unicodeScalars.dropFirst(limit)
  return rest.isEmpty ? text : String(text.unicodeScalars.prefix(limit)) + "…"
}

/// `text` with control and direction-changing characters escaped.
package func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if isUnprintable(scalar) {
      result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

private func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0: true
  // Bidirectional controls (Unicode TR 36, "Trojan source"), line and paragraph separators.
  case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
  default: false
  }
}

/// How many columns a terminal gives to a character (after Unicode TR 11).
private func columnCount(of scalar: Unicode.Scalar) -> Int {
  switch scalar.value {
  case 0..<0x300: return 1
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1FAFF,
    0x20000...0x3FFFD:
    return 2
  default: break
  }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format: return 0
  default: return 1
  }
}
