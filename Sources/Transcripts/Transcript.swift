import MediaTime

/// The words of a recording, with their times in it.
public struct Transcript: Sendable, Hashable, Codable {
  /// In order of their starts; of several at one start, as they were written.
  public private(set) var cues: [Cue]
  /// As BCP 47 has it, for example `en-GB`; nil: not known.
  public var language: String?

  /// A transcript of `cues`, which are put in order. O(n log n).
  public init(_ cues: [Cue] = [], language: String? = nil) {
    self.cues =
      zip(cues.indices, cues)
      .sorted { ($0.1.range.start, $0.0) < ($1.1.range.start, $1.0) }
      .map(\.1)
    self.language = language
  }
}

/// What is said in a range of a recording: a line of captions, a sentence, or a word.
public struct Cue: Sendable, Hashable, Codable {
  /// When it is said.
  public var range: TimeRange
  /// What is said, without markup; a line feed ends a line.
  public var text: String
  /// Who says it; nil: not known.
  public var speaker: String?
  /// The words of `text`, in its order; empty where the format has no times of words.
  public var words: [Word]
  /// The same text as WebVTT writes it within a cue, with its tags; nil: without any.
  public var markup: String?
  /// Its place on a picture, as the settings of a cue of WebVTT; nil: the usual one.
  public var settings: String?
  /// Its name in the file; nil: none.
  public var identifier: String?

  /// A cue without markup.
  public init(
    _ text: String, in range: TimeRange, speaker: String? = nil, words: [Word] = []
  ) {
    self.range = range
    self.text = text
    self.speaker = speaker
    self.words = words
  }
}

/// A word of a cue.
public struct Word: Sendable, Hashable, Codable {
  /// As it is written, with its punctuation and without spaces around it.
  public var text: String
  /// When it is said; nil: a recogniser could not tell.
  public var range: TimeRange?
  /// How sure a recogniser was, 0 to 1; nil: not said.
  public var confidence: Double?

  /// A word.
  public init(_ text: String, in range: TimeRange? = nil, confidence: Double? = nil) {
    self.text = text
    self.range = range
    self.confidence = confidence
  }
}
