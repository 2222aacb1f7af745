/// Takes values from the front of a text (RFC 8259), one after the other: what is not asked for is
/// skipped, and takes no memory. `JSONValue(reading:)` takes all of it.
package struct JSONReader {
  /// What kind of value comes next, by its first byte.
  package enum Kind { case object, list, text, number, word }

  package let bytes: [UInt8]
  /// Of the byte that comes next.
  package private(set) var offset = 0
  /// How many more lists and objects may be within each other.
  private var levels: Int
  /// Whether `NaN`, `Infinity` and `-Infinity` are words, which can be skipped and are no values.
  private let hasPythonNumbers: Bool

  /// A reader of `bytes`, UTF-8 without a byte-order mark, with at most `levels` lists and objects
  /// within each other; `hasPythonNumbers`: what Python's `json` writes besides can be skipped.
  package init(_ bytes: [UInt8], levels: Int = 200, hasPythonNumbers: Bool = false) {
    self.bytes = bytes
    self.levels = levels
    self.hasPythonNumbers = hasPythonNumbers
  }

  /// The byte that comes next; nil at the end.
  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func error(_ reason: String) -> JSONValue.ReadingError {
    .init(reason: reason, offset: offset)
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x9...0xA).contains(byte) || byte == 0xD { offset += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  // MARK: Values

  /// The kind of the value that comes next.
  ///
  /// - Throws: Where no value does.
  package mutating func kind() throws(JSONValue.ReadingError) -> Kind {
    skipSpace()
    if pythonNumber != nil { return .word }
    switch next {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .list
    case UInt8(ascii: "\""): return .text
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return .word
    case UInt8(ascii: "-"): return .number
    case let digit? where UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit: return .number
    default: throw error("a value is missing")
    }
  }

  /// The value that comes next, whatever it is. O(length)
  package mutating func value() throws(JSONValue.ReadingError) -> JSONValue {
    switch try kind() {
    case .object:
      var members: [JSONValue.Member] = []
      try eachMember { reader, name throws(JSONValue.ReadingError) in
        members.append(.init(name, try reader.value()))
      }
      return .object(members)
    case .list:
      var elements: [JSONValue] = []
      try eachElement { reader throws(JSONValue.ReadingError) in
        elements.append(try reader.value())
      }
      return .list(elements)
    case .text: return .text(try text())
    case .number: return try number()
    case .word: return try word()
    }
  }

  /// Moves behind the value that comes next, which is checked. O(length)
  package mutating func skip() throws(JSONValue.ReadingError) {
    switch try kind() {
    case .object: try eachMember { reader, _ throws(JSONValue.ReadingError) in try reader.skip() }
    case .list: try eachElement { reader throws(JSONValue.ReadingError) in try reader.skip() }
    case .text: _ = try textBytes(leniently: true)
    case .number: _ = try numberText()
    case .word:
      if let length = pythonNumber { offset += length } else { _ = try word() }
    }
  }

  /// The length of the number at this place that only Python has; nil: none stands here.
  private var pythonNumber: Int? {
    guard hasPythonNumbers, let next,
      next == UInt8(ascii: "N") || next == UInt8(ascii: "I") || next == UInt8(ascii: "-")
    else { return nil }
    return ["NaN", "Infinity", "-Infinity"].first { bytes[offset...].starts(with: $0.utf8) }?
      .utf8.count
  }

  /// Checks that nothing but space follows.
  package mutating func end() throws(JSONValue.ReadingError) {
    skipSpace()
    guard next == nil else { throw error("something follows the value") }
  }

  private mutating func word() throws(JSONValue.ReadingError) -> JSONValue {
    let words: KeyValuePairs<String, JSONValue> = [
      "true": .boolean(true), "false": .boolean(false), "null": .null,
    ]
    for (word, value) in words where bytes[offset...].starts(with: word.utf8) {
      offset += word.utf8.count
      return value
    }
    throw error("a value is missing")
  }

  // MARK: Lists and objects

  private mutating func open() throws(JSONValue.ReadingError) {
    guard levels > 0 else { throw error("there are too many levels") }
    levels -= 1
    offset += 1
    skipSpace()
  }

  /// Calls `body` where each element of a list begins; it takes that element.
  ///
  /// - Throws: What `body` throws, and for what is no list.
  package mutating func eachElement(
    _ body: (inout JSONReader) throws(JSONValue.ReadingError) -> Void
  ) throws(JSONValue.ReadingError) {
    guard try kind() == .list else { throw error("a list is missing") }
    try open()
    defer { levels += 1 }
    if take("]") { return }
    while true {
      skipSpace()
      try body(&self)
      skipSpace()
      if take("]") { return }
      guard take(",") else { throw error("',' or ']' is missing") }
    }
  }

  /// Calls `body` with the name of each member of an object, where its value begins; it takes that
  /// value.
  ///
  /// - Throws: What `body` throws, and for what is no object.
  package mutating func eachMember(
    _ body: (inout JSONReader, _ name: String) throws(JSONValue.ReadingError) -> Void
  ) throws(JSONValue.ReadingError) {
    guard try kind() == .object else { throw error("an object is missing") }
    try open()
    defer { levels += 1 }
    if take("}") { return }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw error("a name is missing") }
      let name = try text()
      skipSpace()
      guard take(":") else { throw error("':' is missing") }
      skipSpace()
      try body(&self, name)
      skipSpace()
      if take("}") { return }
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

  /// A number as it is written: of the text that is returned each digit counts, which a Double has
  /// not room for.
  package mutating func numberText() throws(JSONValue.ReadingError) -> Range<Int> {
    try numberParts().text
  }

  private mutating func numberParts() throws(JSONValue.ReadingError) -> (
    text: Range<Int>, decimals: Int, isInteger: Bool
  ) {
    skipSpace()
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
    return (first..<offset, decimals, isInteger)
  }

  private mutating func number() throws(JSONValue.ReadingError) -> JSONValue {
    let (range, decimals, isInteger) = try numberParts()
    let text = String(decoding: bytes[range], as: UTF8.self)
    if isInteger, let value = Int64(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw error("a number is too large") }
    return .number(value, decimals: min(decimals, 15))
  }

  // MARK: Texts

  /// A text.
  package mutating func text() throws(JSONValue.ReadingError) -> String {
    String(decoding: try textBytes(leniently: false).bytes, as: UTF8.self)
  }

  /// A text of a writer that does not keep to the standard: bytes that are no UTF-8 are as they
  /// stand, half of a surrogate pair is U+FFFD, and controls need not be escaped.
  ///
  /// - Returns: Its bytes, and whether it has half of a pair.
  package mutating func looseText() throws(JSONValue.ReadingError) -> (
    bytes: [UInt8], hasHalfPair: Bool
  ) {
    guard try kind() == .text else { throw error("a text is missing") }
    return try textBytes(leniently: true)
  }

  private mutating func textBytes(
    leniently isLenient: Bool
  ) throws(JSONValue.ReadingError) -> (bytes: [UInt8], hasHalfPair: Bool) {
    offset += 1
    var text: [UInt8] = []
    var hasHalfPair = false
    while true {
      let first = offset
      while let byte = next, byte >= 0x20 || isLenient, byte != UInt8(ascii: "\""),
        byte != UInt8(ascii: "\\")
      {
        offset += 1
      }
      let plain = bytes[first..<offset]
      guard isLenient || String(validating: plain, as: UTF8.self) != nil else {
        throw error("the text before this place is not UTF-8,")
      }
      text += plain
      if take("\"") { return (text, hasHalfPair) }
      guard take("\\") else {
        throw error(next == nil ? "'\"' is missing" : "a control character is not escaped")
      }
      if let scalar = try escaped(leniently: isLenient) {
        text += UTF8.encode(scalar).map(Array.init) ?? []
      } else {
        text += "\u{FFFD}".utf8
        hasHalfPair = true
      }
    }
  }

  /// What an escape stands for; nil: half of a surrogate pair, if that may be.
  private mutating func escaped(
    leniently isLenient: Bool
  ) throws(JSONValue.ReadingError) -> Unicode.Scalar? {
    guard let byte = next else { throw error("'\"' is missing") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicode(leniently: isLenient)
    default:
      offset -= 1
      throw error("an escape is unknown")
    }
  }

  /// What follows `\u`: four digits, or of a pair of surrogates (§7) twice as many.
  private mutating func unicode(
    leniently isLenient: Bool
  ) throws(JSONValue.ReadingError) -> Unicode.Scalar? {
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
    let behind = offset
    if UTF16.isLeadSurrogate(unit), take("\\"), take("u") {
      let second = try codeUnit()
      if UTF16.isTrailSurrogate(second) {
        return Unicode.Scalar(
          0x10000 + UInt32(unit - 0xD800) << 10 + UInt32(second - 0xDC00))
      }
    }
    guard isLenient else { throw error("half of a surrogate pair is missing") }
    offset = behind
    return nil
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
