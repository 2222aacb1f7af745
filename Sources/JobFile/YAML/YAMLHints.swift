import Diagnosis
import JobModel
import MediaComposition
import Yams

/// Turns YAML's own errors into help: each names what was probably meant.
struct YAMLHints {
  let text: SourceText
  let map: SourceMap
  let source: SourceMap.Source

  /// An anchor, alias or tag: none is meant by most who write one.
  static func refusal(
    of indicator: YAMLMask.Indicator, in text: String, at origin: Origin
  ) -> Diagnostic {
    let first = text.prefix(1)
    switch indicator {
    case .alias where text.contains("/") || text.contains("."):
      return Diagnostic(
        "no plain text may begin with '\(first)'", at: origin,
        help: "quote the pattern, \"\(text)\", or write './\(text)'")
    case .alias, .anchor:
      return Diagnostic(
        "no plain text may begin with '\(first)', and a job file has no \(indicator.rawValue)",
        at: origin,
        help: "quote the text, \"\(text)\"; what is used twice goes under 'vars' or 'sources'")
    case .tag:
      return Diagnostic(
        "no plain text may begin with '\(first)', and a job file has no \(indicator.rawValue)",
        at: origin, help: "quote the text, \"\(text)\"")
    }
  }

  /// What to say about an error that Yams threw.
  func diagnostic(for error: any Error) -> Diagnostic {
    switch error {
    case YamlError.scanner(let context, let problem, let mark, _),
      YamlError.parser(let context, let problem, let mark, _),
      YamlError.composer(let context, let problem, let mark, _):
      let problem = YAMLProblem(text: problem, mark: mark, context: context, source: text)
      return explain(problem)
    default:
      return Diagnostic("this is no YAML: \(error)", at: origin(1, 1, 1), help: Self.usual)
    }
  }

  private func explain(_ problem: YAMLProblem) -> Diagnostic {
    for rule in [
      indicator, document, depth, minus, escape, afterQuote, flowColon, unclosed, flowVariable,
      reservedCharacter, tab, colon, noColon, indentation,
    ] {
      if let diagnostic = rule(problem) { return diagnostic }
    }
    return Diagnostic(
      "this is no YAML: \(problem.text)", at: origin(problem.mark), help: Self.usual)
  }

  /// What is wrong where nothing else is known.
  private static let usual =
    "look for an indentation, a quote or a bracket that is not right, here or in the lines above"

  private func origin(_ line: Int, _ column: Int, _ length: Int) -> Origin {
    map.origin(in: source, line: line, column: column, length: length)
  }

  private func origin(_ mark: Mark, length: Int = 1) -> Origin {
    origin(mark.line, mark.column, length)
  }
}

// MARK: - Rules: each knows one mistake

extension YAMLHints {
  /// `x: &a { k: v }`, `gain: !db 3` and the like, where what follows is no text.
  private func indicator(_ problem: YAMLProblem) -> Diagnostic? {
    func find(_ line: some Collection<Unicode.Scalar>, _ number: Int) -> Diagnostic? {
      let line = Array(line)
      for index in line.indices.reversed() where "&*!".unicodeScalars.contains(line[index]) {
        let before = index == 0 ? " " : line[index - 1]
        let word = line[index...].prefix { !" \t,]}".unicodeScalars.contains($0) }
        let lead = line[..<index].last { $0 != " " && $0 != "\t" }
        let startsValue = lead.map { ":-[{,?".unicodeScalars.contains($0) } ?? true
        guard startsValue, " \t[{,".unicodeScalars.contains(before), word.count > 1 else {
          continue
        }
        let kind: YAMLMask.Indicator =
          line[index] == "&" ? .anchor : line[index] == "*" ? .alias : .tag
        return Self.refusal(
          of: kind, in: string(word), at: origin(number, index + 1, word.count))
      }
      return nil
    }
    guard problem.character != "\"", problem.character != "'" else { return nil }
    return find(problem.before, problem.mark.line)
      ?? (problem.text.hasPrefix("mapping values")
        ? find(problem.lineBefore, problem.mark.line - 1) : nil)
  }

  private func document(_ problem: YAMLProblem) -> Diagnostic? {
    guard problem.text.contains("another document") || problem.text.contains("<document start>")
    else { return nil }
    return Diagnostic(
      "a second document", at: origin(problem.mark, length: max(1, problem.after.count)),
      help: "a job file is one document; several jobs go under 'jobs'")
  }

  private func depth(_ problem: YAMLProblem) -> Diagnostic? {
    guard problem.text.contains("nesting level") else { return nil }
    return Diagnostic(
      "nested more than \(YAMLReader.depthLimit) levels deep", at: origin(problem.mark),
      help: YAMLReader.depthHelp)
  }

  /// `gain: - 18 dB`
  private func minus(_ problem: YAMLProblem) -> Diagnostic? {
    guard problem.character == "-" else { return nil }
    if trimmed(withoutComment(string(problem.after))) == "-" {
      return Diagnostic(
        "'-' stands for a pipe, and avjob reads and writes files only", at: origin(problem.mark),
        help: "name a file: an MP3 written to a pipe loses its tag")
    }
    guard problem.after.dropFirst().first == " " else { return nil }
    guard !problem.before.allSatisfy({ $0 == " " }) else { return indentation(problem) }
    let rest = problem.after.dropFirst().drop { $0 == " " }
    if rest.first?.isASCIIDigit == true || rest.first == "." || string(rest).hasPrefix("inf") {
      let value = trimmed(string(rest.prefix { !",]}#".unicodeScalars.contains($0) }))
      return Diagnostic(
        "a minus with a space after it begins a list", at: origin(problem.mark),
        help: "no space after the minus: '-\(value)'")
    }
    return Diagnostic(
      "a list begins on a line of its own", at: origin(problem.mark),
      help: "write it below the key, or as [a, b]")
  }

  /// `a: [1, 2` and `a: "x`
  private func unclosed(_ problem: YAMLProblem) -> Diagnostic? {
    guard let context = problem.context else { return nil }
    if problem.text.contains("unexpected end of stream")
      || problem.text.contains("document indicator")
    {
      return Diagnostic(
        "this quote is never closed", at: origin(context.mark),
        help: "end the text with the same quote")
    }
    guard problem.text.hasPrefix("did not find expected ','"),
      problem.character != "{", problem.character != "["
    else { return nil }
    let opener =
      problem.source.line(context.mark.line).unicodeScalars
      .dropFirst(context.mark.column - 1).first.map(String.init) ?? "["
    if problem.after.isEmpty || problem.mark.line > context.mark.line {
      if let diagnostic = comment(in: context.mark, of: problem, opener) { return diagnostic }
      return Diagnostic(
        "this '\(opener)' is never closed", at: origin(context.mark),
        help: "add the '\(opener == "{" ? "}" : "]")' that ends it")
    }
    return Diagnostic(
      "a comma is missing", at: origin(problem.mark),
      help:
        "inside {} and [] values stand between commas; quote a text that holds quotes or brackets")
  }

  /// `{ title: Ice #1 }`, where the comment hides the bracket.
  private func comment(in mark: Mark, of problem: YAMLProblem, _ opener: String) -> Diagnostic? {
    let line = Array(problem.source.line(mark.line).unicodeScalars)
    let plain = Set(" \t#-=".unicodeScalars)
    func begins(_ index: Int) -> Bool {
      guard line[index] == "#", line[index - 1] == " ", index + 1 < line.count else { return false }
      return !plain.contains(line[index + 1])
    }
    let hash: Int? = line.indices.dropFirst(max(1, mark.column)).first(where: begins)
    guard let hash else { return nil }
    let start = line[..<hash].lastIndex { ":,{[".unicodeScalars.contains($0) } ?? hash
    let end = line[hash...].firstIndex { ",}]".unicodeScalars.contains($0) } ?? line.count
    return Diagnostic(
      "'#' begins a comment, and so the '\(opener)' is never closed",
      at: origin(mark.line, hash + 1, end - hash),
      help:
        "quote the text if the '#' belongs to it: \"\(trimmed(string(line[(start + 1)..<end])))\"")
  }

  /// `{ title: Part 2: End }`
  private func flowColon(_ problem: YAMLProblem) -> Diagnostic? {
    guard problem.text.hasPrefix("did not find expected ','"), problem.character == ":" else {
      return nil
    }
    let line = problem.line
    let entry = problem.before.lastIndex { "{,".unicodeScalars.contains($0) } ?? -1
    guard let colon = line[(entry + 1)...].firstIndex(of: ":"), colon < problem.before.endIndex
    else { return nil }
    let start = line[(colon + 1)...].firstIndex { $0 != " " } ?? colon
    let end = line[problem.before.endIndex...].firstIndex { ",}]".unicodeScalars.contains($0) }
    let value = trimmed(string(line[start..<(end ?? line.count)]))
    return Diagnostic(
      "a text with a colon and a space in it must be quoted",
      at: origin(problem.mark.line, start + 1, value.unicodeScalars.count),
      help: "write \"\(value)\"")
  }

  /// `"C:\Users\me"`
  private func escape(_ problem: YAMLProblem) -> Diagnostic? {
    guard problem.text.contains("escape") || problem.text.contains("hexdecimal"),
      let context = problem.context, context.mark.line == problem.mark.line
    else { return nil }
    let text = problem.line.dropFirst(context.mark.column).prefix { $0 != "\"" }
    return Diagnostic(
      "in double quotes '\\' begins an escape",
      at: origin(context.mark, length: text.count + 2),
      help: "single quotes take the text as it is: '\(string(text))'")
  }

  /// `{ f: ${x} }`, `[${a}, b]` and `[memos/*.{amr,m4a}]`
  private func flowVariable(_ problem: YAMLProblem) -> Diagnostic? {
    guard problem.text.hasPrefix("did not find expected"),
      problem.character == "{" || problem.character == "["
    else { return nil }
    var start = problem.mark.column - 1
    let line = problem.line
    while start > 0, !"[{,".unicodeScalars.contains(line[start - 1]) {
      if start > 1, line[start - 1] == " ", line[start - 2] == ":" { break }
      start -= 1
    }
    while start < line.count, line[start] == " " { start += 1 }
    var end = problem.mark.column - 1
    var depth = 0
    while end < line.count {
      if "{[".unicodeScalars.contains(line[end]) { depth += 1 }
      if "}]".unicodeScalars.contains(line[end]) {
        depth -= 1
        if depth < 0 { break }
      }
      if line[end] == ",", depth == 0 { break }
      end += 1
    }
    guard start < end else { return nil }
    let value = trimmed(string(line[start..<end]))
    let isVariable = value.contains("${")
    return Diagnostic(
      isVariable
        ? "inside {} and [] a variable must be quoted"
        : "inside {} and [] a pattern with braces must be quoted",
      at: origin(problem.mark.line, start + 1, value.unicodeScalars.count),
      help: "write \"\(value)\"")
  }

  /// `@x`, a backtick, `%50`
  private func reservedCharacter(_ problem: YAMLProblem) -> Diagnostic? {
    var mark = problem.mark
    if problem.context?.text.contains("directive") == true, let context = problem.context {
      mark = context.mark
    } else if !problem.text.contains("cannot start any token") {
      return nil
    }
    let rest = problem.source.line(mark.line).unicodeScalars.dropFirst(mark.column - 1)
    guard let first = rest.first, "%@`".unicodeScalars.contains(first) else { return nil }
    let value = trimmed(
      String(String.UnicodeScalarView(rest.prefix { !",]}#".unicodeScalars.contains($0) })))
    return Diagnostic(
      "no plain text may begin with '\(first)'",
      at: origin(mark, length: value.unicodeScalars.count),
      help: "quote it: \"\(value)\"")
  }

  private func tab(_ problem: YAMLProblem) -> Diagnostic? {
    guard problem.text.contains("cannot start any token") || problem.text.contains("tab"),
      problem.after.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t")
    else { return nil }
    return Diagnostic(
      "a tab in the indentation", at: origin(problem.mark), help: "indent with spaces")
  }

  /// `title: Part 2: End`
  private func colon(_ problem: YAMLProblem) -> Diagnostic? {
    guard problem.text.hasPrefix("mapping values are not allowed") else { return nil }
    let line = string(problem.line)
    let key = problem.before.firstIndex(of: ":")
    if let key, problem.line.indices.contains(key + 1), problem.line[key + 1] == " " {
      let rest = problem.line[(key + 1)...].drop { $0 == " " }
      let value = trimmed(withoutComment(string(rest)))
      return Diagnostic(
        "a text with a colon and a space in it must be quoted",
        at: origin(problem.mark.line, rest.startIndex + 1, value.unicodeScalars.count),
        help: "write \"\(value)\"")
    }
    let above = trimmed(withoutComment(string(problem.lineBefore)))
    if let diagnostic = noSpace(
      above, at: problem.mark.line - 1, indent(of: string(problem.lineBefore)) + 1)
    {
      return diagnostic
    }
    if !above.isEmpty, !above.contains(":"), !above.hasPrefix("- ") {
      let column = indent(of: string(problem.lineBefore)) + 1
      return Diagnostic(
        "no ':' after a key", at: origin(problem.mark.line - 1, column, above.unicodeScalars.count),
        help: "a line of a map is 'key: value'")
    }
    return Diagnostic(
      "a key where a text goes on",
      at: origin(
        problem.mark.line, indent(of: line) + 1,
        trimmed(string(problem.before)).unicodeScalars.count),
      help: above.isEmpty
        ? "check the indentation"
        : "the line above, '\(above)', has a value: keys cannot stand below it")
  }

  /// `clip:a.wav`
  private func noSpace(_ line: String, at number: Int, _ column: Int) -> Diagnostic? {
    guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
      line[..<colon].allSatisfy({ $0.isLetter || $0 == "_" }),
      let next = line[line.index(after: colon)...].first, next != " ", next != "/"
    else { return nil }
    return Diagnostic(
      "no space after a colon", at: origin(number, column, line.unicodeScalars.count),
      help: "write '\(line[..<colon]): \(line[line.index(after: colon)...])'")
  }

  /// `title: "A" and b`, `{ title: 'It's me' }`
  private func afterQuote(_ problem: YAMLProblem) -> Diagnostic? {
    let isFlow = problem.text.hasPrefix("did not find expected ','")
    guard isFlow || problem.text == "did not find expected key", !problem.after.isEmpty,
      !isFlow || problem.character.map({ !"'\"{[".unicodeScalars.contains($0) }) ?? false,
      let last = problem.before.last(where: { $0 != " " }), last == "'" || last == "\""
    else { return nil }
    return Diagnostic(
      "text after a closing quote",
      at: origin(problem.mark, length: trimmed(string(problem.after)).unicodeScalars.count),
      help: last == "'"
        ? "quote the whole text; '' is a quote within single ones" : "quote the whole text")
  }

  /// A line such as `clip a.wav` in a map.
  private func noColon(_ problem: YAMLProblem) -> Diagnostic? {
    guard problem.text.contains("could not find expected ':'"), let context = problem.context else {
      return nil
    }
    let word = trimmed(withoutComment(String(problem.source.line(context.mark.line))))
    if word.hasPrefix("-"), !word.hasPrefix("- "), word.count > 1 {
      return Diagnostic(
        "no space after the '-' of a list",
        at: origin(context.mark, length: word.unicodeScalars.count),
        help: "write '- \(word.dropFirst())'")
    }
    if let diagnostic = noSpace(word, at: context.mark.line, context.mark.column) {
      return diagnostic
    }
    return Diagnostic(
      "no ':' after a key", at: origin(context.mark, length: word.unicodeScalars.count),
      help: "a line of a map is 'key: value'")
  }

  private func indentation(_ problem: YAMLProblem) -> Diagnostic? {
    guard problem.before.allSatisfy({ $0 == " " }) else { return nil }
    return Diagnostic(
      "this line is indented unlike those above it",
      at: origin(problem.mark, length: trimmed(string(problem.after)).unicodeScalars.count),
      help: "the keys of a map, and the '-' of a list, stand in one column")
  }

  private func indent(of line: String) -> Int { line.unicodeScalars.prefix { $0 == " " }.count }

  private func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  private func withoutComment(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    for index in scalars.indices.dropFirst()
    where scalars[index] == "#" && scalars[index - 1] == " " {
      return string(scalars[..<index])
    }
    return text
  }
}
