import Diagnosis
import MediaTime

extension Transcript {
  /// The file of this transcript, in UTF-8.
  ///
  /// Starts and ends are rounded to the millisecond, each for itself and half away from zero, so that
  /// cues that touch still touch; an end is at least 1 ms behind its start. Labels have millionths of
  /// a second. Cues without a text are left out.
  ///
  /// - Parameters:
  ///   - format: Its form.
  ///   - lines: How lines of captions, WebVTT and SRT, are broken and cues divided; nil: as they are, and
  ///     as in all other forms.
  ///   - wordSegments: Whether the JSON of Podcasting 2.0 has a segment for each word with times, as the
  ///     example of the Podcast Namespace; else it has one for each cue.
  ///   - end: Of the sound, until which `lines` may let the last cue stay; nil: it keeps its length.
  /// - Returns: UTF-8 without a byte-order mark, with line feeds.
  /// - Complexity: O(n)
  public func bytes(
    as format: TranscriptFormat, lines: LineLayout? = nil, wordSegments: Bool = false,
    until end: Time? = nil
  ) -> [UInt8] {
    let lines = format.isOfCaptions ? lines : nil
    let cues = writtenCues(lines, isPrefixed: format == .srt, until: end)
    let text =
      switch format {
      case .vtt: VTTWriter.text(cues, language: language)
      case .srt: PlainWriter.srt(cues, lines: lines)
      case .podcasting2: PodcastWriter.text(cues, wordSegments: wordSegments)
      case .txt: PlainWriter.paragraphs(cues)
      case .labels: PlainWriter.labels(cues)
      }
    return Array(text.utf8)
  }

  /// The cues as files have them; whether the names of speakers stand in front of texts.
  func writtenCues(_ lines: LineLayout?, isPrefixed: Bool, until end: Time?) -> [WrittenCue] {
    let cues = lines?.layOut(cues, isPrefixed: isPrefixed, until: end) ?? cues
    return cues.compactMap(WrittenCue.init)
  }
}

/// A cue with its times as a file has them.
struct WrittenCue {
  let cue: Cue
  /// Lines that are not empty.
  let text: String
  /// Milliseconds.
  let start: Int64
  let end: Int64
  let speaker: String?

  /// nil where nothing is said.
  init?(_ cue: Cue) {
    text = cue.text.tidiedLines
    guard !text.isEmpty else { return nil }
    self.cue = cue
    start = CaptionTime.milliseconds(cue.range.start)
    end = max(CaptionTime.milliseconds(cue.range.end), start + 1)
    speaker = cue.writtenSpeaker
  }

  func times(mark: UInt8) -> String {
    CaptionTime.text(milliseconds: start, mark: mark) + " --> "
      + CaptionTime.text(milliseconds: end, mark: mark)
  }

  /// The text on one line.
  var line: String { text.onOneLine }
}

/// Writers of forms without markup.
enum PlainWriter {
  /// SRT: a name or a dash where the speaker changes.
  static func srt(_ cues: [WrittenCue], lines: LineLayout?) -> String {
    var text = ""
    for (index, (cue, caption)) in zip(cues, captions(of: cues, lines: lines)).enumerated() {
      if index > 0 { text += "\n" }
      text += "\(index + 1)\n\(cue.times(mark: UInt8(ascii: ",")))\n\(defused(caption.text))\n"
    }
    return text
  }

  /// A text for SRT, which has no references: a line that would begin a cue has another arrow.
  private static func defused(_ text: String) -> String {
    guard text.containsScalars("-->") else { return text }
    return text.split(separator: "\n").map { (line) -> String in
      CueTimes.isAt(Array(line.utf8)[...]) ? line.replacingScalars("-->", with: "→") : String(line)
    }.joined(separator: "\n")
  }

  /// Audacity's labels, one a cue. A dash stands for nobody behind a name, as in captions.
  static func labels(_ cues: [WrittenCue]) -> String {
    var last: String?
    return cues.map { cue in
      let name = cue.speaker.map { "\($0): " } ?? (last == nil ? "" : "- ")
      last = cue.speaker
      let range = cue.cue.range
      let end = max(range.end, range.start + Time(value: 1, timescale: 1000))
      return AudacityLabel(from: range.start, to: end, name + cue.line).line
    }.joined()
  }

  /// What one speaker says is a paragraph, or several where it says so, with the name in front of the
  /// first.
  static func paragraphs(_ cues: [WrittenCue]) -> String {
    var text = ""
    var last: WrittenCue?
    for cue in cues {
      let isSame = last.map { $0.speaker == cue.speaker } ?? false
      if let last {
        if !isSame || last.cue.endsParagraph {
          text += "\n\n"
        } else if SpokenText.hasBlank(
          between: text.unicodeScalars.last, and: cue.line.unicodeScalars.first)
        {
          text += " "
        }
      }
      if !isSame, let speaker = cue.speaker { text += "\(speaker): " }
      text += cue.line
      last = cue
    }
    return text.isEmpty ? "" : text + "\n"
  }
}
