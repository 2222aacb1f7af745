import MediaTime

/// The words of a recording, with their times in it.
public struct Transcript: Sendable, Hashable, Codable {
  /// In order of their starts; of several at one start, as they were written.
  public private(set) var cues: [Cue]
  /// As BCP 47 has it, for example `en-GB`; nil: not known.
  public var language: String?
  /// The length of the longest cue: how far before a moment a cue may begin that is heard at it.
  private let longest: Time

  private enum CodingKeys: String, CodingKey { case cues, language }

  /// A transcript of `cues`, which are put in order. O(n log n).
  public init(_ cues: [Cue] = [], language: String? = nil) {
    self.cues =
      zip(cues.indices, cues)
      .sorted { ($0.1.range.start, $0.0) < ($1.1.range.start, $1.0) }
      .map(\.1)
    self.language = language
    longest = cues.map(\.range.duration).max() ?? .zero
  }

  /// Reads what `encode(to:)` wrote.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decode([Cue].self, forKey: .cues),
      language: try values.decodeIfPresent(String.self, forKey: .language))
  }

  /// The cues that are heard in `range`: those that overlap it, and those of no length that lie in it.
  ///
  /// - Returns: Places in ``cues``, in order.
  /// - Complexity: O(log n + k), where k cues begin in the range, or before it by less than the longest
  ///   cue lasts
  public func cues(in range: TimeRange) -> [Int] {
    guard range.isValid, range.start.isNumeric else { return [] }
    let end = range.end
    let first = cues.partition { $0.range.start + longest < range.start }
    var found: [Int] = []
    for index in cues.indices[first...] {
      let cue = cues[index].range
      guard cue.start < end else { break }
      if cue.end > range.start || cue.start >= range.start { found.append(index) }
    }
    return found
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
  package var markup: String?
  /// Its place on a picture, as the settings of a cue of WebVTT; nil: the usual one.
  package var settings: String?
  /// Its name in the file; nil: none.
  package var identifier: String?
  /// Whether a paragraph ends with it, as the JSON of Podcasting 2.0 may say.
  package var endsParagraph = false
  /// Whether its file gives it no length: it lasts 1 ms, and less or longer where the speed changes.
  package var isMomentary = false
  /// Its number in the file, as SRT writes it, else its place there, from 1; nil: it is from no file.
  package var number: Int?

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

extension Cue {
  /// The least that a cue lasts in a file that is written: what has no length is written so.
  package static let leastLength = Time(value: 1, timescale: 1000)

  /// Whether it has no length that a sound could have.
  package var hasNoLength: Bool { isMomentary || range.duration <= Self.leastLength }

  /// Where each word stands in the text, in order; nil where the text does not have them so.
  ///
  /// - Complexity: O(n)
  package var placesOfWords: [Range<String.Index>]? {
    let utf8 = text.utf8
    var places: [Range<String.Index>] = []
    var position = utf8.startIndex
    for word in words {
      guard let place = utf8[position...].place(of: Array(word.text.utf8)) else { return nil }
      position = place.upperBound
      places.append(place)
    }
    return places
  }
}

extension String {
  /// Where a word begins with the punctuation in front of it: what stands between two words belongs to
  /// the first one up to its first blank, and all of it where there is none; before the first word it
  /// is that word's.
  ///
  /// - Parameters:
  ///   - word: The index of the word, below the number of places.
  ///   - places: Where each word stands, in order, as `Cue.placesOfWords` has them.
  /// - Returns: The index at which what belongs to the word begins.
  /// - Complexity: O(n), n the length of the gap before the word
  package func border(before word: Int, of places: [Range<Index>]) -> Index {
    guard word > 0 else { return startIndex }
    let gap = places[word - 1].upperBound..<places[word].lowerBound
    return self[gap].firstIndex(where: \.isWhitespace) ?? gap.upperBound
  }
}

extension Substring.UTF8View {
  /// Where `wanted` stands first (Knuth, Morris and Pratt). O(n)
  func place(of wanted: [UInt8]) -> Range<Index>? {
    guard !wanted.isEmpty else { return startIndex..<startIndex }
    // For each byte: how many before it and with it are also those at the front.
    var fronts = [0]
    var length = 0
    for byte in wanted.dropFirst() {
      while length > 0, wanted[length] != byte { length = fronts[length - 1] }
      if wanted[length] == byte { length += 1 }
      fronts.append(length)
    }
    length = 0
    var index = startIndex
    while index < endIndex {
      while length > 0, wanted[length] != self[index] { length = fronts[length - 1] }
      if wanted[length] == self[index] { length += 1 }
      formIndex(after: &index)
      if length == wanted.count { return self.index(index, offsetBy: -length)..<index }
    }
    return nil
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
