import MediaTime
import Transcripts

/// A cue as it is said once, in one or more pieces.
struct Saying {
  /// In order of the content and of when they are heard.
  private let pieces: [CuePiece]
  /// Pieces that touch, together.
  private let runs: [ArraySlice<CuePiece>]
  private let visits: [TranscriptWalk.Visit]
  private let cue: Cue
  /// All of the cue that its recording has, in the time of the content.
  private let range: TimeRange
  /// The same of the cue and of its words, which may be said outside of it.
  private let said: TimeRange
  /// What is silent of `said`, in order and without overlaps.
  private let redactions: [SegmentSpeech.Redaction]

  init(_ pieces: [CuePiece], _ visits: [TranscriptWalk.Visit]) {
    let visit = visits[pieces[0].visit]
    var cue = visit.index.transcript.cues[pieces[0].cue].moved(by: visit.speech.offset)
    cue.speaker = cue.speaker ?? visit.speech.speaker ?? visit.trackName
    let said = visit.index.said[pieces[0].cue].moved(by: visit.speech.offset)
    self.pieces = pieces
    runs = pieces.runs
    self.visits = visits
    self.cue = cue
    range = cue.range.intersection(visit.extent)
    self.said = said.intersection(visit.extent)
    redactions = pieces.flatMap { visits[$0.visit].redactions(of: said) }.merged
  }

  /// What is left of it: one cue for each run of pieces that touch, if that has words. O(log n) for each
  /// word, in the number of pieces and redactions.
  var cues: [Cue] {
    if runs.count == 1, isAll(pieces[...]), redactions.isEmpty { return [whole] }
    guard let words = CueWords(cue) else { return wordless }
    let texts = words.spoken.map { redactions(of: $0).first.map { redactions[$0].text ?? "…" } }
    let isRedacted = texts.contains { $0 != nil }
    var cues: [Cue] = zip(runs, kept(of: words)).compactMap { run, kept in
      guard !kept.isEmpty else { return nil }
      var part = placed(run, saying: kept.map { words.spoken[$0] })
      words.keep(kept, instead: texts, in: &part) { heard($0, in: run) }
      return isRedacted ? part.redacted : part
    }
    for index in cues.indices.dropLast() { cues[index].endsParagraph = false }
    return cues
  }

  /// All of it, unchanged but for its time.
  private var whole: Cue {
    let run = pieces[...]
    var whole = cue
    whole.range = heardRange(run, saying: [])
    for index in whole.words.indices {
      whole.words[index].range = cue.words[index].range.map { heard($0, in: run) }
    }
    whole.markup = cue.markup?.mappingMoments { heard($0, in: run) }
    return whole
  }

  /// The whole text on the longest run, if half of the cue is said.
  private var wordless: [Cue] {
    let lengths = runs.map { heard($0, of: range) }
    guard lengths.reduce(.zero, +) * 2 >= range.duration else { return [] }
    var longest: Int?
    for index in runs.indices where hears(range, in: runs[index]) {
      if longest.map({ lengths[$0] < lengths[index] }) ?? true { longest = index }
    }
    guard let longest else { return [] }
    var part = placed(runs[longest], saying: [])
    part.words = []
    let silent = Set(([cue.range] + cue.words.compactMap(\.range)).flatMap(redactions(of:)))
    guard !silent.isEmpty else { return [part] }
    var texts: [String] = []
    for text in silent.sorted().map({ redactions[$0].text ?? "…" }) where !texts.contains(text) {
      texts.append(text)
    }
    part.text = texts.joined(separator: " ")
    return [part.redacted]
  }

  /// The cue over a run. When its `words` are said counts where the run has nothing of the cue's own
  /// time.
  private func placed(_ run: ArraySlice<CuePiece>, saying words: [TimeRange]) -> Cue {
    var part = cue
    part.range = heardRange(run, saying: words)
    if isAll(run) {
      part.markup = cue.markup?.mappingMoments { heard($0, in: run) }
    } else {
      // Of a part, moments would lie at its ends.
      part.settings = nil
      part.markup = cue.markup.flatMap { $0.mappingMoments { _ in .zero } == $0 ? $0 : nil }
    }
    return part
  }
}

// MARK: - Words

extension Saying {
  /// By run, the words whose middle is said in it. What is said before all that the recording has counts
  /// at its start, and what is said at its end or later counts there.
  private func kept(of words: CueWords) -> [[Int]] {
    var kept = Array(repeating: [Int](), count: runs.count)
    for index in words.spoken.indices {
      let middle = words.middle(of: index)
      guard let piece = piece(saying: middle) else { continue }
      kept[runs.partitioningIndex { $0.endIndex > piece }].append(index)
    }
    return kept
  }

  private func piece(saying moment: Time) -> Int? {
    if moment < said.start { return pieces[0].start == said.start ? 0 : nil }
    let last = pieces.count - 1
    if moment >= said.end { return pieces[last].end == said.end ? last : nil }
    let piece = pieces.partitioningIndex { $0.start > moment } - 1
    return piece >= 0 && moment < pieces[piece].end ? piece : nil
  }

  /// Those that have some time of a word.
  private func redactions(of word: TimeRange) -> [Int] {
    let first = redactions.partitioningIndex { $0.range.end >= word.start }
    return redactions.indices[first...].prefix { redactions[$0].range.start <= word.end }
      .filter { redactions[$0].range.meets(word) }
  }
}

// MARK: - Times

extension Saying {
  /// Whether all of it is heard, but for what rounding left.
  private func isAll(_ run: ArraySlice<CuePiece>) -> Bool {
    said.duration - heard(run, of: said) <= Segment.shortestPart
  }

  /// How much of a range is heard, in the time of the content.
  private func heard(_ run: ArraySlice<CuePiece>, of range: TimeRange) -> Time {
    run.reduce(.zero) { length, piece in
      length + max(.zero, min(piece.end, range.end) - max(piece.start, range.start))
    }
  }

  /// Whether some of a range is heard, or a range of no length.
  private func hears(_ range: TimeRange, in run: ArraySlice<CuePiece>) -> Bool {
    run.contains { piece in
      range.isEmpty
        ? piece.start <= range.start && range.start <= piece.end
        : piece.start < range.end && range.start < piece.end
    }
  }

  /// When the cue's own time is heard in a run; where it is not, when these words are.
  private func heardRange(_ run: ArraySlice<CuePiece>, saying words: [TimeRange]) -> TimeRange {
    var range = range
    if let first = words.first, !hears(range, in: run) {
      range = words.dropFirst().reduce(first) { $0.union($1) }
    }
    let ending = run.partitioningIndex { $0.start >= range.end } - 1
    let start = heard(range.start, in: run)
    let last = run[max(run.startIndex, ending)]
    let end = range.end >= last.end ? last.heardEnd : visits[last.visit].heard(range.end)
    return TimeRange(start: start, end: max(start, end))
  }

  /// When a range of the content is heard in a run, at the nearest moments that are.
  private func heard(_ range: TimeRange, in run: ArraySlice<CuePiece>) -> TimeRange {
    let (start, end) = (heard(range.start, in: run), heard(range.end, in: run))
    return TimeRange(start: start, end: max(start, end))
  }

  private func heard(_ time: Time, in run: ArraySlice<CuePiece>) -> Time {
    let piece = run[max(run.startIndex, run.partitioningIndex { $0.start > time } - 1)]
    return min(max(piece.heardStart, visits[piece.visit].heard(time)), piece.heardEnd)
  }
}

extension Cue {
  /// The same without what may still say what a redaction has taken out of the text.
  fileprivate var redacted: Cue {
    var redacted = self
    (redacted.identifier, redacted.settings, redacted.markup) = (nil, nil, nil)
    return redacted
  }
}

extension TranscriptWalk.Visit {
  /// What was silent of what is said in a range of the content.
  fileprivate func redactions(of said: TimeRange) -> [SegmentSpeech.Redaction] {
    redactions.flatMap { $0.within(said) }.filter { said.isEmpty || !$0.range.isEmpty }
  }
}

extension TimeRange {
  /// Whether some time of a word is in this range; one of no length also counts at both ends.
  fileprivate func meets(_ word: TimeRange) -> Bool {
    word.duration > .zero
      ? start < word.end && word.start < end : start <= word.start && word.start <= end
  }
}
