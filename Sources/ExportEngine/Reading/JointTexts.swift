import MediaTime
import Transcripts

/// Cues of a track that shows one sample at a time, as those of MP4 do: cues that overlap stand in it below
/// each other, and go on in the next one.
struct JointTexts {
  /// A cue that is shown, or several that began at once, as long as none of them has ended.
  private struct Shown {
    var lines: [String]
    var start: Time
    /// Its first line among those of the sample with which it began.
    var place: Int
  }

  private var shown: [Shown] = []
  /// When the last sample ends.
  private var end = Time.zero
  private var ended: [(cue: Transcripts.Cue, place: Int)] = []

  /// How many cues there are.
  var count: Int { ended.count + shown.count }

  /// Adds a sample with these lines, of which there is one at least. O(lines)
  mutating func add(_ lines: [String], in range: TimeRange) {
    // One that is shown again alone is another one of the same words.
    let isSame = shown.count == 1 && shown[0].lines == lines
    if isSame || end != range.start { closeAll() }
    let (whole, parts) = (goingOn(in: lines, asParts: false), goingOn(in: lines, asParts: true))
    let going = parts.count > whole.count ? parts : whole
    var next: [Shown] = []
    for (text, goesOn) in zip(shown, going.lines) {
      var first = 0
      while first < goesOn.count {
        let last = goesOn[first...].firstIndex { $0 != goesOn[first] } ?? goesOn.count
        let part = Shown(
          lines: Array(text.lines[first..<last]), start: text.start, place: text.place + first)
        if goesOn[first] { next.append(part) } else { close(part) }
        first = last
      }
    }
    if going.count < lines.count {
      next.append(
        Shown(lines: Array(lines[going.count...]), start: range.start, place: going.count))
    }
    (shown, end) = (next, range.end)
  }

  /// Which lines of each text go on at the front of the next sample, and how many those are: all lines of
  /// a text or none, or also some of them, where several cues began at once.
  private func goingOn(
    in lines: [String], asParts: Bool
  ) -> (lines: [[Bool]], count: Int) {
    var rest = lines[...]
    let goesOn = shown.map { text -> [Bool] in
      let isWhole = rest.starts(with: text.lines)
      guard asParts, !isWhole else {
        if isWhole { rest = rest.dropFirst(text.lines.count) }
        return Array(repeating: isWhole, count: text.lines.count)
      }
      return text.lines.map { line in
        guard rest.first == line else { return false }
        rest = rest.dropFirst()
        return true
      }
    }
    return (goesOn, lines.count - rest.count)
  }

  private mutating func closeAll() {
    for text in shown { close(text) }
    shown = []
  }

  private mutating func close(_ text: Shown) {
    let range = TimeRange(start: text.start, end: end)
    ended.append(
      (Transcripts.Cue(text.lines.joined(separator: "\n"), in: range), text.place))
  }

  /// All of them, in order. O(n log n)
  var cues: [Transcripts.Cue] {
    var all = self
    all.closeAll()
    return all.ended.sorted {
      ($0.cue.range.start, $0.place) < ($1.cue.range.start, $1.place)
    }.map(\.cue)
  }
}
