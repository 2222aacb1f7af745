import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import SystemPackage
import YAML

/// A scalar with its variables filled in, which keeps the place of each of its characters.
struct Text {
  let string: String
  /// The whole scalar, or its cell in a table.
  let origin: Origin
  /// The base of a path.
  let folder: FilePath
  /// See `YAMLScalar`.
  private let contentOffset: Int?
  /// In order; they cover `string`.
  private let spans: [Span]
  /// Whether variables without text stand in front of a text of no spans.
  private let startsEmpty: Bool

  private struct Span {
    /// Unicode scalars of `string`.
    var expanded: Range<Int>
    /// Unicode scalars of the scalar's own text.
    var written: Range<Int>
    var isVariable: Bool
    /// The cell of a table's variable.
    var cell: Origin?
    /// Whether a variable's value has nothing before its first character, or had such ones there.
    var startsEmpty = false
  }

  struct Value {
    var text: String
    /// Whether variables without text stood in front of the text when it was made.
    var startsEmpty = false
    /// Its cell, if it is in a table.
    var cell: Origin?
  }

  /// How a text takes the addresses that its variables have, which may hold secrets.
  enum AddressUse {
    /// In full: it names a medium.
    case medium
    /// `${input}` as messages show it: it is a path, or for people.
    case text
    /// All as messages show them: it is the name of a job, and stands in every report.
    case jobName

    func hidesSecrets(of variable: String) -> Bool {
      switch self {
      case .medium: false
      case .text: variable == "input"
      case .jobName: true
      }
    }
  }

  /// Whether it is one plain scalar of one line, without variables.
  var isPlain: Bool { contentOffset == 0 && spans.isEmpty }

  /// The most bytes. Nested variables could else fill any memory from a file of a kilobyte.
  static let sizeLimit = 1 << 20
  /// The bytes that variables add to all texts of a file.
  static let sumLimit = 256 << 20

  init(_ scalar: YAMLScalar, origin: Origin, in folder: FilePath) {
    self.init(scalar.text, origin: origin, in: folder, contentOffset: scalar.contentOffset)
  }

  /// A text of no scalar, or of one whose places are not kept. `startsEmpty`: variables without text
  /// stand in front of it.
  init(
    _ string: String, origin: Origin, in folder: FilePath, startsEmpty: Bool = false,
    contentOffset: Int? = nil
  ) {
    self.string = string
    self.origin = origin
    self.folder = folder
    self.startsEmpty = startsEmpty
    self.contentOffset = contentOffset
    spans = []
  }

  /// `template` with `value`'s values for its variables. Errors in a text of cells are reported at
  /// the first empty one, or else at the first.
  init<E>(
    _ template: Template, of scalar: YAMLScalar, origin: Origin, in folder: FilePath,
    value: (Template.Reference) throws(E) -> Value
  ) throws(E) {
    var string = ""
    var spans: [Span] = []
    var count = 0
    func append(_ text: String, _ written: Range<Int>, variable: Value? = nil) {
      let length = text.unicodeScalars.count
      string += text
      spans.append(
        Span(
          expanded: count..<(count + length), written: written, isVariable: variable != nil,
          cell: variable?.cell, startsEmpty: variable.map { $0.startsEmpty || length == 0 } ?? false
        ))
      count += length
    }
    for piece in template.pieces {
      switch piece {
      case .literal(let text, let offset):
        append(text, offset..<(offset + text.unicodeScalars.count))
      case .variable(let reference):
        let end = reference.offset + reference.length
        let value = try value(reference)
        append(value.text, reference.offset..<end, variable: value)
      }
    }
    self.string = string
    let cells = spans.filter { $0.cell != nil }
    self.origin = (cells.first { $0.expanded.isEmpty } ?? cells.first)?.cell ?? origin
    self.folder = folder
    contentOffset = scalar.contentOffset
    self.spans = spans
    startsEmpty = false
  }

  // MARK: Paths

  /// The text as a path.
  var path: String { path(string) }

  /// `part`, with which the text begins, as a path: after an empty variable a `/` is that of an empty
  /// name, which counts for nothing, and not that of an absolute path.
  func path(_ part: String) -> String {
    part.utf8.first == UInt8(ascii: "/") && isAfterEmpty(0)
      ? String(part.unicodeScalars.drop { $0 == "/" }) : part
  }

  /// Whether a variable without text stands in front of the character at `index`.
  func isAfterEmpty(_ index: Int) -> Bool {
    index == 0 && startsEmpty
      || spans.contains { $0.startsEmpty && $0.expanded.lowerBound == index }
  }

  /// Where the characters `range` of `string` (in Unicode scalars) were written: a whole variable
  /// where they came from one.
  func origin(of range: Range<Int>, in map: SourceMap) -> Origin {
    guard let contentOffset else { return origin }
    guard !spans.isEmpty else {
      return map.origin(
        within: origin, offset: contentOffset + range.lowerBound, length: range.count)
    }
    let touched = spans.filter {
      $0.expanded.overlaps(range) || range.isEmpty && $0.expanded.contains(range.lowerBound)
    }
    guard let first = touched.first, let last = touched.last else { return origin }
    guard spans.allSatisfy({ $0.cell == nil }) else {
      return touched.lazy.compactMap(\.cell).first ?? origin
    }
    let start =
      first.isVariable
      ? first.written.lowerBound
      : first.written.lowerBound + max(0, range.lowerBound - first.expanded.lowerBound)
    let end =
      last.isVariable
      ? last.written.upperBound
      : last.written.lowerBound
        + min(last.written.count, range.upperBound - last.expanded.lowerBound)
    return map.origin(within: origin, offset: contentOffset + start, length: max(1, end - start))
  }

  /// The characters `range` of `string` as a pattern in which only the file's own characters are
  /// wildcards; those of a variable are literal.
  func pattern(_ range: Range<Int>) -> String {
    let pattern = literalPattern(range)
    // After an empty variable a `/` does not make the path absolute, as in `path(_:)`.
    return isAfterEmpty(range.lowerBound)
      ? String(pattern.unicodeScalars.drop { $0 == "/" }) : pattern
  }

  private func literalPattern(_ range: Range<Int>) -> String {
    guard !spans.isEmpty else {
      let scalars = string.unicodeScalars.prefix(range.upperBound).dropFirst(range.lowerBound)
      return String(scalars)
    }
    var pattern = String.UnicodeScalarView()
    var later = spans[...]
    for (index, scalar) in string.unicodeScalars.enumerated() {
      guard index < range.upperBound else { break }
      later = later.drop { $0.expanded.upperBound <= index }
      let isLiteral = later.first?.isVariable ?? false
      guard index >= range.lowerBound else { continue }
      if isLiteral, FilePattern.special.contains(scalar) { pattern.append("\\") }
      pattern.append(scalar)
    }
    return String(pattern)
  }
}
