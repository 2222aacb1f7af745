/// Words of recognisers that have U+FFFD in place of a letter, since it was cut between two tokens: the text of
/// their segment may have it.
extension [RecognizedWord] {
  /// The words, in which pieces of a letter are joined, with the letters of `body`, the text of their segment:
  /// what stands there between the words before and behind them, if it is like them and not longer. Others stay.
  ///
  /// - Complexity: O(n) in `body` for each word that has pieces, else O(words)
  func withLetters(of body: String) -> [RecognizedWord] {
    guard contains(where: \.hasPieces) else { return self }
    var words = joinedPieces
    guard !body.isEmpty, !body.hasPieces else { return words }
    var position = body.startIndex
    var index = 0
    while index < words.count {
      let end = words[index...].firstIndex { !$0.hasPieces } ?? words.count
      let next = end < words.count ? words[end].text : nil
      guard
        let found = body.spelling(of: words[index..<end].map(\.text), from: position, before: next)
      else { return words }
      for (place, text) in zip(index..<end, found.texts) { words[place].spell(text) }
      (position, index) = (found.end, end + 1)
    }
    return words
  }

  /// The words, of which one that begins with a piece goes on with one that ends so. O(n)
  private var joinedPieces: [RecognizedWord] {
    var joined: [RecognizedWord] = []
    for word in self {
      if let last = joined.last, last.text.unicodeScalars.last == Unicode.Scalar.piece,
        word.text.unicodeScalars.first == Unicode.Scalar.piece,
        last.speaker == nil || word.speaker == nil || last.speaker == word.speaker,
        !last.blanks.behind, !word.blanks.before
      {
        joined[joined.count - 1].append(word, behind: "")
      } else {
        joined.append(word)
      }
    }
    return joined
  }
}

extension RecognizedWord {
  /// Whether it has pieces of letters.
  var hasPieces: Bool { text.hasPieces }
}

extension Unicode.Scalar {
  /// What stands for a piece of a letter.
  fileprivate static let piece: Unicode.Scalar = "\u{FFFD}"
}

extension String {
  fileprivate var hasPieces: Bool { unicodeScalars.contains(.piece) }

  /// How often the next word may stand within words with pieces: the `a` behind `café` does.
  private static let mostPlaces = 8

  /// What `words`, which stand in a row from a place on and have pieces, are in this text, before the word
  /// `next`, or to its end; and where that word ends. Words that are not like the text have no spelling.
  ///
  /// - Returns: nil where the text does not have the next word. O(n)
  fileprivate func spelling(
    of words: [String], from start: Index, before next: String?
  ) -> (texts: [String], end: Index)? {
    guard let next else { return (Self.spelling(of: words, in: self[start...]) ?? words, endIndex) }
    var first: Range<Index>?
    var position = start
    for _ in 0..<(words.isEmpty ? 1 : Self.mostPlaces) {
      guard let place = utf8[position...].place(of: Array(next.utf8)) else { break }
      if let texts = Self.spelling(of: words, in: self[start..<place.lowerBound]) {
        return (texts, place.upperBound)
      }
      first = first ?? place
      position = place.upperBound
    }
    return first.map { (words, $0.upperBound) }
  }

  private static func spelling(of words: [String], in text: Substring) -> [String]? {
    guard !words.isEmpty else { return [] }
    let parts =
      words.count == 1
      ? [text.trimmed(where: \.isWhitespace)] : text.split(whereSeparator: \.isWhitespace)
    guard parts.count == words.count else { return nil }
    var spelled: [String] = []
    for (word, part) in zip(words, parts) {
      // Some write words without their punctuation.
      let bare = part.trimmed { !$0.isLetter && !$0.isNumber }
      guard let text = [part, bare].first(where: { word.isLike($0) }) else { return nil }
      spelled.append(String(text))
    }
    return spelled
  }

  /// Whether a text may be this one with letters for its pieces, of which a letter has one to four. O(n)
  private func isLike(_ text: Substring) -> Bool {
    let pieces = unicodeScalars.count { $0 == .piece }
    let parts = unicodeScalars.split(omittingEmptySubsequences: false) { $0 == .piece }
      .map { String($0) }
    guard let first = parts.first, let last = parts.last, text.hasPrefix(first) else {
      return false
    }
    var rest = text.dropFirst(first.count)
    guard rest.hasSuffix(last) else { return false }
    rest = rest.dropLast(last.count)
    var letters = 0
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let place = rest.utf8.place(of: Array(part.utf8)), place.lowerBound > rest.startIndex
      else { return false }
      letters += rest[..<place.lowerBound].count
      rest = rest[place.upperBound...]
    }
    letters += rest.count
    return !rest.isEmpty && letters <= pieces && pieces <= 4 * letters
  }
}

extension Substring {
  /// Without such characters at both ends. O(n)
  fileprivate func trimmed(where isLeftOut: (Character) -> Bool) -> Substring {
    var rest = drop(while: isLeftOut)
    while let last = rest.last, isLeftOut(last) { rest.removeLast() }
    return rest
  }
}
