import MediaTime
import Transcripts

extension SlowSound {
  /// A cue that should be there, its times in samples.
  struct Expected {
    var text: String
    var speaker: String?
    var start: Int
    var end: Int
    /// Texts and times of the words that are not redacted.
    var words: [(text: String, start: Int, end: Int)]
  }

  /// What is said, by the samples; nil where that hangs on less than what a sample can tell.
  func transcript(_ transcripts: [Transcript], redaction: String) -> [Expected]? {
    guard !hasLostMuted else { return nil }
    var found: [Expected] = []
    for (name, lane) in lanes {
      for (number, transcript) in transcripts.enumerated() {
        let heard = lane.indices.filter {
          Int(lane[$0].transcript) == number && !lane[$0].isReversed
        }
        guard !heard.isEmpty else { continue }
        for cue in transcript.cues {
          let saying = SlowSaying(cue, lane, speaker: name.last, redaction: redaction)
          guard let cues = saying.expected(in: heard) else { return nil }
          found += cues
        }
      }
    }
    return found
  }
}

extension TimeRange {
  /// In samples of its sound.
  fileprivate var samples: Range<Double> {
    let rate = Double(1000 * SlowSound.perMillisecond)
    return (start.seconds * rate)..<(end.seconds * rate)
  }
}

/// A cue in a lane.
private struct SlowSaying {
  let cue: Cue
  let lane: [SlowSound.Sample]
  let speaker: String?
  let redaction: String
  /// When each word is said, in samples of the transcript's sound.
  let words: [Range<Double>]

  /// How far edges may be off, in samples: two speeds of 2, one in the other.
  private static let slack = 5.0

  init(_ cue: Cue, _ lane: [SlowSound.Sample], speaker: String?, redaction: String) {
    self.cue = cue
    self.lane = lane
    self.speaker = cue.speaker ?? speaker
    self.redaction = redaction
    words = cue.words.indices.map { index in
      if let range = cue.words[index].range { return range.samples }
      let before = cue.words[..<index].last { $0.range != nil }?.range?.samples.upperBound
      let after = cue.words[index...].first { $0.range != nil }?.range?.samples.lowerBound
      let ends = (
        before ?? cue.range.samples.lowerBound, after ?? cue.range.samples.upperBound
      )
      return min(ends.0, ends.1)..<max(ends.0, ends.1)
    }
  }

  /// Whether words stay and go by themselves.
  private var isWorded: Bool {
    cue.words.contains { $0.range != nil }
      && cue.text == cue.words.map(\.text).joined(separator: " ")
  }

  /// The ranges in which the cue or a word of it is said.
  private var saidRanges: [Range<Double>] {
    [cue.range.samples] + cue.words.compactMap(\.range?.samples)
  }

  /// Samples of the lane that follow one another in the result and in the cue.
  private typealias Piece = [Int]

  func expected(in heard: [Int]) -> [SlowSound.Expected]? {
    let ranges = saidRanges
    let first = ranges.map(\.lowerBound).min() ?? 0
    let last = ranges.map(\.upperBound).max() ?? 0
    let own = heard.filter { isIn(first..<last, $0) }
    var sayings: [[Piece]] = []
    for index in own {
      guard let last = sayings.last?.last?.last else {
        sayings.append([[index]])
        continue
      }
      let step = lane[index].moment - lane[last].moment
      if step < 0 || step == 0 && index != last + 1 {
        sayings.append([[index]])
      } else if index == last + 1, step <= 12 {
        sayings[sayings.count - 1][sayings[sayings.count - 1].count - 1].append(index)
      } else {
        sayings[sayings.count - 1].append([index])
      }
    }
    var cues: [SlowSound.Expected] = []
    for saying in sayings {
      guard let found = expected(of: saying) else { return nil }
      cues += found
    }
    return cues
  }

  /// What of the cue's own time a piece has.
  private func span(_ piece: Piece) -> ClosedRange<Double> {
    let (first, last) = (Double(lane[piece[0]].moment), Double(lane[piece[piece.count - 1]].moment))
    let step = piece.count > 1 ? (last - first) / Double(piece.count - 1) : 1
    return first...(last + step)
  }

  private func expected(of pieces: [Piece]) -> [SlowSound.Expected]? {
    var runs: [[Piece]] = []
    for piece in pieces {
      if let last = runs.last?.last?.last, piece[0] == last + 1 {
        runs[runs.count - 1].append(piece)
      } else {
        runs.append([piece])
      }
    }
    return isWorded ? worded(runs) : wordless(runs)
  }

  private func isIn(_ range: Range<Double>, _ index: Int, slack: Double = 0) -> Bool {
    let moment = Double(lane[index].moment) + 0.5
    return range.lowerBound - slack <= moment && moment < range.upperBound + slack
  }

  /// What stands for a redaction in some samples; nil: there is none, or it is not clear which.
  private func silence(in samples: [Int]) -> (text: String?, isClear: Bool) {
    let muted = samples.contains { lane[$0].isMuted }
    let silenced = samples.contains { lane[$0].presence == .silenced }
    if muted, silenced, redaction != "…" { return (nil, false) }
    return (muted ? redaction : silenced ? "…" : nil, true)
  }

  private func wordless(_ runs: [[Piece]]) -> [SlowSound.Expected]? {
    func length(_ run: [Piece]) -> Double {
      run.reduce(0) { $0 + span($1).upperBound - span($1).lowerBound }
    }
    let range = cue.range.samples
    let own = runs.map { run in
      run.map { $0.filter { isIn(range, $0) } }.filter { !$0.isEmpty }
    }.filter { !$0.isEmpty }
    let (total, all) = (own.map(length).reduce(0, +), range.upperBound - range.lowerBound)
    let count = own.reduce(0) { $0 + $1.count }
    guard abs(total * 2 - all) > Double(count + 1) * 2 * Self.slack else { return nil }
    guard total * 2 > all else { return [] }
    let lengths = own.map(length).sorted(by: >)
    if lengths.count > 1, lengths[0] - lengths[1] < 4 * Self.slack { return nil }
    guard let longest = own.first(where: { length($0) == lengths[0] }) else { return [] }
    let samples = runs.flatMap { $0.flatMap(\.self) }
    let ranges = saidRanges
    func said(_ slack: Double) -> [Int] {
      samples.filter { index in ranges.contains { isIn($0, index, slack: slack) } }
    }
    let (near, sure) = (silence(in: said(Self.slack)), silence(in: said(-Self.slack)))
    guard near.isClear, sure.isClear, near.text == sure.text else { return nil }
    let indices = longest.flatMap(\.self)
    return [expected(indices, near.text ?? cue.text, [])]
  }

  private func expected(
    _ samples: [Int], _ text: String, _ words: [(text: String, start: Int, end: Int)]
  ) -> SlowSound.Expected {
    SlowSound.Expected(
      text: text, speaker: speaker, start: samples[0], end: (samples.last ?? 0) + 1, words: words)
  }

  private func worded(_ runs: [[Piece]]) -> [SlowSound.Expected]? {
    let samples = runs.flatMap { $0.flatMap(\.self) }
    var texts: [String?] = []
    for word in words {
      let near = silence(in: samples.filter { isIn(word, $0, slack: Self.slack) })
      let sure = silence(in: samples.filter { isIn(word, $0, slack: -Self.slack) })
      guard near.isClear, sure.isClear, near.text == sure.text else { return nil }
      texts.append(near.text)
    }
    var cues: [SlowSound.Expected] = []
    for run in runs {
      var kept: [Int] = []
      for (index, word) in words.enumerated() {
        let middle = (word.lowerBound + word.upperBound) / 2
        func holds(_ slack: Double) -> Bool {
          run.contains { piece in
            let span = span(piece)
            return span.lowerBound - slack <= middle && middle <= span.upperBound + slack
          }
        }
        // The ends of a cue are no edges, unless it is cut there.
        guard holds(Self.slack) == holds(-Self.slack) else { return nil }
        if holds(0) { kept.append(index) }
      }
      guard !kept.isEmpty else { continue }
      guard let range = shown(run, saying: kept) else { return nil }
      cues.append(
        expected(range, text(kept, texts), times(kept.filter { texts[$0] == nil }, run)))
    }
    return cues
  }

  /// The samples of a run over which its words are shown: those of the cue's own time, or, where there
  /// are none, those of the words. nil where it is not clear which.
  private func shown(_ run: [Piece], saying kept: [Int]) -> [Int]? {
    let (all, range) = (run.flatMap(\.self), cue.range.samples)
    let own = all.filter { isIn(range, $0) }
    let near = all.filter { isIn(range, $0, slack: Self.slack) }
    if !own.isEmpty { return own.count > Int(Self.slack) ? own : nil }
    let first = kept.map { words[$0].lowerBound }.min() ?? 0
    let last = kept.map { words[$0].upperBound }.max() ?? 0
    let said = all.filter { isIn(first..<last, $0) }
    return near.isEmpty && !said.isEmpty ? said : nil
  }

  private func text(_ kept: [Int], _ instead: [String?]) -> String {
    var texts: [String] = []
    var last: String?
    for index in kept {
      if let text = instead[index] {
        if text != last { texts.append(text) }
      } else {
        texts.append(cue.words[index].text)
      }
      last = instead[index]
    }
    return texts.joined(separator: " ")
  }

  private func times(
    _ kept: [Int], _ run: [Piece]
  ) -> [(text: String, start: Int, end: Int)] {
    kept.compactMap { index in
      guard cue.words[index].range != nil else { return nil }
      let samples = run.flatMap(\.self).filter {
        words[index].contains(Double(lane[$0].moment) + 0.5)
      }
      guard let first = samples.first, let last = samples.last else { return nil }
      return (cue.words[index].text, first, last + 1)
    }
  }
}
