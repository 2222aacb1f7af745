import JSON
import MediaTime

/// A segment of a recogniser, or of a file of Podcasting 2.0.
struct RecognizedSegment {
  /// Its first byte.
  let place: Range<Int>
  private(set) var start: Time?
  var end: Time?
  private(set) var body = ""
  /// Empty where it is said that there is none.
  private(set) var speaker: String?
  var words: [RecognizedWord] = []
  /// Whether it is one of Podcasting 2.0.
  private(set) var isPodcast = false

  var isOneWord: Bool { !body.contains(where: \.isWhitespace) && !body.isEmpty }

  /// Takes a segment from `json`, whose language has words that begin with a space, or not.
  init(
    _ json: inout JSONReader, isSpaced: Bool, in text: inout TranscriptText
  ) throws(JSONValue.ReadingError) {
    let first = json.offset
    place = first..<first + 1
    var seen = SeenNames()
    var tokens = TokenJoiner(isSpaced: isSpaced)
    try json.eachMember { json, name throws(JSONValue.ReadingError) in
      seen.note(name, before: json, in: &text)
      switch name {
      case "start": start = try json.time(called: name, in: &text)
      case "end": end = try json.time(called: name, in: &text)
      case "startTime":
        isPodcast = true
        start = try json.time(called: name, in: &text)
      case "endTime": end = try json.time(called: name, in: &text)
      case "offsets": (start, end) = try json.offsets(in: &text)
      case "text", "body": body = try json.spokenText(in: &text) ?? ""
      case "speaker": speaker = try json.spokenText(in: &text)
      case "words" where try json.kind() == .list:
        try json.eachElement { json throws(JSONValue.ReadingError) in
          guard try json.kind() == .object else { return try json.skip() }
          if let word = try RecognizedWord(&json, in: &text) { words.append(word) }
        }
      // Those of Whisper are numbers.
      case "tokens" where try json.kind() == .list:
        try json.eachElement { json throws(JSONValue.ReadingError) in
          guard try json.kind() == .object else { return try json.skip() }
          try tokens.take(&json, in: &text)
        }
      default: try json.skip()
      }
    }
    if words.isEmpty { words = tokens.words(in: &text) }
    if speaker == nil { speaker = words.lazy.compactMap(\.speaker).first }
    dropBackwardTimes(in: &text)
  }

  /// A word that begins before the one before it has no place in the recording.
  private mutating func dropBackwardTimes(in text: inout TranscriptText) {
    var last: Time?
    for index in words.indices {
      guard let range = words[index].range else { continue }
      if let last, range.start < last {
        text.find(.backwardWord, at: words[index].place)
        words[index].range = nil
      } else {
        last = range.start
      }
    }
  }

  private init(_ words: [RecognizedWord]) {
    let ranges = words.compactMap(\.range)
    place = words.first?.place ?? 0..<0
    start = ranges.first?.start
    end = ranges.map(\.end).max()
    body = words.map(\.text).joined(separator: " ")
    speaker = words.lazy.compactMap(\.speaker).first
    self.words = words
  }

  /// Words without segments, as sentences: one ends at its punctuation, at a pause of a second, at
  /// another speaker, and before it is longer than two lines of captions.
  static func sentences(of words: [RecognizedWord]) -> [RecognizedSegment] {
    var sentences: [[RecognizedWord]] = []
    var length = 0
    var end: Time?
    var speaker: String?
    var isOver = true
    for word in words {
      let isPause = end.flatMap { end in
        word.range.map { $0.start - end >= Time(value: 1, timescale: 1) }
      }
      let isOther = word.speaker != nil && speaker != nil && word.speaker != speaker
      length += word.text.count + 1
      if isOver || isPause == true || isOther || length > 84 {
        sentences.append([])
        (length, speaker) = (word.text.count, nil)
      }
      sentences[sentences.count - 1].append(word)
      isOver = word.text.last.map { ".?!…。？！".contains($0) } ?? false
      end = word.range?.end ?? end
      speaker = word.speaker ?? speaker
    }
    return sentences.map(Self.init)
  }
}

/// A word of a recogniser.
struct RecognizedWord {
  let place: Range<Int>
  private(set) var text = ""
  var range: TimeRange?
  private(set) var confidence: Double?
  private(set) var speaker: String?

  init(_ text: String, in range: TimeRange?, confidence: Double?, at place: Range<Int>) {
    (self.place, self.text, self.range, self.confidence) = (place, text, range, confidence)
  }

  /// Takes a word from `json`; nil where it has no letter.
  init?(
    _ json: inout JSONReader, in text: inout TranscriptText
  ) throws(JSONValue.ReadingError) {
    let first = json.offset
    place = first..<first + 1
    var seen = SeenNames()
    var (start, end): (Time?, Time?)
    try json.eachMember { json, name throws(JSONValue.ReadingError) in
      seen.note(name, before: json, in: &text)
      switch name {
      case "word", "text": self.text = try json.spokenText(in: &text) ?? ""
      case "start": start = try json.time(called: name, in: &text)
      case "end": end = try json.time(called: name, in: &text)
      case "probability", "score", "confidence":
        confidence = try json.value().number.flatMap { (0...1).contains($0) ? $0 : nil }
      case "speaker": speaker = try json.spokenText(in: &text)
      default: try json.skip()
      }
    }
    self.text = self.text.replacing("\n", with: " ")
    guard !self.text.isEmpty else { return nil }
    range = Self.range(start, end, at: place, in: &text)
  }

  /// From `start` to `end`; nil where one is not known, or the end is before the start.
  static func range(
    _ start: Time?, _ end: Time?, at place: Range<Int>, in text: inout TranscriptText
  ) -> TimeRange? {
    guard let start, let end else { return nil }
    guard end >= start else {
      text.find(.backwardWord, at: place)
      return nil
    }
    return TimeRange(start: start, end: end)
  }

  func word(in text: inout TranscriptText) -> Word {
    if range == nil { text.find(.timelessWord, at: place) }
    return Word(self.text, in: range, confidence: confidence)
  }
}

/// Joins the tokens of whisper.cpp, which are parts of words, perhaps of letters.
struct TokenJoiner {
  private let isSpaced: Bool
  private var parts:
    [(bytes: [UInt8], start: Time?, end: Time?, sum: Double, count: Int, place: Range<Int>)] = []

  init(isSpaced: Bool) { self.isSpaced = isSpaced }

  /// Takes a token from `json`.
  mutating func take(
    _ json: inout JSONReader, in text: inout TranscriptText
  ) throws(JSONValue.ReadingError) {
    let first = json.offset
    var bytes: [UInt8] = []
    var (start, end): (Time?, Time?)
    var probability: Double?
    try json.eachMember { json, name throws(JSONValue.ReadingError) in
      switch name {
      case "text": bytes = try json.looseText().bytes
      case "offsets": (start, end) = try json.offsets(in: &text)
      case "p": probability = try json.value().number
      default: try json.skip()
      }
    }
    guard !bytes.isEmpty, !Self.isMark(bytes) else { return }
    let (sum, count) = (probability ?? 0, probability == nil ? 0 : 1)
    guard let last = parts.last, !isNew(bytes, behind: last.bytes) else {
      parts.append((bytes, start, end, sum, count, first..<first + 1))
      return
    }
    parts[parts.count - 1] = (
      last.bytes + bytes, last.start, end ?? last.end, last.sum + sum, last.count + count,
      last.place
    )
  }

  /// `[_BEG_]`, `[_TT_42]` and `<|endoftext|>` are no speech.
  private static func isMark(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "[_".utf8) && bytes.last == UInt8(ascii: "]")
      || bytes.starts(with: "<|".utf8) && bytes.suffix(2).elementsEqual("|>".utf8)
  }

  private func isNew(_ bytes: [UInt8], behind last: [UInt8]) -> Bool {
    if bytes.first == UInt8(ascii: " ") { return true }
    // Half a letter is not yet a word, and what is no letter belongs to the word before it.
    guard !isSpaced, String(validating: last, as: UTF8.self) != nil else { return false }
    return String(decoding: bytes, as: UTF8.self).first.map { $0.isLetter || $0.isNumber } ?? false
  }

  func words(in text: inout TranscriptText) -> [RecognizedWord] {
    parts.compactMap { part in
      let spelled = String(decoding: part.bytes, as: UTF8.self).tidiedLines
      if String(validating: part.bytes, as: UTF8.self) == nil {
        text.find(.brokenText, at: part.place)
      }
      guard !spelled.isEmpty else { return nil }
      return RecognizedWord(
        spelled.replacing("\n", with: " "),
        in: RecognizedWord.range(part.start, part.end, at: part.place, in: &text),
        confidence: part.count > 0 ? part.sum / Double(part.count) : nil, at: part.place)
    }
  }
}
