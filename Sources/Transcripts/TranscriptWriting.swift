import JSON
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
  ///   - lines: How lines are broken and cues divided; nil: as they are.
  /// - Returns: UTF-8 without a byte-order mark, with line feeds.
  /// - Complexity: O(n)
  public func bytes(as format: TranscriptFormat, lines: LineLayout? = nil) -> [UInt8] {
    let cues = writtenCues(lines)
    let text =
      switch format {
      case .vtt: VTTWriter.text(cues, language: language)
      case .srt: PlainWriter.srt(cues)
      case .podcasting2: PlainWriter.podcasting(cues)
      case .txt: PlainWriter.paragraphs(cues)
      case .labels: PlainWriter.labels(cues)
      }
    return Array(text.utf8)
  }

  /// The cues as files have them.
  func writtenCues(_ lines: LineLayout?) -> [WrittenCue] {
    (lines.map { $0.layOut(cues) } ?? cues).compactMap(WrittenCue.init)
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
    speaker = cue.speaker?.tidiedLines.onOneLine.nonEmpty
  }

  func times(mark: Character) -> String {
    CaptionTime.text(milliseconds: start, mark: mark) + " --> "
      + CaptionTime.text(milliseconds: end, mark: mark)
  }

  /// The text on one line.
  var line: String { text.onOneLine }
}

/// Writers of forms without markup.
enum PlainWriter {
  /// SRT: a name or a dash where the speaker changes.
  static func srt(_ cues: [WrittenCue]) -> String {
    var text = ""
    for (index, (cue, caption)) in zip(cues, captions(of: cues)).enumerated() {
      if index > 0 { text += "\n" }
      text += "\(index + 1)\n\(cue.times(mark: ","))\n\(defused(caption.text))\n"
    }
    return text
  }

  /// A text for SRT, which has no references: a line that would begin a cue has another arrow.
  private static func defused(_ text: String) -> String {
    guard text.contains("-->") else { return text }
    return text.split(separator: "\n").map { line in
      CueTimes.isAt(Array(line.utf8)[...]) ? line.replacing("-->", with: "→") : line
    }.joined(separator: "\n")
  }

  /// The JSON of Podcasting 2.0: one segment a cue. An empty name ends the turn of the speaker before
  /// it, since a segment without a name is that speaker's.
  static func podcasting(_ cues: [WrittenCue]) -> String {
    var last: String?
    let segments = cues.map { cue in
      let speaker = cue.speaker ?? (last == nil ? nil : "")
      last = cue.speaker
      return JSONValue.members([
        "speaker": speaker.map { .text($0) },
        "startTime": .number(Double(cue.start) / 1000, decimals: 3),
        "endTime": .number(Double(cue.end) / 1000, decimals: 3),
        "body": .text(cue.text),
      ])
    }
    return JSONValue.object([
      .init("version", "1.0.0"), .init("segments", .list(segments)),
    ]).document(columns: 100)
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

  /// What one speaker says is a paragraph, with the name in front.
  static func paragraphs(_ cues: [WrittenCue]) -> String {
    var text = ""
    var last: WrittenCue?
    for cue in cues {
      if let last, last.speaker == cue.speaker {
        text += " "
      } else {
        if last != nil { text += "\n\n" }
        if let speaker = cue.speaker { text += "\(speaker): " }
      }
      text += cue.line
      last = cue
    }
    return text.isEmpty ? "" : text + "\n"
  }
}
