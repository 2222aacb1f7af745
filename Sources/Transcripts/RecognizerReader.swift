import Diagnosis
import JSON
import MediaTime

/// JSON: Podcasting 2.0 (Podcast Namespace, "Transcripts"), and what Whisper, faster-whisper, WhisperX
/// and whisper.cpp write. All are lists of segments with words, and differ in their names.
struct RecognizerReader {
  private var text: TranscriptText
  private let hasPrefixes: Bool
  private var segments: [RecognizedSegment] = []
  /// Those of the file as a whole, which are read where segments have none.
  private var words: [RecognizedWord] = []
  private var language: String?
  /// Names of the outermost object, for a message.
  private var names: [String] = []

  /// The lists and objects within each other; recognisers write six.
  private static let mostLevels = 64

  /// Whether `bytes` begin as JSON does, and no other text: `{` and a name, or `[` and an object.
  static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
    let isSpace: (UInt8) -> Bool = { $0.isBlank || $0 == .lineFeed || $0 == .carriageReturn }
    let rest = bytes.drop { isSpace($0) || $0 >= 0x80 }
    let inner = rest.dropFirst().first { !isSpace($0) }
    return switch rest.first {
    case UInt8(ascii: "{"): inner == UInt8(ascii: "\"") || inner == UInt8(ascii: "}")
    case UInt8(ascii: "["): inner == UInt8(ascii: "{") || inner == UInt8(ascii: "]")
    default: false
    }
  }

  static func reads(_ text: TranscriptText) -> Bool { begins(text.bytes[...]) }

  /// The transcript in `text`. O(n log n)
  static func read(_ text: inout TranscriptText, speakerPrefix: Bool) -> Transcript {
    var reader = RecognizerReader(text: text, hasPrefixes: speakerPrefix)
    // Python writes numbers that JSON does not have, mostly in members that are not read.
    var json = JSONReader(text.bytes, levels: mostLevels, hasPythonNumbers: true)
    do throws(JSONValue.ReadingError) {
      try reader.document(&json)
      try json.end()
    } catch {
      reader.report(error)
    }
    let cues = reader.text.isRefused ? [] : reader.cues()
    text = reader.text
    return Transcript(cues, language: reader.language)
  }

  private init(text: TranscriptText, hasPrefixes: Bool) {
    self.text = text
    self.hasPrefixes = hasPrefixes
  }

  private mutating func report(_ error: JSONValue.ReadingError) {
    let offset = min(error.offset, text.bytes.count)
    let place = offset..<min(offset + 1, text.bytes.count)
    text.error(
      "the transcript is no JSON: \(error.reason)", at: place,
      help: "write it anew, or give it as WebVTT")
  }

  // MARK: The file

  /// The names of what is read.
  private static let lists: Set = ["segments", "transcription", "words", "word_segments"]

  private mutating func document(_ json: inout JSONReader) throws(JSONValue.ReadingError) {
    if try json.kind() == .list {
      try readSegments(&json)
      return
    }
    var seen = SeenNames()
    // Whether it has a list that is read, perhaps without a cue.
    var isKnown = false
    try json.eachMember { json, name throws(JSONValue.ReadingError) in
      if names.count < 5 { names.append(name) }
      if Self.lists.contains(name), try json.kind() == .list { isKnown = true }
      switch name {
      case "segments", "transcription":
        seen.note(name, before: json, in: &text)
        try readSegments(&json)
      case "words", "word_segments":
        try eachObject(&json) { reader, json throws(JSONValue.ReadingError) in
          if let word = try RecognizedWord(&json, in: &reader.text) { reader.words.append(word) }
        }
      case "language": language = try languageTag(&json) ?? language
      case "result" where try json.kind() == .object:
        try json.eachMember { json, name throws(JSONValue.ReadingError) in
          if name == "language" {
            language = try languageTag(&json) ?? language
          } else {
            try json.skip()
          }
        }
      default: try json.skip()
      }
    }
    if !isKnown, !text.isRefused {
      text.refuse(
        "is JSON without 'segments', 'transcription' or 'words'"
          + (names.isEmpty ? "" : "; it has \(names.quoted)"),
        help: "name the JSON of Podcasting 2.0, Whisper, faster-whisper, WhisperX or whisper.cpp")
    }
  }

  private func languageTag(
    _ json: inout JSONReader
  ) throws(JSONValue.ReadingError) -> String? {
    guard try json.kind() == .text else {
      try json.skip()
      return nil
    }
    let text = String(decoding: try json.looseText().bytes, as: UTF8.self)
    return LanguageTag.read(text) ?? LanguageTag.named(text)
  }

  /// Calls `body` for each object of a list; null is an empty one.
  private mutating func eachObject(
    _ json: inout JSONReader,
    _ body: (inout Self, inout JSONReader) throws(JSONValue.ReadingError) -> Void
  ) throws(JSONValue.ReadingError) {
    guard try json.kind() == .list else { return try json.skip() }
    try json.eachElement { json throws(JSONValue.ReadingError) in
      guard try json.kind() == .object else { return try json.skip() }
      try body(&self, &json)
    }
  }

  private mutating func readSegments(_ json: inout JSONReader) throws(JSONValue.ReadingError) {
    try eachObject(&json) { reader, json throws(JSONValue.ReadingError) in
      // What is beyond the limit is refused when cues are made of segments.
      guard reader.segments.count <= CueCollector.cueLimit else { return try json.skip() }
      reader.segments.append(
        try RecognizedSegment(&json, isSpaced: reader.isSpaced, in: &reader.text))
    }
  }

  /// Languages that have no spaces between words; Whisper's tokenizer has the same list.
  private static let unspaced: Set = ["zh", "ja", "th", "lo", "my", "yue"]

  /// Whether words begin with a space, as far as the language is known by now.
  private var isSpaced: Bool {
    !(language?.split(separator: "-").first.map { Self.unspaced.contains($0.lowercased()) } ?? false)
  }

  // MARK: Cues

  private mutating func cues() -> [Cue] {
    var cues = CueCollector(speakerPrefix: hasPrefixes)
    if segments.isEmpty {
      let whole = words.withLetters(of: "")
      segments = RecognizedSegment.sentences(of: isSpaced ? whole.joined(asIn: "") : whole)
    } else {
      // Whisper writes the language behind the segments.
      for index in segments.indices { segments[index].joinWords(isSpaced: isSpaced) }
      for index in segments.indices { segments[index].dropBackwardTimes() }
    }
    for index in segments.indices { segments[index].number = index + 1 }
    segments = segments.filter { segment in
      if segment.start == nil {
        text.error(
          "the segment has no start", at: segment.place, help: "write its start in seconds")
      }
      return segment.start != nil
    }
    segments = zip(segments.indices, segments)
      .sorted { ($0.1.start ?? .zero, $0.0) < ($1.1.start ?? .zero, $1.0) }.map(\.1)
    if segments.allSatisfy(\.words.isEmpty) {
      shareWords()
      for index in segments.indices { segments[index].joinWords(isSpaced: isSpaced) }
    }
    segments = segments.flatMap(\.turns)
    setEnds()
    segments = segments.ofSentences
    var speaker: String?
    for segment in segments where !cues.isFull {
      guard let start = segment.start, let end = segment.end else { continue }
      // Podcasting 2.0 names a speaker where it changes; an empty name is none.
      speaker = segment.speaker ?? (segment.isPodcast ? speaker : nil)
      var cue = Cue(segment.body, in: .zero, speaker: speaker?.nonEmpty)
      cue.words = segment.words.map { $0.word(in: &text) }
      (cue.number, cue.endsParagraph) = (segment.number, segment.endsParagraph)
      if segment.isPodcast, segment.isOneWord, cue.words.isEmpty {
        cue.words = [Word(segment.body, in: TimeRange(start: start, end: max(start, end)))]
      }
      cues.append(cue, from: start, to: end, at: segment.place, in: &text)
    }
    return cues.cues(in: &text)
  }

  /// A segment without an end lasts to the next start, at most 5 s.
  private mutating func setEnds() {
    var next: Time?
    for index in segments.indices.reversed() {
      guard let start = segments[index].start else { continue }
      if segments[index].end == nil {
        let most = start + Time(value: 5, timescale: 1)
        segments[index].end = next.map { min($0, most) } ?? most
      }
      if index > 0, let before = segments[index - 1].start, before < start { next = start }
    }
  }

  /// Gives the words of the file to the segments that they are said in: those whose texts have them, in
  /// order, since the times of segments and of words differ; by their times only words that no text has.
  private mutating func shareWords() {
    guard !segments.isEmpty else { return }
    var texts = SegmentTexts(segments)
    for word in words {
      if let index = texts.take(word.text) {
        segments[index].words.append(word)
        continue
      }
      var index = texts.segment
      if let range = word.range {
        let middle = range.start + range.duration.multiplied(by: 1, over: 2)
        while index + 1 < segments.count, (segments[index + 1].start ?? .zero) <= middle {
          index += 1
        }
      }
      texts.go(to: index)
      segments[index].words.append(word)
    }
  }
}

/// The texts of segments, from which words are taken in order.
private struct SegmentTexts {
  private var tokens: [(text: String, segment: Int)] = []
  /// Where the tokens of each segment begin.
  private var starts: [Int] = []
  private var next = 0
  /// The segment of the last word.
  private(set) var segment = 0

  /// How many tokens a text may have between two words.
  private static let mostBetween = 4

  /// O(n)
  init(_ segments: [RecognizedSegment]) {
    for (index, segment) in segments.enumerated() {
      starts.append(tokens.count)
      tokens += SpokenWords.pieces(of: segment.body).map { ($0, index) }
    }
  }

  /// Takes the next word.
  ///
  /// - Returns: The segment whose text has it; nil where the texts go on with other words.
  mutating func take(_ word: String) -> Int? {
    let wanted = SpokenWords.pieces(of: word)
    // Punctuation belongs to the word before it.
    guard !wanted.isEmpty else { return segment }
    for start in next..<min(next + 1 + Self.mostBetween, tokens.count) {
      let end = start + wanted.count
      guard end <= tokens.count, zip(tokens[start..<end], wanted).allSatisfy({ $0.text == $1 })
      else { continue }
      (segment, next) = (tokens[start].segment, end)
      return segment
    }
    return nil
  }

  /// Goes on with a segment, which is not before the present one.
  mutating func go(to segment: Int) {
    self.segment = segment
    next = max(next, starts[segment])
  }
}
