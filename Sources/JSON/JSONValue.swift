/// A JSON value whose members keep their order, and whose text depends on nothing else: no locale,
/// no version of a library (RFC 8259). `docs/json.md` has the rules of every document of avjob.
package enum JSONValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  /// Rounded to so many decimals, half away from zero, and written without trailing zeros; null
  /// where it is no finite number.
  case number(Double, decimals: Int)
  /// A time: its seconds to the microsecond, and beside it in an object, under the member's name with
  /// `_exact` after it, the exact text.
  case seconds(Double, exact: String)
  case text(String)
  case list([JSONValue])
  /// In this order; no name twice.
  case object([Member])

  /// A name and its value.
  package struct Member: Sendable, Hashable {
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// An object of the members that have a value.
  package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { name, value in value.map { Member(name, $0) } })
  }

  /// An integer.
  package static func count(_ number: some BinaryInteger) -> JSONValue {
    .integer(Int64(clamping: number))
  }

  /// A duration of work: seconds, to the millisecond.
  package static func elapsed(_ duration: Duration) -> JSONValue {
    let (seconds, attoseconds) = duration.components
    return .number(Double(seconds) + Double(attoseconds) * 1e-18, decimals: 3)
  }

  /// Bytes as text: two lower-case digits each.
  package static func hexadecimal(_ bytes: [UInt8]) -> JSONValue {
    .text(bytes.reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) })
  }

  /// The members of an object; none of any other value.
  package var members: [Member] { if case .object(let members) = self { members } else { [] } }

  /// This object with the members of `other` behind its own.
  package func with(_ other: JSONValue) -> JSONValue { .object(members + other.members) }
}

extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0, $1) })
  }
}
