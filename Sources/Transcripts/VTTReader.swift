import Diagnosis
import MediaTime

/// WebVTT (W3C, "WebVTT: The Web Video Text Tracks Format", 6.1, "WebVTT file parsing").
///
/// It differs from that in five ways. A line with an arrow ends a block or a text only if it has times. A
/// cue whose times are written otherwise, as with a comma, is read, with a warning; one that ends where it
/// starts, or before, gets 1 ms, since nobody would see it. A block that begins with an arrow
/// without times is refused. Styles, regions, and cues without a text are left out. Several voices of a
/// cue are several cues.
struct VTTReader {
  private var text: TranscriptText
  private var cursor = LineCursor()
  private var cues: CueCollector
  private var language: String?
  /// The lines of times so far.
  private var count = 0

  /// Whether `text` begins as WebVTT does.
  static func reads(_ text: TranscriptText) -> Bool {
    guard let line = LineCursor().peek(in: text), text.starts(line, with: "WEBVTT") else {
      return false
    }
    return line.count == 6 || text.bytes[line.lowerBound + 6].isBlank
  }

  /// The transcript in `text`. O(n)
  static func read(_ text: inout TranscriptText, speakerPrefix: Bool) -> Transcript {
    var reader = VTTReader(text, speakerPrefix: speakerPrefix)
    reader.readHeader()
    while !reader.cues.isFull, reader.readBlock() {}
    text = reader.text
    return Transcript(reader.cues.cues(in: &text), language: reader.language)
  }

  private init(_ text: TranscriptText, speakerPrefix: Bool) {
    self.text = text
    cues = CueCollector(speakerPrefix: speakerPrefix)
  }

  /// Goes to the end of a block: an empty line may be missing before a line of times.
  private mutating func skipBlock() {
    while let line = cursor.peek(in: text), !line.isEmpty, !CueTimes.isAt(line, in: text) {
      _ = cursor.next(in: text)
    }
  }

  // MARK: Header

  private mutating func readHeader() {
    _ = cursor.next(in: text)
    while let line = cursor.peek(in: text), !line.isEmpty, !CueTimes.isAt(line, in: text) {
      _ = cursor.next(in: text)
      if text.starts(line, with: "X-TIMESTAMP-MAP=") { text.find(.timestampMap, at: line) }
      if text.starts(line, with: "Language:") {
        let value = text.trimmed(line.lowerBound + 9..<line.upperBound)
        language = LanguageTag.read(text.string(value))
      }
    }
  }

  // MARK: Blocks

  /// Reads a block; false at the end.
  private mutating func readBlock() -> Bool {
    while let line = cursor.peek(in: text), line.isEmpty { _ = cursor.next(in: text) }
    guard let first = cursor.next(in: text) else { return false }
    if CueTimes.isAt(first, in: text) {
      readCue(first, named: nil)
    } else if let second = cursor.peek(in: text), CueTimes.isAt(second, in: text) {
      _ = cursor.next(in: text)
      readCue(second, named: first)
    } else {
      skip(first)
    }
    return true
  }

  /// Leaves out a block without times.
  private mutating func skip(_ first: Range<Int>) {
    let word = text.bytes[first].prefix { !$0.isBlank }
    let isAlone = text.trimmed(first).count == word.count
    switch String(decoding: word, as: UTF8.self) {
    case "NOTE": text.find(.comment, at: first)
    case "STYLE" where isAlone: text.find(.style, at: first)
    case "REGION" where isAlone: text.find(.region, at: first)
    default:
      let others = [first, cursor.peek(in: text)].compactMap(\.self).filter {
        CueTimes.haveOtherArrow(text.bytes[$0], needDecimals: true)
      }
      if let line = others.first {
        CueTimes.refuseOtherArrow(at: line, help: "write '00:01.000 --> 00:02.500'", in: &text)
      } else if text.bytes[first].arrow != nil {
        text.error(
          "there are no times around the arrow", at: first,
          help: "write '00:01.000 --> 00:02.500', or '--&gt;' within a text")
      } else {
        text.find(.orphan, at: first)
      }
    }
    skipBlock()
  }

  private mutating func readCue(_ line: Range<Int>, named name: Range<Int>?) {
    count += 1
    let times = CueTimes.read(line, mark: ".", in: &text)
    var lines: Range<Int>?
    var body: [String] = []
    while let next = cursor.peek(in: text), !next.isEmpty, !CueTimes.isAt(next, in: text) {
      _ = cursor.next(in: text)
      if text.bytes[next].arrow != nil { text.find(.arrowInText, at: next) }
      lines = (lines?.lowerBound ?? next.lowerBound)..<next.upperBound
      body.append(text.string(next))
    }
    guard let times else { return }
    if !times.isStrict { text.find(.looseTime, at: line) }
    let settings = settings(times.settings)
    // References are counted, and of all else the texts that have it.
    var found: [Finding: Int] = [:]
    let voices = VoiceSplitter.voices(
      of: body.joined(separator: "\n"), from: times.start, to: max(times.start, times.end)
    ) { found[$0] = $0 == .oddReference ? found[$0, default: 0] + 1 : 1 }
    for (finding, count) in found { text.find(finding, at: lines ?? line, count: count) }
    // A cue without a text is counted as one.
    for (index, voice) in (voices.isEmpty ? [.init()] : voices).enumerated() {
      var cue = Cue(voice.text, in: .zero, speaker: voice.speaker, words: voice.words)
      cue.markup = voice.markup
      cue.settings = settings
      cue.number = count
      // Names are unique.
      cue.identifier = index == 0 ? name.flatMap { text.string($0).tidiedLines.nonEmpty } : nil
      cues.append(cue, from: times.start, to: times.end, at: line, in: &text)
    }
  }

  /// The settings of a cue, word for word but for the region, which is not carried; nil: none.
  private mutating func settings(_ range: Range<Int>) -> String? {
    var words: [Substring] = []
    for word in text.string(range).split(whereSeparator: \.isWhitespace) {
      if word.hasPrefix("region:") {
        text.find(.region, at: range)
      } else if !word.containsScalars("-->") {
        words.append(word)
      }
    }
    return words.joined(separator: " ").nonEmpty
  }
}

/// The name of a language.
enum LanguageTag {
  /// `text`, if it has the form of a tag of BCP 47; else nil.
  static func read(_ text: String) -> String? {
    let parts = text.utf8.split(separator: .minus, omittingEmptySubsequences: false)
    guard let first = parts.first, 2...3 ~= first.count, first.allSatisfy(\.isLetter),
      parts.dropFirst().allSatisfy({
        1...8 ~= $0.count && $0.allSatisfy { $0.isLetter || $0.isDigit }
      })
    else { return nil }
    return text
  }
}
