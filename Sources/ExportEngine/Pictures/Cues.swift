import LibAV
import MediaComposition
import MediaTime

/// A text, and when it is shown.
struct Cue: Hashable {
  var start: Time
  var end: Time
  /// Of 3GPP's timed text: the text's length in two bytes, the text, and boxes with its styles.
  var sample: [UInt8]

  /// What of a source's cues is shown in parts of it.
  static func parts(of cues: [Cue], in spans: [PictureRange]) -> [Cue] {
    let cues = cues.sorted { $0.start < $1.start }
    // When all up to one have ended.
    var ends: [Time] = []
    for cue in cues { ends.append(max(ends.last ?? cue.end, cue.end)) }
    return spans.flatMap { span in
      let first = span.from.map { from in ends.partitioningIndex { $0 > from } } ?? 0
      return cues[first...].prefix { cue in span.to.map { cue.start < $0 } ?? true }
        .compactMap { $0.part(in: span) }
    }
  }

  /// What of it is shown in a part of its source, at the output's times; nil: nothing.
  func part(in span: PictureRange) -> Cue? {
    let start = span.from.map { max($0, self.start) } ?? self.start
    let end = span.to.map { min($0, self.end) } ?? self.end
    guard start < end else { return nil }
    let part = Cue(
      start: max(.zero, span.place(start)), end: span.place(end), sample: sample)
    return part.start < part.end ? part : nil
  }
}

extension CueTrack.Sample {
  /// Texts at once of which more are left out: what is written for effects, not to be read.
  private static let mostAtOnce = 32

  /// Samples of cues in any order: one after the other from 0 on, with empty ones where no cue is shown.
  /// Cues that overlap are shown below each other while they do.
  static func all(of cues: [Cue], timescale: Int32) -> [CueTrack.Sample] {
    func ticks(_ time: Time) -> Int64 { max(0, time.frames(atRate: Int(timescale))) }
    let timed = cues.map { (start: ticks($0.start), end: ticks($0.end), sample: $0.sample) }
      .filter { $0.start < $0.end }
    let ordered = timed.enumerated()
      .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    var samples: [CueTrack.Sample] = []
    var shown: [(end: Int64, sample: [UInt8])] = []
    var place: Int64 = 0
    /// Shows what is under way, up to a moment.
    func go(to moment: Int64) {
      while place < moment {
        let next = min(moment, shown.map(\.end).min() ?? moment)
        if place < next {
          samples.append(
            CueTrack.Sample(ticks: place..<next, bytes: TimedText.joined(shown.map(\.sample))))
        }
        place = next
        shown.removeAll { $0.end <= next }
      }
    }
    for cue in ordered {
      go(to: cue.start)
      if shown.count < mostAtOnce,
        !shown.contains(where: { $0.sample == cue.sample && $0.end == cue.end })
      {
        shown.append((cue.end, cue.sample))
      }
    }
    while let end = shown.map(\.end).max() { go(to: end) }
    return samples
  }
}

/// Texts as samples of 3GPP's timed text (TS 26.245, 5.17).
enum TimedText {
  /// The sample of a subtitle, by FFmpeg's name of its codec; nil where it shows nothing.
  static func sample(of bytes: [UInt8], codec: String) -> [UInt8]? {
    let text: String
    switch codec {
    case "mov_text": return length(of: bytes) > 0 ? bytes : nil
    case "ass", "ssa": text = ofASS(decoded(bytes))
    case "webvtt": text = ofWebVTT(decoded(bytes))
    default: text = ofSubRip(decoded(bytes))
    }
    return sample(text)
  }

  /// nil where nothing is left of the text.
  private static func sample(_ text: String) -> [UInt8]? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var trimmed = lines.drop { $0.allSatisfy(\.isWhitespace) }
    while trimmed.last?.allSatisfy(\.isWhitespace) == true { trimmed.removeLast() }
    guard !trimmed.isEmpty else { return nil }
    var bytes = Array(trimmed.joined(separator: "\n").utf8.prefix(Int(UInt16.max)))
    // No character is cut: those of more bytes begin with the two highest bits set.
    if bytes.count == Int(UInt16.max), let start = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }) {
      bytes.removeSubrange(start...)
    }
    return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  /// Several samples below each other, the styles of which are lost; without any an empty one.
  static func joined(_ samples: [[UInt8]]) -> [UInt8] {
    guard samples.count > 1 else { return samples.first ?? [0, 0] }
    let texts = samples.map { decoded(Array($0.dropFirst(2).prefix(length(of: $0)))) }
    return sample(texts.joined(separator: "\n")) ?? [0, 0]
  }

  private static func length(of sample: [UInt8]) -> Int {
    guard sample.count > 2 else { return 0 }
    return min(Int(sample[0]) << 8 | Int(sample[1]), sample.count - 2)
  }

  /// Bytes of which more is not read: a sample has half as many.
  private static let mostBytes = 1 << 17

  private static func decoded(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix(mostBytes).filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }

  // MARK: - Markup

  private static func ofSubRip(_ text: String) -> String {
    let plain = removing("<", ">", from: text) { $0.first?.isLetter ?? false || $0.first == "/" }
    return removing("{", "}", from: plain) { $0.first == "\\" }
  }

  /// W3C's WebVTT, 4.2.2.
  private static func ofWebVTT(_ text: String) -> String {
    let entities = [
      ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u{A0}"), ("&lrm;", "\u{200E}"),
      ("&rlm;", "\u{200F}"), ("&amp;", "&"),
    ]
    return entities.reduce(removing("<", ">", from: text) { _ in true }) {
      $0.replacing($1.0, with: $1.1)
    }
  }

  /// The text behind eight fields, as Matroska has them; drawings are none.
  private static func ofASS(_ line: String) -> String {
    let fields = line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
    guard fields.count == 9 else { return "" }
    var isDrawing = false
    var text = ""
    for part in fields[8].split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      let pieces = part.element.split(
        separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      if part.offset > 0, pieces.count == 2 {
        for tag in pieces[0].split(separator: "\\") where tag.first == "p" {
          guard let scale = Int(tag.dropFirst()) else { continue }
          isDrawing = scale > 0
        }
      }
      if !isDrawing { text += pieces[pieces.count - 1] }
    }
    return text.replacing("\\N", with: "\n").replacing("\\n", with: " ")
      .replacing("\\h", with: "\u{A0}")
  }

  /// Characters between two signs of markup, at most.
  private static let mostMarkup = 256

  /// A text without the signs, and what stands between them, where `isMarkup` says so of that.
  private static func removing(
    _ open: Character, _ close: Character, from text: String, where isMarkup: (Substring) -> Bool
  ) -> String {
    var (rest, plain) = (text[...], "")
    while let start = rest.firstIndex(of: open) {
      let behind = rest.index(after: start)
      if let end = rest[behind...].prefix(mostMarkup).firstIndex(of: close),
        isMarkup(rest[behind..<end])
      {
        plain += rest[..<start]
        rest = rest[rest.index(after: end)...]
      } else {
        plain += rest[..<behind]
        rest = rest[behind...]
      }
    }
    return plain + rest
  }
}
