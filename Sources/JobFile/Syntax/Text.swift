import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// A scalar with its variables filled in, which still knows where each of its characters was
/// written.
struct Text {
  let string: String
  /// The whole scalar, or the cell of a table that it was made of.
  let origin: Origin
  /// Where a path counts from.
  let folder: FilePath
  /// See `YAMLScalar`.
  private let contentOffset: Int?
  /// In order; they cover `string`.
  private let spans: [Span]

  private struct Span {
    /// Unicode scalars of `string`.
    var expanded: Range<Int>
    /// Unicode scalars of the scalar's own text.
    var written: Range<Int>
    var isVariable: Bool
    /// Where the text of a variable stands that is bound by a table.
    var cell: Origin?
  }

  /// The text of a variable.
  struct Value {
    var text: String
    /// Where it stands, if that is in a table.
    var cell: Origin?
  }

  /// Bytes. Variables in variables could otherwise fill any memory from a file of a kilobyte.
  static let sizeLimit = 1 << 20

  /// A text without variables.
  init(_ scalar: YAMLScalar, origin: Origin, in folder: FilePath) {
    string = scalar.text
    self.origin = origin
    self.folder = folder
    contentOffset = scalar.contentOffset
    spans = []
  }

  /// A text that was made of several.
  init(_ string: String, origin: Origin, in folder: FilePath) {
    self.string = string
    self.origin = origin
    self.folder = folder
    contentOffset = nil
    spans = []
  }

  /// `template` with the values that `value` gives for its variables.
  ///
  /// A text of cells is blamed on the first one that is empty, or else on the first.
  init<E>(
    _ template: Template, of scalar: YAMLScalar, origin: Origin, in folder: FilePath,
    value: (Template.Reference) throws(E) -> Value
  ) throws(E) {
    var string = ""
    var spans: [Span] = []
    var count = 0
    func append(_ text: String, _ written: Range<Int>, isVariable: Bool, cell: Origin? = nil) {
      let length = text.unicodeScalars.count
      string += text
      spans.append(
        Span(
          expanded: count..<(count + length), written: written, isVariable: isVariable, cell: cell))
      count += length
    }
    for piece in template.pieces {
      switch piece {
      case .literal(let text, let offset):
        append(text, offset..<(offset + text.unicodeScalars.count), isVariable: false)
      case .variable(let reference):
        let end = reference.offset + reference.length
        let value = try value(reference)
        append(value.text, reference.offset..<end, isVariable: true, cell: value.cell)
      }
    }
    self.string = string
    let cells = spans.filter { $0.cell != nil }
    self.origin = (cells.first { $0.expanded.isEmpty } ?? cells.first)?.cell ?? origin
    self.folder = folder
    contentOffset = scalar.contentOffset
    self.spans = spans
  }

  /// Where the characters `range` of `string` (in Unicode scalars) were written: a variable as a
  /// whole where they came from one.
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

  /// The characters `range` of `string`, as a pattern in which only what was written in the file
  /// itself acts as a wildcard; what a variable brought stands for itself.
  func pattern(_ range: Range<Int>) -> String {
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

/// A clip text, `PATH-OR-NAME [RANGE]`, taken apart. Ranges count Unicode scalars of the text.
struct ClipText {
  var path: String
  var pathRange: Range<Int>
  var range: ParsedRange?

  /// A range as it is written, before anything is known of the file.
  struct ParsedRange {
    var from: (moment: Moment, range: Range<Int>)?
    var end: End?
    enum End {
      case moment(Moment, Range<Int>)
      case duration(TimeText, Range<Int>)
    }
  }

  /// Why the last word, which looks like a range, is none.
  struct MalformedRange: Error {
    var error: QuantityError
    var range: Range<Int>
  }

  /// Takes `text` apart. The last word counts as a range only if it reads as one; one that looks
  /// like a range and does not read as one is told through `suspicion`, for the case that no file
  /// bears the whole name.
  init(_ text: String, suspicion: inout MalformedRange?) {
    path = text
    pathRange = Self.place(of: text[...])
    let bytes = text.utf8
    guard let blank = bytes.lastIndex(where: Self.isBlank),
      let last = bytes[..<blank].lastIndex(where: { !Self.isBlank($0) })
    else { return }
    do throws(MalformedRange) {
      guard let range = try Self.range(text[bytes.index(after: blank)...]) else { return }
      self.range = range
      let name = text[..<bytes.index(after: last)]
      pathRange = Self.place(of: name)
      path = String(name)
    } catch {
      suspicion = error
    }
  }

  /// Whether the whole of `text` is a range that lacks its file.
  static func isRange(_ text: String) -> Bool { ((try? range(text[...])) ?? nil) != nil }

  /// What `word` is as a range; nil where it does not look like one. Places are those of the text
  /// that the word is a part of, counted from `first` on.
  static func range(
    _ word: Substring, from first: Int = 0
  ) throws(MalformedRange) -> ParsedRange? {
    let bytes = word.utf8
    let point = UInt8(ascii: ".")
    var end = bytes.startIndex
    var points = 0
    while points < 2 {
      guard end < bytes.endIndex else { return nil }
      points = bytes[end] == point ? points + 1 : 0
      end = bytes.index(after: end)
    }
    let from = word[..<bytes.index(end, offsetBy: -2)]
    var to = word[end...]
    let isLength = to.utf8.first == UInt8(ascii: "+")
    if isLength { to = to[bytes.index(after: to.startIndex)...] }
    guard !from.isEmpty || !to.isEmpty, looksLikeTime(from), looksLikeTime(to) else { return nil }
    var range = ParsedRange()
    if !from.isEmpty { range.from = (try moment(from, first), place(of: from, first)) }
    guard !to.isEmpty else { return range }
    if isLength {
      do throws(TimeTextError) {
        range.end = .duration(try TimeText(parsing: to), place(of: to, first))
      } catch {
        throw MalformedRange(error: QuantityError(error.message), range: place(of: to, first))
      }
    } else {
      range.end = .moment(try moment(to, first), place(of: to, first))
    }
    return range
  }

  private static func moment(
    _ part: Substring, _ first: Int
  ) throws(MalformedRange) -> Moment {
    do throws(QuantityError) {
      return try Moment(parsing: part)
    } catch {
      throw MalformedRange(error: error, range: place(of: part, first))
    }
  }

  private static func looksLikeTime(_ part: Substring) -> Bool {
    guard let first = part.unicodeScalars.first else { return true }
    return first.isASCIIDigit || part.utf8.starts(with: "start".utf8)
      || part.utf8.starts(with: "end".utf8)
  }

  /// Which Unicode scalars of its text a part of it is, counted from `first` on.
  private static func place(of part: Substring, _ first: Int = 0) -> Range<Int> {
    let before = first + part.base.utf8[..<part.startIndex].scalarCount
    return before..<(before + part.utf8.scalarCount)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

extension Collection<UInt8> {
  /// How many Unicode scalars these bytes of a text are: those count that begin one. O(n), and ten
  /// times faster than to walk along the scalars.
  var scalarCount: Int {
    withBytes { bytes in bytes.count { $0 & 0xC0 != 0x80 } }
  }

  /// What `body` makes of these bytes in memory, where they mostly lie side by side already: a text's
  /// own view looks up where they are for each of them.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
  }
}
