import Diagnosis

/// A text with variables, parsed once however often it is expanded.
package struct Template: Sendable {
  package enum Piece: Sendable {
    /// Literal characters. `offset` and the lengths count Unicode scalars of the text.
    case literal(String, offset: Int)
    case variable(Reference)
  }

  /// `${name}`, `${name:-fallback}`, `${name:02}` or `${name:%d.%m.%Y}`.
  package struct Reference: Sendable {
    package var name: String
    package var fallback: String?
    /// Zero-pads a whole number to so many digits.
    package var width: Int?
    /// How a day is printed.
    package var dayFormat: DayFormat?
    package var offset: Int
    package var length: Int
  }

  /// Why a text cannot be read, and the scalars in question.
  package struct Malformed: Error {
    package var message: String
    package var help: String
    package var range: Range<Int>
  }

  package var pieces: [Piece] = []

  /// The variables, in order.
  package var references: [Reference] {
    pieces.compactMap { if case .variable(let reference) = $0 { reference } else { nil } }
  }

  /// `text` as a template without variables, which reads back as it is. O(n)
  package static func literal(_ text: String) -> String {
    text.replacingScalars("${", with: "$${")
  }

  /// Parses `text`; nil where it has no `${`.
  package static func parse(_ text: String) throws(Malformed) -> Template? {
    guard text.utf8.withBytes({ $0.contains(UInt8(ascii: "$")) }) else { return nil }
    var parser = TemplateParser(text)
    return try parser.run()
  }
}

private struct TemplateParser {
  let scalars: [Unicode.Scalar]
  var position = 0
  var literal = String.UnicodeScalarView()
  var literalStart = 0
  var template = Template()
  var isPlain = true

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  mutating func run() throws(Template.Malformed) -> Template? {
    while position < scalars.count {
      if matches("$${") {
        // An escape: the piece ends here, so that the next one keeps its own offset.
        literal.append(contentsOf: "${".unicodeScalars)
        position += 3
        flush()
      } else if matches("${") {
        flush()
        template.pieces.append(.variable(try reference()))
        literalStart = position
        isPlain = false
      } else {
        literal.append(scalars[position])
        position += 1
      }
    }
    flush()
    return isPlain ? nil : template
  }

  private func matches(_ text: String) -> Bool {
    scalars[position...].starts(with: text.unicodeScalars)
  }

  private mutating func flush() {
    if !literal.isEmpty { template.pieces.append(.literal(String(literal), offset: literalStart)) }
    if literal.starts(with: "${".unicodeScalars) || position - literalStart != literal.count {
      isPlain = false
    }
    literal.removeAll()
    literalStart = position
  }

  private mutating func reference() throws(Template.Malformed) -> Template.Reference {
    let start = position
    guard let close = scalars[start...].firstIndex(of: "}") else {
      throw .init(
        message: "'${' is never closed", help: "write '${name}', or '$${' for the characters",
        range: start..<scalars.count)
    }
    position = close + 1
    let inner = scalars[(start + 2)..<close]
    let nameEnd = inner.firstIndex(of: ":") ?? inner.endIndex
    let range = start..<position
    var reference = Template.Reference(
      name: text(inner[..<nameEnd]), offset: start, length: range.count)
    guard isName(reference.name) else {
      throw .init(
        message: "'\(text(scalars[range]))' names no variable",
        help: "a name is made of letters, digits, '_', '-' and '.', as in '${show}'", range: range)
    }
    guard nameEnd < inner.endIndex else { return reference }
    let suffix = inner[(nameEnd + 1)...]
    if suffix.first == "-" {
      reference.fallback = text(suffix.dropFirst())
    } else if suffix.count >= 2, suffix.first == "0", let width = Int(text(suffix)), width <= 20 {
      reference.width = width
    } else if suffix.first == "%" {
      guard let format = DayFormat(text(suffix)) else {
        throw .init(
          message: "'\(text(suffix))' is no way to print a day",
          help: "a day has \(DayFormat.letters); '%%' is a '%'", range: range)
      }
      reference.dayFormat = format
    } else {
      throw .init(
        message: "'\(text(suffix))' is no way to print a variable",
        help: "write '${\(reference.name):02}' for leading zeros, "
          + "'${\(reference.name):%d.%m.%Y}' for a day, '${\(reference.name):-text}' for a default",
        range: range)
    }
    return reference
  }

  private func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  private func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetter(first) else { return false }
    return name.utf8.allSatisfy { byte in
      isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower) || byte == UInt8(ascii: "_")
  }
}
