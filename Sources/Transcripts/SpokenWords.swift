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
  private let wordsOfCues: [Range<Int>]
  private let tokens: [Token]
  /// The places of each token among `tokens`, in order.
  private let places: [String: [Int]]
  /// Words whose start is known, in order of time.
  private let timed: [Int]

  /// A piece of a word that is compared: `well-known` has two.
  private struct Token {
    var text: String
    var word: Int
    var isFirst: Bool
    var isLast: Bool
  }

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
    var tokens: [Token] = []
    var places: [String: [Int]] = [:]
    for (index, word) in words.enumerated() {
      let pieces = Self.pieces(of: word.text)
      for (place, piece) in pieces.enumerated() {
        places[piece, default: []].append(tokens.count)
        tokens.append(
          Token(
            text: piece, word: index, isFirst: place == 0, isLast: place == pieces.count - 1))
      }
    }
    self.words = words
    self.wordsOfCues = wordsOfCues
    self.tokens = tokens
    self.places = places
    timed = words.indices.filter { words[$0].start != nil }
      .map { (words[$0].start ?? .zero, $0) }.sorted { $0 < $1 }.map(\.1)
  }

  /// The words of a cue.
  package func words(ofCue index: Int) -> Range<Int> { wordsOfCues[index] }

  /// The words in a row that a phrase names, each time it is said; no two overlap.
  ///
  /// - Complexity: O(places of its first word · its length)
  package func occurrences(of phrase: String) -> [Range<Int>] {
    occurrences(ofFolded: Self.pieces(of: phrase))
  }

  private func occurrences(ofFolded wanted: [String]) -> [Range<Int>] {
    guard let first = wanted.first else { return [] }
    var found: [Range<Int>] = []
    for place in places[first] ?? [] {
      let end = place + wanted.count
      guard end <= tokens.count, tokens[place].isFirst, tokens[end - 1].isLast,
        zip(tokens[place..<end], wanted).allSatisfy({ $0.text == $1 })
      else { continue }
      let words = tokens[place].word..<tokens[end - 1].word + 1
      if let last = found.last, words.lowerBound < last.upperBound { continue }
      found.append(words)
    }
    return found
  }

  /// The words of a text as they are compared. A hyphen, a dash and a slash part words: `well-known` is
  /// said as `well known`.
  package static func pieces(of text: String) -> [String] {
    text.split { "-\u{2010}\u{2011}\u{2013}\u{2014}/\u{2026}".contains($0) }
      .flatMap { SpokenText.words(of: String($0)) }
  }

  /// Some words, as they are written.
  package func text(of words: Range<Int>) -> String {
    self.words[words].map(\.text).filter { !$0.isEmpty }.joined(separator: " ")
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
        places[token]
        ?? Spelling.nearest(to: token, among: places.keys.sorted()).flatMap { places[$0] } ?? []
      for place in known where place >= offset { starts.insert(place - offset) }
    }
    let text = wanted.joined(separator: " ")
    var best: (words: Range<Int>, distance: Int)?
    for start in starts.sorted().prefix(Self.placeLimit) {
      let window = tokens[start..<min(start + wanted.count, tokens.count)]
      guard let first = window.first, let last = window.last else { continue }
      let limit = min(text.count / 2, (best?.distance ?? .max) - 1)
      let other = window.map(\.text).joined(separator: " ")
      guard let distance = Spelling.distance(from: text, to: other, limit: limit) else { continue }
      best = (first.word..<last.word + 1, distance)
    }
    return best?.words
  }
}

// MARK: - Edges

/// An edge of words in a row, and how far it may be moved.
package struct SpokenEdge: Sendable, Hashable, Codable {
  /// Where it is by the transcript.
  package var time: Time
  /// The earliest moment to which it may be moved.
  package var earliest: Time
  /// The latest one.
  package var latest: Time

  /// An edge at `time`.
  package init(_ time: Time, from earliest: Time, to latest: Time) {
    self.time = time
    self.earliest = earliest
    self.latest = latest
  }
}

/// A word that cannot be an edge, since its time is not known.
package struct UntimedWord: Error, Hashable {
  /// Its index among the words.
  package var index: Int
}

extension SpokenWords {
  /// How far an edge moves away from its words: recognisers are 50 to 150 ms wide of the mark.
  private static let outwards = Time(value: 80, timescale: 1000)
  /// How far it moves into words that go.
  private static let inwards = Time(value: 40, timescale: 1000)

  /// The time of words in a row by the transcript.
  ///
  /// - Parameter words: Their indices; not empty. The first word of a cue begins, and the last one ends,
  ///   with the cue, if they have no times of their own and all of the cue is meant.
  /// - Returns: From the start of the first one to the end of the last one.
  /// - Throws: `UntimedWord`, for the first or the last one.
  package func range(of words: Range<Int>) throws(UntimedWord) -> TimeRange {
    let (first, last) = (self.words[words.lowerBound], self.words[words.upperBound - 1])
    func cue(_ word: Word) -> TimeRange? {
      let own = wordsOfCues[word.cue]
      return own.clamped(to: words) == own ? transcript.cues[word.cue].range : nil
    }
    guard let start = first.start ?? cue(first)?.start else {
      throw UntimedWord(index: words.lowerBound)
    }
    guard let end = last.end ?? cue(last)?.end else {
      throw UntimedWord(index: words.upperBound - 1)
    }
    // Cues may overlap: what is said last need not end last.
    let latest = self.words[words].lazy.compactMap(\.end).max() ?? end
    return TimeRange(start: start, end: max(start, end, latest))
  }

  /// Where both edges of words in a row may be moved: outwards up to their neighbours' edges, and
  /// inwards if the words go. A neighbour that overlaps them ends, or begins, in the middle of the
  /// overlap.
  ///
  /// - Parameters:
  ///   - words: Their indices.
  ///   - range: Their time.
  ///   - goes: Whether the words are removed, so that an edge may lie within them.
  /// - Returns: Both edges, the start no later than the end, wherever each is moved to.
  /// - Complexity: O(log n + words)
  package func edges(
    of words: Range<Int>, in range: TimeRange, goes: Bool
  ) -> (start: SpokenEdge, end: SpokenEdge) {
    let inwards = goes ? Self.inwards : .zero
    let (before, after) = (neighbour(before: words, range), neighbour(after: words, range))
    let start = min(range.end, max(range.start, (before?.overlap ?? range).start))
    let end = max(start, min(range.end, (after?.overlap ?? range).end))
    let middle = start + (end - start).multiplied(by: 1, over: 2)
    return (
      SpokenEdge(
        start, from: min(start, max(start - Self.outwards, before?.edge ?? start - Self.outwards)),
        to: min(start + inwards, middle)),
      SpokenEdge(
        end, from: max(end - inwards, middle),
        to: max(end, min(end + Self.outwards, after?.edge ?? end + Self.outwards)))
    )
  }

  /// A word beside others: its edge towards them, and what it leaves of their time.
  private struct Neighbour {
    var edge: Time
    var overlap: TimeRange
  }

  /// What is said before `words`; nil where they are the first.
  private func neighbour(before words: Range<Int>, _ range: TimeRange) -> Neighbour? {
    // Where the word before has no end, it may reach up to the first one.
    if words.lowerBound > 0, self.words[words.lowerBound - 1].end == nil {
      return Neighbour(edge: range.start, overlap: range)
    }
    var place = timed.partitioningIndex { (self.words[$0].start ?? .zero) >= range.start }
    while place > 0 {
      place -= 1
      guard !words.contains(timed[place]) else { continue }
      let word = self.words[timed[place]]
      guard let end = word.end, end > range.start else {
        return Neighbour(edge: word.end ?? range.start, overlap: range)
      }
      let middle = range.start + (min(end, range.end) - range.start).multiplied(by: 1, over: 2)
      return Neighbour(edge: middle, overlap: TimeRange(start: middle, end: range.end))
    }
    return nil
  }

  /// What is said after `words`; nil where they are the last.
  private func neighbour(after words: Range<Int>, _ range: TimeRange) -> Neighbour? {
    if words.upperBound < self.words.count, self.words[words.upperBound].start == nil {
      return Neighbour(edge: range.end, overlap: range)
    }
    let first = timed.partitioningIndex { (self.words[$0].start ?? .zero) > range.start }
    for place in first..<timed.count where !words.contains(timed[place]) {
      let word = self.words[timed[place]]
      guard let start = word.start else { continue }
      guard start < range.end else {
        return Neighbour(edge: start, overlap: range)
      }
      // One that ends within them is a neighbour of none of their edges.
      guard word.end.map({ $0 > range.end }) ?? true else { continue }
      let middle = start + (range.end - start).multiplied(by: 1, over: 2)
      return Neighbour(edge: middle, overlap: TimeRange(start: range.start, end: middle))
    }
    return nil
  }
}

extension Array {
  /// The first index whose element is in the second of two parts. O(log n).
  fileprivate func partitioningIndex(where isInSecond: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
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
