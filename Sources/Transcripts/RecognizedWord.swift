import JSON
import MediaTime

/// A word of a recogniser.
struct RecognizedWord {
  let place: Range<Int>
  private(set) var text: String
  private(set) var range: TimeRange?
  /// The sum of the confidences of its parts, and how many have one.
  private var confidences: (sum: Double, count: Int)
  private(set) var speaker: String?
  /// Whether a paragraph ends with it.
  private(set) var endsParagraph: Bool
  /// Whether the file has a blank at its front, and at its end.
  private(set) var blanks = (before: false, behind: false)
  /// Why it has no times.
  private var fault: Finding?

  /// A word from `start` to `end`, which it has only where both are known and in order.
  init(
    _ text: String, from start: Time?, to end: Time?, confidence: Double?, speaker: String? = nil,
    endsParagraph: Bool = false, at place: Range<Int>
  ) {
    (self.place, self.text) = (place, text.onOneLine)
    confidences = (confidence ?? 0, confidence == nil ? 0 : 1)
    (self.speaker, self.endsParagraph) = (speaker, endsParagraph)
    guard let start, let end else {
      fault = .timelessWord
      return
    }
    if end < start { fault = .backwardWord } else { range = TimeRange(start: start, end: end) }
  }

  /// Takes a word from `json`; nil where it has no letter.
  init?(
    _ json: inout JSONReader, in text: inout TranscriptText
  ) throws(JSONValue.ReadingError) {
    let first = json.offset
    var seen = SeenNames()
    var (start, end): (Time?, Time?)
    var (spelled, speaker): (String?, String?)
    var confidence: Double?
    try json.eachMember { json, name throws(JSONValue.ReadingError) in
      seen.note(name, before: json, in: &text)
      switch name {
      case "word", "text":
        if try json.kind() == .text {
          spelled = String(decoding: try json.looseText().bytes, as: UTF8.self)
        } else {
          try json.skip()
        }
      case "start": start = try json.time(called: name, in: &text)
      case "end": end = try json.time(called: name, in: &text)
      case "probability", "score", "confidence":
        confidence = try json.probability()
      case "speaker": speaker = try json.spokenText(in: &text)
      default: try json.skip()
      }
    }
    guard let written = spelled, let spelled = written.tidiedLines.nonEmpty else { return nil }
    self.init(
      spelled, from: start, to: end, confidence: confidence, speaker: speaker,
      at: first..<first + 1)
    blanks = (written.first?.isWhitespace ?? false, written.last?.isWhitespace ?? false)
  }

  /// Its times have no place in the recording.
  mutating func dropTimes() { (range, fault) = (nil, .backwardWord) }

  /// Writes it so.
  mutating func spell(_ text: String) { self.text = text.onOneLine }

  /// The word in a cue; what is odd with it is counted.
  func word(in text: inout TranscriptText) -> Word {
    if let fault { text.find(fault, at: place) }
    if hasPieces { text.find(.brokenWord, at: place) }
    return Word(
      self.text, in: range,
      confidence: confidences.count > 0 ? confidences.sum / Double(confidences.count) : nil)
  }
}

// MARK: - Parts of words

extension RecognizedWord {
  /// Takes a further part of the word, which stands behind `gap`. The confidence is the mean of those of
  /// the parts; times are those of all parts, of which only punctuation may be without.
  mutating func append(_ part: RecognizedWord, behind gap: Substring) {
    switch (range, part.range) {
    case (let own?, let other?): range = own.union(other)
    case (_?, nil) where part.text[...].isSilent: break
    case (nil, let other?) where text[...].isSilent: (range, fault) = (other, nil)
    default: (range, fault) = (nil, fault ?? part.fault)
    }
    text += gap + part.text
    confidences.sum += part.confidences.sum
    confidences.count += part.confidences.count
    speaker = speaker ?? part.speaker
    endsParagraph = part.endsParagraph
    blanks.behind = part.blanks.behind
  }

  /// Whether `next` is a further part of this word, as far as its own form and its speaker say.
  fileprivate func mayGoOn(with next: RecognizedWord) -> Bool {
    guard speaker == nil || next.speaker == nil || speaker == next.speaker else { return false }
    return !SpokenText.isUnspaced(
      between: text.unicodeScalars.last, and: next.text.unicodeScalars.first)
  }
}

extension [RecognizedWord] {
  /// The words of a language that has blanks between them, of which these may be parts: Whisper writes
  /// ` $1` and `,000`, whisper.cpp's server ` Jan` and `et`.
  ///
  /// A part belongs to the word before where `body`, the text of their segment, has neither a blank nor
  /// a letter between the two, nor what parts clauses. Where it does not have the words, one without a
  /// blank at its front is a part if others have one. Letters of a script without spaces are never joined.
  ///
  /// - Complexity: O(n)
  func joined(asIn body: String) -> [RecognizedWord] {
    var cue = Cue(body, in: .zero)
    cue.words = map { Word($0.text) }
    let places = isEmpty ? nil : cue.placesOfWords
    let hasBlanks = contains { $0.blanks.before || $0.blanks.behind }
    guard places != nil || hasBlanks else { return self }
    var words: [RecognizedWord] = []
    for (index, word) in enumerated() {
      let before = words.count - 1
      var gap: Substring?
      if before >= 0, words[before].mayGoOn(with: word) {
        if let places {
          gap = body[places[index - 1].upperBound..<places[index].lowerBound]
        } else if !words[before].blanks.behind, !word.blanks.before {
          gap = ""
        }
      }
      if let gap, gap.isSilent, !gap.contains(where: \.isWhitespace),
        !beginsClause(word, behind: words[before].text.suffix(1) + gap)
      {
        words[before].append(word, behind: gap)
      } else {
        words.append(word)
      }
    }
    return words
  }

  /// Whether what is said in `word` is another clause than what ends with `end`: the `no` of `yes—no`, and
  /// the `yes` of `well…yes`.
  private func beginsClause(_ word: RecognizedWord, behind end: some StringProtocol) -> Bool {
    (end + word.text.prefix(1)).contains { "—…".contains($0) } && !word.text[...].isSilent
  }
}

extension Substring {
  /// Whether it has nothing that is spoken. O(n)
  package var isSilent: Bool { !contains { $0.isLetter || $0.isNumber } }
}
