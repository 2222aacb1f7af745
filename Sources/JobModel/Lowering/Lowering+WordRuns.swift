import Diagnosis
import MediaTime
import Transcripts

/// Words in a row that an edit takes, and where that is written first.
struct WordRun {
  var words: Range<Int>
  var origin: Origin
}

extension Lowering {
  /// The words of a selection that are heard, those that follow one another together; nil after a report.
  mutating func runs(
    of selection: WordSelection, _ use: WordUse, in text: SpokenWords, of lowered: LoweredItem
  ) -> [WordRun]? {
    var found: [WordRun] = []
    var missing: [Located<String>] = []
    let phrases = selection.phrases.map(\.value)
    let places =
      use == .muted ? text.mentions(of: phrases) : phrases.map { text.occurrences(of: $0) }
    for (phrase, words) in zip(selection.phrases, places) {
      let heard = words.filter { text.isHeard($0, in: lowered.source) }
      found += heard.map { WordRun(words: $0, origin: phrase.origin) }
      // Elsewhere in the file is no place of this item, but not missing from the transcript.
      if words.isEmpty { missing.append(phrase) }
    }
    var isWhole = true
    for speaker in selection.speakers {
      guard let cues = cues(of: speaker, in: text, of: lowered) else {
        isWhole = false
        continue
      }
      found += cues.map { WordRun(words: text.words(ofCue: $0), origin: speaker.origin) }
    }
    for numbers in selection.cues {
      guard let cues = cues(numbers, in: text, of: lowered) else {
        isWhole = false
        continue
      }
      found += cues.map { WordRun(words: text.words(ofCue: $0), origin: numbers.origin) }
    }
    guard isWhole else { return nil }
    let heard = found.filter { text.isHeard($0.words, in: lowered.source) }
    if use == .kept, heard.isEmpty {
      refuseToKeepNothing(of: selection, missing, in: text, of: lowered)
      return nil
    }
    if !missing.isEmpty { noteMissing(missing, use, besides: found, in: text, of: lowered) }
    if use == .muted { noteSpeakers(called: selection.phrases, in: text, of: lowered) }
    return heard.sorted { $0.words.lowerBound < $1.words.lowerBound }.reduce(into: []) {
      runs, run in
      guard let last = runs.last, run.words.lowerBound <= last.words.upperBound else {
        return runs.append(run)
      }
      let end = max(last.words.upperBound, run.words.upperBound)
      runs[runs.count - 1].words = last.words.lowerBound..<end
    }
  }

  /// Says which phrases no words are, and what may be meant.
  private mutating func noteMissing(
    _ missing: [Located<String>], _ use: WordUse, besides found: [WordRun], in text: SpokenWords,
    of lowered: LoweredItem
  ) {
    let parts = text.mentions(of: missing.map(\.value)).joined()
      .filter { text.isHeard($0, in: lowered.source) }
    let near = parts.isEmpty ? misspelt(missing, besides: found, in: text, of: lowered) : nil
    note(
      Self.missing(missing, in: lowered) + (parts.isEmpty ? "" : " as whole words"),
      // A name that stays is worse than a filler that stays.
      as: use == .muted ? .warning : .note, at: near?.phrase.origin ?? missing[0].origin,
      help: parts.first.map {
        "'\(text.shortText(of: $0))' has one time: name all of it, or write a time"
      } ?? near.map { meant($0.words, by: $0.phrase.value, use, in: text, of: lowered) }
        ?? "what is not said needs no edit")
  }

  /// Says which muted phrases are also names of speakers who are heard: names are no words, and stay.
  private mutating func noteSpeakers(
    called phrases: [Located<String>], in text: SpokenWords, of lowered: LoweredItem
  ) {
    guard !phrases.isEmpty else { return }
    let cues = text.transcript.cues
    let names = cues.indices.filter { text.isHeard(text.words(ofCue: $0), in: lowered.source) }
      .compactMap { cues[$0].speaker }.unique
    var named: Set<Int> = []
    for name in names {
      let mentions = SpokenWords(Transcript([Cue(name, in: .zero)])).mentions(
        of: phrases.map(\.value))
      named.formUnion(mentions.indices.filter { !mentions[$0].isEmpty })
    }
    let found = named.sorted().map { phrases[$0] }
    guard let first = found.first else { return }
    note(
      "\(found.map(\.value).quoted) \(found.count == 1 ? "stays" : "stay") in names of speakers in the "
        + "transcript of \(lowered.name)", at: first.origin,
      help: "give the speaker another name in the transcript if nobody is to read it")
  }

  /// Refuses to keep words of which none is heard.
  private mutating func refuseToKeepNothing(
    of selection: WordSelection, _ missing: [Located<String>], in text: SpokenWords,
    of lowered: LoweredItem
  ) {
    let near = misspelt(missing, besides: [], in: text, of: lowered)
    error(
      missing.isEmpty
        ? "none of the words to keep are said in the range of \(lowered.name)"
        : Self.missing(missing, in: lowered) + ", and nothing else of it is kept",
      at: near?.phrase.origin ?? missing.first?.origin ?? selection.origin,
      help: near.map { meant($0.words, by: $0.phrase.value, .kept, in: text, of: lowered) }
        ?? (missing.isEmpty ? "name words of the range, or widen it" : "name words that are said"))
  }

  private static func missing(_ phrases: [Located<String>], in lowered: LoweredItem) -> String {
    "\(phrases.map(\.value).quoted) \(phrases.count == 1 ? "is" : "are") not in the transcript of "
      + "\(lowered.name)"
  }

  /// The first of some phrases that no words are which resembles words that are heard, and these; nil
  /// where none does.
  private func misspelt(
    _ phrases: [Located<String>], besides runs: [WordRun], in text: SpokenWords,
    of lowered: LoweredItem
  ) -> (phrase: Located<String>, words: Range<Int>)? {
    let known = runs.map(\.words)
    for phrase in phrases {
      if let words = text.words(
        meantBy: phrase.value, besides: known, within: lowered.source)
      {
        return (phrase, words)
      }
    }
    return nil
  }

  /// A question whether words were meant by a phrase that no words are.
  private func meant(
    _ words: Range<Int>, by phrase: String, _ use: WordUse, in text: SpokenWords,
    of lowered: LoweredItem
  ) -> String {
    let time = Self.text(text.approximateStart(of: words) - lowered.source.start)
    return
      "did you mean \(quotesWords ? "'\(text.shortText(of: words))'" : "the words") at \(time)?"
      + (use == .muted ? " '\(phrase)' silences nothing" : "")
  }

  /// The cues that have numbers in their file, by their indices; of several transcripts together each
  /// cue has its place. nil after a report.
  private mutating func cues(
    _ numbers: Located<ClosedRange<Int>>, in text: SpokenWords, of lowered: LoweredItem
  ) -> [Int]? {
    let cues = text.transcript.cues
    let isOfFile = lowered.speech.contains { $0.transcript != nil }
    let known = cues.indices.map { isOfFile ? cues[$0].number ?? $0 + 1 : $0 + 1 }
    let last = known.max() ?? 0
    let found = known.indices.filter { numbers.value.contains(known[$0]) }
    let (low, high) = (numbers.value.lowerBound, numbers.value.upperBound)
    guard found.isEmpty || high > last else { return found }
    error(
      "the transcript of \(lowered.name) has \(cues.count) \(cues.count == 1 ? "cue" : "cues"), "
        + "and no number \(high > last ? high : low)", at: numbers.origin,
      help: cues.count == 1
        ? "write '\(last)'" : "cues go from \(known.min() ?? last) to \(last)")
    return nil
  }

  /// The cues of a speaker, by their indices; nil after a report.
  private mutating func cues(
    of speaker: Located<String>, in text: SpokenWords, of lowered: LoweredItem
  ) -> [Int]? {
    let cues = text.transcript.cues
    let wanted = SpokenWords.pieces(of: speaker.value)
    let found = cues.indices.filter { index in
      cues[index].speaker.map { SpokenWords.pieces(of: $0) == wanted } ?? false
    }
    guard found.isEmpty else { return found }
    let names = cues.compactMap(\.speaker).unique
    error(
      "nobody called '\(speaker.value)' speaks in the transcript of \(lowered.name)",
      at: speaker.origin,
      help: names.isEmpty
        ? "its cues have no speakers; write 'words' or 'cues'"
        : !quotesWords
          ? "write a name as it stands in the transcript"
          : Spelling.help(for: speaker.value, among: names)
            ?? "the speakers are \(names.prefix(10).quoted)")
    return nil
  }
}
