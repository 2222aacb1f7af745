import MediaTime
import Transcripts

/// A part of a cue that is heard without a gap.
struct CuePiece {
  /// Where it was met.
  var visit: Int
  /// Who plays it.
  var voice: Int
  /// Of which transcript it is.
  var source: Int
  /// The cue's place in that.
  var cue: Int
  /// What is heard of it, in the time of the content.
  var start: Time
  var end: Time
  /// When it is heard.
  var heardStart: Time
  var heardEnd: Time

  fileprivate func isOfSameCue(as other: CuePiece) -> Bool {
    (voice, source, cue) == (other.voice, other.source, other.cue)
  }

  /// Whether it goes on with what is said in a cue after an earlier piece. Else it is said again.
  fileprivate func continues(_ saying: [CuePiece]) -> Bool {
    guard let before = saying.last else { return false }
    return start + Segment.shortestPart >= before.end
      && heardStart + Segment.shortestPart >= before.heardEnd
  }

  /// Whether nothing lies between it and an earlier piece.
  fileprivate func touches(_ saying: [CuePiece]) -> Bool {
    saying.last.map { touches($0) } ?? false
  }

  fileprivate func touches(_ before: CuePiece) -> Bool {
    heardStart - before.heardEnd <= Segment.shortestPart
  }
}

extension [CuePiece] {
  /// The cues that these are parts of, in order of time. O(n log n).
  func cues(of visits: [TranscriptWalk.Visit]) -> [Cue] {
    let pieces = enumerated().sorted { a, b in
      let (one, other) = (a.element, b.element)
      guard one.isOfSameCue(as: other) else {
        return (one.voice, one.source, one.cue) < (other.voice, other.source, other.cue)
      }
      return (one.heardStart, a.offset) < (other.heardStart, b.offset)
    }
    .map(\.element)
    var cues: [(cue: Cue, voice: Int)] = []
    for pieces in pieces.sayings {
      cues += Saying(pieces, visits).cues.map { ($0, pieces[0].voice) }
    }
    return cues.enumerated().sorted { a, b in
      (a.element.cue.range.start, a.element.voice, a.offset)
        < (b.element.cue.range.start, b.element.voice, b.offset)
    }
    .map(\.element.cue).identified
  }
}

extension [CuePiece] {
  /// Of these, in order of cues and then of time, those that are said at once together.
  private var sayings: [[CuePiece]] {
    var done: [[CuePiece]] = []
    // Those of the present cue: two tracks of one name may play one recording.
    var open: [[CuePiece]] = []
    for piece in self {
      if let last = open.last?.last, !piece.isOfSameCue(as: last) {
        done += open
        open = []
      }
      let recent = open.indices.suffix(Self.mostSayings)
      let continued =
        recent.last { piece.continues(open[$0]) && piece.touches(open[$0]) }
        ?? recent.suffix(1).first { piece.continues(open[$0]) }
      if let continued { open[continued].append(piece) } else { open.append([piece]) }
    }
    return done + open
  }

  /// How many tracks of one name are kept apart.
  private static let mostSayings = 8
}

extension [Cue] {
  /// The same without identifiers that several have: WebVTT wants them unique.
  fileprivate var identified: [Cue] {
    var counts: [String: Int] = [:]
    for cue in self { if let name = cue.identifier { counts[name, default: 0] += 1 } }
    guard counts.contains(where: { $0.value > 1 }) else { return self }
    return map { cue in
      var cue = cue
      if let name = cue.identifier, counts[name, default: 0] > 1 { cue.identifier = nil }
      return cue
    }
  }
}

/// A cue as it is said once, in one or more pieces.
private struct Saying {
  let pieces: [CuePiece]
  let visits: [TranscriptWalk.Visit]
  let cue: Cue
  /// All of the cue that its recording has, in the time of the content.
  let range: TimeRange
  /// What is silent of the cue and of its words, in the time of the content.
  let redactions: [SegmentSpeech.Redaction]

  init(_ pieces: [CuePiece], _ visits: [TranscriptWalk.Visit]) {
    let visit = visits[pieces[0].visit]
    var cue = visit.index.transcript.cues[pieces[0].cue].moved(by: visit.speech.offset)
    cue.speaker = cue.speaker ?? visit.speech.speaker ?? visit.trackName
    self.pieces = pieces
    self.visits = visits
    self.cue = cue
    range = cue.range.intersection(visit.extent)
    redactions = pieces.flatMap { visits[$0.visit].redactions(of: cue) }
  }

  /// What is left of it: one cue for each run of pieces that touch, if that has words.
  var cues: [Cue] {
    let runs = self.runs
    if runs.count == 1, isAll(pieces[...]), redactions.isEmpty { return [whole] }
    guard let words = CueWords(cue) else { return wordless(runs) }
    return runs.compactMap { run in
      let kept = words.spoken.indices.filter { index in
        let middle = words.middle(of: index)
        return run.contains { holds(middle, $0) }
      }
      guard !kept.isEmpty else { return nil }
      var part = placed(run)
      let texts = words.spoken.map { word in
        redactions.first { $0.range.meets(word) }.map { $0.text ?? "…" }
      }
      words.keep(kept, instead: texts, in: &part) { heard($0, in: run) }
      return part
    }
  }

  /// All of it, unchanged but for its time.
  private var whole: Cue {
    var whole = cue
    whole.range = heardRange(pieces[...])
    for index in whole.words.indices {
      whole.words[index].range = cue.words[index].range.map { heard($0, in: pieces[...]) }
    }
    whole.markup = cue.markup?.mappingMoments { heard($0, in: pieces[...]) }
    return whole
  }

  /// The whole text on the longest run, if half of the cue is said.
  private func wordless(_ runs: [ArraySlice<CuePiece>]) -> [Cue] {
    guard heard(pieces[...]) * 2 >= range.duration else { return [] }
    var longest = runs[0]
    for run in runs where heard(run) > heard(longest) { longest = run }
    var part = placed(longest)
    let silent = redactions.filter { $0.range.meets(cue.range) }
    if !silent.isEmpty {
      var texts: [String] = []
      for text in silent.map({ $0.text ?? "…" }) where !texts.contains(text) { texts.append(text) }
      (part.text, part.markup) = (texts.joined(separator: " "), nil)
    }
    part.words = []
    return [part]
  }

  /// The cue over a run.
  private func placed(_ run: ArraySlice<CuePiece>) -> Cue {
    var part = cue
    part.range = heardRange(run)
    if isAll(run) {
      part.markup = cue.markup?.mappingMoments { heard($0, in: run) }
    } else {
      // Of a part, moments would lie at its ends.
      part.settings = nil
      part.markup = cue.markup.flatMap { $0.mappingMoments { _ in .zero } == $0 ? $0 : nil }
    }
    return part
  }

  /// Pieces that touch, together.
  private var runs: [ArraySlice<CuePiece>] {
    var runs: [ArraySlice<CuePiece>] = []
    var first = 0
    for index in pieces.indices.dropFirst() where !pieces[index].touches(pieces[index - 1]) {
      runs.append(pieces[first..<index])
      first = index
    }
    return runs + [pieces[first...]]
  }

  /// Whether all of the cue is heard, but for what rounding left.
  private func isAll(_ run: ArraySlice<CuePiece>) -> Bool {
    range.duration - heard(run) <= Segment.shortestPart
  }

  /// How much is heard, in the time of the content.
  private func heard(_ run: ArraySlice<CuePiece>) -> Time {
    run.reduce(.zero) { $0 + ($1.end - $1.start) }
  }

  private func heardRange(_ run: ArraySlice<CuePiece>) -> TimeRange {
    let (first, last) = (run[run.startIndex], run[run.endIndex - 1])
    return TimeRange(start: first.heardStart, end: max(first.heardStart, last.heardEnd))
  }

  /// Whether a moment is said in a piece. What is said before the cue counts at its start, what is said
  /// at its end or later counts there.
  private func holds(_ moment: Time, _ piece: CuePiece) -> Bool {
    if moment < range.start { return piece.start == range.start }
    if moment >= range.end { return piece.end == range.end }
    return piece.start <= moment && moment < piece.end
  }

  /// When a range of the content is heard in a run, at the nearest moments that are.
  private func heard(_ range: TimeRange, in run: ArraySlice<CuePiece>) -> TimeRange {
    let (start, end) = (heard(range.start, in: run), heard(range.end, in: run))
    return TimeRange(start: start, end: max(start, end))
  }

  private func heard(_ time: Time, in run: ArraySlice<CuePiece>) -> Time {
    let piece = run.last { $0.start <= time } ?? run[run.startIndex]
    return visits[piece.visit].heard(time)
  }
}

extension TranscriptWalk.Visit {
  /// What is silent of a cue and of its words, which may be said outside of it.
  fileprivate func redactions(of cue: Cue) -> [SegmentSpeech.Redaction] {
    guard !redactions.isEmpty else { return [] }
    let said = cue.words.compactMap(\.range).reduce(cue.range) { $0.union($1) }
    let heard = TimeRange(start: window.start, end: window.end).intersection(said)
    return redactions.flatMap { list in
      list.touching(heard.start, heard.end).map { redaction in
        SegmentSpeech.Redaction(redaction.range.intersection(heard), text: redaction.text)
      }
    }
    .filter { heard.isEmpty || !$0.range.isEmpty }
  }
}

extension TimeRange {
  /// Whether some time of a word is in this range; one of no length also counts at both ends.
  fileprivate func meets(_ word: TimeRange) -> Bool {
    word.duration > .zero
      ? start < word.end && word.start < end : start <= word.start && word.start <= end
  }
}
