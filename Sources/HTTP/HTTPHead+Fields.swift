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
    let coding = Self.list(transfer)
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
    let control = CacheControl(values("cache-control"))
    let age = values("age").first.flatMap { HTTPText.seconds($0) } ?? 0
    secondsFresh = control.mustAsk ? 0 : max(0, (control.maxAge ?? 0) - age)
    mustNotBeStored = control.mustNotBeStored
    retryAfter = single("retry-after").flatMap { value in
      HTTPText.seconds(value) ?? Self.date(value).flatMap(date).map { max(0, $0 - time(nil)) }
    }
    location = single("location").flatMap { String(validating: $0, as: UTF8.self) }
    let encodings = Self.list(values("content-encoding")) + coding.filter { $0 != "chunked" }
    isEncoded = encodings.contains { $0 != "identity" }
  }

  /// Content-Length, which may occur several times with one value; with Transfer-Encoding it is
  /// ignored (RFC 9112, 6.3).
  private static func length(
    _ values: [[UInt8]], isCoded: Bool
  ) throws(HTTPError) -> Int64? {
    guard !values.isEmpty, !isCoded else { return nil }
    let parts = values.flatMap { $0.split(separator: UInt8(ascii: ",")) }
      .map { HTTPText.number(HTTPText.trimmed($0)) }
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
