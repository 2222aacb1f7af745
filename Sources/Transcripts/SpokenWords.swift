import Diagnosis
import MediaTime

/// The words of a transcript in order, across its cues, in which phrases are looked for.
package struct SpokenWords: Sendable {
  /// A word, or what stands for the text of a cue that has no words.
  package struct Word: Sendable, Hashable {
    /// As it is written; empty for a cue without text.
    package var text: String
    /// When it begins; nil: not known.
    package var start: Time?
    /// When it ends; nil: not known.
    package var end: Time?
    /// The index of its cue.
    package var cue: Int
  }

  /// What the words are from.
  package let transcript: Transcript
  /// In order of the cues.
  package let words: [Word]
  /// Those of each cue, by its index.
  let wordsOfCues: [Range<Int>]
  private let tokens: TokenList
  /// Words whose start is known, in order of time.
  let timed: [Int]
  /// For each of those the word that ends last of it and of those before it; nil: no end is known.
  let latestEnds: [Int?]

  /// The words of `transcript`. O(n log n).
  ///
  /// A cue without times of words begins with its first word and ends with its last one; no other
  /// times of them are known.
  package init(_ transcript: Transcript) {
    self.transcript = transcript
    var words: [Word] = []
    var wordsOfCues: [Range<Int>] = []
    for (index, cue) in transcript.cues.enumerated() {
      let first = words.count
      words += cue.spokenWords(index)
      wordsOfCues.append(first..<words.count)
    }
    self.words = words
    self.wordsOfCues = wordsOfCues
    tokens = TokenList(words, Self.pieces)
    timed = words.indices.filter { words[$0].start != nil }
      .map { (words[$0].start ?? .zero, $0) }.sorted { $0 < $1 }.map(\.1)
    var last: Int?
    latestEnds = timed.map { index in
      guard let end = words[index].end else { return last }
      if last.flatMap({ words[$0].end }).map({ $0 < end }) ?? true { last = index }
      return last
    }
  }

  /// The words of a cue.
  package func words(ofCue index: Int) -> Range<Int> { wordsOfCues[index] }

  /// The words in a row that a phrase names, each time it is said; no two overlap. A phrase that begins
  /// or ends within a word is not among them: a cut has no time there.
  ///
  /// - Complexity: O(places of its first word · its length)
  package func occurrences(of phrase: String) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for place in tokens.places(of: Self.pieces(of: phrase)) where tokens.isWhole(place) {
      let words = tokens.words(place)
      if let last = found.last, words.lowerBound < last.upperBound { continue }
      found.append(words)
    }
    return found
  }

  /// The words in a row that have some of a phrase, each time it is said, also within words: of `Jane`
  /// those are `Mary-Jane`, `Jane's` and `Jane,he` as well. What is silent must not stay in the text.
  ///
  /// - Complexity: O(n + places of first words · lengths)
  package func mentions(of phrases: [String]) -> [[Range<Int>]] {
    guard !phrases.isEmpty else { return [] }
    // `a.m.` is one word, and parted it is not `am`; so both forms are looked for.
    let parted = TokenList(words, Self.partedPieces)
    return phrases.map { phrase in
      (tokens.places(of: Self.pieces(of: phrase)).map(tokens.words)
        + parted.places(of: Self.partedPieces(of: phrase)).map(parted.words)).unique
    }
  }

  /// The words of a text as they are compared. A hyphen, a dash and a slash part words: `well-known` is
  /// said as `well known`. In scripts without spaces each letter is one.
  package static func pieces(of text: String) -> [String] {
    text.split { "-\u{2010}\u{2011}\u{2013}\u{2014}/\u{2026}".contains($0) }
      .flatMap { SpokenText.words(of: String($0)) }.flatMap(SpokenText.lettersWithoutSpaces)
  }

  /// The same, where all that is no letter and no digit parts words.
  private static func partedPieces(of text: String) -> [String] {
    text.split { !$0.isLetter && !$0.isNumber }.flatMap { pieces(of: String($0)) }
  }

  /// Some words, as they are written.
  package func text(of words: Range<Int>) -> String {
    SpokenText.joined(self.words[words].map(\.text))
  }
}

// MARK: - What is nearest

extension SpokenWords {
  /// The most places that are compared with a phrase that is not there.
  private static let placeLimit = 20_000

  /// The words in a row that are most like a phrase which is not there; nil where nothing is.
  ///
  /// - Complexity: O(places of its words · its length²), for twenty thousand places at most
  package func nearest(to phrase: String) -> Range<Int>? {
    let wanted = Self.pieces(of: phrase)
    guard !wanted.isEmpty else { return nil }
    // Where one of its words stands, or one that looks like it, the phrase would begin so many before.
    var starts: Set<Int> = []
    for (offset, token) in wanted.enumerated() {
      let known =
        tokens.places[token]
        ?? Spelling.nearest(to: token, among: tokens.places.keys.sorted())
        .flatMap { tokens.places[$0] } ?? []
      for place in known where place >= offset { starts.insert(place - offset) }
    }
    let text = wanted.joined(separator: " ")
    var best: (words: Range<Int>, distance: Int)?
    for start in starts.sorted().prefix(Self.placeLimit) {
      let window = tokens.list[start..<min(start + wanted.count, tokens.list.count)]
      guard let first = window.first, let last = window.last else { continue }
      let limit = min(text.count / 2, (best?.distance ?? .max) - 1)
      let other = window.map(\.text).joined(separator: " ")
      guard let distance = Spelling.distance(from: text, to: other, limit: limit) else { continue }
      best = (first.word..<last.word + 1, distance)
    }
    return best?.words
  }
}

extension Cue {
  /// Its words; without times of any, those of its text, of which the first begins and the last ends
  /// with the cue.
  fileprivate func spokenWords(_ index: Int) -> [SpokenWords.Word] {
    guard !words.contains(where: { $0.range != nil }) else {
      return words.map {
        SpokenWords.Word(text: $0.text, start: $0.range?.start, end: $0.range?.end, cue: index)
      }
    }
    var texts = words.map(\.text)
    if texts.isEmpty { texts = text.split(whereSeparator: \.isWhitespace).map(String.init) }
    if texts.isEmpty { texts = [""] }
    return texts.enumerated().map { place, text in
      SpokenWords.Word(
        text: text, start: place == 0 ? range.start : nil,
        end: place == texts.count - 1 ? range.end : nil, cue: index)
    }
  }
}
