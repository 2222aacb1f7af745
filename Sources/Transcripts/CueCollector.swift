import Diagnosis
import MediaTime

/// Cues as they are read: so many and no more, none that goes backwards, and none without a text.
struct CueCollector {
  static let cueLimit = 100_000
  static let wordLimit = 1_000_000

  private(set) var cues: [Cue] = []
  private var wordCount = 0
  /// Whether `Name: ` at the front of a text is its speaker.
  let hasPrefixes: Bool
  private var lastSpeaker: String?
  /// How many there were, also without a text.
  private var count = 0

  init(speakerPrefix: Bool) { hasPrefixes = speakerPrefix }

  /// Whether one more is refused.
  var isFull: Bool { cues.count > Self.cueLimit || wordCount > Self.wordLimit }

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
    if !append(turnsOf: cue) { text.find(.empty, at: place) }
    if cues.count > Self.cueLimit {
      text.error("more than \(grouped(Self.cueLimit)) cues", at: place, help: "part the transcript")
    } else if wordCount > Self.wordLimit {
      text.error(
        "more than \(grouped(Self.wordLimit)) words", at: place, help: "part the transcript")
    }
  }

  /// Adds what is said in a cue by one after the other; false where that is nothing.
  fileprivate mutating func append(turnsOf cue: Cue) -> Bool {
    let turns = hasPrefixes ? cue.turns : [(cue, false)]
    for turn in turns { append(turn.cue, isTurn: turn.hasDash) }
    return !turns.isEmpty
  }

  private mutating func append(_ cue: Cue, isTurn: Bool) {
    var cue = cue
    // A dash begins a turn: without a name it is of somebody else.
    if isTurn { lastSpeaker = nil }
    if hasPrefixes { takePrefix(of: &cue) }
    wordCount += cue.words.count
    cues.append(cue)
  }

  /// `Ann: Hello.` is Ann's, and so is what follows until another name.
  private mutating func takePrefix(of cue: inout Cue) {
    guard cue.speaker == nil else {
      lastSpeaker = cue.speaker
      return
    }
    defer { cue.speaker = lastSpeaker }
    let longest = 80
    guard let colon = cue.text.prefix(longest).firstIndex(of: ":"), colon > cue.text.startIndex
    else { return }
    let name = cue.text[..<colon]
    let rest = cue.text[colon...].dropFirst()
    guard !name.contains("\n"), rest.first?.isWhitespace == true else { return }
    let body = rest.drop(while: \.isWhitespace)
    guard !body.isEmpty else { return }
    lastSpeaker = String(name)
    cue.dropWords(before: body.startIndex)
    cue.text = String(body)
    cue.markup = nil
  }
}

extension Transcript {
  /// The same with the speakers whose names and colons texts begin with. O(n)
  package var withSpeakersOfTexts: Transcript {
    var collector = CueCollector(speakerPrefix: true)
    for cue in cues { _ = collector.append(turnsOf: cue) }
    return Transcript(collector.cues, language: language)
  }
}

extension Cue {
  /// Leaves out the words before a place of the text, and what a word has before it.
  fileprivate mutating func dropWords(before start: String.Index) {
    guard let places = placesOfWords else { return words = [] }
    words = zip(words, places).compactMap { word, place in
      guard place.upperBound > start else { return nil }
      var word = word
      if place.lowerBound < start { word.text = String(text[start..<place.upperBound]) }
      return word
    }
  }

  /// What is said in it by one after the other, each at its time: a line that begins with a dash
  /// begins a turn, and the dash is no text of it.
  fileprivate var turns: [(cue: Cue, hasDash: Bool)] {
    guard speaker == nil, words.isEmpty else { return [(self, false)] }
    var turns: [(text: String, hasDash: Bool)] = []
    for line in text.split(separator: "\n") {
      if line.beginsTurn {
        turns.append((String(line.dropFirst().drop(while: \.isWhitespace)), true))
      } else if turns.isEmpty {
        turns.append((String(line), false))
      } else {
        turns[turns.count - 1].text += "\n" + line
      }
    }
    guard turns.contains(where: \.hasDash) else { return [(self, false)] }
    // A dash alone may have text on the next line.
    let said = turns.map { (text: $0.text.tidiedLines, hasDash: $0.hasDash) }
    return said.filter { !$0.text.isEmpty }.enumerated().map { index, turn in
      var cue = self
      (cue.text, cue.markup) = (turn.text, nil)
      // Names are unique.
      if index > 0 { cue.identifier = nil }
      return (cue, turn.hasDash)
    }
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
