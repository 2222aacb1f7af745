import Diagnosis

/// What is odd in a transcript and does not stop its reading: each kind is reported once, at its first
/// place, with the number of places.
enum Finding: Hashable, CaseIterable {
  case style, region, comment, timestampMap, looseTime, arrowInText, orphan, empty
  case markup, momentary, backward, backwardWord, timelessWord, brokenText, brokenWord, oddReference
  case secondsTable, bareAngle, foreignTag
  case frequencies

  var severity: Diagnostic.Severity {
    switch self {
    case .timestampMap, .looseTime, .arrowInText, .orphan, .backward, .backwardWord, .brokenText,
      .brokenWord, .bareAngle:
      .warning
    default: .note
    }
  }

  /// What is reported of `count` places.
  func message(_ count: Int) -> String {
    // tidy: long because it is a table
    func counted(_ one: String, _ many: String) -> String {
      count == 1 ? "1 \(one)" : "\(grouped(count)) \(many)"
    }
    switch self {
    case .style: return counted("STYLE block is left out", "STYLE blocks are left out")
    case .region:
      return counted(
        "REGION block, or setting that names one, is left out",
        "REGION blocks, and settings that name them, are left out")
    case .comment: return counted("NOTE block is left out", "NOTE blocks are left out")
    case .timestampMap:
      return "X-TIMESTAMP-MAP belongs to the segments of a stream and is ignored"
    case .looseTime:
      return counted(
        "line of times is not as WebVTT has them; browsers leave its cue out",
        "lines of times are not as WebVTT has them; browsers leave their cues out")
    case .arrowInText:
      return counted(
        "line of text has '-->', where other readers end the cue",
        "lines of text have '-->', where other readers end the cue")
    case .orphan:
      return counted("text without times is left out", "texts without times are left out")
    case .empty:
      return counted("cue without a text is left out", "cues without a text are left out")
    case .markup:
      return counted(
        "tag or place of SRT is left out", "tags and places of SRT are left out")
    case .momentary:
      return counted(
        "cue has no length: captions show it for 1 ms",
        "cues have no length: captions show them for 1 ms each")
    case .backward:
      return counted(
        "cue ends before it starts: it is read as one without a length",
        "cues end before they start: they are read as such without a length")
    case .backwardWord:
      return counted(
        "word has times that go backwards, and is read without times",
        "words have times that go backwards, and are read without times")
    case .timelessWord: return counted("word has no times", "words have no times")
    case .brokenText:
      return counted(
        "text has half a character, which is shown as U+FFFD",
        "texts have half a character, which is shown as U+FFFD")
    case .brokenWord:
      return counted(
        "word has a piece of a character, which is shown as U+FFFD",
        "words have pieces of characters, which are shown as U+FFFD")
    case .oddReference:
      return counted(
        "character reference is unknown and kept as it is",
        "character references are unknown and kept as they are")
    case .bareAngle:
      return counted(
        "text has '<' before no tag, or before one without '>', from where browsers leave it out",
        "texts have '<' before no tag, or before one without '>', from where browsers leave them out"
      )
    case .foreignTag:
      return counted(
        "text has a tag that is none of WebVTT's, which is left out",
        "texts have tags that are none of WebVTT's, which are left out")
    case .secondsTable: return "times of the table have decimals, and all are read as seconds"
    case .frequencies:
      return counted(
        "line of frequencies is left out", "lines of frequencies are left out")
    }
  }

  var help: String? {
    switch self {
    case .timestampMap: "set 'offset' if its times do not count from the start of the sound"
    case .looseTime: "write 00:01:02.500, with a dot"
    case .arrowInText: "write '--&gt;'"
    case .bareAngle, .foreignTag: "write '&lt;' if it is text"
    case .orphan: "write a line such as '00:01.000 --> 00:02.500' above it"
    case .backward: "the start comes first, then the end"
    case .backwardWord: "times of words go up, as the recording does"
    case .timelessWord: "no cut can begin or end at such a word"
    case .brokenText: "save the transcript as UTF-8"
    case .brokenWord: "write the character, in UTF-8: no text of a segment has it"
    case .secondsTable: "whole numbers alone would be milliseconds"
    default: nil
    }
  }
}
