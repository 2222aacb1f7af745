/// Names and dashes in front of texts, in forms that have no other place for speakers.
struct SpeakerPrefixes {
  private var last: (speaker: String?, start: Int64)?

  /// The prefix of the next cue in order: the speaker's name where that changes, or where the text has
  /// another one in front, and a dash where nobody is named behind a name, unless the text begins a turn;
  /// else it would be read as that speaker's.
  ///
  /// What begins together with the cue before may be shown below it, as one text with it: there a dash
  /// begins the turn of another speaker.
  ///
  /// - Parameters:
  ///   - text: The cue's text, tidied.
  ///   - speaker: Its speaker, on one line.
  ///   - start: When it begins, in milliseconds.
  /// - Returns: With a blank at its end; empty where nothing stands in front.
  mutating func next(
    _ text: some StringProtocol, of speaker: String?, at start: Int64
  ) -> String {
    let before = last
    last = (speaker, start)
    guard let speaker else { return before?.speaker == nil || text.beginsTurn ? "" : "- " }
    if before?.speaker == speaker, text.nameInFront == nil { return "" }
    return (before?.start == start ? "- " : "") + "\(speaker): "
  }
}

extension StringProtocol {
  /// Whether a line begins a turn of a dialogue: with one dash. `-5` is a number, and `--` goes on.
  var beginsTurn: Bool {
    let dashes = "-\u{2010}\u{2013}\u{2014}"
    guard let first, dashes.contains(first) else { return false }
    guard let second = dropFirst().first else { return true }
    return !dashes.contains(second) && !second.isNumber
  }

  /// The name in front of a text, as `Ann` of `Ann: Hello`, and where the text begins; nil where none
  /// stands there.
  var nameInFront: (name: SubSequence, start: Index)? {
    let longest = 80
    guard let colon = prefix(longest).firstIndex(of: ":"), colon > startIndex else { return nil }
    let rest = self[index(after: colon)...]
    guard !self[..<colon].contains(where: { $0 == "\n" }), rest.first?.isWhitespace == true,
      let start = rest.firstIndex(where: { !$0.isWhitespace })
    else { return nil }
    return (self[..<colon], start)
  }
}

extension Cue {
  /// Its speaker as files have it.
  var writtenSpeaker: String? { speaker?.tidiedLines.onOneLine.nonEmpty }
}
