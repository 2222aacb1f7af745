extension JSONValue {
  /// Why a text is no JSON.
  package struct ReadingError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, such as `a value is missing`.
    package var reason: String
    /// Where, in bytes from the start.
    package var offset: Int

    package var description: String { "\(reason) at byte \(offset)" }
  }

  /// Lists and objects within each other.
  private static let mostLevels = 200

  /// Reads a text (RFC 8259). Members keep their order, which Foundation's decoders lose; of numbers,
  /// as many decimals are kept as were written, up to 15.
  ///
  /// - Parameter bytes: One value, perhaps between spaces: UTF-8 without a byte-order mark.
  /// - Throws: For what is no JSON, half a surrogate pair, and more than 200 levels.
  /// - Complexity: O(length)
  package init(reading bytes: some Collection<UInt8>) throws(ReadingError) {
    var reader = Reader(bytes: Array(bytes))
    reader.skipSpace()
    self = try reader.value(levels: Self.mostLevels)
    reader.skipSpace()
    guard reader.next == nil else { throw reader.error("something follows the value") }
  }

  // MARK: Members

  /// The member of an object with a name, the last one if there are several; nil where there is none.
  package subscript(name: String) -> JSONValue? { members.last { $0.name == name }?.value }

  /// A text; nil for any other value.
  package var text: String? { if case .text(let text) = self { text } else { nil } }

  /// A truth value; nil for any other value.
  package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

  /// An integer; nil for any other value.
  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The elements of a list; nil for any other value.
  package var elements: [JSONValue]? { if case .list(let values) = self { values } else { nil } }

  /// A number as its text has it, rounded to its decimals; nil for any other value.
  package var number: Double? {
    switch self {
    case .integer(let value): return Double(value)
    case .number(let value, let decimals):
      let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
      return (value * scale).rounded(.toNearestOrAwayFromZero) / scale
    case .seconds(let value, exact: _): return value
    default: return nil
    }
  }
}

/// Takes values from the front of a text.
private struct Reader {
  let bytes: [UInt8]
  var offset = 0

  /// The byte that comes next; nil at the end.
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  func error(_ reason: String) -> JSONValue.ReadingError { .init(reason: reason, offset: offset) }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x9...0xA).contains(byte) || byte == 0xD { offset += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  mutating func value(levels: Int) throws(JSONValue.ReadingError) -> JSONValue {
    guard levels > 0 else { throw error("there are too many levels") }
    switch next {
    case UInt8(ascii: "{"): return .object(try members(levels: levels))
    case UInt8(ascii: "["): return .list(try elements(levels: levels))
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"): return try number()
    case let digit? where UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit: return try number()
    default: throw error("a value is missing")
    }
  }

  private mutating func word(
    _ word: String, _ value: JSONValue
  ) throws(JSONValue.ReadingError) -> JSONValue {
    guard bytes[offset...].starts(with: word.utf8) else { throw error("a value is missing") }
    offset += word.utf8.count
    return value
  }

  // MARK: Lists and objects

  private mutating func elements(levels: Int) throws(JSONValue.ReadingError) -> [JSONValue] {
    offset += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take("]") { return elements }
    while true {
      skipSpace()
      elements.append(try value(levels: levels - 1))
      skipSpace()
      if take("]") { return elements }
      guard take(",") else { throw error("',' or ']' is missing") }
    }
  }

  private mutating func members(
    levels: Int
  ) throws(JSONValue.ReadingError) -> [JSONValue.Member] {
    offset += 1
    var members: [JSONValue.Member] = []
    skipSpace()
    if take("}") { return members }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw error("a name is missing") }
      let name = try string()
      skipSpace()
      guard take(":") else { throw error("':' is missing") }
      skipSpace()
      members.append(.init(name, try value(levels: levels - 1)))
      skipSpace()
      if take("}") { return members }
      guard take(",") else { throw error("',' or '}' is missing") }
    }
  }

  // MARK: Numbers

  private mutating func digits() throws(JSONValue.ReadingError) -> Int {
    let first = offset
    while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { offset += 1 }
    guard offset > first else { throw error("a digit is missing") }
    return offset - first
  }

  private mutating func number() throws(JSONValue.ReadingError) -> JSONValue {
    let first = offset
    var decimals = 0
    var isInteger = true
    _ = take("-")
    if !take("0") { _ = try digits() }
    if take(".") {
      (decimals, isInteger) = (try digits(), false)
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      _ = try digits()
      (decimals, isInteger) = (15, false)
    }
    let text = String(decoding: bytes[first..<offset], as: UTF8.self)
    if isInteger, let value = Int64(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw error("a number is too large") }
    return .number(value, decimals: min(decimals, 15))
  }

  // MARK: Texts

  private mutating func string() throws(JSONValue.ReadingError) -> String {
    offset += 1
    var text = ""
    while true {
      let first = offset
      while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        offset += 1
      }
      guard let plain = String(validating: bytes[first..<offset], as: UTF8.self) else {
        throw error("the text before this place is not UTF-8,")
      }
      text += plain
      if take("\"") { return text }
      guard take("\\") else {
        throw error(next == nil ? "'\"' is missing" : "a control character is not escaped")
      }
      text.unicodeScalars.append(try escaped())
    }
  }

  private mutating func escaped() throws(JSONValue.ReadingError) -> Unicode.Scalar {
    guard let byte = next else { throw error("'\"' is missing") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicode()
    default:
      offset -= 1
      throw error("an escape is unknown")
    }
  }

  /// What follows `\u`: four digits, or of a pair of surrogates (§7) twice as many.
  private mutating func unicode() throws(JSONValue.ReadingError) -> Unicode.Scalar {
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
    guard UTF16.isLeadSurrogate(unit), take("\\"), take("u") else {
      throw error("half of a surrogate pair is missing")
    }
    let second = try codeUnit()
    guard UTF16.isTrailSurrogate(second),
      let scalar = Unicode.Scalar(0x10000 + UInt32(unit - 0xD800) << 10 + UInt32(second - 0xDC00))
    else { throw error("half of a surrogate pair is missing") }
    return scalar
  }

  private mutating func codeUnit() throws(JSONValue.ReadingError) -> UInt16 {
    let digits = bytes[offset...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw error("four digits are missing") }
    offset += 4
    return unit
  }
}
