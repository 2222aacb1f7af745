import JSON

/// Writer of the JSON of Podcasting 2.0 (Podcast Namespace, "Transcripts").
enum PodcastWriter {
  fileprivate struct Segment {
    var speaker: String?
    /// Milliseconds.
    var start: Int64
    var end: Int64
    var body: String
    var endsParagraph = false
  }

  /// One segment a cue; or one for each word with times, as in the specification's example, where each
  /// turn ends a paragraph. An empty name ends the turn of the speaker before it, since a segment
  /// without a name is that speaker's. O(n)
  static func text(_ cues: [WrittenCue], wordSegments: Bool) -> String {
    var segments: [Segment] = []
    if wordSegments {
      let overlapping = overlapping(cues)
      for (index, cue) in cues.enumerated() {
        // What two say at once would be read word by word.
        segments += overlapping.contains(index) ? [Segment(cue)] : Segment.words(of: cue)
        let isTurn = index + 1 < cues.count && cues[index + 1].speaker != cue.speaker
        segments[segments.count - 1].endsParagraph = cue.cue.endsParagraph || isTurn
      }
    } else {
      segments = cues.map(Segment.init)
      // Single words would be read as those of sentences.
      if PodcastWord.areSegments(segments.map(\.body)) {
        for index in segments.indices { segments[index].endsParagraph = true }
      }
    }
    return document(segments)
  }

  private static func document(_ segments: [Segment]) -> String {
    var last: String?
    let list = segments.map { segment in
      let speaker = segment.speaker ?? (last == nil ? nil : "")
      last = segment.speaker
      return JSONValue.members([
        "speaker": speaker.map { .text($0) },
        "startTime": .number(Double(segment.start) / 1000, decimals: 3),
        "endTime": .number(Double(segment.end) / 1000, decimals: 3),
        "body": .text(segment.body + (segment.endsParagraph ? "\n" : "")),
      ])
    }
    return JSONValue.object([
      .init("version", "1.0.0"), .init("segments", .list(list)),
    ]).document(columns: 100)
  }

  /// The cues in which somebody else also speaks. O(n)
  private static func overlapping(_ cues: [WrittenCue]) -> Set<Int> {
    var found: Set<Int> = []
    // The one that ends last of those before.
    var latest: Int?
    for index in cues.indices {
      if let latest, cues[latest].end > cues[index].start,
        cues[latest].speaker != cues[index].speaker
      {
        found.formUnion([latest, index])
      }
      if latest.map({ cues[$0].end <= cues[index].end }) ?? true { latest = index }
    }
    return found
  }
}

extension PodcastWriter.Segment {
  fileprivate init(_ cue: WrittenCue) {
    self.init(
      speaker: cue.speaker, start: cue.start, end: cue.end, body: cue.text,
      endsParagraph: cue.cue.endsParagraph)
  }

  /// The words of a cue, each with the punctuation beside it, and with what follows it without times or
  /// without a blank between; the whole cue where no word has times.
  fileprivate static func words(of cue: WrittenCue) -> [Self] {
    let (text, words) = (cue.cue.text, cue.cue.words)
    guard let places = cue.cue.placesOfWords else { return [Self(cue)] }
    var timed: [Int] = []
    for index in words.indices where words[index].range != nil {
      // Readers put blanks between segments.
      if timed.isEmpty || !text.isJoined(places[index], to: places[index - 1]) {
        timed.append(index)
      }
    }
    var segments: [Self] = []
    for (number, index) in timed.enumerated() {
      guard let range = words[index].range else { continue }
      let next = number + 1 < timed.count ? timed[number + 1] : nil
      let first = number == 0 ? text.startIndex : text.border(before: index, of: places)
      let last = next.map { text.border(before: $0, of: places) } ?? text.endIndex
      guard first < last, let body = String(text[first..<last]).tidiedLines.nonEmpty else {
        continue
      }
      var start = CaptionTime.milliseconds(range.start)
      let others = words[(index + 1)..<(next ?? words.count)]
      let latest = others.compactMap(\.range?.end).reduce(range.end, max)
      var end = CaptionTime.milliseconds(latest)
      // Words without times are said before it, or behind it.
      if number == 0, index > 0 { start = min(start, cue.start) }
      if others.contains(where: { $0.range == nil }) {
        end = max(
          end, next.flatMap { words[$0].range?.start }.map(CaptionTime.milliseconds) ?? cue.end)
      }
      segments.append(
        Self(speaker: cue.speaker, start: start, end: max(end, start + 1), body: body.onOneLine))
    }
    return segments.isEmpty ? [Self(cue)] : segments
  }
}

extension String {
  /// Whether nothing blank stands between two words at places, and blanks would change them.
  fileprivate func isJoined(_ place: Range<Index>, to before: Range<Index>) -> Bool {
    !self[before.upperBound..<place.lowerBound].contains(where: \.isWhitespace)
      && !SpokenText.isUnspaced(
        between: self[before].unicodeScalars.last, and: self[place].unicodeScalars.first)
  }
}

/// Segments of Podcasting 2.0 that are words of sentences, as in the specification's example.
enum PodcastWord {
  /// Whether the bodies of a file's segments are words: three of four have no space. In scripts without
  /// spaces nobody can tell.
  static func areSegments(_ bodies: some Collection<String>) -> Bool {
    bodies.count > 1 && bodies.count(where: isWord) * 4 >= bodies.count * 3
  }

  /// Whether a body is one word, or may be.
  static func isWord(_ body: String) -> Bool {
    !body.isEmpty && !body.contains(where: \.isWhitespace)
      && !SpokenText.hasLettersWithoutSpaces(body)
  }
}
