import JSON
import MediaTime

/// A segment of a recogniser, or of a file of Podcasting 2.0.
struct RecognizedSegment {
  /// Its first byte.
  let place: Range<Int>
  /// Its place in the file, from 1.
  var number: Int?
  private(set) var start: Time?
  var end: Time?
  private(set) var body = ""
  /// Empty where it is said that there is none.
  private(set) var speaker: String?
  var words: [RecognizedWord] = []
  /// Whether it is one of Podcasting 2.0.
  private(set) var isPodcast = false
  /// Whether a paragraph ends with it.
  private(set) var endsParagraph = false

  /// Whether its text has no space, so that its times are those of a word.
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
      case "offsets" where try json.kind() == .object: (start, end) = try json.offsets(in: &text)
      case "text": body = try json.spokenText(in: &text) ?? ""
      case "body":
        endsParagraph = try json.endsWithLineEnd()
        body = try json.spokenText(in: &text) ?? ""
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
    if words.isEmpty { words = tokens.words }
    if speaker == nil { speaker = words.lazy.compactMap(\.speaker).first }
  }

  /// Joins the parts of letters, and those of words where its language has words with blanks between them.
  /// O(n)
  mutating func joinWords(isSpaced: Bool) {
    words = words.withLetters(of: body)
    if isSpaced { words = words.joined(asIn: body) }
  }

  /// A word that begins before the one before it has no place in the recording. O(n)
  mutating func dropBackwardTimes() {
    var last: Time?
    for index in words.indices {
      guard let range = words[index].range else { continue }
      if let last, range.start < last {
        words[index].dropTimes()
      } else {
        last = range.start
      }
    }
  }

  /// A sentence; one that begins with a word without times begins where the one before it ends.
  private init(_ words: [RecognizedWord], after before: Time?) {
    let ranges = words.compactMap(\.range)
    place = words.first?.place ?? 0..<0
    start = ranges.first?.start
    if words.first?.range == nil, let before, let first = start { start = min(before, first) }
    end = ranges.map(\.end).max()
    body = SpokenText.joined(words.map(\.text))
    speaker = words.lazy.compactMap(\.speaker).first
    endsParagraph = words.last?.endsParagraph ?? false
    self.words = words
  }

  /// Words without segments, as sentences: one ends at its punctuation, with a paragraph, at a pause of a
  /// second, at another speaker, and before it is longer than two lines of captions.
  static func sentences(of words: [RecognizedWord]) -> [RecognizedSegment] {
    var sentences: [[RecognizedWord]] = []
    var length = 0
    var end: Time?
    var speaker: String?
    var isOver = true
    var isTimed = false
    for word in words {
      // Before words without times nobody knows how long a pause is.
      let isPause = (isTimed ? end : nil).flatMap { end in
        word.range.map { $0.start - end >= Time(value: 1, timescale: 1) }
      }
      let isOther = word.speaker != nil && speaker != nil && word.speaker != speaker
      length += word.text.count + 1
      if isOver || isPause == true || isOther || length > 84 {
        sentences.append([])
        (length, speaker, isTimed) = (word.text.count, nil, false)
      }
      sentences[sentences.count - 1].append(word)
      isOver = word.endsParagraph || word.text.last.map { ".?!…。？！".contains($0) } ?? false
      end = word.range?.end ?? end
      isTimed = isTimed || word.range != nil
      speaker = word.speaker ?? speaker
    }
    var segments: [RecognizedSegment] = []
    for sentence in joinedUntimed(sentences) {
      segments.append(RecognizedSegment(sentence, after: segments.last?.end))
    }
    return segments
  }

  /// Sentences, of which those without any times are a part of the one before, at the front of the one
  /// behind.
  private static func joinedUntimed(_ sentences: [[RecognizedWord]]) -> [[RecognizedWord]] {
    var joined: [[RecognizedWord]] = []
    var hasTimes = true
    for sentence in sentences {
      let isTimed = sentence.contains { $0.range != nil }
      if joined.isEmpty || isTimed && hasTimes {
        joined.append(sentence)
        hasTimes = isTimed
      } else {
        joined[joined.count - 1] += sentence
        hasTimes = hasTimes || isTimed
      }
    }
    return joined
  }
}

extension [RecognizedSegment] {
  /// Those of a file of Podcasting 2.0, in order of their starts and with ends. Where they are single
  /// words, those in a row are sentences, and the numbers are those of sentences. O(n)
  var ofSentences: [RecognizedSegment] {
    guard allSatisfy(\.isPodcast), PodcastWord.areSegments(map(\.body)) else { return self }
    var sentences: [RecognizedSegment] = []
    var row: [RecognizedWord] = []
    // An empty name is nobody's, and another one than any.
    var speaker = ""
    for segment in self {
      speaker = segment.speaker ?? speaker
      if let word = segment.asWord(of: speaker) {
        row.append(word)
      } else {
        sentences += RecognizedSegment.sentences(of: row) + [segment]
        row = []
      }
    }
    sentences += RecognizedSegment.sentences(of: row)
    for index in sentences.indices { sentences[index].number = index + 1 }
    return sentences
  }
}

extension RecognizedSegment {
  /// The same as a word; nil where it is none.
  fileprivate func asWord(of speaker: String) -> RecognizedWord? {
    guard PodcastWord.isWord(body), let start, let end, start <= end else { return nil }
    return RecognizedWord(
      body, from: start, to: end, confidence: nil, speaker: speaker, endsParagraph: endsParagraph,
      at: place)
  }
}

extension RecognizedSegment {
  /// Its pieces, where words of another speaker begin: each has its words and their text. A word
  /// without a speaker is of the one before it.
  var turns: [RecognizedSegment] {
    var turns: [(speaker: String, words: Range<Int>)] = []
    for (index, word) in words.enumerated() {
      guard let speaker = word.speaker else { continue }
      if turns.last?.speaker != speaker {
        turns.append((speaker, (turns.isEmpty ? 0 : index)..<words.count))
      }
    }
    guard turns.count > 1 else { return [self] }
    for index in turns.indices.dropLast() {
      turns[index].words = turns[index].words.lowerBound..<turns[index + 1].words.lowerBound
    }
    let texts = texts(of: turns.map(\.words))
    var moment = start
    return turns.indices.map { index in
      let (isFirst, isLast) = (index == 0, index == turns.count - 1)
      var turn = self
      (turn.speaker, turn.words, turn.body) =
        (turns[index].speaker, Array(words[turns[index].words]), texts[index])
      let ranges = turn.words.compactMap(\.range)
      if !isFirst { turn.start = ranges.first?.start ?? moment }
      // Where no word says when it ends, the next turn does.
      let next = words[turns[index].words.upperBound...].lazy.compactMap(\.range?.start).first
      if !isLast { turn.end = ranges.map(\.end).max() ?? next ?? end }
      // Words may lie outside of their segment.
      if let start = turn.start, let end = turn.end { turn.end = max(start, end) }
      moment = turn.end ?? moment
      return turn
    }
  }

  /// The text of each of `runs`, ranges of its words in a row: as it stands in the body, if that has
  /// the words.
  private func texts(of runs: [Range<Int>]) -> [String] {
    var cue = Cue(body, in: .zero)
    cue.words = words.map { Word($0.text) }
    guard let places = cue.placesOfWords else {
      return runs.map { SpokenText.joined(words[$0].map(\.text)) }
    }
    return runs.map { run in
      let first = run.lowerBound == 0 ? body.startIndex : places[run.lowerBound].lowerBound
      let end = run.upperBound == words.count ? body.endIndex : places[run.upperBound].lowerBound
      return String(body[first..<end]).tidiedLines
    }
  }
}
