import SystemPackage

extension Diagnostics {
  /// All of them as commands of GitHub Actions, a line each, which put notes on the lines of a
  /// changed file: `::error file=jobs/a.yaml,line=4,col=3,endColumn=11,title=avjob::unknown key …`
  /// (GitHub Docs, "Workflow commands for GitHub Actions").
  ///
  /// - Parameter map: Knows the places. What has none in a file goes without `file`.
  /// - Returns: Lines, each with its end; none where there is nothing to say.
  package func githubCommands(in map: SourceMap) -> String {
    sorted(by: map).all.map { $0.githubCommand(in: map) + "\n" }.joined()
  }
}

extension Diagnostic {
  fileprivate func githubCommand(in map: SourceMap) -> String {
    var properties: [(String, String)] = []
    if let place = map.place(of: origin), map.isInFile(place) {
      properties = [
        // GitHub knows files by their paths in the repository.
        ("file", FilePath(place.file).lexicallyNormalized().string), ("line", "\(place.line)"),
        ("col", "\(place.column)"),
        ("endColumn", "\(place.column + place.length)"),
      ]
    }
    properties.append(("title", "avjob"))
    let written = properties.map { "\($0)=\(Self.escaped(property: $1))" }.joined(separator: ",")
    var lines = [message]
    if let help { lines.append("help: " + help) }
    for note in notes {
      let place = map.place(of: note.origin).map { "\($0.file):\($0.line):\($0.column): " } ?? ""
      lines.append(place + "note: " + note.message)
    }
    let command = severity == .note ? "notice" : severity.rawValue
    return "::\(command) \(written)::"
      + Self.escaped(data: lines.map(Self.shown).joined(separator: "\n"))
  }

  /// One line of the text. `##[…]` and the like are commands within others, too.
  private static func shown(_ line: String) -> String {
    printable(MediaURL.masked(line)).replacingScalars("##", with: "#\u{FFFD}")
  }

  /// Escapes a text as `escapeData` of actions/toolkit (packages/core/src/command.ts) does.
  private static func escaped(data: String) -> String {
    data.replacingScalars("%", with: "%25").replacingScalars("\r", with: "%0D")
      .replacingScalars("\n", with: "%0A")
  }

  /// Escapes a property as `escapeProperty` of actions/toolkit does.
  private static func escaped(property: String) -> String {
    escaped(data: shown(property)).replacingScalars(":", with: "%3A")
      .replacingScalars(",", with: "%2C")
  }
}
