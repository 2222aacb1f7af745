extension Transcript {
  /// What is shown of a cue without its markup.
  package struct Caption: Sendable, Hashable {
    /// Milliseconds, rounded as those of files are; at least one.
    package var milliseconds: Range<Int64>
    /// Lines that are not empty; the speaker's name is in front where it changes, and a dash where
    /// nobody is named behind a name: else the line would be read as that speaker's.
    package var text: String
  }

  /// Its cues as captions, in order; `lines` as for `bytes(as:lines:)`. O(n)
  package func captions(lines: LineLayout? = nil) -> [Caption] {
    PlainWriter.captions(of: writtenCues(lines))
  }
}

extension PlainWriter {
  static func captions(of cues: [WrittenCue]) -> [Transcript.Caption] {
    var speaker: String?
    return cues.map { cue in
      defer { speaker = cue.speaker }
      let name = cue.speaker == speaker ? "" : cue.speaker.map { "\($0): " } ?? "- "
      return Transcript.Caption(milliseconds: cue.start..<cue.end, text: name + cue.text)
    }
  }
}
