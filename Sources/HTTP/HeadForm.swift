/// The form of heads, line by line, as far as libcurl makes something of lines that are none: since
/// version 8 it takes 200 for the status of `HTTP/1.1 2000`, and a first field that continues another.
struct HeadForm {
  /// Whether the last line was a status line, behind which no field can go on.
  private var isBehindStatus = false

  /// Takes the next line of a head, of those before it (1xx), or of a trailer.
  ///
  /// - Throws: `HTTPError.malformedHead` for a status line without a status of three digits, and for a
  ///   first field that continues another (RFC 9112, 4 and 5.2).
  mutating func take(_ line: some Collection<UInt8>) throws(HTTPError) {
    let isStatus = line.starts(with: "HTTP/".utf8)
    defer { isBehindStatus = isStatus }
    if isBehindStatus, let first = line.first, first == 0x20 || first == 0x09 {
      throw .malformedHead("a field has no name")
    }
    guard isStatus else { return }
    let status = line.drop { $0 != 0x20 }.dropFirst().prefix { $0 > 0x20 }
    guard status.count == 3, status.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      throw .malformedHead("its status is not a number of three digits")
    }
  }
}
