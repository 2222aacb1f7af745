/// Text measured in terminal columns, by Unicode and not by the locale's `wcwidth`.
extension Sequence where Element == Character {
  /// Columns that a terminal gives to this text.
  package var columns: Int { reduce(0) { $0 + $1.columns } }

  /// As many of the first characters as fit into `limit` columns.
  fileprivate func fitting(into limit: Int) -> [Character] {
    var width = 0
    return Array(
      prefix { character in
        width += character.columns
        return width <= limit
      })
  }
}

extension Character {
  /// This character `count` times; nothing if that is below 1. `String(repeating:count:)` took a
  /// sixth of the time of drawing a preview.
  ///
  /// - Complexity: O(`count`).
  package func repeated(_ count: Int) -> String {
    let bytes = utf8
    let size = bytes.count * max(0, count)
    return String(unsafeUninitializedCapacity: size) { buffer in
      for start in stride(from: 0, to: size, by: bytes.count) {
        _ = UnsafeMutableBufferPointer(rebasing: buffer[start...]).update(fromContentsOf: bytes)
      }
      return size
    }
  }
}

extension String {
  /// Columns that a terminal gives to this text.
  ///
  /// - Complexity: O(n), and quick where it is of Latin letters and lines, as most of what is drawn is.
  package var columns: Int { utf8.simpleColumns() ?? reduce(0) { $0 + $1.columns } }

  /// This text in at most `limit` columns: what does not fit is left out of the middle, since names
  /// differ at their ends (`interview-part-2.flac`); `mark` stands in its place.
  package func shortened(to limit: Int, marking mark: String = "…") -> String {
    guard columns > limit else { return self }
    let room = limit - mark.columns
    guard room > 0 else { return String(mark.fitting(into: max(0, limit))) }
    let tail = reversed().fitting(into: room / 2)
    let head = fitting(into: room - tail.columns)
    return String(head) + mark + String(tail.reversed())
  }

  /// This text and as many spaces after it as make `width` columns.
  package func padded(to width: Int) -> String {
    self + Character(" ").repeated(width - columns)
  }

  /// As many spaces as make `width` columns, and this text after them.
  package func aligned(to width: Int) -> String {
    Character(" ").repeated(width - columns) + self
  }

  /// This text as one line that gives a terminal no orders: names of files may hold escape
  /// sequences, line breaks, and marks that turn the direction of writing.
  package var printable: String {
    guard utf8.simpleColumns() == nil else { return self }
    return String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.isUnprintable ? "\u{FFFD}" : $0 }))
  }
}

extension String.UTF8View {
  /// Measures text in which each scalar stands for itself and takes one column: printable ASCII, letters
  /// and signs up to U+02FF, box drawing, block elements, and `…`.
  ///
  /// - Parameter skipsColours: Whether `ESC [ … m` may stand between them, and takes none.
  /// - Returns: Its columns; nil where there is anything else in it.
  package func simpleColumns(skippingColours skipsColours: Bool = false) -> Int? {
    let found = withContiguousStorageIfAvailable { bytes -> Int? in
      var columns = 0
      var index = 0
      while index < bytes.count {
        switch bytes[index] {
        case 0x20...0x7E: index += 1
        case 0xC3...0xCB: index += 2
        case 0xC2 where bytes[index + 1] >= 0xA0 && bytes[index + 1] != 0xAD: index += 2
        case 0xE2 where Self.isSimple(bytes[index + 1], bytes[index + 2]): index += 3
        case 0x1B where skipsColours:
          while index < bytes.count, bytes[index] != UInt8(ascii: "m") { index += 1 }
          index += 1
          continue
        default: return nil
        }
        columns += 1
      }
      return columns
    }
    return found ?? nil
  }

  /// Of U+2000 … U+2FFF.
  private static func isSimple(_ second: UInt8, _ third: UInt8) -> Bool {
    (0x94...0x95).contains(second) || (second == 0x96 && third < 0xA0)
      || (second == 0x80 && third == 0xA6)
  }
}

extension Character {
  /// Columns that a terminal gives to this character: 0, 1 or 2, and more for a cluster that
  /// terminals show as several letters.
  package var columns: Int {
    let scalars = unicodeScalars
    // Emoji sequences (UTS #51): a joiner, a colour of skin or a variation selector make one sign.
    let isSequence = scalars.contains { scalar in
      scalar == "\u{200D}" || scalar == "\u{FE0F}" || scalar.properties.isEmojiModifier
    }
    let isFlag = scalars.allSatisfy { (0x1F1E6...0x1F1FF).contains($0.value) }
    if isFlag || (isSequence && scalars.first?.properties.isEmoji == true) { return 2 }
    return scalars.reduce(0) { $0 + $1.columns }
  }
}

extension Unicode.Scalar {
  /// Columns that a terminal gives to this scalar: 0, 1 or 2.
  var columns: Int {
    if value < 0x300 { return value == 0xAD || properties.generalCategory == .control ? 0 : 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator:
      return 0
    default: break
    }
    // Medial vowels and final consonants of Hangul stand inside the syllable that they end.
    if (0x1160...0x11FF).contains(value) { return 0 }
    return isWide || properties.isEmojiPresentation ? 2 : 1
  }

  /// Whether East_Asian_Width is W or F (UAX #11), blocks taken whole where they are all but all
  /// wide; signs that are wide as emoji are found by their own property.
  private var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
      0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
      0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF,
      0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD:
      true
    default: false
    }
  }

  /// Whether this is an order to a terminal or to a reader's eye: controls, line and paragraph
  /// separators, and marks of direction (UAX #9, section 2; UTR #36, "Trojan source").
  package var isUnprintable: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
