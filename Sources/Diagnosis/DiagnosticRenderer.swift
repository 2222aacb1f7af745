extension Diagnostic {
  /// How diagnostics look.
  package enum Style: Sendable, Hashable {
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
  /// Of addresses, user, password and query come out as stars.
  package func render(in map: SourceMap, style: Style = .plain) -> String {
    let paint = Paint(style: style)
    var lines = paint.headline(severity.rawValue, message, at: map.place(of: origin), in: map)
    if let help {
      lines.append("  " + paint.bold("help:") + " " + shown(help))
    }
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
  /// How many diagnostics that say the same are shown one by one.
  static let mostAlike = 8

  /// All of them, in order of place, each as `Diagnostic.render` prints it. Of more than `mostAlike`
  /// that say the same of different things the first is shown, with how many others there are and
  /// the first of their places; of those that are to be listed each other message follows in a line. Of
  /// more than `limit` errors or warnings that remain, the rest is counted.
  package func render(
    in map: SourceMap, style: Diagnostic.Style = .plain, limit: Int = .max
  ) -> String {
    let sorted = sorted(by: map).all
    let alike = Dictionary(grouping: sorted, by: Gist.init)
    var seen: Set<Gist> = []
    var blocks: [String] = []
    var counts: [Diagnostic.Severity: Int] = [:]
    for diagnostic in sorted {
      let gist = Gist(diagnostic)
      let others = alike[gist]?.dropFirst() ?? []
      let isFolded = others.count >= Self.mostAlike
      guard !isFolded || seen.insert(gist).inserted else { continue }
      counts[diagnostic.severity, default: 0] += 1
      guard counts[diagnostic.severity, default: 0] <= limit else { continue }
      blocks.append(diagnostic.render(in: map, style: style))
      guard isFolded else { continue }
      blocks += others.filter(\.isListed).map { "  " + shown($0.message) }
      let counted = others.filter { !$0.isListed }
      if !counted.isEmpty { blocks.append("  " + diagnostic.summary(of: counted, in: map)) }
    }
    blocks += Self.rests(counts, limit).map { $0.render(in: map, style: style) }
    return blocks.joined(separator: "\n")
  }
}

/// What a diagnostic says, whatever text in quotes and whatever numbers it says it of.
private struct Gist: Hashable {
  let severity: Diagnostic.Severity
  let remedy: Failure.Remedy
  let message: String

  init(_ diagnostic: Diagnostic) {
    severity = diagnostic.severity
    remedy = diagnostic.remedy
    message = Self.gist(of: diagnostic.message)
  }

  private static func gist(of text: String) -> String {
    var gist: [UInt8] = []
    var isQuoted = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "'") { isQuoted.toggle() }
      if !isQuoted, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { gist.append(byte) }
    }
    return String(decoding: gist, as: UTF8.self)
  }
}

extension Diagnostic {
  /// How many `others` say the same, and where; of those at this place, what they say it of.
  fileprivate func summary(of others: some Collection<Diagnostic>, in map: SourceMap) -> String {
    let own = map.place(of: origin)
    var examples: [String] = []
    for other in others where examples.count < 6 {
      let place = map.place(of: other.origin)
      let example =
        place == own ? other.subject : place.map { "\($0.file):\($0.line):\($0.column)" }
      if let example, example != subject, !examples.contains(example) { examples.append(example) }
    }
    let text = examples.prefix(5).joined(separator: ", ") + (examples.count > 5 ? " …" : "")
    return "and \(others.count) more like it" + (text.isEmpty ? "" : ": " + shown(text))
  }

  /// The first text in quotes.
  private var subject: String? {
    let parts = message.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 ? "'\(parts[1])'" : nil
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
    let head = where_ + sgr(colour, label + ":") + " " + bold(shown(message))
    guard let place, map.isQuoted(place) else { return [head] }
    let snippet = Snippet(of: map.line(at: place), after: map.previousLine(of: place), at: place)
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

  init(of line: Substring, after previous: Substring, at place: Place) {
    let view = MediaURL.maskedLine(String(line), after: String(previous)).unicodeScalars
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
      let columns = scalar == "\t" ? 1 : shown.unicodeScalars.reduce(0) { $0 + $1.columns }
      if index < start { indent += scalar == "\t" ? "\t" : String(repeating: " ", count: columns) }
      if index >= start, index < start + length { width += columns }
    }
    if !rest.dropFirst(Self.window).isEmpty { text += "…" }
    caret = "^" + String(repeating: "~", count: max(0, width - 1))
  }
}

/// `text` for a terminal: without secrets, not too long, and without control characters.
private func shown(_ text: String) -> String {
  // Masked first: a password that is cut before its '@' cannot be found any more.
  printable(shortened(MediaURL.masked(text)))
}

/// `text`, cut where it is longer than anyone reads: a message may quote a whole value.
private func shortened(_ text: String) -> String {
  let limit = 600
  let rest = text.unicodeScalars.dropFirst(limit)
  return rest.isEmpty ? text : String(text.unicodeScalars.prefix(limit)) + "…"
}

/// `text` with control and direction-changing characters escaped.
package func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.isUnprintable) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if scalar.isUnprintable {
      result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}
