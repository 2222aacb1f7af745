import MediaTime

extension Transcript {
  /// What is shown of a cue without its markup.
  package struct Caption: Sendable, Hashable {
    /// Milliseconds, rounded as those of files are; at least one.
    package var milliseconds: Range<Int64>
    /// Lines that are not empty; the speaker's name is in front where it changes, and a dash where
    /// nobody is named behind a name: else the line would be read as that speaker's. A dash is also in
    /// front of the name of a caption that begins together with the one before.
    package var text: String
  }

  /// Its cues as captions, in order; `lines` and `end` as for `bytes(as:lines:wordSegments:until:)`. O(n)
  package func captions(lines: LineLayout? = nil, until end: Time? = nil) -> [Caption] {
    PlainWriter.captions(of: writtenCues(lines, isPrefixed: true, until: end), lines: lines)
  }
}

extension PlainWriter {
  static func captions(of cues: [WrittenCue], lines: LineLayout?) -> [Transcript.Caption] {
    var prefixes = SpeakerPrefixes()
    return cues.map { cue in
      let prefix = prefixes.next(cue.text, of: cue.speaker, at: cue.start)
      return Transcript.Caption(
        milliseconds: cue.start..<cue.end,
        text: lines?.text(cue.text, behind: prefix) ?? prefix + cue.text)
    }
  }
}
