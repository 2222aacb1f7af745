import Diagnosis
import MediaComposition
import MediaTime
import Playback
import Transcripts

/// What is said at a moment, as a line of the screen shows it.
struct SaidCue: Equatable {
  /// Who says it; nil: not known.
  var speaker: String?
  /// What is said.
  var text: String
  /// The word of the moment in `text`; nil where words have no times.
  var word: Range<String.Index>?
  /// The part of the cue that is past, from 0 to 1.
  var share = 0.0

  /// Longer texts are no speech: of them the beginning is shown.
  private static let mostCharacters = 2000

  /// A cue at a time within it.
  ///
  /// - Complexity: O(length of the text)
  init(_ cue: Cue, at time: Time) {
    (speaker, text) = (cue.speaker, cue.text)
    let length = cue.range.duration.seconds
    share = length > 0 ? max(0, min(1, (time - cue.range.start).seconds / length)) : 0
    guard text.utf8.count <= Self.mostCharacters else {
      text = String(text.prefix(Self.mostCharacters))
      return
    }
    // Between two words it is the one that was said last.
    let index = cue.words.lastIndex { word in word.range.map { $0.start <= time } ?? false }
    if let index, let places = cue.placesOfWords { word = places[index] }
  }
}

extension Transcript {
  /// The cue that is said at a time, of several the one that has begun last; nil where none is.
  ///
  /// - Complexity: O(log n)
  func cue(at time: Time) -> Cue? {
    let begun = cues.partitioningIndex { $0.range.start > time }
    // So many overlap at most where people talk.
    return cues[..<begun].suffix(64).last { time < $0.range.end }
  }

  /// Who says what in a range, or around a place of no length, on one line; nil where nothing is said.
  ///
  /// - Complexity: O(log n), and as of `cues(in:)` for a range
  func text(in range: TimeRange) -> String? {
    guard range.duration > .zero else {
      return cue(at: range.start).map { Self.line($0.speaker, $0.text(around: range.start)) }
    }
    let said = cues(in: range).map { cues[$0] }.filter { !$0.text(in: range).isEmpty }
    guard let first = said.first, let last = said.last else { return nil }
    let texts = said.count < 3 ? said.map { $0.text(in: range) } : [first, last].map(\.text)
    return Self.line(
      first.speaker, texts.joined(separator: said.count < 3 ? " " : " … "))
  }

  private static func line(_ speaker: String?, _ text: String) -> String {
    (speaker.map { $0.onOneLine.shortened(to: 24) + ": " } ?? "") + text.noted
  }
}

extension Cue {
  /// Words before and after a place that say enough of it.
  private static let wordsAround = 4

  /// The text around a time, where words have times; else all of it.
  fileprivate func text(around time: Time) -> String {
    guard let word = words.lastIndex(where: { $0.range.map { $0.start <= time } ?? false }) else {
      return text
    }
    let shown =
      max(0, word - Self.wordsAround)..<min(words.count, word + Self.wordsAround + 1)
    let parts = [
      shown.lowerBound > 0 ? "…" : nil, SpokenText.joined(words[shown].map(\.text)),
      shown.upperBound < words.count ? "…" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: " ")
  }

  /// The words in a range, where words have times; else all of the text.
  fileprivate func text(in range: TimeRange) -> String {
    guard words.contains(where: { $0.range != nil }) else { return text }
    let said = words.filter { word in
      word.range.map { $0.start < range.end && range.start < $0.end } ?? false
    }
    return SpokenText.joined(said.map(\.text))
  }
}

extension String {
  /// As a note to a mark: on one line, that is not long.
  var noted: String { String(prefix(4096)).onOneLine.shortened(to: 60) }

  /// This text on one line that gives a terminal no orders. O(n)
  fileprivate var onOneLine: String {
    SpokenText.onOneLine(self).printable
  }
}

/// What a listener looks for, and where it was found last.
struct WantedWords {
  /// As it was typed.
  var phrase: String
  /// The item in which it was found, and when it is said there; nil: nowhere yet.
  var found: (item: PlayerItem, range: TimeRange)?
}

/// The words of an entry, to look for some in them.
struct PreviewWords {
  /// When a phrase is said each time, in order of time.
  struct Places {
    let ranges: [TimeRange]

    /// The first place behind a time, or before it.
    ///
    /// - Returns: Its index, and whether it is at the other end, since no place was left; nil without
    ///   any place.
    func next(from time: Time, isForward: Bool) -> (index: Int, isRound: Bool)? {
      guard !ranges.isEmpty else { return nil }
      if isForward {
        let index = ranges.partitioningIndex { $0.start > time }
        return index < ranges.count ? (index, false) : (0, true)
      }
      let index = ranges.partitioningIndex { $0.start >= time }
      return index > 0 ? (index - 1, false) : (ranges.count - 1, true)
    }
  }

  private let spoken: SpokenWords

  /// The words of a transcript. O(n log n).
  init(_ transcript: Transcript) { spoken = SpokenWords(transcript) }

  /// Where a phrase is said, with any capitals and punctuation. A phrase within a cue whose words have
  /// no times is said at some time of the cue, and begins with it here.
  ///
  /// - Complexity: O(places of its first word · its length)
  func places(of phrase: String) -> Places {
    Places(ranges: spoken.occurrences(of: phrase).map(range).sorted { $0.start < $1.start })
  }

  private func range(of words: Range<Int>) -> TimeRange {
    do throws(UntimedWord) {
      return try spoken.range(of: words)
    } catch {
      let cues = spoken.transcript.cues
      let (first, last) = (spoken.words[words.lowerBound], spoken.words[words.upperBound - 1])
      let start = first.start ?? cues[first.cue].range.start
      return TimeRange(start: start, end: max(start, last.end ?? cues[last.cue].range.end))
    }
  }

  /// What is said of a phrase that is nowhere: what is most like it, and when.
  func refusal(of phrase: String) -> String {
    guard let words = spoken.nearest(to: phrase) else { return "'\(phrase)' is not said" }
    let place = range(of: words).start.clockText(decimals: 3)
    return "'\(phrase)' is not said; the nearest is '\(spoken.text(of: words).noted)' at \(place)"
  }
}
