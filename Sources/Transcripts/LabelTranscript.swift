import MediaTime

/// Audacity's labels: start, end and text, separated by tabs; a label at a point lasts to the next.
///
/// The format of Audacity's manual, "Importing and Exporting Labels". Lines that begin with a
/// backslash give the frequencies of a spectral selection.
enum LabelTranscript {
  /// Whether the first line that counts is a label.
  static func reads(_ text: TranscriptText) -> Bool {
    var cursor = LineCursor()
    while let line = cursor.next(in: text) {
      if text.trimmed(line).isEmpty || text.starts(line, with: "\\") { continue }
      let cells = cells(line, in: text)
      return cells.count >= 2
        && cells.prefix(2).allSatisfy { cell in
          let bytes = text.bytes[cell]
          return bytes.contains(where: \.isDigit)
            && bytes.allSatisfy { $0.isDigit || ".,-+".utf8.contains($0) }
            || oddNumbers.contains(text.string(cell).lowercased())
        }
    }
    return false
  }

  /// What programs write for numbers that are none: refused at their place.
  private static let oddNumbers: Set = ["nan", "-nan", "inf", "-inf", "infinity", "-infinity"]

  /// The transcript in `text`. O(n log n)
  static func read(_ text: inout TranscriptText, speakerPrefix: Bool) -> Transcript {
    var labels: [(start: Time, end: Time, text: String, place: Range<Int>)] = []
    var cursor = LineCursor()
    while labels.count <= CueCollector.cueLimit, let line = cursor.next(in: text) {
      if text.trimmed(line).isEmpty { continue }
      if text.starts(line, with: "\\") {
        text.find(.frequencies, at: line)
        continue
      }
      let cells = cells(line, in: text)
      guard cells.count >= 2 else {
        text.error(
          "a label is a start, an end and a text, separated by tabs", at: line,
          help: "start and end are seconds, as '12.5', with a tab behind each")
        continue
      }
      let times = cells.prefix(2).map { time($0, in: &text) }
      guard let start = times[0], let end = times[1] else { continue }
      let body =
        cells.count > 2 ? cells[2].lowerBound..<line.upperBound : line.upperBound..<line.upperBound
      labels.append((start, end, text.string(body).tidiedLines, line))
    }
    return Transcript(cues(labels, speakerPrefix: speakerPrefix, in: &text))
  }

  private static func cues(
    _ labels: [(start: Time, end: Time, text: String, place: Range<Int>)], speakerPrefix: Bool,
    in text: inout TranscriptText
  ) -> [Cue] {
    var cues = CueCollector(speakerPrefix: speakerPrefix)
    let starts = labels.map(\.start).sorted()
    for label in labels {
      var end = label.end
      if end == label.start {
        // The first start behind this one; the last label has as long as a cue that has no end.
        let next = starts.partition { $0 <= label.start }
        let most = label.start + Time(value: 5, timescale: 1)
        end = next < starts.count ? min(starts[next], most) : most
      }
      cues.append(
        Cue(label.text, in: .zero), from: label.start, to: end, at: label.place, in: &text)
    }
    return cues.cues(in: &text)
  }

  private static func cells(_ line: Range<Int>, in text: TranscriptText) -> [Range<Int>] {
    text.bytes[line].split(separator: .tab, omittingEmptySubsequences: false)
      .map { text.trimmed($0.startIndex..<$0.endIndex) }
  }

  private static func time(_ cell: Range<Int>, in text: inout TranscriptText) -> Time? {
    do throws(CaptionTime.Fault) {
      return try CaptionTime.seconds(text.bytes[cell])
    } catch {
      let help =
        text.bytes[cell].contains(UInt8(ascii: ",")) ? "write decimals behind a dot" : error.help
      text.error("'\(text.quoted(cell))' \(error.message)", at: cell, help: help)
      return nil
    }
  }
}

extension RandomAccessCollection {
  /// The first index whose element is not `isBefore`, of a collection in which all that are stand in
  /// front. O(log n)
  func partition(_ isBefore: (Element) -> Bool) -> Index {
    var (low, count) = (startIndex, count)
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if isBefore(self[middle]) {
        low = index(after: middle)
        count -= half + 1
      } else {
        count = half
      }
    }
    return low
  }
}
