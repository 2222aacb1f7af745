import MediaTime

/// How captions are broken into lines and divided, for players that show little of them.
public struct LineLayout: Sendable, Hashable, Codable {
  /// The characters of a line at most.
  public var width: Int
  /// The lines of a cue at most.
  public var lines: Int
  /// The characters that are read in a second at most: a cue stays for longer where the next one leaves
  /// time. nil: cues keep their lengths.
  public var readingSpeed: Double?

  /// Cues of at most `lines` lines of `width` characters; both are at least 1. The Podcast Namespace
  /// asks for 2 lines of 32 characters in SRT.
  public init(width: Int = 32, lines: Int = 2, readingSpeed: Double? = nil) {
    self.width = max(1, width)
    self.lines = max(1, lines)
    self.readingSpeed = readingSpeed
  }

  /// `cues`, which are in order, in this layout: those that fit stay as they are; others are divided
  /// where words begin, and lose their markup. O(n)
  ///
  /// - Parameters:
  ///   - cues: In order of their starts.
  ///   - isPrefixed: Whether names of speakers stand in front of texts and need room.
  ///   - end: Until when the last cue may stay for as long as it takes to read it.
  /// - Returns: What is written, in order.
  func layOut(_ cues: [Cue], isPrefixed: Bool = false, until end: Time? = nil) -> [Cue] {
    var result: [(cue: Cue, count: Int)] = []
    var prefixes = SpeakerPrefixes()
    let hasNames = isPrefixed && cues.contains { $0.speaker != nil }
    var latest = Time.zero
    var isBehindAlone = true
    for (index, cue) in cues.enumerated() {
      let text = isPrefixed ? cue.text.tidiedLines : ""
      let prefix =
        text.isEmpty
        ? ""
        : prefixes.next(
          text, of: cue.writtenSpeaker, at: CaptionTime.milliseconds(cue.range.start))
      let isAlone =
        latest <= cue.range.start
        && (index + 1 == cues.count || cue.range.end <= cues[index + 1].range.start)
      latest = max(latest, cue.range.end)
      let lead = Lead(
        prefix.count, speaker: hasNames ? cue.writtenSpeaker : nil,
        isRepeated: hasNames && !isAlone, isBehindOverlap: hasNames && !isBehindAlone)
      isBehindAlone = isAlone
      let parts = fits(cue, behind: lead.first) ? [cue] : divided(cue, behind: lead)
      result += parts.enumerated().map {
        ($0.element, $0.element.text.count + ($0.offset == 0 ? prefix.count : 0))
      }
    }
    // Parts of cues that overlap take turns.
    result = result.enumerated().sorted {
      ($0.element.cue.range.start, $0.offset) < ($1.element.cue.range.start, $1.offset)
    }.map(\.element)
    var laidOut = result.map(\.cue)
    lengthen(&laidOut, result.map(\.count), until: end)
    return laidOut
  }

  /// The characters that stand in front of the parts of a cue.
  private struct Lead {
    /// Of the first part.
    var first: Int
    /// Whose name has to have room; nil: nobody's.
    var speaker: String?
    /// Where others speak between the parts, of each: it may have a name or a dash, or both where it
    /// begins together with another's. nil: nobody does.
    private let repeated: Int?

    /// Those of a cue whose first part has `count` right behind the cue before; a part of another cue may
    /// come between where that one overlaps others.
    init(_ count: Int, speaker: String?, isRepeated: Bool, isBehindOverlap: Bool) {
      let most = speaker.map { $0.count + 4 } ?? 2
      repeated = isRepeated ? most : nil
      first = isRepeated || isBehindOverlap ? max(count, most) : count
      self.speaker = speaker
    }

    /// Those of a part that begins with a text.
    func characters(before text: Substring, isFirst: Bool) -> Int {
      if isFirst { return first }
      if let repeated { return repeated }
      guard let speaker, String(text.prefix(200)).onOneLine.nameInFront != nil else { return 0 }
      return speaker.count + 2
    }
  }

  /// A text in this layout behind a speaker's name, which has a line of its own if the first line has no
  /// room for both and there may be several.
  func text(_ text: String, behind prefix: String) -> String {
    let first = text.prefix { $0 != "\n" }
    guard !prefix.isEmpty, lines > 1, prefix.count + first.count > width else {
      return prefix + text
    }
    return prefix.dropLast() + "\n" + text
  }

  /// How many cues of `transcript` lose markup in this layout, which WebVTT would have. O(n)
  package func markupLosses(of transcript: Transcript) -> Int {
    transcript.cues.count { $0.markup != nil && !fits($0, behind: 0) }
  }

  private func fits(_ cue: Cue, behind lead: Int) -> Bool {
    let found = cue.text.split(separator: "\n")
    return found.count <= lines && found.allSatisfy { $0.count <= width }
      && lead + (found.first?.count ?? 0) <= max(width, lead)
  }

  /// Lets cues of so many characters stay for as long as it takes to read them, where the next one is not
  /// there yet.
  private func lengthen(_ cues: inout [Cue], _ counts: [Int], until end: Time?) {
    guard let readingSpeed, readingSpeed > 0, readingSpeed.isFinite else { return }
    for index in cues.indices {
      let range = cues[index].range
      let wanted = Time(
        seconds: Double(counts[index]) / readingSpeed, preferredTimescale: 1000,
        rounding: .towardPositiveInfinity)
      let isLast = index == cues.count - 1
      guard let next = isLast ? end : cues[index + 1].range.start else { return }
      let free = next - range.start
      guard range.duration < wanted, range.duration < free else { continue }
      cues[index].range.duration = min(wanted, free)
    }
  }

  // MARK: Division

  /// A word of a text, or as much of a long one as fits on a line.
  private struct Piece {
    var range: Range<String.Index>
    var length: Int
    /// Whether nothing stands between it and the one before, or a line end that is no blank.
    var isJoined = false
    /// Whether it always begins a line: a turn of a dialogue does, or it would be read as part of the one
    /// before.
    var beginsTurn = false
  }

  /// A cue in parts.
  private func divided(_ cue: Cue, behind lead: Lead) -> [Cue] {
    let pieces = pieces(of: cue.text, behind: lead.first)
    var clock = WordClock(cue)
    var cues: [Cue] = []
    var first = 0
    var start = cue.range.start
    while first < pieces.count {
      let lead = lead.characters(
        before: cue.text[pieces[first].range.lowerBound...], isFirst: first == 0)
      let next = end(of: pieces, from: first, behind: lead, in: cue.text)
      let end =
        next < pieces.count
        ? max(start, clock.time(at: pieces[next].range.lowerBound)) : cue.range.end
      var part = Cue(
        text(of: pieces[first..<next], behind: lead, in: cue.text),
        in: TimeRange(start: start, end: end),
        speaker: cue.speaker,
        words: Array(clock.takeWords(until: pieces[next - 1].range.upperBound)))
      part.settings = cue.settings
      cues.append(part)
      (first, start) = (next, end)
    }
    return cues
  }

  private func pieces(of text: String, behind lead: Int) -> [Piece] {
    var pieces: [Piece] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(whereSeparator: \.isWhitespace)
      for (index, word) in words.enumerated() {
        func room(isFirst: Bool) -> Int {
          isFirst && lines == 1 && lead < width ? width - lead : width
        }
        if index > 0, word.beginsTurn, let last = pieces.last {
          // At the start of a line it would be read as a turn, so it stays with the word before it.
          let both = text[last.range.lowerBound..<word.endIndex]
          if both.count <= room(isFirst: pieces.count == 1) {
            pieces[pieces.count - 1].range = both.startIndex..<both.endIndex
            pieces[pieces.count - 1].length = both.count
            continue
          }
        }
        let isJoined =
          index == 0
          && !SpokenText.hasBlank(
            between: pieces.last.flatMap { text[$0.range].unicodeScalars.last },
            and: word.unicodeScalars.first)
        pieces += self.pieces(
          ofWord: word, room(isFirst: pieces.isEmpty), isJoined: isJoined,
          beginsTurn: index == 0 && word.beginsTurn)
      }
    }
    return pieces
  }

  /// A word, in pieces if it is longer than a line, of which the first one has less `room`.
  private func pieces(
    ofWord word: Substring, _ room: Int, isJoined: Bool, beginsTurn: Bool
  ) -> [Piece] {
    var pieces: [Piece] = []
    var rest = word
    while !rest.isEmpty {
      let piece = rest.prefix(pieces.isEmpty ? room : width)
      pieces.append(
        Piece(
          range: piece.startIndex..<piece.endIndex, length: piece.count,
          isJoined: isJoined || !pieces.isEmpty, beginsTurn: pieces.isEmpty && beginsTurn))
      rest = rest[piece.endIndex...]
    }
    return pieces
  }

  /// Where a cue ends that begins with piece `first`: behind as much as fits, or in the second half of
  /// that behind a sentence, or else behind a comma.
  private func end(
    of pieces: [Piece], from first: Int, behind lead: Int, in text: String
  ) -> Int {
    var end = first
    forEachPlace(pieces[first...], behind: lead) { line, _ in
      if line < lines { end += 1 }
      return line < lines
    }
    guard end < pieces.count else { return end }
    let half = first + (end - first + 1) / 2
    for marks in [".?!…。？！", ",;:—–、，"] {
      for place in stride(from: end, to: half, by: -1)
      where text[pieces[place - 1].range].last.map({ marks.contains($0) }) == true {
        return place
      }
    }
    return end
  }

  /// Fills lines with pieces: calls `body` with the line of each, from 0, and whether it begins one,
  /// until that gives false. `lead` characters stand in front of them, on a line of their own if the first
  /// piece has no room beside them, as in `text(_:behind:)`.
  private func forEachPlace(
    _ pieces: ArraySlice<Piece>, behind lead: Int,
    _ body: (_ line: Int, _ isFirst: Bool) -> Bool
  ) {
    var (line, used) = (0, lead)
    for (index, piece) in zip(pieces.indices, pieces) {
      let isLeading = index == pieces.startIndex
      let needed = piece.length + (piece.isJoined || isLeading ? 0 : 1)
      let isOver = used + needed > width && (!isLeading || lead > 0 && lines > 1)
      let breaks = isOver || piece.beginsTurn && !isLeading
      if breaks { line += 1 }
      used = breaks ? piece.length : used + needed
      guard body(line, breaks || isLeading) else { return }
    }
  }

  private func text(of pieces: ArraySlice<Piece>, behind lead: Int, in text: String) -> String {
    var result = ""
    var index = pieces.startIndex
    forEachPlace(pieces, behind: lead) { _, isFirst in
      if isFirst, !result.isEmpty {
        result += "\n"
      } else if !result.isEmpty, !pieces[index].isJoined {
        result += " "
      }
      result += text[pieces[index].range]
      index += 1
      return true
    }
    return result
  }
}

/// When each place of a cue's text is said: where words have times, when they begin; between them, in
/// proportion to the letters.
private struct WordClock {
  private let cue: Cue
  private let places: [Range<String.Index>]
  /// Places in bytes of the text, with their times; both go up.
  private var anchors: [(offset: Int, time: Time)]
  /// How many words were taken.
  private var taken = 0

  init(_ cue: Cue) {
    self.cue = cue
    places = cue.placesOfWords ?? []
    anchors = [(0, cue.range.start)]
    let utf8 = cue.text.utf8
    func add(_ index: String.Index, _ time: Time) {
      let offset = utf8.distance(from: utf8.startIndex, to: index)
      guard let last = anchors.last, offset >= last.offset, time >= last.time, time <= cue.range.end
      else { return }
      anchors.append((offset, time))
    }
    let words = zip(cue.words, places).compactMap { word, place in
      word.range.map { (place: place, range: $0) }
    }
    // Recognisers give words that they invent no time of their own, many at one moment: those are spread
    // between the words beside them.
    var hasSpread = false
    for (index, word) in words.enumerated() {
      let (start, end) = (word.range.start, word.range.end)
      let before = index > 0 ? words[index - 1].range.end : nil
      let next = index + 1 < words.count ? words[index + 1].range.start : cue.range.end
      if start == end, before == start || next == start {
        hasSpread = true
        continue
      }
      // Where they have no time at all, the next word gives some of its own.
      if !hasSpread || start != anchors.last?.time { add(word.place.lowerBound, start) }
      add(word.place.upperBound, end)
      hasSpread = false
    }
    while hasSpread, anchors.count > 1, anchors.last?.time == cue.range.end { anchors.removeLast() }
    anchors.append((utf8.count, cue.range.end))
  }

  func time(at index: String.Index) -> Time {
    let utf8 = cue.text.utf8
    let offset = utf8.distance(from: utf8.startIndex, to: index)
    // Of several moments at one place the last counts: a word begins there.
    let next = anchors.partition { $0.offset <= offset }
    let before = anchors[max(0, next - 1)]
    guard next < anchors.count, before.offset < offset else { return before.time }
    let behind = anchors[next]
    return before.time
      + (behind.time - before.time).multiplied(
        by: Int64(offset - before.offset), over: Int64(behind.offset - before.offset))
  }

  /// Takes the words that begin before a place of the text, but for those that were taken.
  mutating func takeWords(until end: String.Index) -> ArraySlice<Word> {
    let first = taken
    while taken < places.count, places[taken].lowerBound < end { taken += 1 }
    return cue.words[first..<taken]
  }
}
