extension String {
  /// This text without commands to GitHub's runner, which reads them from both streams of a step:
  /// `::name::` where a line begins, also behind blanks, and `##[name]` anywhere (actions/runner,
  /// `ActionCommand.cs`). The first character of each is U+FFFD: names of files, of tags and of jobs
  /// begin lines, and may be a stranger's.
  ///
  /// - Complexity: O(n)
  package var withoutRunnerCommands: String {
    guard utf8.mayHoldRunnerCommand else { return self }
    let scalars = Array(unicodeScalars)
    var result = String.UnicodeScalarView()
    var isAtStart = true
    for (index, scalar) in scalars.enumerated() {
      let rest = scalars[index...]
      let isCommand = isAtStart && rest.starts(with: "::".unicodeScalars)
      result.append(isCommand || rest.starts(with: "##[".unicodeScalars) ? "\u{FFFD}" : scalar)
      isAtStart =
        "\r\n".unicodeScalars.contains(scalar) || isAtStart && scalar.properties.isWhitespace
    }
    return String(result)
  }
}

extension String.UTF8View {
  /// Whether `::` or `##` is anywhere in it.
  var mayHoldRunnerCommand: Bool {
    var last: UInt8 = 0
    for byte in self {
      if byte == last, byte == UInt8(ascii: ":") || byte == UInt8(ascii: "#") { return true }
      last = byte
    }
    return false
  }
}
