import Diagnosis

/// Texts as each engine reads them to what they are: an engine expands variables and patterns of its
/// own in a manifest, before a shell has its words, and file names may be a stranger's.
enum EngineText {
  /// A word of a shell's, in which an engine that reads the script before the shell finds nothing
  /// either: an expression of GitHub (`${{ … }}`), inputs of GitLab (`$[[ … ]]`), or a command to a
  /// runner that prints it (`##[…]`). Quotes that close and open again take those apart.
  static func shellWord(_ word: String) -> String {
    let quoted = shellQuoted(word)
    // Such a word is always in quotes.
    guard quoted.startsWithScalars("'") else { return quoted }
    return quoted.splitting("$", before: "{").splitting("$", before: "[")
      .splitting("#", before: "#").splitting("#", before: "#")
  }

  /// A word of a container's command in Kubernetes, which puts values in place of `$(NAME)`, and `$`
  /// in place of `$$` (Kubernetes API, `Container.command`; third_party/forked/golang/expansion).
  static func kubernetesWord(_ word: String) -> String { word.replacingScalars("$", with: "$$") }

  /// A line of the `path` of actions/upload-artifact, whose lines are patterns (@actions/glob), and
  /// before that a text with expressions. A line feed cannot be written: any character is meant.
  ///
  /// - Returns: The pattern of this path alone; nil where there is none, behind `..`.
  static func githubPath(_ path: String) -> String? {
    guard !path.splitScalars(at: "/").contains("..") else { return nil }
    var pattern = path.pattern(escaping: "*?[{$")
    if let first = pattern.unicodeScalars.first, "!#~".unicodeScalars.contains(first) {
      pattern = "./" + pattern
    }
    return pattern
  }

  /// A path of `artifacts:paths` of GitLab: a pattern (doublestar) below the project's folder, in
  /// which the runner expands variables.
  ///
  /// - Returns: The pattern of this path alone; nil where there is none, outside of the project.
  static func gitlabPath(_ path: String) -> String? {
    guard !path.startsWithScalars("/"), !path.splitScalars(at: "/").contains("..") else {
      return nil
    }
    return path.pattern(escaping: "*?[{$%")
  }
}

extension String {
  /// This text in single quotes of a shell, without `first` and `second` side by side.
  fileprivate func splitting(_ first: String, before second: String) -> String {
    replacingScalars(first + second, with: first + "''" + second)
  }

  /// A pattern that matches this path alone. What a pattern gives a meaning to stands in brackets,
  /// which also takes apart what begins an expression, and blanks, which are trimmed; a backslash is
  /// doubled.
  fileprivate func pattern(escaping special: String) -> String {
    unicodeScalars.reduce(into: "") { pattern, scalar in
      if scalar == "\\" {
        pattern += "\\\\"
      } else if scalar == "\n" || scalar == "\r" {
        pattern += "?"
      } else if special.unicodeScalars.contains(scalar) || scalar.properties.isWhitespace {
        pattern += "[\(scalar)]"
      } else {
        pattern.unicodeScalars.append(scalar)
      }
    }
  }
}
