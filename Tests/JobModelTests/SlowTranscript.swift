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
      return (before ?? cue.range.samples.lowerBound)..<(after ?? cue.range.samples.upperBound)
    }
  }

  /// Samples of the lane that follow one another in the result and in the cue.
  private typealias Piece = [Int]

  func expected(in heard: [Int]) -> [SlowSound.Expected]? {
    let range = cue.range.samples
    let own = heard.filter { range.contains(Double(lane[$0].moment) + 0.5) }
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
    return words.isEmpty ? wordless(runs) : worded(runs)
  }

  private func wordless(_ runs: [[Piece]]) -> [SlowSound.Expected]? {
    func length(_ run: [Piece]) -> Double {
      run.reduce(0) { $0 + span($1).upperBound - span($1).lowerBound }
    }
    let pieces = runs.flatMap(\.self)
    let (total, all) = (length(pieces), cue.range.samples.upperBound - cue.range.samples.lowerBound)
    guard abs(total * 2 - all) > Double(pieces.count + 1) * 2 * Self.slack else { return nil }
    guard total * 2 > all else { return [] }
    let lengths = runs.map(length).sorted(by: >)
    if lengths.count > 1, lengths[0] - lengths[1] < 4 * Self.slack { return nil }
    guard let longest = runs.first(where: { length($0) == lengths[0] }) else { return [] }
    let muted = pieces.flatMap(\.self).count { lane[$0].isMuted }
    guard muted == 0 || muted > 3 else { return nil }
    return [expected(longest, muted > 0 ? redaction : cue.text, [])]
  }

  private func expected(
    _ run: [Piece], _ text: String, _ words: [(text: String, start: Int, end: Int)]
  ) -> SlowSound.Expected {
    SlowSound.Expected(
      text: text, speaker: speaker, start: run[0][0], end: (run.last?.last ?? 0) + 1, words: words)
  }

  private func worded(_ runs: [[Piece]]) -> [SlowSound.Expected]? {
    let pieces = runs.flatMap(\.self)
    var muted: [Bool] = []
    for word in words {
      let (near, surely) = (isMuted(pieces, word, Self.slack), isMuted(pieces, word, -Self.slack))
      guard near == surely else { return nil }
      muted.append(near)
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
      cues.append(expected(run, text(kept, muted), times(kept.filter { !muted[$0] }, run)))
    }
    return cues
  }

  private func isMuted(_ pieces: [Piece], _ word: Range<Double>, _ slack: Double) -> Bool {
    pieces.contains { piece in
      piece.contains { index in
        let moment = Double(lane[index].moment) + 0.5
        return lane[index].isMuted && word.lowerBound - slack < moment
          && moment < word.upperBound + slack
      }
    }
  }

  private func text(_ kept: [Int], _ muted: [Bool]) -> String {
    var texts: [String] = []
    var wasMuted = false
    for index in kept {
      if !muted[index] {
        texts.append(cue.words[index].text)
      } else if !wasMuted {
        texts.append(redaction)
      }
      wasMuted = muted[index]
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
