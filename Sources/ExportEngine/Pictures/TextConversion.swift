import Diagnosis
import ExportGraph
import MediaTime
import Transcripts

/// Texts as samples of 3GPP's timed text (TS 26.245, 5.17).
enum TimedText {
  /// The sample of a text; nil where nothing is left of it.
  static func sample(_ text: String) -> [UInt8]? {
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

  /// Several samples below each other, the styles of which are lost, and whether their end is left out;
  /// without any an empty one.
  static func joined(_ samples: [[UInt8]]) -> (bytes: [UInt8], isCutShort: Bool) {
    guard samples.count > 1 else { return (samples.first ?? [0, 0], false) }
    let text = samples.map(text(of:)).joined(separator: "\n")
    guard let joined = sample(text) else { return ([0, 0], false) }
    return (joined, text.utf8.count > UInt16.max)
  }

  /// The text of a sample.
  static func text(of sample: [UInt8]) -> String {
    guard sample.count > 2 else { return "" }
    let bytes = sample.dropFirst(2).prefix(Int(sample[0]) << 8 | Int(sample[1]))
    guard bytes.starts(with: [0xFE, 0xFF]) else { return PlainText.decoded(bytes) }
    // UTF-16 has a mark of its order.
    let units = stride(from: bytes.startIndex + 2, to: bytes.endIndex - 1, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units.filter { $0 != 0x0D }, as: UTF16.self)
  }
}

/// How the texts of a stream become those of an output.
struct TextConversion {
  /// FFmpeg's name of the stream's codec.
  let codec: String
  /// The output's form.
  let form: TextForm

  /// A cue of a stream's packet, shown from a moment to another one; nil where it shows nothing.
  func cue(_ bytes: [UInt8], from start: Time, to end: Time) -> Cue? {
    var cue = Cue(start: start, end: end, sample: bytes)
    guard TextForm(ofCodec: codec) == form else {
      guard let text = PlainText(bytes, codec: codec).sample(as: form) else { return nil }
      cue.sample = text
      return cue
    }
    switch form {
    case .ass:
      let parts = bytes.split(
        separator: UInt8(ascii: ","), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let order = Int(String(decoding: parts[0], as: UTF8.self)) else {
        return nil
      }
      (cue.sample, cue.order) = (Array(parts[1]), order)
    case .webVTT: cue.hasInnerTimes = bytes.contains(UInt8(ascii: "<"))
    case .timedText, .subRip: break
    }
    return form != .ass && PlainText(bytes, codec: codec).isEmpty ? nil : cue
  }
}

/// The text of a subtitle, without its markup.
struct PlainText {
  let text: String
  /// Who says it, where its codec has a place for that; nil: not known.
  private(set) var speaker: String?

  /// That of a packet, by FFmpeg's name of its codec.
  init(_ bytes: [UInt8], codec: String) {
    switch TextForm(ofCodec: codec) {
    case .timedText: text = TimedText.text(of: bytes)
    case .ass:
      let fields = Self.fieldsOfASS(Self.decoded(bytes))
      text = fields.map { Self.ofASS($0[8]) } ?? ""
      speaker = fields.flatMap { $0[3].isEmpty ? nil : String($0[3]) }
    case .webVTT: text = WebVTTText.plain(Self.decoded(bytes))
    case .subRip: text = Self.ofSubRip(Self.decoded(bytes))
    }
  }

  /// Bytes of which more is not read: a sample of timed text has half as many.
  private static let mostBytes = 1 << 17

  /// UTF-8, without carriage returns.
  fileprivate static func decoded(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes.prefix(mostBytes).filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }

  /// Whether it shows nothing.
  var isEmpty: Bool { text.allSatisfy(\.isWhitespace) }

  /// The text in a form that has no more than that; nil where it shows nothing.
  func sample(as form: TextForm) -> [UInt8]? {
    guard !isEmpty, form != .timedText else { return TimedText.sample(text) }
    // In these forms an empty line ends a text.
    let lines = text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    let plain = lines.joined(separator: "\n")
    return Array((form == .webVTT ? WebVTTText.markup(plain) : plain).utf8)
  }

  // MARK: - Markup

  private static func ofSubRip(_ text: String) -> String {
    let plain = removing("<", ">", from: text) {
      $0.first.map { $0.properties.isAlphabetic || $0 == "/" } ?? false
    }
    return removing("{", "}", from: plain) { $0.first == "\\" }
  }

  /// The fields of a text, as Matroska has them: the fourth names who says it, the ninth is the text.
  private static func fieldsOfASS(_ line: String) -> [Substring]? {
    let fields = line.splitScalars(at: ",", maxSplits: 8, omittingEmptySubsequences: false)
    return fields.count == 9 ? fields : nil
  }

  /// The text of its field; drawings are none.
  private static func ofASS(_ field: Substring) -> String {
    var isDrawing = false
    var text = ""
    for part in field.splitScalars(at: "{", omittingEmptySubsequences: false).enumerated() {
      let pieces = part.element.splitScalars(
        at: "}", maxSplits: 1, omittingEmptySubsequences: false)
      if part.offset > 0, pieces.count == 2 {
        for tag in pieces[0].splitScalars(at: "\\") where tag.first == "p" {
          guard let scale = Int(tag.dropFirst()) else { continue }
          isDrawing = scale > 0
        }
      }
      if !isDrawing { text += pieces[pieces.count - 1] }
    }
    return text.replacingScalars("\\N", with: "\n").replacingScalars("\\n", with: " ")
      .replacingScalars("\\h", with: "\u{A0}")
  }

  /// Characters between two signs of markup, at most.
  private static let mostMarkup = 256

  /// A text without the signs, and what stands between them, where `isMarkup` says so of that.
  private static func removing(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, from text: String,
    where isMarkup: (Substring.UnicodeScalarView) -> Bool
  ) -> String {
    var (rest, plain) = (text.unicodeScalars[...], String.UnicodeScalarView())
    while let start = rest.firstIndex(of: open) {
      let behind = rest.index(after: start)
      if let end = rest[behind...].prefix(mostMarkup).firstIndex(of: close),
        isMarkup(rest[behind..<end])
      {
        plain.append(contentsOf: rest[..<start])
        rest = rest[rest.index(after: end)...]
      } else {
        plain.append(contentsOf: rest[..<behind])
        rest = rest[behind...]
      }
    }
    plain.append(contentsOf: rest)
    return String(plain)
  }
}
