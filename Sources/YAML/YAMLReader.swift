import Diagnosis
import JobModel
import SystemPackage

/// Reads one YAML document into nodes with their places.
///
/// A syntax error ends the reading, and so does nesting beyond `depthLimit`; everything else that
/// the job language refuses (anchors, aliases, tags, repeated keys, keys that are no texts, keys
/// without a value) is collected.
package struct YAMLReader {
  /// Bytes. Larger files are refused before they are read.
  package static let sizeLimit = 8 << 20
  /// Commas, colons, dashes, brackets and line ends, which bound the number of nodes from above:
  /// each takes some 400 bytes of memory.
  static let separatorLimit = 1_500_000
  /// Levels of lists and maps within one another.
  static let depthLimit = 100

  private let map: SourceMap
  private let source: SourceMap.Source
  private let folder: FilePath
  private let text: SourceText
  private let disguise: YAMLDisguise
  private let events: YAMLEvents
  private var sink = DiagnosticSink()
  /// Where the last scalar was found, so that no line is walked along twice.
  private var cursor: (scalar: Int, index: String.Index)

  /// The root of the document in the file at `path`.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - path: Its name, and where its paths count from.
  ///   - inclusion: Where another file includes it.
  ///   - isQuoted: Whether messages may quote it.
  ///   - map: Gets its text.
  ///   - sink: Gets the mistakes that do not end the reading.
  /// - Returns: The root of the document.
  /// - Throws: what ends the reading.
  /// - Complexity: O(length of `bytes`)
  package static func read(
    _ bytes: [UInt8], at path: FilePath, includedAt inclusion: Origin = .unknown,
    isQuoted: Bool = true, into map: SourceMap, sink: inout DiagnosticSink
  ) throws(Diagnostics) -> YAMLNode {
    let name = path.string
    func add(_ text: String) -> SourceMap.Source {
      map.add(
        text: text, named: name, includedAt: inclusion, noting: "the file is included here",
        readAs: "a job file", isQuoted: isQuoted)
    }
    let text = try validated(bytes, named: name, into: map, add)
    let source = add(text)
    var reader = YAMLReader(
      text, named: name, source: source, map: map, folder: path.removingLastComponent())
    let root = try reader.document()
    sink.add(reader.sink)
    return root
  }

  private init(
    _ text: String, named name: String, source: SourceMap.Source, map: SourceMap, folder: FilePath
  ) {
    self.map = map
    self.source = source
    self.folder = folder
    self.text = SourceText(name: name, text: text)
    disguise = YAMLDisguise(of: text)
    events = YAMLEvents(disguise.applied(to: text))
    cursor = (0, text.startIndex)
  }

  private func next() throws(Diagnostics) -> YAMLEvent {
    do throws(YAMLProblem) {
      return try events.next()
    } catch {
      throw Diagnostics(
        YAMLHints(error, in: text) { origin($0, length: $1) }.diagnostic)
    }
  }

  private func origin(_ mark: YAMLMark, length: Int = 1) -> Origin {
    map.origin(in: source, line: mark.line, column: mark.column, length: length)
  }

  /// The text from `mark` on.
  private mutating func text(from mark: YAMLMark) -> Substring {
    cursor.index = text.text.unicodeScalars.index(
      cursor.index, offsetBy: mark.index - cursor.scalar)
    cursor.scalar = mark.index
    return text.text[cursor.index...]
  }

  /// The text from `mark` to the end of its line, without the blanks there.
  private mutating func rest(at mark: YAMLMark) -> Substring {
    let line = text(from: mark).utf8.prefix { $0 != 0x0A && $0 != 0x0D }
    let end = line.lastIndex { !Self.isBlank($0) }
    return Substring(end.map { line[...$0] } ?? line.prefix(0))
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

/// What to write instead of a file without a job.
package let smallestFile =
  "the smallest job is two lines: 'clip: interview.wav' and 'output: teaser.mp3'"

// MARK: - Nodes

extension YAMLReader {
  private mutating func document() throws(Diagnostics) -> YAMLNode {
    _ = try next()
    guard case .documentStart = try next().kind else {
      throw Diagnostics(
        "the file is empty", at: origin(YAMLMark(line: 1, column: 1)), help: smallestFile)
    }
    let root = try node(try next(), depth: 0)
    _ = try next()
    let event = try next()
    guard case .streamEnd = event.kind else {
      let length = rest(at: event.start).unicodeScalars.count
      throw Diagnostics(YAMLHints.secondDocument(at: origin(event.start, length: length)))
    }
    return root
  }

  /// The node that `event` begins. Its other events are consumed.
  private mutating func node(_ event: YAMLEvent, depth: Int) throws(Diagnostics) -> YAMLNode {
    guard depth <= Self.depthLimit else { throw tooDeep(event) }
    if event.hasProperties { return try refused(event) }
    switch event.kind {
    case .scalar(let text, let style): return scalar(text, style, event)
    case .mappingStart(let isFlow): return try mapping(event, isFlow: isFlow, depth: depth)
    default: return try sequence(event, depth: depth)
    }
  }

  /// A node behind an anchor or a tag.
  private mutating func refused(_ event: YAMLEvent) throws(Diagnostics) -> YAMLNode {
    let rest = text(from: event.start)
    let isWhole = if case .scalar = event.kind { event.start.line == event.end.line } else { false }
    let word =
      isWhole
      ? Substring(rest.unicodeScalars.prefix(event.end.index - event.start.index))
      : rest.prefix { !" \t,]}".contains($0) && !$0.isNewline }
    let here = origin(event.start, length: word.unicodeScalars.count)
    sink.add(YAMLHints.refusal(of: String(word), at: here))
    try skip(event)
    return YAMLNode(.missing, origin: here, in: folder)
  }

  /// Consumes what belongs to the node that `event` begins.
  private func skip(_ event: YAMLEvent) throws(Diagnostics) {
    var levels = event.levelChange
    while levels > 0 {
      let event = try next()
      levels += event.levelChange
      guard levels <= Self.depthLimit else { throw tooDeep(event) }
    }
  }

  private func tooDeep(_ event: YAMLEvent) -> Diagnostics {
    Diagnostics(
      "nested more than \(Self.depthLimit) levels deep", at: origin(event.start),
      help: "write what is deepest into a job of its own, and use what it makes")
  }

  private mutating func sequence(_ start: YAMLEvent, depth: Int) throws(Diagnostics) -> YAMLNode {
    let here = origin(start.start)
    var elements: [YAMLNode] = []
    while true {
      let event = try next()
      if case .end = event.kind {
        return YAMLNode(.sequence(elements), origin: here, in: folder)
      }
      guard event.isEmpty else {
        elements.append(try node(event, depth: depth + 1))
        continue
      }
      sink.error(
        "an item without a value", at: origin(event.start),
        help: "write one, or take the '-' or the comma away")
      elements.append(YAMLNode(.missing, origin: .unknown))
    }
  }

  private mutating func mapping(
    _ start: YAMLEvent, isFlow: Bool, depth: Int
  ) throws(Diagnostics) -> YAMLNode {
    var entries: [YAMLEntry] = []
    var first: [String: Origin] = [:]
    var here: Origin?
    while true {
      let event = try next()
      if case .end = event.kind { break }
      guard let (key, origin) = try key(event, isFlow: isFlow) else {
        try skip(try next())
        continue
      }
      here = here ?? (isFlow ? nil : origin)
      let value = try next()
      guard isNew(key, origin, &first) else {
        try skip(value)
        continue
      }
      entries.append(
        YAMLEntry(
          key: key, keyOrigin: origin,
          value: try self.value(value, of: key, at: origin, isFlow: isFlow, depth: depth)))
    }
    return YAMLNode(.mapping(entries), origin: here ?? origin(start.start), in: folder)
  }

  /// A key and its place; nil, and an error, where it is no text.
  private mutating func key(
    _ event: YAMLEvent, isFlow: Bool
  ) throws(Diagnostics) -> (String, Origin)? {
    guard case .scalar(let text, let style) = event.kind else {
      sink.error(
        "a key must be a text", at: origin(event.start),
        help: isFlow
          ? "quote a variable inside {}: \"${name}\"" : "a key is a word with ':' behind it")
      try skip(event)
      return nil
    }
    let node =
      event.hasProperties
      ? try refused(event) : scalar(text, style, event, isKey: true)
    guard case .scalar(let content) = node.kind else { return nil }
    return (content.text, node.origin)
  }

  /// Whether `key` may stand in its map.
  private mutating func isNew(
    _ key: String, _ origin: Origin, _ first: inout [String: Origin]
  ) -> Bool {
    if let other = first[key] {
      sink.error(
        "duplicate key '\(key)'", at: origin, help: "keep one of them",
        notes: [.init("first written here", at: other)])
      return false
    }
    first[key] = origin
    guard key == "<<" else { return true }
    sink.error(
      "'<<' merges nothing here", at: origin,
      help: "write the keys out; a clip's defaults go under 'sources'")
    return false
  }

  private mutating func value(
    _ event: YAMLEvent, of key: String, at keyOrigin: Origin, isFlow: Bool, depth: Int
  ) throws(Diagnostics) -> YAMLNode {
    guard event.isEmpty else { return try node(event, depth: depth + 1) }
    if !sink.drops(at: keyOrigin) {
      sink.error(
        "'\(key)' has no value", at: keyOrigin,
        help: (isFlow ? flowHelp(key, keyOrigin) : nil)
          ?? "write one behind it, or leave the key out")
    }
    return YAMLNode(.missing, origin: .unknown)
  }

  /// Why a key in braces has no value: a comma or a lacking space cut a text in two; nil: it has none.
  private func flowHelp(_ key: String, _ origin: Origin) -> String? {
    guard let place = map.place(of: origin) else { return nil }
    let line = text.line(place.line).unicodeScalars
    let behind = line.dropFirst(place.column - 1 + place.length).drop {
      " \t".unicodeScalars.contains($0)
    }
    // A key that is written as one.
    if behind.first == ":" { return nil }
    if let colon = key.firstIndex(of: ":") {
      return "inside {} a colon needs a space after it: "
        + "'\(key[..<colon]): \(key[key.index(after: colon)...])'"
    }
    let before = line.prefix(place.column - 1)
    let start =
      before.lastIndex { ":{".unicodeScalars.contains($0) }
      .map { before.index(after: $0) } ?? before.startIndex
    let value = trimmed(String(String.UnicodeScalarView(before[start...])))
    // What stands before it is a value and a comma, and not the start of the map.
    guard value.hasSuffix(","), value != "," else { return nil }
    return "inside {} a comma ends a text; quote it: \"\(value) \(key)\""
  }
}

// MARK: - Scalars

extension YAMLReader {
  private mutating func scalar(
    _ read: String, _ style: YAMLEvent.ScalarStyle, _ event: YAMLEvent, isKey: Bool = false
  ) -> YAMLNode {
    let text = disguise.removed(from: read, style)
    if style == .doubleQuoted, let diagnostic = escape(in: read, text, event) {
      sink.add(diagnostic)
      return YAMLNode(.missing, origin: diagnostic.origin, in: folder)
    }
    let quotes = style.quoteLength
    let isOneLine = event.start.line == event.end.line
    let length =
      isOneLine
      ? event.end.column - event.start.column : rest(at: event.start).unicodeScalars.count
    let here = origin(event.start, length: length)
    if style == .plain, text.utf8.first == UInt8(ascii: "*") {
      sink.add(YAMLHints.refusal(of: text, at: here))
      return YAMLNode(.missing, origin: here, in: folder)
    }
    if style == .plain, !isKey, YAMLScalar.isNull(text) {
      sink.add(YAMLHints.null(text, at: here))
      return YAMLNode(.missing, origin: here, in: folder)
    }
    // Escapes and folds make a text shorter than it is written.
    let isDirect = isOneLine && style != .block && text.utf8.scalarCount == length - 2 * quotes
    if style == .plain, isOneLine, !isKey { warnOfComment(behind: event, text) }
    var result = YAMLScalar(text: text, contentOffset: isDirect ? quotes : nil)
    do throws(Template.Malformed) {
      result.template = try Template.parse(text)
    } catch {
      let place = result.contentOffset.map {
        map.origin(within: here, offset: $0 + error.range.lowerBound, length: error.range.count)
      }
      sink.error(error.message, at: place ?? here, help: error.help)
      return YAMLNode(.missing, origin: here, in: folder)
    }
    return YAMLNode(.scalar(result), origin: here, in: folder)
  }

  /// `"\U00100000"`, `"\udbc0\udc00"`: escapes give a character that `YAMLDisguise` needs.
  private mutating func escape(
    in read: String, _ text: String, _ event: YAMLEvent
  ) -> Diagnostic? {
    guard read.unicodeScalars.contains(where: { $0.value >= YAMLDisguise.first }) else {
      return nil
    }
    let length = event.end.index - event.start.index
    let written = self.text(from: event.start).unicodeScalars.prefix(length)
    let code: String
    if let start = Substring(written).firstRange(of: #"\U0010"#)?.lowerBound {
      code = String(Substring(written[start...].dropFirst(4).prefix(6)))
    } else if let first = text.unicodeScalars.first(where: { $0.value >= YAMLDisguise.first }) {
      code = first.value.digits(6, radix: 16)
    } else {
      return nil
    }
    return Diagnostic(
      "the character U+\(code) may not stand in a job file",
      at: origin(event.start, length: length), help: "take it out")
  }

  /// `title: Ice #1` reads as `Ice`.
  private mutating func warnOfComment(behind event: YAMLEvent, _ text: String) {
    let after = self.text(from: event.end).utf8
    guard let first = after.first, Self.isBlank(first),
      after.first(where: { !Self.isBlank($0) }) == UInt8(ascii: "#")
    else { return }
    let rest = rest(at: event.end)
    guard let comment = rest.prefixMatch(of: /[ \t]+(#[^ \t#\-=].*)/)?.1 else { return }
    var hash = event.end
    hash.column += rest[..<comment.startIndex].unicodeScalars.count
    sink.add(
      Diagnostic(
        .warning, "'#' begins a comment: the text ends before it",
        at: origin(hash, length: comment.unicodeScalars.count),
        help: "quote the text if the '#' belongs to it: \"\(text)\(rest)\""))
  }
}
