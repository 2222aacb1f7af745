import MediaTime

/// SRT: what players read. A cue begins at a line of times. Digits above it are its number if an empty
/// line stands before them, or if they count on, and so a text may have empty lines and lines of digits.
struct SRTReader {
  private var text: TranscriptText
  private var cues: CueCollector
  /// Those behind the last line of times, empty ones among them.
  private var lines: [Range<Int>] = []
  private var times: (read: CueTimes?, line: Range<Int>)?
  /// That of the last cue that has one.
  private var number: Int?
  /// That of the present cue, and of the one that comes next.
  private var numbers: (present: Int?, next: Int?)

  /// Whether a line of times, perhaps with another arrow, or an arrow below a number, is among the first
  /// hundred.
  static func reads(_ text: TranscriptText) -> Bool {
    var cursor = LineCursor()
    var isNumber = false
    for _ in 0..<100 {
      guard let line = cursor.next(in: text) else { return false }
      if CueTimes.isAt(line, in: text) { return true }
      if isNumber, text.bytes[line].arrow != nil { return true }
      if CueTimes.haveOtherArrow(text.bytes[line], needDecimals: !isNumber) { return true }
      let trimmed = text.trimmed(line)
      isNumber = !trimmed.isEmpty && text.bytes[trimmed].allSatisfy(\.isDigit)
    }
    return false
  }

  /// The transcript in `text`. O(n)
  static func read(_ text: inout TranscriptText, speakerPrefix: Bool) -> Transcript {
    var reader = SRTReader(text: text, cues: CueCollector(speakerPrefix: speakerPrefix))
    var cursor = LineCursor()
    while !reader.cues.isFull, let line = cursor.next(in: reader.text) { reader.take(line) }
    reader.endCue(hasNext: false)
    text = reader.text
    return Transcript(reader.cues.cues(in: &text))
  }

  private init(text: TranscriptText, cues: CueCollector) {
    self.text = text
    self.cues = cues
  }

  private mutating func take(_ line: Range<Int>) {
    guard CueTimes.isAt(line, in: text) else {
      let help = "write '00:00:01,000 --> 00:00:02,500'"
      if isBelowNumber || lines.last?.isEmpty ?? (times == nil),
        CueTimes.haveOtherArrow(text.bytes[line], needDecimals: !isBelowNumber)
      {
        CueTimes.refuseOtherArrow(at: line, help: help, in: &text)
      } else if isBelowNumber, text.bytes[line].arrow != nil {
        text.error("there are no times around the arrow", at: line, help: help)
      }
      lines.append(text.trimmed(line))
      return
    }
    endCue(hasNext: true)
    times = (CueTimes.read(line, mark: ",", in: &text), line)
    if let settings = times?.read?.settings, !settings.isEmpty { text.find(.markup, at: settings) }
  }

  /// Whether the last line is a number where one of a cue may stand.
  private var isBelowNumber: Bool {
    guard let line = lines.last, !line.isEmpty, text.bytes[line].allSatisfy(\.isDigit) else {
      return false
    }
    return lines.count == 1 ? times == nil : lines[lines.count - 2].isEmpty
  }

  /// Ends the cue above the line of times that comes next, or the last one.
  private mutating func endCue(hasNext: Bool) {
    defer {
      lines = []
      numbers = (numbers.next, nil)
    }
    // The last number may have nothing behind it.
    if hasNext { takeNumber() } else if let number { takeEmptyBlocks(before: number &+ 2) }
    let body = lines.filter { !$0.isEmpty }
    guard let (read, line) = times else {
      if let first = body.first { text.find(.orphan, at: first) }
      return
    }
    guard let read else { return }
    var parts: [String] = []
    for line in body { parts.append(withoutMarkup(line)) }
    var cue = Cue(parts.joined(separator: "\n").tidiedLines, in: .zero)
    cue.number = numbers.present
    cues.append(cue, from: read.start, to: read.end, at: line, in: &text)
  }

  /// Takes the number of the cue that comes next from the lines above it.
  private mutating func takeNumber() {
    guard let line = lines.last, !line.isEmpty, text.bytes[line].allSatisfy(\.isDigit) else {
      return
    }
    let value = Int(text.string(line))
    let isApart = lines.count == 1 ? times == nil : lines[lines.count - 2].isEmpty
    guard isApart || value != nil && value == number.map({ $0 &+ 1 }) else { return }
    lines.removeLast()
    if let value { takeEmptyBlocks(before: value) }
    (number, numbers.next) = (value, value)
  }

  /// Takes numbers from the end of the lines that count up to `next`, each behind an empty line: those
  /// of cues that have nothing else.
  private mutating func takeEmptyBlocks(before next: Int) {
    guard let number else { return }
    var next = next
    var found: [Range<Int>] = []
    while let last = lines.lastIndex(where: { !$0.isEmpty }), last > 0, lines[last - 1].isEmpty,
      text.bytes[lines[last]].allSatisfy(\.isDigit), next > number &+ 1,
      Int(text.string(lines[last])) == next - 1
    {
      found.append(lines[last])
      lines.removeSubrange(last...)
      next -= 1
    }
    for line in found.reversed() { text.find(.empty, at: line) }
  }

  // MARK: Markup

  private static let tags: Set<String> = ["i", "b", "u", "s", "font"]

  /// A line without `<i>`, `<font color="red">` and `{\an8}`.
  private mutating func withoutMarkup(_ line: Range<Int>) -> String {
    var kept: [UInt8] = []
    var index = line.lowerBound
    while index < line.upperBound {
      if let end = markupEnd(at: index, in: line) {
        text.find(.markup, at: index..<end)
        index = end
      } else {
        kept.append(text.bytes[index])
        index += 1
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  private func markupEnd(at index: Int, in line: Range<Int>) -> Int? {
    let rest = text.bytes[index..<line.upperBound]
    // Tags are short; what is longer is text.
    let most = 200
    if rest.first == UInt8(ascii: "{"), rest.dropFirst().first == UInt8(ascii: "\\") {
      return rest.prefix(most).firstIndex(of: UInt8(ascii: "}")).map { $0 + 1 }
    }
    guard rest.first == UInt8(ascii: "<"),
      let end = rest.prefix(most).firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    var body = rest[(index + 1)..<end]
    if body.first == UInt8(ascii: "/") { body = body.dropFirst() }
    let name = String(decoding: body.prefix(while: \.isLetter), as: UTF8.self).lowercased()
    let isWhole = body.dropFirst(name.utf8.count).first.map { $0.isBlank } ?? true
    return isWhole && Self.tags.contains(name) ? end + 1 : nil
  }
}
