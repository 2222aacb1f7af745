import MediaTime
import Transcripts

/// The words of a cue whose text is made of them.
struct CueWords {
  private let cue: Cue
  /// Where in the text each word stands.
  private let places: [Range<String.Index>]
  /// When each word is said; of one without times all that its neighbours leave.
  let spoken: [TimeRange]

  /// nil where no word has times, or where the text says more than the words.
  init?(_ cue: Cue) {
    guard let places = cue.placesOfWords, cue.words.contains(where: { $0.range != nil }) else {
      return nil
    }
    var rest = cue.text.startIndex
    for place in places {
      guard cue.text[rest..<place.lowerBound].isSilent else { return nil }
      rest = place.upperBound
    }
    guard cue.text[rest...].isSilent else { return nil }
    self.cue = cue
    self.places = places
    spoken = Self.spoken(cue)
  }

  private static func spoken(_ cue: Cue) -> [TimeRange] {
    var spoken: [TimeRange] = []
    var before = cue.range.start
    // The start of the next word with times.
    var next: [Time] = []
    var after = cue.range.end
    for word in cue.words.reversed() {
      next.append(after)
      after = word.range?.start ?? after
    }
    next.reverse()
    for (index, word) in cue.words.enumerated() {
      // Times may run backwards.
      spoken.append(
        word.range ?? TimeRange(start: min(before, next[index]), end: max(before, next[index])))
      before = word.range?.end ?? before
    }
    return spoken
  }

  /// The moment by which a word stays or goes.
  func middle(of index: Int) -> Time {
    spoken[index].start + spoken[index].duration.multiplied(by: 1, over: 2)
  }

  /// Reduces a part of the cue to some of its words.
  ///
  /// - Parameters:
  ///   - kept: The indices of the words, in order.
  ///   - texts: What stands instead of each word of the cue, once for words that follow one another; nil:
  ///     the word.
  ///   - part: Gets the text and the words.
  ///   - mapped: When what is said in a range is heard.
  func keep(
    _ kept: [Int], instead texts: [String?], in part: inout Cue,
    mapped: (TimeRange) -> TimeRange
  ) {
    if kept.count == spoken.count, texts.allSatisfy({ $0 == nil }) {
      for index in kept { part.words[index].range = cue.words[index].range.map(mapped) }
      return
    }
    (part.text, part.words, part.markup) = ("", [], nil)
    var last: Int?
    // The punctuation behind the last word is still to come.
    for index in kept {
      let range = texts[index] == nil ? cue.words[index].range : spoken[index]
      let heard = range.map(mapped)
      if let last, let text = texts[index], text == texts[last] {
        let before = part.words[part.words.count - 1].range
        part.words[part.words.count - 1].range = before.map { $0.union(heard ?? $0) } ?? heard
      } else {
        part.text += last.map { gap(from: $0, to: index) } ?? front(of: index)
        var word = cue.words[index]
        if let text = texts[index] { word = Word(text) }
        word.range = heard
        part.text += word.text
        part.words.append(word)
      }
      last = index
    }
    if let last { part.text += back(of: last) }
  }

  /// What stands between two words that follow one another now: of what stood beside words that are
  /// gone, nothing.
  private func gap(from last: Int, to index: Int) -> String {
    let gap = cue.text[places[last].upperBound..<places[index].lowerBound]
    if last + 1 == index { return String(gap) }
    return back(of: last) + (gap.contains(where: \.isWhitespace) ? " " : "") + front(of: index)
  }

  /// The punctuation in front of a word, which stays and goes with it.
  private func front(of index: Int) -> String {
    let front = cue.text[
      cue.text.border(before: index, of: places)..<places[index].lowerBound]
    return String(front.drop(while: \.isWhitespace))
  }

  /// The same behind it.
  private func back(of index: Int) -> String {
    let end =
      index + 1 < places.count
      ? cue.text.border(before: index + 1, of: places) : cue.text.endIndex
    return String(cue.text[places[index].upperBound..<end])
  }
}
