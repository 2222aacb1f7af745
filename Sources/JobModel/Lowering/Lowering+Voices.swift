import Diagnosis
import MediaTime
import Transcripts

extension Lowering {
  /// Says which words of other voices go with `runs` of words and their times that an edit takes, beside
  /// those that it names.
  mutating func noteOtherVoices(
    beside runs: some Sequence<(Range<Int>, TimeRange)>, _ use: WordUse, in text: SpokenWords,
    of lowered: LoweredItem, at origin: Origin
  ) {
    let named = Set(runs.lazy.flatMap(\.0))
    let words = runs.flatMap { text.otherVoices(in: $1, beside: $0) }.unique
      .filter { !named.contains($0) }
    guard use != .kept, let first = words.first, let start = text.words[first].start else { return }
    let speaker = text.transcript.cues[text.words[first].cue].speaker ?? ""
    let place = Self.text(max(.zero, start - lowered.source.start))
    let example =
      quotesWords
      ? "as '\(text.shortText(of: first..<first + 1))' of \(speaker) at \(place)" : "as at \(place)"
    note(
      "\(words.count == 1 ? "a word of others is" : "\(words.count) words of others are") "
        + "\(use == .cut ? "cut" : "silent") too, being said meanwhile, \(example)", at: origin,
      help: "an edit of one speaker's own track leaves the others as they are")
  }
}
