/// Reads the head of an answer, line by line (RFC 9112, 2 to 5; RFC 9110, 5).
///
/// Skips heads of 1xx (RFC 9110, 15.2) and trailers (6.5). Accepts any bytes.
struct HeadParser {
  /// The result of a line.
  enum Event: Sendable, Hashable {
    /// The head goes on, or the line belongs to no head.
    case more
    /// The head ends with this line.
    case end(AnswerHead)
  }

  private let greatestBytes: Int
  private let greatestLines: Int
  private var bytes = 0
  private var lines = 0
  private var start: StatusLine?
  /// Names in small letters, and values.
  private var fields: [(name: String, value: [UInt8])] = []
  private var hasEnded = false

  /// A parser for one answer, of at most so many bytes and lines.
  init(bytes: Int = 65_536, lines: Int = 200) {
    (greatestBytes, greatestLines) = (bytes, lines)
  }

  /// Takes the next line, with or without its CR LF.
  ///
  /// - Throws: `HTTPError.headTooLarge`, or `malformedHead` with the fault.
  mutating func take(_ line: some Collection<UInt8>) throws(HTTPError) -> Event {
    bytes += line.count
    lines += 1
    guard bytes <= greatestBytes, lines <= greatestLines else { throw .headTooLarge }
    if hasEnded { return .more }
    var text = Array(line)[...]
    if text.last == 0x0A { text.removeLast() }
    if text.last == 0x0D { text.removeLast() }
    guard let start else {
      start = try StatusLine(text)
      return .more
    }
    guard text.isEmpty else {
      try takeField(text)
      return .more
    }
    let found = fields
    (self.start, fields) = (nil, [])
    if (100..<200).contains(start.status) { return .more }
    hasEnded = true
    return .end(try AnswerHead(start, fields: found))
  }

  private mutating func takeField(_ line: ArraySlice<UInt8>) throws(HTTPError) {
    guard !line.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else {
      throw .malformedHead("a field has control characters")
    }
    if let first = line.first, HTTPText.isBlank(first) {
      // The line continues the field before it (RFC 9112, 5.2).
      guard let last = fields.indices.last else { throw .malformedHead("a field has no name") }
      fields[last].value += [0x20] + HTTPText.trimmed(line)
      return
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(HTTPText.isToken)
    else { throw .malformedHead("a field has no name") }
    let value = HTTPText.trimmed(line[(colon + 1)...])
    fields.append((HTTPText.lowercased(line[..<colon]), Array(value)))
  }
}

/// The first line of a head: `HTTP/1.1 200 OK`, or `HTTP/2 200`, as curl writes it (RFC 9112, 4).
private struct StatusLine {
  /// From 100 to 999.
  let status: Int
  /// Whether bodies come in frames, as from HTTP/2 on (RFC 9113, 4).
  let isFramed: Bool

  /// Parses a line without its line break.
  ///
  /// - Throws: `HTTPError.malformedHead`
  init(_ line: ArraySlice<UInt8>) throws(HTTPError) {
    guard line.starts(with: "HTTP/".utf8), let blank = line.firstIndex(of: 0x20) else {
      throw .malformedHead("it has no status line")
    }
    let digits = line[(blank + 1)...].prefix { $0 != 0x20 }
    guard digits.count == 3, let number = HTTPText.number(digits), number >= 100 else {
      throw .malformedHead("it has no status")
    }
    status = Int(number)
    let version = line[..<blank].dropFirst(5)
    isFramed = version.elementsEqual("2".utf8) || version.elementsEqual("3".utf8)
  }
}

/// The head of an answer of any status, as far as avjob needs it.
struct AnswerHead: Sendable, Hashable {
  /// From 200 on.
  let status: Int
  /// Content-Range; nil without one, or if it is malformed.
  let contentRange: HTTPHead.ContentRange?
  /// The bytes of the body; nil if they are not known.
  let contentLength: Int64?
  /// Whether the answer itself says where its body ends (`HTTPHead.hasDelimitedBody`).
  let hasDelimitedBody: Bool
  /// ETag, with its quotes; nil without one, or if it is malformed.
  let entityTag: String?
  /// Last-Modified, as the server wrote it; nil without one, or if it is not printable or has more
  /// than 64 bytes.
  let lastModified: String?
  /// Date, as the server wrote it; nil without one, or if it is not printable or has more than 64
  /// bytes.
  let sentDate: String?
  /// The seconds for which the answer is fresh (`HTTPHead.secondsFresh`).
  let secondsFresh: Int
  /// Whether Cache-Control has `no-store`.
  let mustNotBeStored: Bool
  /// Retry-After.
  let retryAfter: RetryAfter?
  /// Location, in UTF-8, not checked further; nil without one.
  let location: String?
  /// Whether the bytes of the body are coded, and so are not those of the entity.
  let isEncoded: Bool

  /// Retry-After (RFC 9110, 10.2.3).
  enum RetryAfter: Sendable, Hashable {
    /// A count of seconds.
    case seconds(Int)
    /// Printable ASCII of at most 64 bytes, perhaps an HTTP-date.
    case date(String)
  }

  /// Reads the fields of a head: names in small letters, and values without blanks around them.
  ///
  /// - Throws: `HTTPError.malformedHead` if the body's length is ambiguous.
  fileprivate init(
    _ start: StatusLine, fields: [(name: String, value: [UInt8])]
  ) throws(HTTPError) {
    func values(_ name: String) -> [[UInt8]] { fields.filter { $0.name == name }.map(\.value) }
    /// The value of a field that may occur once (RFC 9110, 5.3); nil if it does not occur, or
    /// occurs more often.
    func single(_ name: String) -> [UInt8]? {
      let found = values(name)
      return found.count == 1 ? found[0] : nil
    }
    status = start.status
    let coding = Self.list(values("transfer-encoding"))
    contentLength = try Self.length(
      values("content-length"), isCoded: !values("transfer-encoding").isEmpty)
    // Chunks end a body where they are the last coding (RFC 9112, 6.3).
    hasDelimitedBody = start.isFramed || contentLength != nil || coding.last == "chunked"
    contentRange = single("content-range").flatMap { Self.range($0[...]) }
    entityTag = single("etag").flatMap { Self.tag($0) }
    lastModified = single("last-modified").flatMap { Self.date($0) }
    sentDate = single("date").flatMap { Self.date($0) }
    let control = CacheControl(values("cache-control"))
    let age = values("age").first.flatMap { HTTPText.seconds($0) } ?? 0
    secondsFresh = control.mustAsk ? 0 : max(0, (control.maxAge ?? 0) - age)
    mustNotBeStored = control.mustNotBeStored
    retryAfter = single("retry-after").flatMap { value in
      HTTPText.seconds(value).map { .seconds($0) } ?? Self.date(value).map { .date($0) }
    }
    location = single("location").flatMap { String(validating: $0, as: UTF8.self) }
    let encodings =
      Self.list(values("content-encoding")) + coding.filter { $0 != "chunked" }
    isEncoded = encodings.contains { $0 != "identity" }
  }

  /// Content-Length, which may occur several times with one value; with Transfer-Encoding it is
  /// ignored (RFC 9112, 6.3).
  private static func length(
    _ values: [[UInt8]], isCoded: Bool
  ) throws(HTTPError) -> Int64? {
    guard let first = values.first, !isCoded else { return nil }
    let parts = values.flatMap { $0.split(separator: UInt8(ascii: ",")) }
      .map { HTTPText.number(HTTPText.trimmed($0)) }
    guard let length = HTTPText.number(first) ?? parts.first ?? nil,
      parts.allSatisfy({ $0 == length })
    else { throw .malformedHead("its Content-Length is not a number") }
    return length
  }

  /// Parses Content-Range in bytes (RFC 9110, 14.4).
  static func range(_ value: ArraySlice<UInt8>) -> HTTPHead.ContentRange? {
    guard HTTPText.lowercased(value.prefix(6)) == "bytes ",
      let slash = value.firstIndex(of: UInt8(ascii: "/"))
    else { return nil }
    let star = [UInt8(ascii: "*")]
    let (range, total) = (value[(value.startIndex + 6)..<slash], value[(slash + 1)...])
    let size = HTTPText.number(total)
    guard size != nil || total.elementsEqual(star) else { return nil }
    if range.elementsEqual(star) {
      return size.map { HTTPHead.ContentRange(bytes: nil, size: $0) }
    }
    guard let dash = range.firstIndex(of: UInt8(ascii: "-")),
      let first = HTTPText.number(range[..<dash]),
      let last = HTTPText.number(range[(dash + 1)...]),
      first <= last, last < size ?? Int64.max
    else { return nil }
    return HTTPHead.ContentRange(bytes: first..<last + 1, size: size)
  }

  /// Parses a tag of at most 1 KiB (RFC 9110, 8.8.3). Bytes beyond ASCII are allowed there and
  /// refused here: no server sends them, and a text could not hold them.
  static func tag(_ value: [UInt8]) -> String? {
    let quoted = value.starts(with: "W/".utf8) ? value[2...] : value[...]
    let quote = UInt8(ascii: "\"")
    guard value.count <= 1024, quoted.count >= 2, quoted.first == quote, quoted.last == quote,
      quoted.dropFirst().dropLast().allSatisfy({
        (0x21...0x7E).contains($0) && $0 != quote
      })
    else { return nil }
    return String(decoding: value, as: UTF8.self)
  }

  private static func date(_ value: [UInt8]) -> String? {
    guard (1...64).contains(value.count), value.allSatisfy(HTTPText.isPrintable) else { return nil }
    return String(decoding: value, as: UTF8.self)
  }

  private static func list(_ values: [[UInt8]]) -> [String] {
    values.flatMap { $0.split(separator: UInt8(ascii: ",")) }
      .map { HTTPText.lowercased(HTTPText.trimmed($0)) }.filter { !$0.isEmpty }
  }
}

/// Cache-Control (RFC 9111, 5.2.2), as far as a cache of one user needs it.
private struct CacheControl {
  /// Whether `no-cache` demands that the server is asked before an answer is used again.
  var mustAsk = false
  /// Whether `no-store` forbids storing the answer.
  var mustNotBeStored = false
  /// The seconds of `max-age`; the least of several.
  var maxAge: Int?

  init(_ values: [[UInt8]]) {
    for value in values {
      for directive in Self.directives(of: value) {
        let parts = directive.split(
          separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first.map({ HTTPText.lowercased(HTTPText.trimmed($0)) }) else {
          continue
        }
        switch name {
        case "no-cache": mustAsk = true
        case "no-store": mustNotBeStored = true
        case "max-age":
          let text = parts.count > 1 ? HTTPText.trimmed(parts[1]) : []
          let digits = text.first == UInt8(ascii: "\"") ? text.dropFirst().dropLast() : text
          // A malformed `max-age` makes the answer stale (RFC 9111, 4.2.1).
          maxAge = min(maxAge ?? Int.max, HTTPText.seconds(digits) ?? 0)
        default: break
        }
      }
    }
  }

  /// The parts between commas, except for commas in quotes.
  private static func directives(of value: [UInt8]) -> [ArraySlice<UInt8>] {
    var isQuoted = false
    return value.split {
      if $0 == UInt8(ascii: "\"") { isQuoted.toggle() }
      return $0 == UInt8(ascii: ",") && !isQuoted
    }
  }
}
