import TestSupport
import Testing

@testable import HTTP

@Suite("Heads of answers")
struct HTTPHeadTests {
  /// The head of an answer with the status 200 and these lines, as curl gives them.
  private func head(_ text: String, isFramed: Bool = false) throws -> HTTPHead {
    let fields = text.split(separator: "|").map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return (parts[0].lowercased(), Array(HTTPText.trimmed(Array(parts[1].utf8)[...])))
    }
    let library = try CurlLibrary.loaded()
    return try HTTPHead(
      status: 200, isFramed: isFramed,
      values: { name in fields.filter { $0.0 == name }.map(\.1) }, date: library.secondsSince1970)
  }

  @Test(
    "are refused that give several lengths, or one that is none",
    arguments: [
      "Content-Length: 1|content-length: 2", "Content-Length: -1", "Content-Length: 1,2",
      "Content-Length: 9223372036854775808", "Content-Length: 1 2", "Content-Length: ",
    ])
  func ambiguous(text: String) {
    #expect(throws: HTTPError.malformedHead("its Content-Length is not a number")) {
      try head(text)
    }
  }

  @Test("have the body's length where nothing contradicts it")
  func lengths() throws {
    #expect(try head("Content-Length: 12").contentLength == 12)
    #expect(try head("CONTENT-LENGTH:0").contentLength == 0)
    #expect(try head("Content-Length: 7|Content-Length: 7").contentLength == 7)
    #expect(try head("Content-Length: 7, 7").contentLength == 7)
    #expect(try head("Content-Length: 9223372036854775807").contentLength == Int64.max)
    #expect(try head("Content-Length: 7|Transfer-Encoding: chunked").contentLength == nil)
    #expect(try head("X: y").contentLength == nil)
  }

  @Test(
    "say whether the body has an end of its own, or that of the connection",
    arguments: [
      ("Content-Length: 12", true), ("Transfer-Encoding: chunked", true), ("X: y", false),
      ("Content-Length: 12|Transfer-Encoding: chunked, gzip", false),
      ("Transfer-Encoding: ", false),
    ])
  func ends(text: String, hasEnd: Bool) throws {
    #expect(try head(text).hasDelimitedBody == hasEnd)
    #expect(try head(text, isFramed: true).hasDelimitedBody)
  }

  @Test(
    "have a range that is one",
    arguments: [
      ("bytes 0-99/200", 0..<100, 200), ("BYTES 5-5/6", 5..<6, 6), ("bytes 0-0/*", 0..<1, nil),
      (
        "bytes 9223372036854775805-9223372036854775806/9223372036854775807",
        9_223_372_036_854_775_805..<9_223_372_036_854_775_807, 9_223_372_036_854_775_807
      ),
    ] as [(String, Range<Int64>, Int64?)])
  func ranges(text: String, bytes: Range<Int64>, size: Int64?) throws {
    let range = try head("Content-Range: \(text)").contentRange
    #expect(range == HTTPHead.ContentRange(bytes: bytes, size: size))
  }

  @Test(
    "have no range that is none",
    arguments: [
      "", "bytes", "bytes 0-99", "bytes 0-99/", "bytes 1-0/9", "bytes 0-9/9", "bytes 0-9/5",
      "bytes -9/10", "bytes 0-/10", "bytes 0-9/10x", "bytes=0-9/10", "items 0-9/10", "bytes */*",
      "bytes +0-9/10", "bytes 0 -9/10", "bytes  0-9/10", "bytes 0-9223372036854775807/*",
      "bytes 0-9223372036854775808/*", "bytes 18446744073709551616-18446744073709551617/*",
      "bytes 0-9/10, bytes 0-9/10", "bytes 0-9/-10", "bytes **/10",
    ])
  func wrongRanges(text: String) throws {
    #expect(try head("Content-Range: \(text)").contentRange == nil)
  }

  @Test("have the size alone where no byte is sent, and one range at most")
  func otherRanges() throws {
    let size = HTTPHead.ContentRange(bytes: nil, size: 7)
    #expect(try head("Content-Range: bytes */7").contentRange == size)
    let range = "Content-Range: bytes 0-1/2"
    #expect(try head("\(range)|\(range)").contentRange == nil)
  }

  @Test(
    "have a tag in quotes",
    arguments: [
      ("\"a\"", true), ("W/\"a\"", true), ("\"\"", true), ("\"a!#~\"", true), ("a", false),
      ("\"a", false), ("\"", false), ("w/\"a\"", false), ("W/a", false), ("\"a\"b\"", false),
      ("\"a b\"", false), ("\"ü\"", false), ("\"a\u{7F}\"", false), ("", false),
      ("\"" + String(repeating: "a", count: 1022) + "\"", true),
      ("\"" + String(repeating: "a", count: 1023) + "\"", false),
    ])
  func tags(text: String, isTag: Bool) throws {
    #expect(try head("ETag: \(text)").entityTag == (isTag ? text : nil))
  }

  @Test("have a date of 64 printable bytes, a place, and one of each")
  func others() throws {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(try head("Last-Modified:  \(date) \t").lastModified == date)
    #expect(try head("Last-Modified: ü").lastModified == nil)
    let long = String(repeating: "x", count: 65)
    #expect(try head("Last-Modified: \(long)").lastModified == nil)
    #expect(try head("Location: /a").location == "/a")
    #expect(try head("Location: /a|Location: /b").location == nil)
    #expect(try head("ETag: \"a\"|ETag: \"b\"").entityTag == nil)
    #expect(try head("Retry-After: 12").retryAfter == 12)
    #expect(try head("Retry-After: \(date)").retryAfter == 0)
    #expect(try head("Retry-After: soon").retryAfter == nil)
    #expect(try head("Retry-After: 99999999999999999999").retryAfter == Int.max)
  }

  @Test(
    "are fresh for max-age less Age, where nothing forbids it",
    arguments: [
      ("max-age=60", "0", 60, false), ("MAX-AGE=60, public", "20", 40, false),
      ("max-age=60", "90", 0, false), ("max-age=\"60\"", "", 60, false),
      ("no-cache, max-age=60", "0", 0, false), ("no-store", "0", 0, true),
      ("no-store, max-age=9", "0", 9, true), ("max-age=x", "0", 0, false),
      ("max-age", "0", 0, false), ("max-age=-1", "0", 0, false),
      ("max-age=9, max-age=5", "0", 5, false),
      ("x=\"no-store, max-age=7\"", "0", 0, false), ("", "5", 0, false),
      ("max-age=99999999999999999999", "1", Int.max - 1, false),
    ])
  func freshness(control: String, age: String, seconds: Int, isForbidden: Bool) throws {
    let found = try head("Cache-Control: \(control)|Age: \(age)")
    #expect(found.secondsFresh == seconds && found.mustNotBeStored == isForbidden)
    let parts = control.split(separator: ",").map { "Cache-Control: \($0)" }
    guard !control.contains("\"") else { return }
    #expect(try head((["Age: \(age)"] + parts).joined(separator: "|")).secondsFresh == seconds)
  }

  @Test(
    "say whether the body is coded",
    arguments: [
      ("Content-Encoding: gzip", true), ("Content-Encoding: identity", false),
      ("Content-Encoding: identity, br", true), ("Content-Encoding: ", false),
      ("Transfer-Encoding: chunked", false), ("Transfer-Encoding: gzip, chunked", true),
      ("content-encoding: GZIP", true), ("Content-Encoding: identity|Content-Encoding: x", true),
    ])
  func codings(text: String, isEncoded: Bool) throws {
    #expect(try head(text).isEncoded == isEncoded)
  }

  @Test("any bytes are taken or refused")
  func noise() {
    var dice = Dice(9110)
    let names = [
      "content-range", "content-length", "etag", "cache-control", "age", "retry-after", "location",
      "transfer-encoding",
    ]
    let words = [
      "bytes ", "0-9/10", "9223372036854775807", "-", "/", "*", "W/\"", "\"", "max-age=",
      "no-store",
      ",", "//", "\t", " ", "chunked",
    ]
    for _ in 0..<4000 {
      var fields: [(String, [UInt8])] = []
      for _ in 0..<Int.random(in: 1..<8, using: &dice) {
        var value: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<8, using: &dice) {
          if Int.random(in: 0..<4, using: &dice) == 0 {
            value.append(UInt8.random(in: 1...255, using: &dice))
          } else {
            value += Array((words.randomElement(using: &dice) ?? "").utf8)
          }
        }
        fields.append((names.randomElement(using: &dice) ?? "", value))
      }
      let head = try? HTTPHead(
        status: 206, isFramed: false,
        values: { name in fields.filter { $0.0 == name }.map(\.1) }, date: { _ in nil })
      guard let head else { continue }
      #expect(head.contentLength ?? 0 >= 0 && head.secondsFresh >= 0)
      if let bytes = head.contentRange?.bytes {
        #expect(!bytes.isEmpty && bytes.lowerBound >= 0)
      }
    }
  }
}
