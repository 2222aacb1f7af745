import Synchronization
import SystemPackage

/// The texts that jobs were written in, and the places that `Origin`s stand for.
///
/// It makes an `Origin` for each value that is read, and resolves it to file, line and column for a
/// message about that value. Any thread may use it.
package final class SourceMap: Sendable {
  /// A text that was added.
  package struct Source: Sendable, Hashable {
    let index: Int
  }

  struct State {
    var texts: [SourceText] = []
    /// Whether a text may not be quoted: without any, nothing is looked up for that.
    var hidesTexts = false
    /// The origins of values with words of such a text.
    var foreignValues: Set<UInt32> = []
    /// `Origin.rawValue - 1` is an index into it.
    var spans: [Span] = []
  }

  struct Span {
    var source: UInt32
    var line: UInt32
    var column: UInt32
    var length: UInt32
    /// Where a job file uses the value; 0 where it says nothing.
    var use: UInt32 = 0
    /// Of a part, the origin of the whole value; else 0.
    var whole: UInt32 = 0
    /// The part of the value that was made last; 0: none. They are few, and a hundred thousand
    /// jobs made from one text share them.
    var lastPart: UInt32 = 0
    /// Of a part, the one of the same value that was made before it; 0: none.
    var partBefore: UInt32 = 0
  }

  let state = Mutex(State())

  /// A map without texts.
  package init() {}

  /// Adds a text, such as a job file's, under the name that diagnostics show.
  ///
  /// - Parameters:
  ///   - text: The whole of it.
  ///   - name: Its name in diagnostics.
  ///   - inclusion: Where another text names this one; messages about this one note it.
  ///   - note: How it is noted.
  ///   - noun: What it is read as, for messages that may not quote it (`quotable`).
  ///   - isQuoted: Whether messages may quote it.
  /// - Returns: A token for `origin(in:line:column:length:)`.
  /// - Complexity: O(length of `text`)
  package func add(
    text: String, named name: String, includedAt inclusion: Origin = .unknown,
    noting note: String = "the list is named here", readAs noun: String = "a list of times",
    isQuoted: Bool = true
  ) -> Source {
    add(
      SourceText(
        name: name, text: text, inclusion: Diagnostic.Note(note, at: inclusion), noun: noun,
        isQuoted: isQuoted))
  }

  /// The files whose texts were added: job files, what they include, tables and lists. O(texts).
  package var fileNames: [String] {
    state.withLock { $0.texts.filter(\.isFile).map(\.name) }
  }

  private func add(_ text: SourceText) -> Source {
    return state.withLock { state in
      state.texts.append(text)
      if !text.isQuoted { state.hidesTexts = true }
      return Source(index: state.texts.count - 1)
    }
  }

  /// Adds a command line as a text of one line, and returns where each argument stands in it, so
  /// that a caret can point at an argument.
  package func add(arguments: [String], named name: String = "command line") -> [Origin] {
    var text = ""
    var columns: [(column: Int, length: Int)] = []
    var column = 1
    for argument in arguments {
      let word = shellQuoted(argument)
      let length = word.unicodeScalars.count
      text += text.isEmpty ? word : " " + word
      columns.append((column, length))
      column += length + 1
    }
    let source = add(SourceText(name: name, text: text, isFile: false))
    return columns.map { origin(in: source, line: 1, column: $0.column, length: $0.length) }
  }

  /// A new origin for `length` characters from `line` and `column`, which count from 1, the
  /// columns in Unicode scalars.
  ///
  /// Messages about it note `use`, where another text uses the value.
  package func origin(
    in source: Source, line: Int, column: Int, length: Int, usedAt use: Origin = .unknown
  ) -> Origin {
    let span = Span(
      source: UInt32(clamping: source.index), line: UInt32(clamping: line),
      column: UInt32(clamping: column), length: UInt32(clamping: max(length, 1)),
      use: use.rawValue)
    return state.withLock { $0.append(span) }
  }

  /// The place of a part of what `origin` stands for; the same part has the same origin.
  package func origin(within origin: Origin, offset: Int, length: Int) -> Origin {
    state.withLock { state in
      guard var span = state.span(of: origin) else { return origin }
      span.column += UInt32(clamping: offset)
      span.length = UInt32(clamping: max(length, 1))
      span.partBefore = span.lastPart
      span.lastPart = 0
      if span.whole == 0 { span.whole = origin.rawValue }
      var known = Origin(rawValue: span.partBefore)
      while let part = state.span(of: known) {
        if part.column == span.column, part.length == span.length { return known }
        known = Origin(rawValue: part.partBefore)
      }
      let part = state.append(span)
      state.spans[Int(origin.rawValue) - 1].lastPart = part.rawValue
      return part
    }
  }

  /// Where `origin` stands; nil for `.unknown` and for tokens of another map.
  package func place(of origin: Origin) -> Place? {
    state.withLock { state in
      guard let span = state.span(of: origin) else { return nil }
      return Place(
        source: Int(span.source), file: state.texts[Int(span.source)].name, line: Int(span.line),
        column: Int(span.column), length: Int(span.length))
    }
  }

  /// Whether `place` is in a file, and not in a command line.
  func isInFile(_ place: Place) -> Bool { state.withLock { $0.texts[place.source].isFile } }

  /// Where another text names the one that `place` is in.
  func inclusion(of place: Place) -> Diagnostic.Note {
    state.withLock { $0.texts[place.source].inclusion }
  }

  /// Where another text uses what `origin` stands for.
  func use(of origin: Origin) -> Origin {
    state.withLock { Origin(rawValue: $0.span(of: origin)?.use ?? 0) }
  }

  /// The text of the line that `place` is on, without its end.
  package func line(at place: Place) -> Substring {
    state.withLock { $0.texts[place.source].line(place.line) }
  }

  /// The text of the line before, without its end; empty where there is none.
  func previousLine(of place: Place) -> Substring {
    place.line < 2 ? "" : state.withLock { $0.texts[place.source].line(place.line - 1) }
  }

  /// Whether messages may quote the text that `place` is in.
  func isQuoted(_ place: Place) -> Bool { state.withLock { $0.texts[place.source].isQuoted } }

  /// Whether messages may quote a text.
  package func isQuoted(_ source: Source) -> Bool {
    state.withLock { $0.texts[source.index].isQuoted }
  }
}

extension SourceMap.State {
  func span(of origin: Origin) -> SourceMap.Span? {
    let index = Int(origin.rawValue) - 1
    return spans.indices.contains(index) ? spans[index] : nil
  }

  fileprivate mutating func append(_ span: SourceMap.Span) -> Origin {
    spans.append(span)
    return Origin(rawValue: UInt32(clamping: spans.count))
  }
}

/// A stretch of a line of a text.
package struct Place: Sendable, Hashable, Comparable {
  let source: Int
  /// The text's name.
  package let file: String
  /// From 1.
  package let line: Int
  /// From 1, in Unicode scalars.
  package let column: Int
  /// In Unicode scalars; at least 1.
  package let length: Int

  init(source: Int, file: String, line: Int, column: Int, length: Int) {
    (self.source, self.file) = (source, file)
    (self.line, self.column, self.length) = (line, column, length)
  }

  /// A place in a text that no map has: what a report tells of another run.
  package init(file: String, line: Int, column: Int) {
    self.init(source: -1, file: file, line: line, column: column, length: 1)
  }

  /// What a message about it begins with: `jobs.yaml:12:9: `.
  package var prefix: String { "\(printable(file)):\(line):\(column): " }

  /// In the order of texts, lines and columns.
  package static func < (a: Place, b: Place) -> Bool {
    (a.source, a.line, a.column) < (b.source, b.line, b.column)
  }
}

/// A text and where its lines begin. Lines end with LF, CR LF or CR, as YAML's do.
package struct SourceText: Sendable {
  let name: String
  package let text: String
  /// Where another text names this one.
  let inclusion: Diagnostic.Note
  /// Whether it is in a file, and not a command line.
  let isFile: Bool
  /// What it is read as.
  let noun: String
  /// Whether messages may quote it.
  let isQuoted: Bool
  /// In UTF-8 code units.
  private let lineStarts: [Int]

  package init(
    name: String, text: String, inclusion: Diagnostic.Note = .init("", at: .unknown),
    isFile: Bool = true, noun: String = "", isQuoted: Bool = true
  ) {
    var text = text
    text.makeContiguousUTF8()
    self.name = name
    self.inclusion = inclusion
    self.isFile = isFile
    self.noun = noun
    self.isQuoted = isQuoted
    self.text = text
    lineStarts =
      text.utf8.withContiguousStorageIfAvailable { bytes in
        var starts = [0]
        for index in bytes.indices {
          let endsLine = bytes[index] == UInt8(ascii: "\n")
          let isLoneCR =
            bytes[index] == UInt8(ascii: "\r")
            && (index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n"))
          if endsLine || isLoneCR { starts.append(index + 1) }
        }
        return starts
      } ?? [0]
  }

  package var lineCount: Int { lineStarts.count }

  /// Line `number`, from 1, without its end; empty beyond the last.
  package func line(_ number: Int) -> Substring {
    guard lineStarts.indices.contains(number - 1) else { return "" }
    let start = lineStarts[number - 1]
    let end = number < lineStarts.count ? lineStarts[number] : text.utf8.count
    let utf8 = text.utf8
    var line = utf8[
      utf8.index(utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)]
    while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
      line.removeLast()
    }
    return Substring(line)
  }
}

/// `argument` as a POSIX shell takes it. O(length).
package func shellQuoted(_ argument: String) -> String {
  let isPlain = argument.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xFF:
      true
    default: "-_./:=+,%@".utf8.contains(byte)
    }
  }
  guard !isPlain || argument.isEmpty else { return argument }
  return "'" + argument.replacingScalars("'", with: "'\\''") + "'"
}
