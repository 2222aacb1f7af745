import Glibc

extension HTTPHead {
  /// Reads the fields of a head, which may have any bytes.
  ///
  /// - Parameters:
  ///   - status: From 200 on.
  ///   - isFramed: Whether bodies come in frames, as from HTTP/2 on (RFC 9113, 4).
  ///   - values: The values of a field's lines, without blanks around them.
  ///   - date: The seconds since 1970 of an HTTP-date (RFC 9110, 5.6.7); nil for another text.
  /// - Throws: `HTTPError.malformedHead` if the body's length is ambiguous.
  init(
    status: Int, isFramed: Bool, values: (String) -> [[UInt8]], date: (String) -> Int?
  ) throws(HTTPError) {
    /// The value of a field that may occur once (RFC 9110, 5.3); nil if it does not occur, or
    /// occurs more often.
    func single(_ name: String) -> [UInt8]? {
      let found = values(name)
      return found.count == 1 ? found[0] : nil
    }
    self.init(status: status)
    let transfer = values("transfer-encoding")
    let coding = Self.elements(of: transfer).map(HTTPText.lowercased)
    contentLength = try Self.length(values("content-length"), isCoded: !transfer.isEmpty)
    // Chunks end a body where they are the last coding (RFC 9112, 6.3).
    hasDelimitedBody = isFramed || contentLength != nil || coding.last == "chunked"
    contentRange = single("content-range").flatMap { Self.range($0[...]) }
    entityTag = single("etag").flatMap { Self.tag($0) }
    lastModified = single("last-modified").flatMap { Self.date($0) }
    if let sent = single("date").flatMap({ Self.date($0) }).flatMap(date),
      let changed = lastModified.flatMap(date)
    {
      hasStrongDate = sent - changed >= 60
    }
    takeCacheControl(values("cache-control"), age: values("age").first)
    retryAfter = single("retry-after").flatMap { value in
      HTTPText.seconds(value) ?? Self.date(value).flatMap(date).map { max(0, $0 - time(nil)) }
    }
    location = single("location").flatMap { String(validating: $0, as: UTF8.self) }
    isRadio = ["icy-name", "icy-metaint", "icy-br"].contains { !values($0).isEmpty }
    let content = Self.elements(of: values("content-encoding")).map(HTTPText.lowercased)
    isEncoded = (content + coding.filter { $0 != "chunked" }).contains { $0 != "identity" }
  }

  /// Content-Length, which may occur several times with one value; with Transfer-Encoding it is
  /// ignored (RFC 9112, 6.3).
  private static func length(
    _ values: [[UInt8]], isCoded: Bool
  ) throws(HTTPError) -> Int64? {
    guard !values.isEmpty, !isCoded else { return nil }
    let parts = elements(of: values).map { HTTPText.number($0) }
    guard let length = parts.first ?? nil, parts.allSatisfy({ $0 == length }) else {
      throw .malformedHead("its Content-Length is not a number")
    }
    return length
  }

  /// Parses Content-Range in bytes (RFC 9110, 14.4).
  static func range(_ value: ArraySlice<UInt8>) -> ContentRange? {
    guard HTTPText.lowercased(value.prefix(6)) == "bytes ",
      let slash = value.firstIndex(of: UInt8(ascii: "/"))
    else { return nil }
    let star = [UInt8(ascii: "*")]
    let (range, total) = (value[(value.startIndex + 6)..<slash], value[(slash + 1)...])
    let size = HTTPText.number(total)
    guard size != nil || total.elementsEqual(star) else { return nil }
    if range.elementsEqual(star) {
      return size.map { ContentRange(bytes: nil, size: $0) }
    }
    guard let dash = range.firstIndex(of: UInt8(ascii: "-")),
      let first = HTTPText.number(range[..<dash]),
      let last = HTTPText.number(range[(dash + 1)...]),
      first <= last, last < size ?? Int64.max
    else { return nil }
    return ContentRange(bytes: first..<last + 1, size: size)
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

  /// Printable ASCII of at most 64 bytes, perhaps an HTTP-date.
  private static func date(_ value: [UInt8]) -> String? {
    guard (1...64).contains(value.count), value.allSatisfy(HTTPText.isPrintable) else { return nil }
    return String(decoding: value, as: UTF8.self)
  }

  /// Reads Cache-Control (RFC 9111, 5.2.2), as far as a cache of one user needs it.
  private mutating func takeCacheControl(_ values: [[UInt8]], age: [UInt8]?) {
    var (mustAsk, maxAge): (Bool, Int?) = (false, nil)
    for directive in Self.elements(of: values) {
      let parts = directive.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      switch HTTPText.lowercased(HTTPText.trimmed(parts[0])) {
      case "no-cache": mustAsk = true
      case "no-store": mustNotBeStored = true
      case "max-age":
        let text = parts.count > 1 ? HTTPText.trimmed(parts[1]) : []
        let digits = text.first == UInt8(ascii: "\"") ? text.dropFirst().dropLast() : text
        // A malformed `max-age` makes the answer stale (RFC 9111, 4.2.1), and the least of several
        // counts.
        maxAge = min(maxAge ?? Int.max, HTTPText.seconds(digits) ?? 0)
      default: break
      }
    }
    let seconds = age.flatMap { HTTPText.seconds($0) } ?? 0
    secondsFresh = mustAsk ? 0 : max(0, (maxAge ?? 0) - seconds)
  }

  /// The elements of a list (RFC 9110, 5.6.1), without blanks around them; a comma in quotes separates
  /// none.
  private static func elements(of values: [[UInt8]]) -> [ArraySlice<UInt8>] {
    values.flatMap { value in
      var isQuoted = false
      return value.split {
        if $0 == UInt8(ascii: "\"") { isQuoted.toggle() }
        return $0 == UInt8(ascii: ",") && !isQuoted
      }
    }.map(HTTPText.trimmed).filter { !$0.isEmpty }
  }
}
