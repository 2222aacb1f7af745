import Diagnosis
import JobFile
import Terminal

/// The command by which a run goes on that a signal has stopped.
enum Continuation {
  /// The same one: what is done is up to date then.
  case sameCommand
  /// The same one for the inputs that are left, since it replaces nothing: each is the only one of the
  /// job of its name.
  case inputsLeft

  /// What to say of it, behind `to go on: `.
  ///
  /// - Parameters:
  ///   - words: The command that was stopped, the program first.
  ///   - done: The names of the jobs that need not be done any more.
  /// - Returns: The command as a shell takes it, and what is to be known of it.
  func text(of words: [String], done: Set<String>) -> String {
    var words = ["avjob"] + words.dropFirst()
    var remark = ""
    switch self {
    case .sameCommand:
      let end = words.firstIndex(of: "--") ?? words.endIndex
      if words[..<end].contains("--force") {
        // It would make everything anew, also what this run has made.
        words = words[..<end].filter { $0 != "--force" } + words[end...]
        remark = " (without --force, what was up to date before this run is left as it is)"
      }
    case .inputsLeft: words = Self.words(words, without: done)
    }
    return words.map(shellQuoted).joined(separator: " ").printable + remark
  }

  /// Options of the one-shot commands that have no value behind them.
  private static let flags: Set<String> = ["--force", "--print-job"]

  private static func words(_ words: [String], without inputs: Set<String>) -> [String] {
    var kept = Array(words.prefix(2))
    var isPastOptions = false
    for (previous, word) in zip(words.dropFirst(), words.dropFirst(2)) {
      let isValue =
        !isPastOptions && previous.hasPrefix("-") && !previous.contains("=")
        && !flags.contains(previous)
      if word == "--", !isValue { isPastOptions = true }
      if isValue || !inputs.contains(word) { kept.append(word) }
    }
    return kept
  }
}
