/// Texts as they sound: for finding phrases whatever their case, punctuation and width.
package enum SpokenText {
  /// `text` in the form in which two texts are compared: letters without case, no punctuation and no
  /// marks of format, one space between words, and one kind of apostrophe within them. A dot or comma
  /// between digits is no punctuation: `3.5` is not `35`.
  ///
  /// It is the NFKC case folding of the Unicode Standard (3.13, D147) for letters with case, ligatures,
  /// full-width letters, superscripts and circled numbers; other compatibility characters stay. Two
  /// results are to be compared as `String`s, whose equality is canonical.
  ///
  /// - Complexity: O(n)
  package static func folded(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isSpace = false
    var hasApostrophe = false
    // A dot or comma right behind a digit, which counts before another one.
    var mark: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      for scalar in folded(widthless(scalar)).unicodeScalars {
        let before = mark
        mark = nil
        if apostrophes.contains(scalar) {
          hasApostrophe = !result.isEmpty && !isSpace
        } else if scalar.properties.isWhitespace {
          (isSpace, hasApostrophe) = (true, false)
        } else if isSpoken(scalar) {
          if isSpace, !result.isEmpty { result.append(" ") }
          if hasApostrophe { result.append("'") }
          if let before, isDigit(scalar) { result.append(before) }
          (isSpace, hasApostrophe) = (false, false)
          result.append(scalar)
        } else if scalar == "." || scalar == ",", before == nil, !isSpace, !hasApostrophe {
          mark = result.last.flatMap { isDigit($0) ? scalar : nil }
        }
      }
    }
    return String(result)
  }

  /// The words of `text` in that form. O(n)
  package static func words(of text: String) -> [String] {
    folded(text).split(separator: " ").map(String.init)
  }

  /// A folded word, with each letter of a script that has no spaces between words alone.
  static func lettersWithoutSpaces(of word: String) -> [String] {
    guard hasLettersWithoutSpaces(word) else { return [word] }
    var parts: [String] = []
    var isOpen = false
    for letter in word {
      let isAlone = letter.unicodeScalars.first.map(isWithoutSpaces) ?? false
      if isAlone || !isOpen {
        parts.append(String(letter))
      } else {
        parts[parts.count - 1].append(letter)
      }
      isOpen = !isAlone
    }
    return parts
  }

  /// Whether a text has letters of such a script.
  static func hasLettersWithoutSpaces(_ text: String) -> Bool {
    text.unicodeScalars.contains(where: isWithoutSpaces)
  }

  /// Whether a letter is Thai, Lao, Burmese, Khmer, Chinese or Japanese (Unicode Standard, Blocks.txt).
  private static func isWithoutSpaces(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x30FF,
      0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F,
      0x20000...0x3FFFF:
      true
    default: false
    }
  }

  // MARK: Joining

  /// `texts` in a row, with a blank between two of them, but none between two letters of a script that
  /// has no spaces between words, and none beside its punctuation. O(n)
  package static func joined(_ texts: some Sequence<some StringProtocol>) -> String {
    var result = ""
    for text in texts where !text.isEmpty {
      if !result.isEmpty,
        hasBlank(between: result.unicodeScalars.last, and: text.unicodeScalars.first)
      {
        result += " "
      }
      result += text
    }
    return result
  }

  /// `text` with one space for each run of blanks, tabs and line ends, and none at its ends; lines are
  /// joined as `joined(_:)` joins texts. O(n)
  package static func onOneLine(_ text: String) -> String {
    joined(
      text.split(whereSeparator: \.isNewline).map {
        $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      })
  }

  /// Whether a blank stands between two texts that are joined, of which one ends with `last` and the next
  /// begins with `first`; nil: nothing is there.
  static func hasBlank(between last: Unicode.Scalar?, and first: Unicode.Scalar?) -> Bool {
    guard let last, let first else { return true }
    if isWidePunctuation(last) || isWidePunctuation(first) { return false }
    return !(isWithoutSpaces(last) && isWithoutSpaces(first))
  }

  /// Whether a text that ends with `last`, or one behind it that begins with `first`, has a letter there
  /// of a script without spaces.
  static func isUnspaced(between last: Unicode.Scalar?, and first: Unicode.Scalar?) -> Bool {
    [last, first].contains { $0.map { isWithoutSpaces($0) || isWidePunctuation($0) } ?? false }
  }

  /// Whether a mark is Chinese or Japanese punctuation, which has its blank within (Unicode Standard,
  /// Blocks.txt: CJK Symbols and Punctuation, Halfwidth and Fullwidth Forms).
  private static func isWidePunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3001...0x3003, 0x3008...0x3011, 0x3014...0x301F, 0xFF01...0xFF0F, 0xFF1A...0xFF20,
      0xFF3B...0xFF40, 0xFF5B...0xFF65:
      true
    default: false
    }
  }

  private static let apostrophes: Set<Unicode.Scalar> = [
    "'", "\u{2019}", "\u{2018}", "\u{2BC}", "\u{2B9}", "\u{B4}", "\u{60}", "\u{201B}", "\u{FF07}",
  ]

  /// A letter of half or full width as the usual one.
  private static func widthless(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard (0xFF01...0xFF5E).contains(scalar.value) else { return scalar }
    return Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.numericType == .decimal
  }

  private static func isSpoken(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      switch scalar {
      case "0"..."9", "a"..."z", "A"..."Z", "$", "+", "<", "=", ">", "^", "|", "~": return true
      default: return false
      }
    }
    guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
    switch scalar.properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation, .control, .format:
      return false
    default: return true
    }
  }

  private static func folded(_ scalar: Unicode.Scalar) -> String {
    let properties = scalar.properties
    if scalar.isASCII { return properties.lowercaseMapping }
    if properties.generalCategory == .otherNumber, let value = properties.numericValue,
      let number = Int(exactly: value)
    {
      return String(number)
    }
    // By way of capitals: `ß` is `ss`, `ﬁ` is `fi`, and both forms of sigma are one.
    return lowered(raised(lowered(String(scalar))))
  }

  private static func lowered(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { $0 += $1.properties.lowercaseMapping }
  }

  private static func raised(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { $0 += $1.properties.uppercaseMapping }
  }
}
