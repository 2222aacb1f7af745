/// Names and dashes in front of texts, in forms that have no other place for speakers.
struct SpeakerPrefixes {
  private var last: String?

  /// The prefix of the next cue in order: the speaker's name where that changes, and a dash where nobody is
  /// named behind a name, unless its text begins a turn; else it would be read as that speaker's.
  ///
  /// - Parameters:
  ///   - text: The cue's text, tidied.
  ///   - speaker: Its speaker, on one line.
  /// - Returns: With a blank at its end; empty where nothing stands in front.
  mutating func next(_ text: some StringProtocol, of speaker: String?) -> String {
    defer { last = speaker }
    if speaker == last { return "" }
    return speaker.map { "\($0): " } ?? (text.beginsTurn ? "" : "- ")
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
}

extension Cue {
  /// Its speaker as files have it.
  var writtenSpeaker: String? { speaker?.tidiedLines.onOneLine.nonEmpty }
}
