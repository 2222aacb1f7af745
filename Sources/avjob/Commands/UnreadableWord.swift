extension WrongArguments {
  /// Why the first of the words, whose bytes these are, is refused that is not UTF-8, and what to type
  /// instead; nil where all are UTF-8. Words come as texts, in which other bytes would name another file.
  func unreadableWord(_ bytes: some Sequence<[UInt8]>) -> (message: String, help: String)? {
    let first = bytes.enumerated().first { String(validating: $0.element, as: UTF8.self) == nil }
    return first.map { index, _ in
      ("the argument '\(words[index])' is not UTF-8", remedy(forUnreadableWordAt: index))
    }
  }

  private func remedy(forUnreadableWordAt index: Int) -> String {
    if let option = option(ofValueAt: index) { return "write the value of '\(option)' in UTF-8" }
    return switch call?.names.first {
    case "clip", "concat", "compress":
      "a wildcard in a job file finds such names, as for_each: '*.wav'"
    case "verify":
      "name a folder above it: the files in a folder are proved, whatever their names are"
    case "run", "check", "plan", "manifest", "preview", "probe", "report":
      "name a link to it that has a name in UTF-8: 'ln -s' makes one"
    default: "write it in UTF-8"
    }
  }

  /// The option that has the word as its value, beside it or after `=`; nil for other words.
  private func option(ofValueAt index: Int) -> String? {
    guard let (command, names) = call, index >= names.count else { return nil }
    let before = words[names.count..<index]
    guard !before.contains("--") else { return nil }
    let options = Self.options(of: command)
    if let last = before.last, options[last] == true { return last }
    let spelling = String(words[index].prefix { $0 != "=" })
    return spelling != words[index] && options[spelling] == true ? spelling : nil
  }
}
