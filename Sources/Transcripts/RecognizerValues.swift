import JSON
import MediaTime

/// The names that an object has so far.
struct SeenNames {
  private var names: [String] = []

  /// Reports a name that stands twice, whose value comes next: readers differ over which one counts.
  mutating func note(_ name: String, before json: JSONReader, in text: inout TranscriptText) {
    let most = 64
    if names.contains(name) {
      text.error(
        "'\(name.prefix(most))' stands twice in one object", at: json.offset..<json.offset + 1,
        help: "leave one of them")
    } else if names.count < most {
      names.append(name)
    }
  }
}

extension JSONReader {
  /// A number of seconds, perhaps as a text; nil for null, and for what is none, which is reported.
  mutating func time(
    called name: String, in text: inout TranscriptText
  ) throws(JSONValue.ReadingError) -> Time? {
    try time(called: name, in: &text, reading: CaptionTime.seconds)
  }

  /// Milliseconds under `from` and `to`.
  mutating func offsets(
    in text: inout TranscriptText
  ) throws(JSONValue.ReadingError) -> (from: Time?, to: Time?) {
    var (from, to): (Time?, Time?)
    try eachMember { json, name throws(JSONValue.ReadingError) in
      switch name {
      case "from": from = try json.time(called: name, in: &text, reading: CaptionTime.milliseconds)
      case "to": to = try json.time(called: name, in: &text, reading: CaptionTime.milliseconds)
      default: try json.skip()
      }
    }
    return (from, to)
  }

  private mutating func time(
    called name: String, in text: inout TranscriptText,
    reading: (ArraySlice<UInt8>) throws(CaptionTime.Fault) -> Time
  ) throws(JSONValue.ReadingError) -> Time? {
    let kind = try kind()
    let first = offset
    var digits: ArraySlice<UInt8> = []
    switch kind {
    case .number: digits = bytes[try numberText()]
    case .text: digits = try looseText().bytes[...]
    case .word where bytes[offset] == UInt8(ascii: "n"):
      try skip()
      return nil
    case .word, .list, .object: try skip()
    }
    do throws(CaptionTime.Fault) {
      return try reading(digits)
    } catch {
      text.error(
        "'\(name)', \(text.quoted(first..<offset)), \(error.message)", at: first..<offset,
        help: error.help)
      return nil
    }
  }

  /// A number; nil for any other value.
  mutating func number() throws(JSONValue.ReadingError) -> Double? {
    guard try kind() == .number else {
      try skip()
      return nil
    }
    return try value().number
  }

  /// How sure a recogniser was; nil: not said.
  mutating func probability() throws(JSONValue.ReadingError) -> Double? {
    try number().flatMap { (0...1).contains($0) ? $0 : nil }
  }

  /// Whether the next value is a text with a line end behind it. It is not taken.
  func endsWithLineEnd() throws(JSONValue.ReadingError) -> Bool {
    var copy = self
    guard try copy.kind() == .text else { return false }
    return [.lineFeed, .carriageReturn].contains(try copy.looseText().bytes.last)
  }

  /// A text, tidied; nil for any other value.
  mutating func spokenText(
    in text: inout TranscriptText
  ) throws(JSONValue.ReadingError) -> String? {
    try writtenText(in: &text)?.tidiedLines
  }

  /// A text with its blanks; nil for any other value.
  mutating func writtenText(
    in text: inout TranscriptText
  ) throws(JSONValue.ReadingError) -> String? {
    guard try kind() == .text else {
      try skip()
      return nil
    }
    let first = offset
    let (bytes, hasHalfPair) = try looseText()
    let whole = String(validating: bytes, as: UTF8.self)
    if hasHalfPair || whole == nil { text.find(.brokenText, at: first..<offset) }
    return whole ?? String(decoding: bytes, as: UTF8.self)
  }
}
