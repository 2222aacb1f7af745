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
  /// What is heard of it and of its words, in the time of the content.
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

extension [CuePiece] {
  /// Pieces that touch, together.
  var runs: [ArraySlice<CuePiece>] {
    var runs: [ArraySlice<CuePiece>] = []
    var first = 0
    for index in indices.dropFirst() where !self[index].touches(self[index - 1]) {
      runs.append(self[first..<index])
      first = index
    }
    return runs + [self[first...]]
  }
}
