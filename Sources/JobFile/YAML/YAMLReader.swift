import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import Yams

/// Reads one YAML document into nodes that know their places.
///
/// A syntax error ends the reading; everything else that the job language refuses (anchors,
/// aliases, tags, repeated keys, keys that are no texts, keys without a value) is collected.
struct YAMLReader {
  /// Bytes. Larger files are refused before they are read.
  static let sizeLimit = 8 << 20
  /// Commas, colons, dashes, brackets and line ends, which bound the number of nodes from above:
  /// each takes some 400 bytes of memory.
  static let separatorLimit = 1_500_000
  /// Levels of lists and maps within one another; libyaml's own limit is 1000.
  static let depthLimit = 100
  /// What to do about more of them.
  static let depthHelp = "write what is deepest into a job of its own, and use what it makes"

  private let map: SourceMap
  private let source: SourceMap.Source
  private let folder: FilePath
  private let text: SourceText
  private var mask: YAMLMask
  private(set) var sink = DiagnosticSink()
  /// Nodes come in the order of the text: finding the next one on a line of a million does not
  /// start at the line's first character again.
  private var cursor: (line: Int, column: Int, rest: Substring.UnicodeScalarView)

  /// A reader of `text`, which `source` names in `map`, and whose paths count from `folder`.
  private init(
    _ text: SourceText, source: SourceMap.Source, map: SourceMap, folder: FilePath
  ) {
    self.folder = folder
    self.text = text
    self.source = source
    self.map = map
    mask = YAMLMask(text.text)
    cursor = (1, 1, text.line(1).unicodeScalars)
  }

  /// The root of the document in the file at `path`.
  ///
  /// - Parameters:
  ///   - bytes: What is in it.
  ///   - path: Its name, and where its paths count from.
  ///   - inclusion: Where another file includes it.
  ///   - map: Gets its text.
  ///   - sink: Gets what is wrong and does not end the reading.
  /// - Returns: The root of the document.
  /// - Throws: what ends the reading.
  static func read(
    _ bytes: [UInt8], at path: FilePath, includedAt inclusion: Origin = .unknown,
    into map: SourceMap, sink: inout DiagnosticSink
  ) throws(Diagnostics) -> YAMLNode {
    let name = path.string
    let text = try validated(bytes, named: name, into: map)
    let source = map.add(
      text: text, named: name, includedAt: inclusion, noting: "the file is included here")
    var reader = YAMLReader(
      SourceText(name: name, text: text), source: source, map: map,
      folder: path.removingLastComponent())
    let root = try reader.compose()
    let node = reader.node(root, depth: 0)
    sink.add(reader.sink)
    return node
  }

  private mutating func compose() throws(Diagnostics) -> Node {
    // Each round separates the repeated keys of one map; a file has few such maps, or is hostile.
    var rounds = max(3, min(50, (4 << 20) / max(1, mask.text.utf8.count)))
    while true {
      do {
        if let root = try Yams.compose(yaml: mask.text, .basic, .default, .utf8) { return root }
        throw Diagnostics(Diagnostic("the file is empty", at: origin(1, 1), help: smallestFile))
      } catch let diagnostics as Diagnostics {
        throw diagnostics
      } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
        rounds -= 1
        guard rounds > 0, mask.separate(Set(keys)) else {
          throw Diagnostics(duplicate(keys, at: context.mark))
        }
      } catch {
        throw Diagnostics(YAMLHints(text: text, map: map, source: source).diagnostic(for: error))
      }
    }
  }

  private func duplicate(_ keys: [String], at mark: Mark) -> Diagnostic {
    let key = mask.unmasked(keys.first ?? "")
    return Diagnostic(
      "duplicate key '\(key)'",
      at: origin(mark.line, mark.column, length: key.unicodeScalars.count),
      help: "keep one of them")
  }

  /// The line that `mark` is on, from there to its end.
  private mutating func rest(at mark: Mark) -> Substring.UnicodeScalarView {
    if mark.line != cursor.line || mark.column < cursor.column {
      cursor = (mark.line, 1, text.line(mark.line).unicodeScalars)
    }
    cursor.rest = cursor.rest.dropFirst(mark.column - cursor.column)
    cursor.column = mark.column
    return cursor.rest
  }

  func origin(_ line: Int, _ column: Int, length: Int = 1) -> Origin {
    map.origin(in: source, line: line, column: column, length: length)
  }
}

let smallestFile = "the smallest job is two lines: 'clip: interview.wav' and 'output: teaser.mp3'"

// MARK: - Nodes

extension YAMLReader {
  private mutating func node(_ node: Node, depth: Int) -> YAMLNode {
    // Yams marks every node that it parses.
    guard let mark = node.mark else { return YAMLNode(.missing, origin: .unknown) }
    guard depth <= Self.depthLimit else {
      sink.error(
        "nested more than \(Self.depthLimit) levels deep", at: origin(mark.line, mark.column),
        help: Self.depthHelp)
      return YAMLNode(.missing, origin: .unknown)
    }
    switch node {
    case .scalar(let scalar): return self.scalar(scalar, at: mark)
    case .sequence(let sequence):
      let here = origin(mark.line, mark.column)
      return YAMLNode(
        .sequence(sequence.map { element($0, depth: depth) }), origin: here, in: folder)
    case .mapping(let mapping): return self.mapping(mapping, at: mark, depth: depth)
    case .alias:
      return YAMLNode(.missing, origin: origin(mark.line, mark.column), in: folder)
    }
  }

  private mutating func element(_ node: Node, depth: Int) -> YAMLNode {
    if let mark = node.mark, isEmptyPlain(node) {
      sink.error(
        "an item without a value", at: origin(mark.line, mark.column),
        help: "write one, or take the '-' or the comma away")
      return YAMLNode(.missing, origin: .unknown)
    }
    return self.node(node, depth: depth + 1)
  }

  private mutating func mapping(_ mapping: Node.Mapping, at mark: Mark, depth: Int) -> YAMLNode {
    var entries: [YAMLEntry] = []
    var first: [String: Origin] = [:]
    var here: Origin?
    let isFlow = rest(at: mark).first == "{"
    for (keyNode, valueNode) in mapping {
      guard case .scalar(let keyScalar) = keyNode else {
        let place = keyNode.mark ?? mark
        sink.error(
          "a key must be a text", at: origin(place.line, place.column),
          help: isFlow
            ? "quote a variable inside {}: \"${name}\"" : "a key is a word with ':' behind it")
        continue
      }
      let key = self.scalar(keyScalar, at: keyScalar.mark ?? mark, isKey: true)
      guard case .scalar(let content) = key.kind else { continue }
      here = here ?? (isFlow ? nil : key.origin)
      if let other = first[content.text] {
        sink.error(
          "duplicate key '\(content.text)'", at: key.origin, help: "keep one of them",
          notes: [.init("first written here", at: other)])
        continue
      }
      first[content.text] = key.origin
      if content.text == "<<" {
        sink.error(
          "'<<' merges nothing here", at: key.origin,
          help: "write the keys out; a clip's defaults go under 'sources'")
        continue
      }
      entries.append(
        YAMLEntry(
          key: content.text, keyOrigin: key.origin,
          value: value(valueNode, of: content.text, at: key.origin, isFlow: isFlow, depth: depth)))
    }
    return YAMLNode(.mapping(entries), origin: here ?? origin(mark.line, mark.column), in: folder)
  }

  private mutating func value(
    _ node: Node, of key: String, at keyOrigin: Origin, isFlow: Bool, depth: Int
  ) -> YAMLNode {
    guard isEmptyPlain(node) else { return self.node(node, depth: depth + 1) }
    if !sink.drops(at: keyOrigin) {
      sink.error(
        "'\(key)' has no value", at: keyOrigin,
        help: isFlow ? flowHelp(key, keyOrigin) : "write one behind it, or leave the key out")
    }
    return YAMLNode(.missing, origin: .unknown)
  }

  /// Why a key in braces has no value: a comma or a lacking space cut a text in two.
  private func flowHelp(_ key: String, _ origin: Origin) -> String {
    if let colon = key.firstIndex(of: ":") {
      return "inside {} a colon needs a space after it: "
        + "'\(key[..<colon]): \(key[key.index(after: colon)...])'"
    }
    guard let place = map.place(of: origin) else { return "quote the text before it" }
    let before = text.line(place.line).unicodeScalars.prefix(place.column - 1)
    let start =
      before.lastIndex { ":{".unicodeScalars.contains($0) }
      .map { before.index(after: $0) } ?? before.startIndex
    let value = trimmed(String(String.UnicodeScalarView(before[start...])))
    return "inside {} a comma ends a text; quote it: \"\(value) \(key)\""
  }

  private func isEmptyPlain(_ node: Node) -> Bool {
    guard case .scalar(let scalar) = node else { return false }
    return scalar.style == .plain && scalar.string.isEmpty
  }
}

// MARK: - Scalars

extension YAMLReader {
  private mutating func scalar(_ scalar: Node.Scalar, at mark: Mark, isKey: Bool = false)
    -> YAMLNode
  {
    let text = mask.unmasked(scalar.string)
    let line = rest(at: mark)
    if scalar.style == .plain, let indicator = YAMLMask.indicator(scalar.string) {
      let here = origin(mark.line, mark.column, length: text.unicodeScalars.count)
      sink.add(YAMLHints.refusal(of: indicator, in: text, at: here))
      return YAMLNode(.missing, origin: here, in: folder)
    }
    let isQuoted = scalar.style == .singleQuoted || scalar.style == .doubleQuoted
    let content = isQuoted ? line.dropFirst() : line
    let count = text.utf8.scalarCount
    let isDirect =
      (scalar.style == .plain || isQuoted)
      && Substring(content).utf8.withBytes { line in
        text.utf8.withBytes { line.starts(with: $0) }
      }
    let offset: Int? = isDirect ? (isQuoted ? 1 : 0) : nil
    let length =
      isDirect ? count + (isQuoted ? 2 : 0) : trimmedCount(isQuoted ? quotedPrefix(line) : line)
    let here = origin(mark.line, mark.column, length: length)
    if scalar.style == .plain, isDirect, !isKey {
      let rest = Substring(content).utf8.dropFirst(text.utf8.count)
      if !rest.isEmpty { warnOfComment(after: text, Substring(rest).unicodeScalars, at: mark) }
    }
    var result = YAMLScalar(text: text, contentOffset: offset)
    do throws(Template.Malformed) {
      result.template = try Template.parse(text)
    } catch {
      let place = offset.map {
        map.origin(within: here, offset: $0 + error.range.lowerBound, length: error.range.count)
      }
      sink.error(error.message, at: place ?? here, help: error.help)
      return YAMLNode(.missing, origin: here, in: folder)
    }
    return YAMLNode(.scalar(result), origin: here, in: folder)
  }

  /// `title: Ice #1` reads as `Ice`.
  private mutating func warnOfComment(
    after text: String, _ rest: Substring.UnicodeScalarView, at mark: Mark
  ) {
    let blank = rest.prefix { $0 == " " || $0 == "\t" }
    let comment = rest.dropFirst(blank.count)
    guard !blank.isEmpty, comment.first == "#", let second = comment.dropFirst().first,
      !" \t#-=".unicodeScalars.contains(second)
    else { return }
    let column = mark.column + text.unicodeScalars.count + blank.count
    let whole = text + String(blank) + trimmed(String(comment))
    sink.add(
      Diagnostic(
        .warning, "'#' begins a comment: the text ends before it",
        at: origin(mark.line, column, length: trimmedCount(comment)),
        help: "quote the text if the '#' belongs to it: \"\(whole)\""))
  }

  private func trimmedCount(_ line: Substring.UnicodeScalarView) -> Int {
    var line = line
    while let last = line.last, last == " " || last == "\t" { line.removeLast() }
    return line.count
  }

  /// A quoted text on its first line, with its quotes.
  private func quotedPrefix(_ line: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    guard let quote = line.first else { return line }
    var isEscaped = false
    for index in line.indices.dropFirst() {
      if isEscaped {
        isEscaped = false
      } else if line[index] == "\\", quote == "\"" {
        isEscaped = true
      } else if line[index] == quote {
        let next = line.index(after: index)
        guard quote == "'", next < line.endIndex, line[next] == quote else {
          return line[...index]
        }
        isEscaped = true
      }
    }
    return line
  }
}

// MARK: - Bytes

extension YAMLReader {
  /// Whatever comes between two nodes.
  private static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ","), UInt8(ascii: ":"),
      UInt8(ascii: "-"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "?"):
      true
    default: false
    }
  }

  /// `bytes` as text.
  ///
  /// - Throws: a diagnostic at the first byte that no job file may hold.
  private static func validated(
    _ bytes: [UInt8], named name: String, into map: SourceMap
  ) throws(Diagnostics) -> String {
    guard !isUTF16(bytes) else {
      throw Diagnostics(
        Diagnostic("'\(name)' is UTF-16", at: .unknown, help: "save it as UTF-8"))
    }
    guard bytes.count(where: isSeparator) <= separatorLimit else {
      throw Diagnostics(
        Diagnostic(
          "'\(name)' has more values than a job file can hold", at: .unknown,
          help: "part its jobs into several files, or let 'for_each' or 'rows' make them"))
    }
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    guard let text = String(validating: content, as: UTF8.self) else {
      let text = String(decoding: content, as: UTF8.self)
      throw refusal(
        of: text.unicodeScalars.firstIndex(of: "\u{FFFD}"), in: text, "not UTF-8", named: name, map,
        help: "save the file as UTF-8; 'iconv -f WINDOWS-1252 -t UTF-8' makes it of an old one")
    }
    let isPlain = content.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }
    if !isPlain, let bad = text.unicodeScalars.firstIndex(where: { !isAllowed($0) }) {
      let scalar = text.unicodeScalars[bad]
      let digits = String(scalar.value, radix: 16, uppercase: true)
      let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      throw refusal(
        of: bad, in: text,
        "the character U+\(code) may not stand in a job file",
        named: name, map, help: "take it out")
    }
    return text
  }

  /// By its byte-order mark, or, as editors also write it, by the zeros of plain letters.
  private static func isUTF16(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    let start = bytes.prefix(64)
    let zeros = [0, 1].map { parity in start.indices.count { $0 % 2 == parity && start[$0] == 0 } }
    guard start.count >= 4, let high = zeros.max(), let low = zeros.min() else { return false }
    return low == 0 && high * 5 >= start.count * 2
  }

  private static func refusal(
    of index: String.Index?, in text: String, _ message: String, named name: String,
    _ map: SourceMap,
    help: String?
  ) -> Diagnostics {
    let source = map.add(text: text, named: name)
    let before = text.unicodeScalars[..<(index ?? text.startIndex)]
    let line = SourceText(name: name, text: String(before)).lineCount
    let lineStart = before.lastIndex { $0 == "\n" || $0 == "\r" }.map(before.index(after:))
    let column = before.distance(from: lineStart ?? before.startIndex, to: before.endIndex) + 1
    return Diagnostics(
      Diagnostic(
        message, at: map.origin(in: source, line: line, column: column, length: 1), help: help))
  }

  /// YAML 1.1's `c-printable` without plane 16's private use, which `YAMLMask` needs.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF: true
    case 0xFEFF: false
    case 0xE000...0xFFFD, 0x10000..<YAMLMask.reserved.lowerBound: true
    default: false
    }
  }
}
