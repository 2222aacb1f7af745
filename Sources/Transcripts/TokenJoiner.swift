import JSON
import MediaTime

/// Joins the tokens of whisper.cpp, which are parts of words, perhaps of letters.
struct TokenJoiner {
  private struct Part {
    var bytes: [UInt8]
    let start: Time?
    var end: Time?
    var probabilities: Double
    var probabilityCount: Int
    let place: Range<Int>
  }

  /// Whether words begin with a space.
  private let isSpaced: Bool
  private var parts: [Part] = []

  init(isSpaced: Bool) { self.isSpaced = isSpaced }

  /// Takes a token from `json`.
  mutating func take(
    _ json: inout JSONReader, in text: inout TranscriptText
  ) throws(JSONValue.ReadingError) {
    let first = json.offset
    var bytes: [UInt8] = []
    var (start, end): (Time?, Time?)
    var probability: Double?
    try json.eachMember { json, name throws(JSONValue.ReadingError) in
      switch name {
      case "text" where try json.kind() == .text: bytes = try json.looseText().bytes
      case "offsets" where try json.kind() == .object: (start, end) = try json.offsets(in: &text)
      case "p": probability = try json.number()
      default: try json.skip()
      }
    }
    guard !bytes.isEmpty, !Self.isMark(bytes) else { return }
    if parts.isEmpty || isNew(bytes) {
      parts.append(
        Part(
          bytes: bytes, start: start, end: end, probabilities: 0, probabilityCount: 0,
          place: first..<first + 1))
    } else {
      parts[parts.count - 1].bytes += bytes
      parts[parts.count - 1].end = end ?? parts[parts.count - 1].end
    }
    guard let probability, (0...1).contains(probability) else { return }
    parts[parts.count - 1].probabilities += probability
    parts[parts.count - 1].probabilityCount += 1
  }

  /// `[_BEG_]`, `[_TT_42]` and `<|endoftext|>` are no speech.
  private static func isMark(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "[_".utf8) && bytes.last == UInt8(ascii: "]")
      || bytes.starts(with: "<|".utf8) && bytes.suffix(2).elementsEqual("|>".utf8)
  }

  /// Whether a word begins with `bytes`, and not a further part of the last one.
  private func isNew(_ bytes: [UInt8]) -> Bool {
    if bytes.first == UInt8(ascii: " ") { return true }
    guard !isSpaced, !endsWithinLetter else { return false }
    // Punctuation belongs to the word before it; half a letter is one.
    return String(decoding: bytes, as: UTF8.self).first.map {
      $0.isLetter || $0.isNumber || $0 == "\u{FFFD}"
    } ?? false
  }

  /// Whether the last part ends with the first bytes of a letter.
  private var endsWithinLetter: Bool {
    guard let tail = parts.last?.bytes.suffix(3),
      let lead = tail.lastIndex(where: { $0 & 0xC0 != 0x80 })
    else { return false }
    return tail[lead] >= 0xC0 && tail.endIndex - lead < (~tail[lead]).leadingZeroBitCount
  }

  /// The words, whose confidence is the mean of that of their tokens.
  var words: [RecognizedWord] {
    parts.compactMap { part in
      let spelled = String(decoding: part.bytes, as: UTF8.self).tidiedLines
      guard !spelled.isEmpty else { return nil }
      let count = part.probabilityCount
      return RecognizedWord(
        spelled, from: part.start, to: part.end,
        confidence: count > 0 ? part.probabilities / Double(count) : nil, at: part.place)
    }
  }
}
