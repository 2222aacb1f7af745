import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import Tagging

/// A list file's text, line by line, and its mistakes.
struct ListText {
  /// One line without its end.
  struct Line {
    /// From 1.
    var number: Int
    var scalars: [Unicode.Scalar]

    var all: Range<Int> { scalars.indices.lowerBound..<scalars.indices.upperBound }

    /// The words, which blanks and tabs part.
    var words: [Range<Int>] {
      var words: [Range<Int>] = []
      var start: Int?
      for index in scalars.indices {
        if isBlank(scalars[index]) {
          if let first = start { words.append(first..<index) }
          start = nil
        } else if start == nil {
          start = index
        }
      }
      if let first = start { words.append(first..<scalars.count) }
      return words
    }

    func text(_ range: Range<Int>) -> String {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars[range])
      return String(view)
    }

    /// `range` without the blanks at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
      var range = range
      while let first = range.first, isBlank(scalars[first]) {
        range = (first + 1)..<range.upperBound
      }
      while let last = range.last, isBlank(scalars[last]) { range = range.lowerBound..<last }
      return range
    }

    /// What follows `word`, without blanks at its ends.
    func rest(after word: Range<Int>) -> Range<Int> { trimmed(word.upperBound..<scalars.count) }

    private func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
  }

  /// Those that are not blank.
  let lines: [Line]
  private let map: SourceMap
  private let source: SourceMap.Source
  private(set) var sink = DiagnosticSink()

  /// The text in `bytes`, the file at `path`, which the job file names at `named`.
  init(_ bytes: [UInt8], path: FilePath, named: Origin, isQuoted: Bool, in map: SourceMap) {
    let (text, isLegacy) = EightBitText.decoded(file: bytes)
    self.map = map
    source = map.add(text: text, named: path.string, includedAt: named, isQuoted: isQuoted)
    lines = Self.lines(text)
    if text.unicodeScalars.contains("\0") {
      sink.error(
        "'\(path)' is no text, and so no list of times", at: named,
        help: "name a text with lines as '14:05 School'")
      return
    }
    guard isLegacy, let odd = lines.first(where: { $0.scalars.contains { !$0.isASCII } }),
      let index = odd.scalars.firstIndex(where: { !$0.isASCII })
    else { return }
    sink.add(
      Diagnostic(
        .warning, "the list is not UTF-8 and is read as Windows-1252, the Latin-1 of old files",
        at: origin(odd, index..<(index + 1)), help: "save it as UTF-8 if letters come out wrong"))
  }

  /// Whether nothing is to be read in it.
  var isRefused: Bool { !sink.diagnostics.errors.isEmpty }

  func origin(_ line: Line, _ range: Range<Int>) -> Origin {
    map.origin(
      in: source, line: line.number, column: range.lowerBound + 1, length: range.count)
  }

  mutating func error(
    _ message: String, _ line: Line, _ range: Range<Int>, help: String? = nil,
    notes: [Diagnostic.Note] = []
  ) {
    if sink.dropsAll() { return }
    sink.error(message, at: origin(line, range), help: help, notes: notes)
  }

  mutating func warn(_ message: String, _ line: Line, _ range: Range<Int>, help: String) {
    if sink.dropsAll() { return }
    sink.add(Diagnostic(.warning, message, at: origin(line, range), help: help))
  }

  /// Lines end with LF, CR LF or CR, as `SourceText` counts them.
  private static func lines(_ text: String) -> [Line] {
    var lines: [Line] = []
    var line = Line(number: 1, scalars: [])
    var isAfterCR = false
    func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
    func close() {
      if !line.scalars.allSatisfy(isBlank) { lines.append(line) }
      line = Line(number: line.number + 1, scalars: [])
    }
    for scalar in text.unicodeScalars {
      if scalar == "\n", isAfterCR {
        isAfterCR = false
        continue
      }
      isAfterCR = scalar == "\r"
      if scalar == "\n" || scalar == "\r" { close() } else { line.scalars.append(scalar) }
    }
    close()
    return lines
  }
}
