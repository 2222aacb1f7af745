import Diagnosis

extension JSONValue {
  /// On one line, without spaces. O(length).
  package var line: String {
    var writer = Writer(indentation: nil, columns: 0)
    writer.write(self)
    return writer.text
  }

  /// Indented by two spaces for each level, with a final line feed; lists and objects that fit into so
  /// many columns stand on one line. O(length + values × columns).
  package func document(columns: Int = 0) -> String {
    var writer = Writer(indentation: "\n", columns: columns)
    writer.write(self)
    return writer.text + "\n"
  }

  /// A string (§7). Controls and marks of direction are escaped beyond those that must be, and so is
  /// what begins a command to the runner of a CI (`##[group]`, `##vso[…]`, `##teamcity[…]`): a line
  /// is safe to print, and means the same.
  fileprivate static func quoted(_ text: String) -> String {
    var result = "\""
    var isHash = false
    for scalar in text.unicodeScalars {
      defer { isHash = scalar == "#" }
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isUnprintable || scalar == "#" && isHash:
        result += "\\u" + scalar.value.digits(4, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  fileprivate static func decimal(_ value: Double, _ decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let scaled = (value * scale).rounded(.toNearestOrAwayFromZero)
    guard let units = Int64(exactly: scaled), let factor = Int64(exactly: scale) else {
      return "null"
    }
    let (whole, rest) = units.magnitude.quotientAndRemainder(dividingBy: factor.magnitude)
    var fraction = Substring(String(rest))
    fraction = String(repeating: "0", count: max(0, decimals - fraction.count)) + fraction
    while fraction.last == "0" { fraction.removeLast() }
    return (units < 0 ? "-" : "") + String(whole) + (fraction.isEmpty ? "" : "." + fraction)
  }
}

/// Appends values to a text.
private struct Writer {
  var text = ""
  /// A line feed and the spaces of the present level; nil: everything stands on one line.
  private(set) var indentation: String?
  private let columns: Int
  /// Between what stands on one line.
  private let space: String
  /// Bytes beyond which the text is not needed any more.
  private var limit = Int.max

  init(indentation: String?, columns: Int) {
    self.indentation = indentation
    self.columns = columns
    space = indentation == nil ? "" : " "
  }

  mutating func write(_ value: JSONValue) {
    guard text.utf8.count <= limit else { return }
    switch value {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value, let decimals): text += JSONValue.decimal(value, decimals)
    case .seconds(let value, exact: _): text += JSONValue.decimal(value, 6)
    case .text(let value): text += JSONValue.quoted(value)
    case .list(let values):
      if fits(value) { return }
      writeList("[", values, "]") { $0.write($1) }
    case .object(let members):
      if fits(value) { return }
      writeList("{", members.flatMap(\.inFull), "}") { $0.write($1) }
    }
  }

  private mutating func write(_ member: JSONValue.Member) {
    text += JSONValue.quoted(member.name) + ":" + space
    write(member.value)
  }

  /// Writes a list or an object on one line, where it fits there.
  private mutating func fits(_ value: JSONValue) -> Bool {
    guard columns > 0, let indentation else { return false }
    var line = self
    (line.text, line.indentation, line.limit) = ("", nil, columns - indentation.utf8.count + 1)
    line.write(value)
    guard line.text.utf8.count <= line.limit else { return false }
    text += line.text
    return true
  }

  private mutating func writeList<Element>(
    _ opening: String, _ elements: [Element], _ closing: String,
    _ write: (inout Writer, Element) -> Void
  ) {
    text += opening
    defer { text += closing }
    guard !elements.isEmpty else { return }
    let outer = indentation
    indentation = outer.map { $0 + "  " }
    let isPadded = outer == nil && opening == "{"
    if isPadded { text += space }
    for (index, element) in elements.enumerated() {
      guard text.utf8.count <= limit else { return }
      if index > 0 { text += "," + (outer == nil ? space : "") }
      text += indentation ?? ""
      write(&self, element)
    }
    indentation = outer
    text += outer ?? (isPadded ? space : "")
  }
}

extension JSONValue.Member {
  /// This member, and the exact text of a time behind it.
  fileprivate var inFull: [JSONValue.Member] {
    guard case .seconds(_, let exact) = value else { return [self] }
    return [self, JSONValue.Member(name + "_exact", .text(exact))]
  }
}
