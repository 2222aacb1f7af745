// Values of texts.

extension JSONValue {
  /// Why a text is no JSON.
  package struct ReadingError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, such as `a value is missing`.
    package var reason: String
    /// Where, in bytes from the start.
    package var offset: Int

    package var description: String { "\(reason) at byte \(offset)" }
  }

  /// Reads a text (RFC 8259). Members keep their order, which Foundation's decoders lose; of numbers,
  /// as many decimals are kept as were written, up to 15.
  ///
  /// - Parameter bytes: One value, perhaps between spaces: UTF-8 without a byte-order mark.
  /// - Throws: For what is no JSON, half a surrogate pair, and more than 200 levels.
  /// - Complexity: O(length)
  package init(reading bytes: some Collection<UInt8>) throws(ReadingError) {
    var reader = JSONReader(Array(bytes))
    self = try reader.value()
    try reader.end()
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
