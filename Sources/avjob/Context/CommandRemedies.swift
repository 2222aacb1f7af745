import Diagnosis
import Synchronization
import Threads

/// Rewrites messages in a command's words: `'mp3: V2'` becomes `'--mp3 V2'`. Commands without a job file are
/// trees of jobs, whose messages name keys of job files. A key without an option stays, and the message
/// says that the command prints its job file. Safe from any thread.
final class CommandRemedies: Sendable {
  /// The words of the command line, without `avjob`.
  private let words: [String]
  /// The command's options, as `--mp3`, and whether each takes a value; nil before the first message: its
  /// help is laid out to find them.
  private let foundOptions = Mutex<[String: Bool]?>(nil)

  private static let jobHint = "; '--print-job' prints a job file to add that to"

  /// Those of the command that this process was called with.
  init() { words = Array(ProcessArguments.words.dropFirst()) }

  private var options: [String: Bool] {
    foundOptions.withLock { found in
      let options =
        found ?? WrongArguments(words: words).call.map { WrongArguments.options(of: $0.command) }
        ?? [:]
      found = options
      return options
    }
  }

  /// The same message for the user of the command. Rephrasing it again changes nothing.
  func rephrased(_ diagnostic: Diagnostic) -> Diagnostic {
    var diagnostic = diagnostic
    diagnostic.message = rephrased(diagnostic.message, isHelp: false)
    diagnostic.help = diagnostic.help.map { rephrased($0, isHelp: true) }
    return diagnostic
  }

  private func rephrased(_ text: String, isHelp: Bool) -> String {
    let text = Self.namingFiles(
      text.replacing("name a file, or for_each: FOLDER/*", with: "name a file in it"))
    var (result, needsJob, rest) = ("", Self.hasMap(text), text[...])
    while let (before, quoted, behind) = Self.quoted(in: rest) {
      result += before
      // A file may be called as an entry: `title: Intro.wav`. Then it was typed, or the message is about it.
      let isName = words.contains { $0 == quoted } || behind.hasPrefix(":")
      if !isName, let option = option(for: quoted, isHelp: isHelp) {
        result += option
      } else {
        result += "'\(quoted)'"
        needsJob = needsJob || !isName && Self.entry(quoted) != nil
      }
      rest = behind
    }
    result += rest
    let isHinted = !needsJob || options["--print-job"] == nil || result.contains("--print-job")
    return isHinted ? result : result + Self.jobHint
  }

  /// The first words that stand between quotes, which are no apostrophes, and what is before and behind them.
  private static func quoted(
    in text: Substring
  ) -> (before: Substring, quoted: Substring, behind: Substring)? {
    func isLetter(_ index: Substring.Index) -> Bool { text[index].isLetter || text[index].isNumber }
    let marks = text.indices.filter { text[$0] == "'" }
    let opening = marks.first { $0 == text.startIndex || !isLetter(text.index(before: $0)) }
    let closing = marks.first { mark in
      guard let opening, mark > opening else { return false }
      let next = text.index(after: mark)
      return next == text.endIndex || !isLetter(next)
    }
    guard let opening, let closing else { return nil }
    return (
      text[..<opening], text[text.index(after: opening)..<closing],
      text[text.index(after: closing)...]
    )
  }

  /// The option that says what an entry of a job file does, quoted; nil where there is none. In helps a key
  /// alone is one, too.
  private func option(for piece: Substring, isHelp: Bool) -> String? {
    let entry = Self.entry(piece)
    guard entry != nil || isHelp else { return nil }
    let name = "--" + (entry?.key ?? piece).replacing("_", with: "-")
    guard let takesValue = options[name] else { return nil }
    guard let value = entry?.value, takesValue else { return "'\(name)'" }
    guard value.first != "{", value.first != "[" else { return nil }
    return value.contains(" ") ? "\(name) '\(value)'" : "'\(name) \(value)'"
  }

  /// The key and the value of `mp3: V2`; nil for other texts.
  private static func entry(_ text: Substring) -> (key: Substring, value: Substring)? {
    guard let colon = text.firstIndex(of: ":"), isKey(text[..<colon]) else { return nil }
    let rest = text[text.index(after: colon)...]
    guard rest.first == " " else { return nil }
    return (text[..<colon], rest.dropFirst())
  }

  private static func isKey(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
          || $0 == UInt8(ascii: "_")
      }
  }

  /// Whether a text has a map of a job file, as `{ json: sidecar }`.
  private static func hasMap(_ text: String) -> Bool {
    text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().contains { rest in
      rest.hasPrefix(" ") && entry(rest.dropFirst()) != nil
    }
  }

  /// The same text with a file's name in place of a folder for files with their inputs' names.
  private static func namingFiles(_ text: String) -> String {
    let (opening, closing) = ("{ folder: ", ", mp3: V2 }")
    guard let start = text.firstRange(of: opening),
      let end = text[start.upperBound...].firstRange(of: closing)
    else { return text }
    var folder = text[start.upperBound..<end.lowerBound]
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    return text[..<start.lowerBound] + "'\(folder)/NAME.mp3'" + text[end.upperBound...]
  }
}
