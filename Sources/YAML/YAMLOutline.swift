import Diagnosis
import JobModel
import SystemPackage

/// A node of a job file with its place among the bytes, for edits of the text.
///
/// What the job language refuses (anchors, tags, repeated keys) has no meaning here: read the text
/// by `YAMLReader` first.
package final class YAMLOutline: Sendable {
  package enum Kind: Sendable {
    case scalar(String)
    case sequence(isFlow: Bool, [YAMLOutline])
    case mapping(isFlow: Bool, [Entry])
  }

  package struct Entry: Sendable {
    package let key: YAMLOutline
    package let value: YAMLOutline
  }

  package let kind: Kind
  /// Line and column of the start, from 1, the column in Unicode scalars, as in `Place`.
  package let line: Int
  package let column: Int
  /// The bytes from the first character to the last one, with quotes and brackets, without blanks
  /// and comments behind it. A text in a block (`|`, `>`) ends where a line begins.
  package let range: Range<Int>

  private init(_ kind: Kind, at mark: YAMLMark, _ range: Range<Int>) {
    self.kind = kind
    self.range = range
    (line, column) = (mark.line, mark.column)
  }

  /// The value of a key of a map; nil without that key, and for what is no map.
  package subscript(key: String) -> YAMLOutline? {
    guard case .mapping(_, let entries) = kind else { return nil }
    return entries.first { $0.key.text == key }?.value
  }

  /// The text of a scalar; nil for others.
  package var text: String? {
    if case .scalar(let text) = kind { text } else { nil }
  }

  /// The outline of a text's only document.
  ///
  /// - Parameters:
  ///   - bytes: The contents of a job file.
  ///   - path: Its name, for messages.
  ///   - map: Gets its text.
  /// - Returns: The root.
  /// - Throws: What ends the reading.
  /// - Complexity: O(length of `bytes`)
  package static func read(
    _ bytes: [UInt8], at path: FilePath, into map: SourceMap
  ) throws(Diagnostics) -> YAMLOutline {
    let name = path.string
    let text = try YAMLReader.validated(bytes, named: name, into: map) { text in
      map.add(text: text, named: name, readAs: "a job file", isQuoted: false)
    }
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    var builder = Builder(text, named: name, offset: hasMark ? 3 : 0)
    do throws(YAMLProblem) {
      return try builder.document()
    } catch {
      throw Diagnostics(
        "'\(name)' is no YAML: \(error.text)", at: .unknown, help: "run 'avjob check'")
    }
  }

  /// Builds the outline of one text.
  private struct Builder {
    private let disguise: YAMLDisguise
    private let events: YAMLEvents
    private let text: String
    /// Bytes before the text.
    private let offset: Int
    /// Bytes before each scalar whose number is a multiple of `step`.
    private let places: [Int]
    private static let step = 128

    init(_ text: String, named name: String, offset: Int) {
      self.text = text
      self.offset = offset
      disguise = YAMLDisguise(of: text)
      events = YAMLEvents(disguise.applied(to: text))
      var places: [Int] = []
      var (byte, number) = (0, 0)
      for scalar in text.unicodeScalars {
        if number % Self.step == 0 { places.append(byte) }
        byte += UTF8.width(scalar)
        number += 1
      }
      self.places = places
    }

    /// The byte at a mark. O(`step`)
    private func byte(at mark: YAMLMark) -> Int {
      guard mark.index / Self.step < places.count else { return offset + text.utf8.count }
      let place = places[mark.index / Self.step]
      let start = text.utf8.index(text.startIndex, offsetBy: place)
      let rest = text.unicodeScalars[start...].prefix(mark.index % Self.step)
      return offset + place + rest.reduce(0) { $0 + UTF8.width($1) }
    }

    mutating func document() throws(YAMLProblem) -> YAMLOutline {
      while true {
        let event = try events.next()
        switch event.kind {
        case .documentStart: return try node(try events.next(), depth: 0)
        case .streamEnd:
          throw YAMLProblem(text: "the file is empty", mark: event.start, context: nil)
        default: continue
        }
      }
    }

    private mutating func node(_ event: YAMLEvent, depth: Int) throws(YAMLProblem) -> YAMLOutline {
      guard depth <= YAMLReader.depthLimit else {
        throw YAMLProblem(text: "it is nested too deep", mark: event.start, context: nil)
      }
      let start = byte(at: event.start)
      switch event.kind {
      case .scalar(let read, let style):
        return YAMLOutline(
          .scalar(disguise.removed(from: read, style)), at: event.start,
          start..<max(start, byte(at: event.end)))
      case .sequenceStart(let isFlow):
        var elements: [YAMLOutline] = []
        let last = try forEachNode { next, builder throws(YAMLProblem) in
          elements.append(try builder.node(next, depth: depth + 1))
        }
        let end = isFlow ? byte(at: last.end) : elements.last?.range.upperBound ?? start
        return YAMLOutline(
          .sequence(isFlow: isFlow, elements), at: event.start, start..<max(start, end))
      case .mappingStart(let isFlow):
        var entries: [Entry] = []
        let last = try forEachNode { next, builder throws(YAMLProblem) in
          let key = try builder.node(next, depth: depth + 1)
          let value = try builder.node(try builder.events.next(), depth: depth + 1)
          entries.append(Entry(key: key, value: value))
        }
        let end = isFlow ? byte(at: last.end) : entries.last?.value.range.upperBound ?? start
        return YAMLOutline(
          .mapping(isFlow: isFlow, entries), at: event.start, start..<max(start, end))
      case .end, .documentStart, .streamEnd, .other:
        throw YAMLProblem(text: "it has an alias", mark: event.start, context: nil)
      }
    }

    /// Passes the events that begin the nodes of a collection, up to its end.
    ///
    /// - Returns: The end.
    private mutating func forEachNode(
      _ body: (YAMLEvent, inout Builder) throws(YAMLProblem) -> Void
    ) throws(YAMLProblem) -> YAMLEvent {
      while true {
        let event = try events.next()
        if case .end = event.kind { return event }
        try body(event, &self)
      }
    }
  }
}

extension YAMLNode {
  /// Whether both have the same texts, lists and maps, wherever they are written. O(nodes).
  package func hasSameContent(as other: YAMLNode) -> Bool {
    switch (kind, other.kind) {
    case (.scalar(let a), .scalar(let b)): a.text == b.text
    case (.sequence(let a), .sequence(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.hasSameContent(as: $1) }
    case (.mapping(let a), .mapping(let b)):
      a.count == b.count
        && zip(a, b).allSatisfy { $0.key == $1.key && $0.value.hasSameContent(as: $1.value) }
    case (.missing, .missing): true
    default: false
    }
  }
}
