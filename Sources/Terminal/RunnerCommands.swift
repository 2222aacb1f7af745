extension String {
  /// This text without commands to the runners of CI systems, which read them from both streams of a
  /// step:
  ///
  /// - GitHub: `::name::` where a line begins, also behind blanks, and `##[name]` anywhere
  ///   (actions/runner, `ActionCommand.cs`);
  /// - Azure Pipelines: `##[name]` and `##vso[area.action]` (Microsoft Learn, "Logging commands");
  /// - TeamCity: `##teamcity[name …]` ("Service Messages");
  /// - Buildkite: `--- `, `+++ `, `~~~ ` and `^^^ +++` where a line begins ("Managing log output").
  ///
  /// The first character of each is U+FFFD: names of files, of tags and of jobs begin lines, and may
  /// be a stranger's. GitLab's sections take an escape character, which no text of theirs keeps.
  ///
  /// - Complexity: O(n)
  package var withoutRunnerCommands: String {
    guard utf8.mayHoldRunnerCommand else { return self }
    let scalars = Array(unicodeScalars)
    var result = String.UnicodeScalarView()
    var isAtStart = true
    for (index, scalar) in scalars.enumerated() {
      let rest = scalars[index...]
      let isCommand = isAtStart && rest.startsLineCommand || rest.startsBracketedCommand
      result.append(isCommand ? "\u{FFFD}" : scalar)
      isAtStart =
        "\r\n".unicodeScalars.contains(scalar) || isAtStart && scalar.properties.isWhitespace
    }
    return String(result)
  }
}

extension String.UTF8View {
  /// Whether one of the pairs with which commands begin is anywhere in it.
  fileprivate var mayHoldRunnerCommand: Bool {
    var last: UInt8 = 0
    for byte in self {
      if byte == last, ":#-+~^".utf8.contains(byte) { return true }
      last = byte
    }
    return false
  }
}

extension ArraySlice<Unicode.Scalar> {
  private func begins(with text: String) -> Bool { starts(with: text.unicodeScalars) }

  /// Whether it begins with what is a command at the start of a line.
  fileprivate var startsLineCommand: Bool {
    begins(with: "::") || ["--- ", "+++ ", "~~~ ", "^^^ +++"].contains(where: begins)
  }

  /// Whether it begins with `##name[`, the name of letters, or without one.
  fileprivate var startsBracketedCommand: Bool {
    guard begins(with: "##") else { return false }
    let rest = dropFirst(2).drop { $0.properties.isAlphabetic }
    return rest.first == "["
  }
}
