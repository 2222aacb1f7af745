import Diagnosis
import SystemPackage

/// The text of a transcript's file, and what is wrong with it. Places are ranges of its bytes.
struct TranscriptText {
  /// UTF-8, without a byte-order mark. Only JSON is read of bytes that are not valid.
  let bytes: [UInt8]
  let path: FilePath
  private let map: SourceMap
  private let source: SourceMap.Source
  private let named: Origin
  private(set) var sink = DiagnosticSink()
  private var found: [Finding: (count: Int, first: Origin)] = [:]
  /// The place that was looked up last: a line may be 20 MB long, and places come in order.
  private var known = (offset: 0, line: 1, column: 1)

  init(
    _ bytes: [UInt8], _ text: String, path: FilePath, named: Origin, isQuoted: Bool,
    in map: SourceMap
  ) {
    self.bytes = bytes
    self.path = path
    self.named = named
    self.map = map
    source = map.add(
      text: text, named: path.string, includedAt: named, noting: "the transcript is named here",
      readAs: "a transcript", isQuoted: isQuoted)
  }

  /// Whether there is an error.
  var isRefused: Bool { sink.diagnostics.all.contains { $0.severity == .error } }

  // MARK: Messages

  mutating func error(_ message: String, at range: Range<Int>, help: String? = nil) {
    if sink.dropsAll() { return }
    sink.error(message, at: origin(range), help: help)
  }

  /// An error of the file as a whole.
  mutating func refuse(_ message: String, help: String) {
    sink.error("'\(path)' \(message)", at: named, help: help)
  }

  mutating func warn(_ message: String, at range: Range<Int>, help: String) {
    sink.add(Diagnostic(.warning, message, at: origin(range), help: help))
  }

  /// A warning of the file as a whole.
  mutating func warn(_ message: String, help: String) {
    sink.add(Diagnostic(.warning, "'\(path)' \(message)", at: named, help: help))
  }

  /// Counts what is odd.
  mutating func find(_ finding: Finding, at range: Range<Int>, count: Int = 1) {
    if let before = found[finding] {
      found[finding] = (before.count + count, before.first)
    } else {
      found[finding] = (count, origin(range))
    }
  }

  /// Whether something odd has been counted.
  func hasFound(_ finding: Finding) -> Bool { found[finding] != nil }

  /// Reports what was counted; nothing beside an error, which has to be mended first.
  mutating func reportFindings() {
    guard !isRefused else { return }
    for finding in Finding.allCases {
      guard let (count, first) = found[finding] else { continue }
      sink.add(
        Diagnostic(finding.severity, finding.message(count), at: first, help: finding.help))
    }
  }

  private mutating func origin(_ range: Range<Int>) -> Origin {
    let range = range.clamped(to: bytes.indices)
    if range.lowerBound < known.offset { known = (0, 1, 1) }
    while known.offset < range.lowerBound {
      let byte = bytes[known.offset]
      known.offset += 1
      switch byte {
      case .carriageReturn:
        if known.offset < bytes.count, bytes[known.offset] == .lineFeed {
          guard known.offset < range.lowerBound else { break }
          known.offset += 1
        }
        (known.line, known.column) = (known.line + 1, 1)
      case .lineFeed: (known.line, known.column) = (known.line + 1, 1)
      default:
        while known.offset < bytes.count, bytes[known.offset] & 0xC0 == 0x80 { known.offset += 1 }
        known.column += 1
      }
    }
    let shown = bytes[range].prefix { $0 != .lineFeed && $0 != .carriageReturn }
    return map.origin(
      in: source, line: known.line, column: known.column,
      length: shown.count { $0 & 0xC0 != 0x80 })
  }

  // MARK: Stretches

  func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// A stretch as messages quote it.
  func quoted(_ range: Range<Int>) -> String {
    let most = 40
    guard range.count > most else { return string(range) }
    var end = range.lowerBound + most
    while end > range.lowerBound, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return string(range.lowerBound..<end) + "…"
  }

  func trimmed(_ range: Range<Int>) -> Range<Int> { bytes[range].trimmed.indices }

  func starts(_ range: Range<Int>, with prefix: StaticString) -> Bool {
    bytes[range].starts(
      with: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
  }
}

/// Takes lines from a text; they end with LF, CR LF or CR. Byte-order marks in front of a line, as of files
/// that were put together, are no part of it.
struct LineCursor {
  private(set) var position = 0

  /// The next line without its end; nil behind the last one.
  mutating func next(in text: TranscriptText) -> Range<Int>? {
    let bytes = text.bytes
    guard position < bytes.count else { return nil }
    while bytes[position...].starts(with: [0xEF, 0xBB, 0xBF]) { position += 3 }
    let start = position
    while position < bytes.count, bytes[position] != .lineFeed, bytes[position] != .carriageReturn {
      position += 1
    }
    let line = start..<position
    guard position < bytes.count else { return line }
    let isCR = bytes[position] == .carriageReturn
    position += 1
    if isCR, position < bytes.count, bytes[position] == .lineFeed { position += 1 }
    return line
  }

  /// The next line, which is not taken.
  func peek(in text: TranscriptText) -> Range<Int>? {
    var copy = self
    return copy.next(in: text)
  }
}

extension UInt8 {
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let minus = UInt8(ascii: "-")
  static let tab = UInt8(ascii: "\t")

  var isBlank: Bool { self == UInt8(ascii: " ") || self == .tab }
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
  var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }
}

extension ArraySlice<UInt8> {
  /// Without blanks at its ends.
  var trimmed: ArraySlice<UInt8> {
    var rest = self
    while rest.first?.isBlank == true { rest.removeFirst() }
    while rest.last?.isBlank == true { rest.removeLast() }
    return rest
  }

  /// Where `-->` stands in a line. O(n)
  var arrow: Range<Int>? {
    var index = startIndex
    while index + 2 < endIndex {
      if self[index + 2] == UInt8(ascii: ">") {
        if self[index] == .minus, self[index + 1] == .minus { return index..<index + 3 }
        index += 3
      } else {
        index += self[index + 2] == .minus ? 1 : 3
      }
    }
    return nil
  }
}
