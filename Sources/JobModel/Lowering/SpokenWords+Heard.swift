import Diagnosis
import MediaTime
import Transcripts

extension SpokenWords {
  /// The places of a phrase of which some is heard in a range.
  func occurrences(of phrase: String, within range: TimeRange) -> [Range<Int>] {
    occurrences(of: phrase).filter { isHeard($0, in: range) }
  }

  /// Whether words are heard in a range, as far as their times are known. What lasts no time is heard at
  /// both ends too: there it stays in the text.
  func isHeard(_ words: Range<Int>, in range: TimeRange) -> Bool {
    let last = self.words[words.upperBound - 1]
    let end = last.end ?? transcript.cues[last.cue].range.end
    let start = approximateStart(of: words)
    if start == end { return start >= range.start && start <= range.end }
    return start < range.end && end > range.start
  }

  /// What an edit leaves before the first word, or behind the last, if nobody would take it for sound.
  private static let shortestRim = Time(value: 20, timescale: 1000)

  /// The edges of an edit, moved to the start or the end of an item where hardly any sound without words
  /// would be left there.
  func closingRims(
    _ ends: (start: Time, end: Time), beside words: Range<Int>, of item: TimeRange
  ) -> (start: Time, end: Time) {
    func isSilent(_ words: Range<Int>, _ start: Time, _ end: Time) -> Bool {
      start < end && end - start < Self.shortestRim
        && (words.isEmpty || !isHeard(words, in: TimeRange(start: start, end: end)))
    }
    let isFirst = isSilent(0..<words.lowerBound, item.start, ends.start)
    let isLast = isSilent(words.upperBound..<self.words.count, ends.end, item.end)
    return (isFirst ? item.start : ends.start, isLast ? item.end : ends.end)
  }

  /// Where the silence of muted words that are said in `range` begins and ends: they are silent whole, also
  /// where another one overlaps them, and those without length up to the words beside them.
  func silencing(
    _ words: Range<Int>, in range: TimeRange, around edges: (start: Time, end: Time)
  ) -> (start: Time, end: Time) {
    let ends = (min(edges.start, range.start), max(edges.end, range.end))
    guard ends.0 >= ends.1 else { return ends }
    let around = surroundings(of: words, in: range)
    return (around.start, around.end)
  }

  /// When words begin; if that is not known, when their cue does.
  func approximateStart(of words: Range<Int>) -> Time {
    let first = self.words[words.lowerBound]
    return first.start ?? transcript.cues[first.cue].range.start
  }

  /// Words that are heard in a range and that a phrase resembles which no words are; nil where it resembles
  /// none. Words that other phrases name are not meant by it.
  ///
  /// - Complexity: As `nearest(to:)`
  func words(
    meantBy phrase: String, besides known: [Range<Int>], within range: TimeRange
  ) -> Range<Int>? {
    guard let words = nearest(to: phrase), isHeard(words, in: range),
      !known.contains(where: { $0.overlaps(words) })
    else { return nil }
    let letters = Self.pieces(of: phrase).joined(separator: " ")
    let others = Self.pieces(of: text(of: words)).joined(separator: " ")
    // Of fillers of two letters, one is not another misspelt.
    let limit = min(3, letters.count / 3)
    return Spelling.distance(from: letters, to: others, limit: limit) == nil ? nil : words
  }

  /// Words for a message; of many the first and the last ones.
  func shortText(of words: Range<Int>) -> String {
    guard words.count > 8 else { return text(of: words) }
    return text(of: words.prefix(3)) + " … " + text(of: words.suffix(3))
  }

  /// Words between their neighbours: `so [um] we`.
  func context(of words: Range<Int>) -> String {
    let before = text(of: max(0, words.lowerBound - 1)..<words.lowerBound)
    let after = text(of: words.upperBound..<min(self.words.count, words.upperBound + 1))
    return [before, "[\(shortText(of: words))]", after].filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}
