import MediaTime

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
  /// overlap: of one voice, that is a mistake of the recogniser's. Another voice that speaks meanwhile is
  /// no neighbour, since a moment between the two would leave half of each.
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
    let count = timed.partitioningIndex {
      (self.words[$0].start ?? .zero, $0) >= (range.start, words.lowerBound)
    }
    guard count > 0 else { return nil }
    func isOther(_ index: Int) -> Bool {
      !words.contains(index) && !isAnotherVoice(index, during: words, range)
    }
    var known = latestEnds[count - 1]
    if let index = known, !isOther(index) {
      known = timed[..<count].filter { self.words[$0].end != nil && isOther($0) }
        .max { self.words[$0].end ?? .zero < self.words[$1].end ?? .zero }
    }
    if let end = known.flatMap({ self.words[$0].end }), end > range.start {
      let middle = range.start + (min(end, range.end) - range.start).multiplied(by: 1, over: 2)
      return Neighbour(edge: middle, overlap: TimeRange(start: middle, end: range.end))
    }
    // One without an end may last up to the first one.
    let last = timed[..<count].last(where: isOther)
    let open = last.flatMap { self.words[$0].end == nil ? range.start : nil }
    guard let edge = open ?? known.flatMap({ self.words[$0].end }) else { return nil }
    return Neighbour(edge: edge, overlap: range)
  }

  /// What is said after `words`; nil where they are the last.
  private func neighbour(after words: Range<Int>, _ range: TimeRange) -> Neighbour? {
    if words.upperBound < self.words.count, self.words[words.upperBound].start == nil {
      return Neighbour(edge: range.end, overlap: range)
    }
    let first = timed.partitioningIndex { (self.words[$0].start ?? .zero) >= range.start }
    for place in first..<timed.count
    where !words.contains(timed[place]) && !isAnotherVoice(timed[place], during: words, range) {
      let word = self.words[timed[place]]
      guard let start = word.start else { continue }
      // One that begins with them is before them if it comes so in the transcript.
      let isBefore = start == range.start && timed[place] < words.lowerBound
      if isBefore, start < range.end || word.end == start { continue }
      guard start < range.end else { return Neighbour(edge: start, overlap: range) }
      // One that ends within them is a neighbour of none of their edges.
      guard word.end.map({ $0 > range.end }) ?? true else { continue }
      let middle = start + (range.end - start).multiplied(by: 1, over: 2)
      return Neighbour(edge: middle, overlap: TimeRange(start: range.start, end: middle))
    }
    return nil
  }

  /// Whether a word is said by another one while `words` are, as far as both are known.
  private func isAnotherVoice(_ index: Int, during words: Range<Int>, _ range: TimeRange) -> Bool {
    let cues = transcript.cues
    guard let own = cues[self.words[words.lowerBound].cue].speaker,
      let speaker = cues[self.words[index].cue].speaker, speaker != own,
      let start = self.words[index].start
    else { return false }
    return start < range.end && self.words[index].end.map { $0 > range.start } ?? false
  }

  /// Words beside `words` that other voices than that of the first of these say in a range, in order of
  /// time. O(n)
  package func otherVoices(in range: TimeRange, beside words: Range<Int>) -> [Int] {
    timed.filter { !words.contains($0) && isAnotherVoice($0, during: words, range) }
  }

  /// Words that last no time, with what may have their sound: half of each word beside them, or up to
  /// 80 ms where none is that near.
  ///
  /// - Parameters:
  ///   - words: Their indices; not empty.
  ///   - range: Their time.
  /// - Returns: A range that has some length.
  package func surroundings(of words: Range<Int>, in range: TimeRange) -> TimeRange {
    func middle(_ index: Int) -> Time? {
      guard self.words.indices.contains(index), let start = self.words[index].start,
        let end = self.words[index].end, end >= start
      else { return nil }
      return start + (end - start).multiplied(by: 1, over: 2)
    }
    var start = range.start - Self.outwards
    if let end = self.words[..<words.lowerBound].last?.end, end > start,
      let half = middle(words.lowerBound - 1)
    {
      start = min(half, range.start)
    }
    var end = range.end + Self.outwards
    if let next = self.words[words.upperBound...].first?.start, next < end,
      let half = middle(words.upperBound)
    {
      end = max(half, range.end)
    }
    // Where a neighbour lasts no time either, its half is no time.
    if start == range.start { start = start - Self.inwards }
    if end == range.end { end = end + Self.inwards }
    return TimeRange(start: start, end: end)
  }
}
