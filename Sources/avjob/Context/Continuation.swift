import Diagnosis

/// The command that resumes a run that a signal has stopped.
enum Continuation {
  /// The command that was stopped: receipts show what is up to date.
  case sameCommand
  /// The command that was stopped, in a folder without its outputs: nothing shows what is up to
  /// date, and nothing is replaced.
  case cleanFolder
  /// The command that was stopped, without the files that exist by then.
  case skippingExisting

  /// What is printed behind `to resume: `.
  ///
  /// - Parameter words: The command that was stopped, the program first.
  /// - Returns: The command as a shell takes it, but for secrets of addresses, which are stars, and a
  ///   remark where it does less.
  func text(of words: [String]) -> String {
    var words = ["avjob"] + words.dropFirst()
    var remark = ""
    let end = words.firstIndex(of: "--") ?? words.endIndex
    let isForced = words[..<end].contains("--force")
    switch self {
    case .sameCommand where isForced:
      // It would make everything again, also what this run has made.
      words = words[..<end].filter { $0 != "--force" } + words[end...]
      remark = " (without --force, what was up to date before this run is left as it is)"
    case .skippingExisting where !isForced && !words[..<end].contains("--skip-existing"):
      words.insert("--skip-existing", at: min(2, words.count))
    default: break
    }
    if case .cleanFolder = self { remark = " (in a folder without the outputs that are done)" }
    return MediaURL.masked(words.map(shellQuoted).joined(separator: " ")).printable + remark
  }
}
