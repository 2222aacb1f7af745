import MediaTime

/// A parsed clip text, `PATH-OR-NAME [RANGE]`. Ranges count Unicode scalars of the text.
package struct ClipText {
  package var path: String
  package var pathRange: Range<Int>
  package var range: ParsedRange?

  /// A range as written, before the file is known.
  package struct ParsedRange {
    package var from: (moment: Moment, range: Range<Int>)?
    package var end: End?
    package enum End {
      case moment(Moment, Range<Int>)
      case duration(TimeText, Range<Int>)
    }
  }

  /// Why the last word, which looks like a range, is none.
  package struct MalformedRange: Error {
    package var error: QuantityError
    package var range: Range<Int>
  }

  /// Parses `text`. The last word is a range only if it reads as one; `suspicion` reports one that
  /// only looks like a range, for the case that no file has the whole name.
  package init(_ text: String, suspicion: inout MalformedRange?) {
    path = text
    pathRange = Self.place(of: text[...])
    let bytes = text.utf8
    guard let start = Self.lastWord(of: text),
      let last = bytes[..<start].lastIndex(where: { !Self.isBlank($0) })
    else { return }
    do throws(MalformedRange) {
      guard let range = try Self.range(text[start...]) else { return }
      self.range = range
      let name = text[..<bytes.index(after: last)]
      pathRange = Self.place(of: name)
      path = String(name)
    } catch {
      suspicion = error
    }
  }

  /// Where the last word of `text` begins, of which `frame 12..frame 34` is one; nil where it is all
  /// of the text.
  private static func lastWord(of text: String) -> String.Index? {
    let bytes = text.utf8
    var start = bytes.endIndex
    repeat {
      guard let blank = bytes[..<start].lastIndex(where: isBlank) else { return nil }
      start = bytes.index(after: blank)
      // The number of a picture stands behind a blank.
      guard text[start...].unicodeScalars.first?.isASCIIDigit == true,
        let end = bytes[..<blank].lastIndex(where: { !isBlank($0) })
      else { return start }
      let word = bytes[...end].lastIndex(where: isBlank).map { bytes.index(after: $0) }
      let before = text[(word ?? bytes.startIndex)...end]
      guard before == "frame" || before.hasSuffix("..frame") else { return start }
      start = bytes.index(after: end)
    } while true
  }

  /// Whether all of `text` is a range without its file.
  package static func isRange(_ text: String) -> Bool { ((try? range(text[...])) ?? nil) != nil }

  /// The range of `word`; nil where it does not look like one. Places are those of the surrounding
  /// text, counted from `first` on. `isAlone` where only a range can be meant: it may then contain
  /// blanks and times of other items.
  package static func range(
    _ word: Substring, from first: Int = 0, isAlone: Bool = false
  ) throws(MalformedRange) -> ParsedRange? {
    let bytes = word.utf8
    let point = UInt8(ascii: ".")
    var end = bytes.startIndex
    var points = 0
    while points < 2 {
      guard end < bytes.endIndex else { return nil }
      points = bytes[end] == point ? points + 1 : 0
      end = bytes.index(after: end)
    }
    var from = word[..<bytes.index(end, offsetBy: -2)]
    var to = word[end...]
    if isAlone { (from, to) = (trimmed(from), trimmed(to)) }
    let isLength = to.utf8.first == UInt8(ascii: "+")
    guard !from.isEmpty || !to.isEmpty else { return nil }
    if isLength { to = to[bytes.index(after: to.startIndex)...] }
    if isAlone { to = trimmed(to) }
    guard isAlone || looksLikeTime(from) && looksLikeTime(to) else { return nil }
    var range = ParsedRange()
    if !from.isEmpty { range.from = try placed(from, first, Moment.init(parsing:)) }
    if isLength {
      let (length, place) = try placed(to, first) { text throws(QuantityError) in
        try Quantity.time(text)
      }
      range.end = .duration(length, place)
    } else if !to.isEmpty {
      let (moment, place) = try placed(to, first, Moment.init(parsing:))
      range.end = .moment(moment, place)
    }
    return range
  }

  private static func trimmed(_ part: Substring) -> Substring {
    let bytes = part.utf8
    guard let first = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return part[part.endIndex...] }
    return part[first..<bytes.index(after: last)]
  }

  /// What `parse` makes of a part of a range, and its place.
  private static func placed<Value>(
    _ part: Substring, _ first: Int, _ parse: (Substring) throws(QuantityError) -> Value
  ) throws(MalformedRange) -> (Value, Range<Int>) {
    let place = place(of: part, first)
    do throws(QuantityError) {
      return (try parse(part), place)
    } catch {
      throw MalformedRange(error: error, range: place)
    }
  }

  private static func looksLikeTime(_ part: Substring) -> Bool {
    guard let first = part.unicodeScalars.first else { return true }
    return first.isASCIIDigit || part.utf8.starts(with: "start".utf8)
      || part.utf8.starts(with: "end".utf8) || part.utf8.starts(with: "frame".utf8)
  }

  /// The Unicode scalars of a part in its text, counted from `first` on.
  private static func place(of part: Substring, _ first: Int = 0) -> Range<Int> {
    let before = first + part.base.utf8[..<part.startIndex].scalarCount
    return before..<(before + part.utf8.scalarCount)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
