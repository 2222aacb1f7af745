import Diagnosis
import Glibc

/// Whether text goes to terminals as UTF-8, or as ASCII alone.
package enum CharacterSet {
  case unicode, ascii

  /// That of the process's locale: of `LC_ALL`, `LC_CTYPE` or `LANG`, the first that is not empty
  /// (POSIX, Base Definitions, 8.2).
  ///
  /// A name that ends in UTF-8 counts also where the machine has no such locale: the terminal is
  /// often on another machine. The process keeps its locale: libraries read and write numbers by it.
  package static let ofLocale = named { name in getenv(name).map { String(cString: $0) } }

  /// That of a locale that environment variables name.
  static func named(by variable: (String) -> String?) -> CharacterSet {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(variable)
    guard let name = names.first(where: { !$0.isEmpty }) else { return .ascii }
    // `language_TERRITORY.codeset@modifier`
    let codeset = name.split(separator: "@").first?.split(separator: ".").dropFirst().last
    if codeset.map({ isUnicode(String($0)) }) == true { return .unicode }
    guard let locale = newlocale(LC_CTYPE_MASK, name, nil) else { return .ascii }
    defer { freelocale(locale) }
    return nl_langinfo_l(Int32(CODESET), locale).map { isUnicode(String(cString: $0)) } == true
      ? .unicode : .ascii
  }

  private static func isUnicode(_ codeset: String) -> Bool {
    ["utf8", "utf-8"].contains(codeset.lowercased())
  }

  /// A text as this character set has it: in ASCII the common signs become their like, and each
  /// other character as many `?` as it has columns. O(n).
  package func text(_ text: String) -> String {
    guard self == .ascii, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return text.reduce(into: "") { result, character in
      if character.isASCII {
        result.append(character)
      } else {
        result += Self.likes[character] ?? String(repeating: "?", count: character.columns)
      }
    }
  }

  private static let likes: [Character: String] = [
    "…": "...", "×": "x", "–": "-", "—": "-", "‘": "'", "’": "'", "“": "\"", "”": "\"", "„": "\"",
    "·": ".", "━": "=", "─": "-", "│": "|", "\u{A0}": " ",
  ]

  /// What stands for the middle of a text that is shortened.
  package var ellipsis: String { self == .unicode ? "…" : "..." }
  /// The part of a bar that is done, and the part that is left.
  package var bar: (done: Character, left: Character) {
    self == .unicode ? ("━", "─") : ("=", "-")
  }
}

extension TerminalTraits {
  /// What the terminal shows.
  package var characters: CharacterSet { isUnicode ? .unicode : .ascii }
}
