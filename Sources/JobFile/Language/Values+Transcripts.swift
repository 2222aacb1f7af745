import Diagnosis
import JSON
import JobModel
import MediaComposition
import MediaTime
import Transcripts

/// The kinds of values for words: where they are read, and where they are written.
extension Values {
  // MARK: Items

  /// Where the words of an item are.
  enum TranscriptSource: Sendable, Hashable {
    /// In a text of its own.
    case text(MediaLocation)
    /// In the item's own files.
    case keep
  }

  private static let transcriptSource: NodeNotation<Located<TranscriptSource>> = NodeNotation(
    Form("transcript_source", [.text], "a path or an address, as 'talk.vtt', or 'keep'") {
      JSONForm.location
    }
  ) { node, decoder, scope in
    guard let text = decoder.text(node, scope, as: .medium) else { return nil }
    if text.string == "keep" { return Located(.keep, at: text.origin) }
    return decoder.location(node, scope).map { Located(.text($0.value), at: $0.origin) }
  }

  static let encoding = TextNotation(
    "encoding", TextEncoding.allCases.map { ($0.rawValue, $0) },
    refusal: "is no encoding that is read")

  static let offset = TextNotation(
    "offset", "a time, as '120ms' or '-120ms'",
    Pattern.whole("(?!.*sample)-?" + Pattern.timeBody)
  ) { text throws(QuantityError) in
    do throws(TimeTextError) {
      return try Time(parsing: text, allowingNegative: true)
    } catch {
      throw QuantityError(error.message, help: "write a time, as '120ms' or '-120ms'")
    }
  }

  /// A transcript of an item, while its keys are read.
  fileprivate struct TranscriptFields: Sendable {
    var source: Located<TranscriptSource>?
    var clock = Clock.source
    var speaker: Located<String>?
    var offset = Time.zero
    var encoding: Located<TextEncoding>?
  }

  private static let longTranscript: MapNotation<TranscriptFields> = MapNotation(
    "the transcript of an item", TranscriptFields(),
    example: "{ file: talk.vtt, speaker: Ann }",
    rules: [
      .some(
        of: ["file"], missing: "a transcript needs a 'file'",
        help: "write { file: talk.vtt, speaker: Ann }")
    ],
    [
      Key("file", transcriptSource, "the file or address, or 'keep'") { $0.source = $1 },
      Key("clock", clock, "'item' for times of the item after its range; else of the file") {
        $0.clock = $1.value
      },
      Key("speaker", text, "who speaks where it does not say; 'prefix': texts begin 'Name: '") {
        $0.speaker = $1
      },
      Key("offset", offset, "added to each of its times") { $0.offset = $1.value },
      Key("encoding", encoding, "of its letters, if they are no UTF-8 or UTF-16") {
        $0.encoding = $1
      },
    ])

  static let transcript: NodeNotation<Located<ItemTranscript>> = NodeNotation(
    Form(
      "transcript", [.text, .map],
      "a path or an address, as 'talk.vtt', 'keep', or { file: talk.vtt, speaker: Ann }",
      maps: { [longTranscript.schema] }
    ) {
      JSONForm.shapes(text: JSONForm.location, map: longTranscript.schema.reference)
    }
  ) { node, decoder, scope in
    var fields: TranscriptFields?
    if case .mapping = node.kind {
      fields = longTranscript.read(node, decoder, scope)
    } else {
      fields = TranscriptFields(source: transcriptSource.read(node, decoder, scope))
    }
    return fields.flatMap { $0.transcript(decoder) }.map { Located($0, at: node.origin) }
  }

  // MARK: Outputs

  static let transcriptPlaceNames =
    TranscriptFormat.allCases.map(\.rawValue) + ["file", "lyrics"]

  private static let transcriptWords: NodeNotation<[Located<String>]> = NodeNotation(
    Form("transcript_words", [.text, .list], "places, as [vtt, srt], or [] for none") {
      JSONForm.oneOrMore(JSONForm.words(transcriptPlaceNames.map { .text($0) }), onceEach: true)
    }
  ) { node, decoder, scope in decoder.placeWords(node, scope) }

  /// The places of an output's words, before its format is known.
  struct WrittenPlaces: Sendable {
    var words: [Located<String>] = []
    var width: Located<Int>?
    var lines: Located<Int>?
    var readingSpeed: Located<Int>?
    /// Whether they are words.
    var segments: Located<Bool>?
  }

  private static func count(
    _ name: String, _ range: ClosedRange<Int>, _ pattern: String, _ subject: String
  ) -> TextNotation<Int> {
    TextNotation(
      name, "a whole number, from \(range.lowerBound) to \(range.upperBound)",
      Pattern.whole("0*" + pattern),
      or: [
        "type": "integer", "minimum": .count(range.lowerBound), "maximum": .count(range.upperBound),
      ]
    ) { text throws(QuantityError) in
      guard let count = Quantity.count(text), range.contains(count) else {
        throw QuantityError(
          "'\(text)' is no \(subject)",
          help: "write a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return count
    }
  }

  static let captionWidth = count(
    "caption_width", 8...200, "([89]|[1-9][0-9]|1[0-9]{2}|200)", "width of a line of captions")
  static let captionLines = count(
    "caption_lines", 1...10, "([1-9]|10)", "number of lines of a caption")
  static let readingSpeed = count(
    "reading_speed", 1...100, "([1-9][0-9]?|100)", "number of characters a second")

  static let segments = TextNotation(
    "transcript_segments", [("cues", false), ("words", true)],
    refusal: "is neither 'cues' nor 'words'")

  private static let longPlaces: MapNotation<WrittenPlaces> = MapNotation(
    "the transcript of an output", WrittenPlaces(), example: "{ as: [vtt, srt], width: 32 }",
    rules: [
      .some(
        of: ["as"], missing: "a transcript of an output needs 'as'",
        help: "write { as: [vtt, srt], width: 32 }")
    ],
    [
      Key("as", transcriptWords, "the places") { $0.words = $1 },
      Key("width", captionWidth, "at most so many characters a line, broken between words") {
        $0.width = $1
      },
      Key("lines", captionLines, "at most so many lines at once") { $0.lines = $1 },
      Key("reading_speed", readingSpeed, "at most so many characters a second, where there is room")
      {
        $0.readingSpeed = $1
      },
      Key("segments", segments, "what a segment of 'podcasting2' is: 'cues', or 'words' with times")
      {
        $0.segments = $1
      },
    ])

  static let transcriptPlaces: NodeNotation<WrittenPlaces> = NodeNotation(
    Form(
      "transcript_places", [.text, .list, .map],
      "places, as [vtt, srt], [] for none, or { as: [vtt, srt], width: 32 }",
      maps: { [longPlaces.schema] }
    ) {
      JSONForm.shapes(text: transcriptWords.form.tree(), map: longPlaces.schema.reference)
    }
  ) { node, decoder, scope in
    if case .mapping = node.kind { return longPlaces.read(node, decoder, scope) }
    return transcriptWords.read(node, decoder, scope).map { WrittenPlaces(words: $0) }
  }
}

extension Values.TranscriptFields {
  /// The transcript that they describe; nil, after a report, if there is none.
  fileprivate func transcript(_ decoder: Decoder) -> ItemTranscript? {
    guard let source else { return nil }
    let hasPrefix = speaker?.value == "prefix"
    let name = hasPrefix ? nil : speaker?.value
    switch source.value {
    case .keep:
      if let encoding {
        decoder.sink.error(
          "this is for a transcript that is a text of its own", at: encoding.origin,
          help: "leave it out: the words in a media file have their encoding")
      }
      var words = ItemTranscript(.keep, clock: clock, speaker: name, offset: offset)
      words.hasPrefixes = hasPrefix
      return words
    case .text(let place):
      let file = TranscriptFile(
        place: place, hasSpeakerPrefix: hasPrefix, encoding: encoding?.value)
      return decoder.transcript(Located(file, at: source.origin)).map { read in
        var words = ItemTranscript(
          .read(read.transcript), clock: clock, speaker: name, offset: offset)
        words.isQuoted = read.isQuoted
        return words
      }
    }
  }
}
