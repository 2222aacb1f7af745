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
  func layOut(_ cues: [Cue]) -> [Cue] {
    var result: [Cue] = []
    for cue in cues { result += fits(cue) ? [cue] : divided(cue) }
    lengthen(&result)
    return result
  }

  /// How many cues of `transcript` lose markup in this layout, which WebVTT would have. O(n)
  package func markupLosses(of transcript: Transcript) -> Int {
    transcript.cues.count { $0.markup != nil && !fits($0) }
  }

  private func fits(_ cue: Cue) -> Bool {
    let found = cue.text.split(separator: "\n")
    return found.count <= lines && found.allSatisfy { $0.count <= width }
  }

  /// Lets cues stay for as long as it takes to read them, where the next one is not there yet.
  private func lengthen(_ cues: inout [Cue]) {
    guard let readingSpeed, readingSpeed > 0, readingSpeed.isFinite else { return }
    for index in cues.indices.dropLast() {
      let range = cues[index].range
      let wanted = Time(
        seconds: Double(cues[index].text.count) / readingSpeed, preferredTimescale: 1000,
        rounding: .towardPositiveInfinity)
      let free = cues[index + 1].range.start - range.start
      guard range.duration < wanted, range.duration < free else { continue }
      cues[index].range.duration = min(wanted, free)
    }
  }

  // MARK: Division

  /// A word of a text, or as much of a long one as fits on a line.
  private struct Piece {
    var range: Range<String.Index>
    var length: Int
    /// Whether nothing stands between it and the one before.
    var isJoined: Bool
  }

  private func divided(_ cue: Cue) -> [Cue] {
    let pieces = pieces(of: cue.text)
    var clock = WordClock(cue)
    var cues: [Cue] = []
    var first = 0
    var start = cue.range.start
    while first < pieces.count {
      let next = end(of: pieces, from: first, in: cue.text)
      let end =
        next < pieces.count
        ? max(start, clock.time(at: pieces[next].range.lowerBound)) : cue.range.end
      var part = Cue(
        text(of: pieces[first..<next], in: cue.text), in: TimeRange(start: start, end: end),
        speaker: cue.speaker,
        words: Array(clock.takeWords(until: pieces[next - 1].range.upperBound)))
      part.settings = cue.settings
      cues.append(part)
      part.endsParagraph = cue.endsParagraph && next == pieces.count
      (first, start) = (next, end)
    }
    return cues
  }

  private func pieces(of text: String) -> [Piece] {
    var pieces: [Piece] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      var rest = word
      while !rest.isEmpty {
        let piece = rest.prefix(width)
        pieces.append(
          Piece(
            range: piece.startIndex..<piece.endIndex, length: piece.count,
            isJoined: piece.startIndex != word.startIndex))
        rest = rest[piece.endIndex...]
      }
    }
    return pieces
  }

  /// Where a cue ends that begins with piece `first`: behind as much as fits, or in the second half of
  /// that behind a sentence, or else behind a comma.
  private func end(of pieces: [Piece], from first: Int, in text: String) -> Int {
    var end = first
    forEachPlace(pieces[first...]) { line, _ in
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
  /// until that gives false.
  private func forEachPlace(
    _ pieces: ArraySlice<Piece>, _ body: (_ line: Int, _ isFirst: Bool) -> Bool
  ) {
    var (line, used) = (0, 0)
    for piece in pieces {
      let needed = piece.length + (piece.isJoined || used == 0 ? 0 : 1)
      let isFirst = used == 0 || used + needed > width
      if isFirst, used > 0 { line += 1 }
      used = isFirst ? piece.length : used + needed
      guard body(line, isFirst) else { return }
    }
  }

  private func text(of pieces: ArraySlice<Piece>, in text: String) -> String {
    var result = ""
    var index = pieces.startIndex
    forEachPlace(pieces) { _, isFirst in
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
    for (word, place) in zip(cue.words, places) {
      guard let range = word.range else { continue }
      add(place.lowerBound, range.start)
      add(place.upperBound, range.end)
    }
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
