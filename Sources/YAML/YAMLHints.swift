import Diagnosis
import JobModel

/// Turns libyaml's errors into help: each rule is for one mistake, and suggests the likely meaning.
struct YAMLHints {
  private let problem: YAMLProblem
  private let source: SourceText
  private let origin: (YAMLMark, _ length: Int) -> Origin
  /// The line of the problem: what stands before it, and what from there on.
  private let line: Substring
  private let before: Substring
  private let after: Substring

  /// Help with `problem` of the text `source`, of whose places `origin` makes origins.
  init(
    _ problem: YAMLProblem, in source: SourceText,
    origin: @escaping (YAMLMark, _ length: Int) -> Origin
  ) {
    self.problem = problem
    self.source = source
    self.origin = origin
    line = source.line(problem.mark.line)
    after = Substring(line.unicodeScalars.dropFirst(problem.mark.column - 1))
    before = line[..<after.startIndex]
  }

  /// What to say.
  var diagnostic: Diagnostic {
    let rules: [(YAMLHints) -> Diagnostic?] = [
      \.indicator, \.document, \.minus, \.surrogate, \.escape, \.afterQuote, \.flowColon,
      \.unclosed,
      \.flowText, \.reservedCharacter, \.tab, \.colon, \.noColon, \.indentation,
    ]
    for rule in rules where isShort { if let diagnostic = rule(self) { return diagnostic } }
    return say(
      "this is no YAML: \(problem.text)", "x",
      help: "look for an indentation, a quote or a bracket that is not right, here or in the lines "
        + "above")
  }

  /// An anchor, an alias or a tag, which is what YAML makes of some first characters.
  static func refusal(of text: String, at origin: Origin) -> Diagnostic {
    let first = text.prefix(1)
    if first == "*", text.contains("/") || text.contains(".") {
      return Diagnostic(
        "no plain text may begin with '*'", at: origin,
        help: "quote the pattern, \"\(text)\", or write './\(text)'")
    }
    let kind = first == "&" ? "anchors" : first == "*" ? "aliases" : "tags"
    return Diagnostic(
      "no plain text may begin with '\(first)', and a job file has no \(kind)", at: origin,
      help: "quote the text, \"\(text)\""
        + (first == "!" ? "" : "; what is used twice goes under 'vars' or 'sources'"))
  }

  /// `null` and `~`, which are texts in quotes alone.
  static func null(_ text: String, at origin: Origin) -> Diagnostic {
    Diagnostic(
      "'\(text)' without quotes is no value", at: origin,
      help: "leave it out; \"\" is an empty text, which removes a tag, and \"\(text)\" is the word")
  }

  static func secondDocument(at origin: Origin) -> Diagnostic {
    Diagnostic(
      "a second document", at: origin,
      help: "a job file is one document; several jobs go under 'jobs'")
  }

  // MARK: Tools

  /// Whether the rules' expressions, which take the square of a line's length, may be applied.
  private var isShort: Bool {
    let number = problem.mark.line
    return [number, number - 1, problem.context?.mark.line ?? number]
      .allSatisfy { source.line($0).utf8.count <= 2000 }
  }

  /// An error at the problem, or at another place, of the length of `word`.
  private func say(
    _ message: String, at place: YAMLMark? = nil, _ word: String, help: String
  ) -> Diagnostic {
    let here = origin(place ?? problem.mark, word.unicodeScalars.count)
    // It quotes the line, as a screen does, and only as much.
    return Diagnostic(message, at: here, help: MediaURL.maskedLine(help))
  }

  /// What follows `mark` on its line.
  private func rest(at mark: YAMLMark) -> Substring {
    Substring(source.line(mark.line).unicodeScalars.dropFirst(mark.column - 1))
  }

  /// `text`, a part of line `number`, without the blanks around it, and where it begins.
  private func word(_ text: Substring, on number: Int) -> (text: String, mark: YAMLMark) {
    let word = text.drop { $0 == " " }
    let column = source.line(number)[..<word.startIndex].unicodeScalars.count + 1
    return (trimmed(word), YAMLMark(line: number, column: column))
  }

  private func withoutComment(_ line: Substring) -> String {
    trimmed(line.prefixMatch(of: /(.+?)(?: #.*)/)?.1 ?? line)
  }

  private var isFirstOnLine: Bool { before.allSatisfy { $0 == " " } }
  private var lacksComma: Bool { problem.text.hasPrefix("did not find expected ','") }
}

// MARK: - Rules

extension YAMLHints {
  /// `&.x`, `!a!b`
  private var indicator: Diagnostic? {
    guard let mark = problem.context?.mark,
      let word = rest(at: mark).prefixMatch(of: /[&!][^ \t,\]}]*/)?.output
    else { return nil }
    return Self.refusal(of: String(word), at: origin(mark, word.unicodeScalars.count))
  }

  private var document: Diagnostic? {
    guard problem.text.contains("<document start>") else { return nil }
    return Self.secondDocument(at: origin(problem.mark, after.unicodeScalars.count))
  }

  /// `gain: - 18 dB`
  private var minus: Diagnostic? {
    if after.wholeMatch(of: /- *(?: #.*)?/) != nil {
      return say(
        "'-' stands for a pipe, and avjob reads and writes files only", "-",
        help: "name a file: an MP3 written to a pipe loses its tag")
    }
    guard after.hasPrefix("- ") else { return nil }
    if isFirstOnLine { return indentation }
    if let value = after.prefixMatch(of: /- +((?:[0-9.]|inf)[^,\]}#]*)/)?.1 {
      return say(
        "a minus with a space after it begins a list", "-",
        help: "no space after the minus: '-\(trimmed(value))'")
    }
    return say(
      "a list begins on a line of its own", "-", help: "write it below the key, or as [a, b]")
  }

  /// `"\ud83d"`, of which the other half is missing.
  private var surrogate: Diagnostic? {
    guard problem.text.contains("escape"), before.hasSuffix("\\u"),
      let digits = after.prefixMatch(of: /[dD][89a-fA-F][0-9a-fA-F]{2}/)?.output
    else { return nil }
    var start = problem.mark
    start.column -= 2
    return say(
      "'\\u\(digits)' is half of a character, and the other half is not beside it", at: start,
      "\\u\(digits)", help: "write the character itself, or both halves, as '\\ud83d\\ude00'")
  }

  /// `"C:\Users\me"`
  private var escape: Diagnostic? {
    guard problem.text.contains("escape") || problem.text.contains("hexdecimal"),
      let mark = problem.context?.mark, mark.line == problem.mark.line
    else { return nil }
    let inner = rest(at: mark).dropFirst().prefix { $0 != "\"" }
    let windows = inner.wholeMatch(of: /([A-Za-z]):\\(.*)/).map { match in
      "/mnt/\(match.1.lowercased())/" + match.2.replacingScalars("\\", with: "/")
    }
    return say(
      "in double quotes '\\' begins an escape", at: mark, "\"\(inner)\"",
      help: windows.map { "avjob runs on Linux: write '\($0)', or where the file is there" }
        ?? "single quotes take the text as it is: '\(inner)'")
  }

  /// `title: "A" and b`, `{ title: 'It's me' }`
  private var afterQuote: Diagnostic? {
    let isPossible =
      lacksComma ? !"'\"{[".contains(after.prefix(1)) : problem.text.hasSuffix(" key")
    guard isPossible, !after.isEmpty, let quote = before.last(where: { $0 != " " }),
      quote == "'" || quote == "\""
    else { return nil }
    return say(
      "text after a closing quote", trimmed(after),
      help: quote == "'"
        ? "quote the whole text; '' is a quote within single ones" : "quote the whole text")
  }

  /// `{ title: Part 2: End }`
  private var flowColon: Diagnostic? {
    guard lacksComma, after.first == ":",
      let start = before.firstMatch(of: /[^{,:]*:([^{,]*)$/)?.1.startIndex
    else { return nil }
    let end = after.firstIndex { ",}]".contains($0) } ?? after.endIndex
    return unquoted(word(line[start..<end], on: problem.mark.line))
  }

  private func unquoted(_ value: (text: String, mark: YAMLMark)) -> Diagnostic {
    say(
      "a text with a colon and a space in it must be quoted", at: value.mark, value.text,
      help: "write \"\(value.text)\"")
  }

  /// `a: [1, 2` and `a: "x`
  private var unclosed: Diagnostic? {
    guard let mark = problem.context?.mark else { return nil }
    if problem.text.contains("end of stream") || problem.text.contains("document indicator") {
      return say(
        "this quote is never closed", at: mark, "\"", help: "end the text with the same quote")
    }
    guard lacksComma, !after.hasPrefix("{"), !after.hasPrefix("[") else { return nil }
    guard after.isEmpty || problem.mark.line > mark.line else {
      return say(
        "a comma is missing", ",",
        help: "inside {} and [] values stand between commas; "
          + "quote a text that holds quotes or brackets")
    }
    let opener = String(rest(at: mark).prefix(1))
    // `{ title: Ice #1 }`, where the comment hides the bracket.
    if let hidden = rest(at: mark).firstMatch(of: /([^:,{\[]*) (#[^ \t#\-=][^,}\]]*)/) {
      return say(
        "'#' begins a comment, and so the '\(opener)' is never closed",
        at: word(hidden.2, on: mark.line).mark, String(hidden.2),
        help: "quote the text if the '#' belongs to it: "
          + "\"\(trimmed(hidden.0))\"")
    }
    return say(
      "this '\(opener)' is never closed", at: mark, opener,
      help: "add the '\(opener == "{" ? "}" : "]")' that ends it")
  }

  /// `{ f: ${x} }`, `[${a}, b]` and `[memos/*.{amr,m4a}]`
  private var flowText: Diagnostic? {
    guard problem.text.hasPrefix("did not find expected"),
      after.hasPrefix("{") || after.hasPrefix("["),
      let start = before.firstMatch(of: /(?:^|[\[{,]|: )((?:[^\[{,:]|:(?! ))*)$/)?.1.startIndex
    else { return nil }
    var depth = 0
    let end = after.firstIndex { character in
      if "{[".contains(character) { depth += 1 }
      if "}]".contains(character) { depth -= 1 }
      return depth < 0 || character == "," && depth == 0
    }
    let value = word(line[start..<(end ?? after.endIndex)], on: problem.mark.line)
    let kind = value.text.contains("${") ? "variable" : "pattern with braces"
    return say(
      "inside {} and [] a \(kind) must be quoted", at: value.mark, value.text,
      help: "write \"\(value.text)\"")
  }

  /// `@x`, a backtick, `%50`
  private var reservedCharacter: Diagnostic? {
    let directive = problem.context.flatMap { $0.text.contains("directive") ? $0.mark : nil }
    guard directive != nil || problem.text.contains("cannot start any token"),
      let word = rest(at: directive ?? problem.mark).prefixMatch(of: /[%@`][^,\]}#]*/)?.output
    else { return nil }
    let value = trimmed(word)
    return say(
      "no plain text may begin with '\(value.prefix(1))'", at: directive, value,
      help: "quote it: \"\(value)\"")
  }

  private var tab: Diagnostic? {
    guard problem.text.contains("cannot start any token") || problem.text.contains("tab"),
      after.prefixMatch(of: /\ *\t/) != nil
    else { return nil }
    return say("a tab in the indentation", "x", help: "indent with spaces")
  }

  /// `title: Part 2: End`
  private var colon: Diagnostic? {
    guard problem.text.hasPrefix("mapping values are not allowed") else { return nil }
    let number = problem.mark.line
    if before.firstIndex(of: ":") != nil,
      let value = line.prefixMatch(of: /[^:]*: (.*)/)?.1
    {
      let (text, mark) = word(value, on: number)
      return unquoted((withoutComment(text[...]), mark))
    }
    let (_, place) = word(source.line(number - 1), on: number - 1)
    let above = withoutComment(source.line(number - 1))
    if let diagnostic = noSpace(above, at: place) { return diagnostic }
    if !above.isEmpty, !above.contains(":"), !above.hasPrefix("- ") {
      return noColon(after: above, at: place)
    }
    let key = word(before, on: number)
    return say(
      "a key where a text goes on", at: key.mark, key.text,
      help: above.isEmpty
        ? "check the indentation"
        : "the line above, '\(above)', has a value: keys cannot stand below it")
  }

  /// A line such as `clip a.wav` in a map.
  private var noColon: Diagnostic? {
    guard problem.text.contains("could not find expected ':'"), let mark = problem.context?.mark
    else { return nil }
    let word = withoutComment(source.line(mark.line))
    if let item = word.wholeMatch(of: /-([^ ].*)/)?.1 {
      return say("no space after the '-' of a list", at: mark, word, help: "write '- \(item)'")
    }
    return noSpace(word, at: mark) ?? noColon(after: word, at: mark)
  }

  private func noColon(after key: String, at mark: YAMLMark) -> Diagnostic {
    say("no ':' after a key", at: mark, key, help: "a line of a map is 'key: value'")
  }

  /// `clip:a.wav`
  private func noSpace(_ line: String, at mark: YAMLMark) -> Diagnostic? {
    guard let (_, key, value) = line.wholeMatch(of: /([\p{L}_]+):([^ \/].*)/)?.output else {
      return nil
    }
    return say("no space after a colon", at: mark, line, help: "write '\(key): \(value)'")
  }

  private var indentation: Diagnostic? {
    guard isFirstOnLine else { return nil }
    return say(
      "this line is indented unlike those above it", trimmed(after),
      help: "the keys of a map, and the '-' of a list, stand in one column")
  }
}
