import Diagnosis
import MediaTime

/// Cues as they are read: so many and no more, none that goes backwards, and none without a text.
struct CueCollector {
  static let cueLimit = 100_000
  static let wordLimit = 1_000_000

  private var turns: [SpokenTurn] = []
  private var wordCount = 0
  /// Whether `Name: ` at the front of a text is its speaker.
  let hasPrefixes: Bool
  /// How many there were, also without a text.
  private var count = 0

  init(speakerPrefix: Bool) { hasPrefixes = speakerPrefix }

  /// Those that were added, with the speakers whose names stand in front of texts; where these divide texts
  /// into too many, `text` gets an error. O(n)
  func cues(in text: inout TranscriptText) -> [Cue] {
    guard hasPrefixes, !isFull else { return turns.map(\.cue) }
    return turns.named { turn in Self.refuseCues(at: turn.place ?? 0..<0, in: &text) }
  }

  private static func refuseCues(at place: Range<Int>, in text: inout TranscriptText) {
    text.error("more than \(grouped(cueLimit)) cues", at: place, help: "part the transcript")
  }

  /// Whether one more is refused.
  var isFull: Bool { turns.count > Self.cueLimit || wordCount > Self.wordLimit }

  /// Adds `cue`, which stands at `place` and lasts from `start` to `end`, or as long as its words, which may
  /// be said before and after. Without a number it gets its place among all.
  mutating func append(
    _ cue: Cue, from start: Time, to end: Time, at place: Range<Int>, in text: inout TranscriptText
  ) {
    var cue = cue
    guard !isFull else { return }
    count += 1
    cue.number = cue.number ?? count
    guard !cue.text.isEmpty else {
      text.find(.empty, at: place)
      return
    }
    // No parser of WebVTT looks whether a cue ends behind its start (WebVTT, 6.3).
    if end < start { text.find(.backward, at: place) }
    let range = TimeRange(start: start, end: max(start, end))
    cue.range = cue.words.lazy.compactMap(\.range).reduce(range) { $0.union($1) }
    if cue.range.isEmpty {
      if end == start { text.find(.momentary, at: place) }
      cue.isMomentary = true
      cue.range.duration = Cue.leastLength
    }
    let said =
      hasPrefixes
      ? cue.turns(at: place) : [SpokenTurn(cue: cue, hasDash: false, place: place)]
    if said.isEmpty { text.find(.empty, at: place) }
    wordCount += said.reduce(0) { $0 + $1.cue.words.count }
    turns += said
    if turns.count > Self.cueLimit {
      Self.refuseCues(at: place, in: &text)
    } else if wordCount > Self.wordLimit {
      text.error(
        "more than \(grouped(Self.wordLimit)) words", at: place, help: "part the transcript")
    }
  }
}

extension Transcript {
  /// The most cues of a transcript that is read.
  package static let cueLimit = CueCollector.cueLimit

  /// The same with the speakers whose names and colons texts begin with; nil where texts of several
  /// speakers make more than `cueLimit` cues. O(n)
  package var withSpeakersOfTexts: Transcript? {
    var turns: [SpokenTurn] = []
    for cue in cues where turns.count <= Self.cueLimit { turns += cue.turns(at: nil) }
    var isRefused = false
    let named = turns.named { _ in isRefused = true }
    return isRefused ? nil : Transcript(named, language: language)
  }
}

extension String {
  /// The text as a cue has it: lines without blanks at their ends, and none that is empty; NUL is
  /// U+FFFD. O(n)
  var tidiedLines: String {
    if isTidied { return self }
    var result = String.UnicodeScalarView()
    for line in unicodeScalars.split(whereSeparator: \.isLineEnd) {
      var line = line
      while line.first?.properties.isWhitespace == true { line.removeFirst() }
      while line.last?.properties.isWhitespace == true { line.removeLast() }
      if line.isEmpty { continue }
      if !result.isEmpty { result.append("\n") }
      result.append(contentsOf: line.lazy.map { $0 == "\0" ? "\u{FFFD}" : $0 })
    }
    return String(result)
  }

  /// Whether it surely is one line of ASCII without blanks at its ends, as most texts. O(n)
  private var isTidied: Bool {
    guard utf8.first != UInt8(ascii: " "), utf8.last != UInt8(ascii: " ") else { return false }
    return utf8.allSatisfy { UInt8(ascii: " ")...UInt8(ascii: "~") ~= $0 }
  }

  /// The text on one line: a blank for the line ends between two lines, but none where
  /// `SpokenText.joined(_:)` has none. O(n)
  var onOneLine: String {
    guard unicodeScalars.contains(where: \.isLineEnd) else { return self }
    var result = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    var isBehindEnd = false
    for scalar in unicodeScalars {
      guard !scalar.isLineEnd else {
        isBehindEnd = true
        continue
      }
      if isBehindEnd, SpokenText.hasBlank(between: last, and: scalar) { result.append(" ") }
      isBehindEnd = false
      last = scalar
      result.append(scalar)
    }
    if isBehindEnd { result.append(" ") }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// Whether it ends a line anywhere: those of Unicode's section 5.8.
  fileprivate var isLineEnd: Bool {
    switch self {
    case "\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}": true
    default: false
    }
  }
}
