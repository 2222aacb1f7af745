import TestSupport
import Testing

@testable import HTTP

@Suite("Heads of answers")
struct HeadParserTests {
  private func head(_ text: String) throws -> AnswerHead? {
    var parser = HeadParser()
    for line in text.split(separator: "|", omittingEmptySubsequences: false) {
      if case .end(let head) = try parser.take("\(line)\r\n".utf8) { return head }
    }
    return nil
  }

  private func fields(_ text: String) throws -> AnswerHead {
    try #require(try head("HTTP/1.1 200 OK|\(text)||"))
  }

  @Test(
    "have a status",
    arguments: [
      ("HTTP/1.1 200 OK||", 200), ("HTTP/2 206 ||", 206), ("HTTP/1.0 404||", 404),
      ("HTTP/1.1 999 ||", 999), ("HTTP/1.1 100 Continue||HTTP/1.1 200 OK||", 200),
      ("HTTP/1.1 103 X|ETag: \"a\"||HTTP/1.1 304 X||", 304), ("HTTP/1.1 200 OK", nil),
      ("HTTP/1.1 100 X|", nil),
    ])
  func statuses(text: String, status: Int?) throws {
    #expect(try head(text)?.status == status)
  }

  @Test(
    "are refused that are none",
    arguments: [
      "", "200 OK", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000 X", "HTTP/1.1 0200",
      "HTTP/1.1 +20 X", "HTTP/1.1 099 X", "http/1.1 200 OK", "HTTP/1.1 200 OK|:x",
      "HTTP/1.1 200 OK|x",
      "HTTP/1.1 200 OK|a b: c", "HTTP/1.1 200 OK|a : c", "HTTP/1.1 200 OK| a: b",
      "HTTP/1.1 200 OK|a: b\0", "HTTP/1.1 200 OK|a: b\rc: d", "HTTP/1.1 200 OK|é: b",
      "HTTP/1.1 200 OK|Content-Length: 1|content-length: 2||",
      "HTTP/1.1 200 OK|Content-Length: -1||", "HTTP/1.1 200 OK|Content-Length: 1,2||",
      "HTTP/1.1 200 OK|Content-Length: 9223372036854775808||",
      "HTTP/1.1 200 OK|Content-Length: 1 2||", "HTTP/1.1 200 OK|Content-Length: ||",
    ])
  func malformed(text: String) {
    do {
      _ = try head(text)
      Issue.record("'\(text)' was taken")
    } catch HTTPError.malformedHead {
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test("have the body's length where nothing contradicts it")
  func lengths() throws {
    #expect(try fields("Content-Length: 12").contentLength == 12)
    #expect(try fields("CONTENT-LENGTH:0").contentLength == 0)
    #expect(try fields("Content-Length: 7|Content-Length: 7").contentLength == 7)
    #expect(try fields("Content-Length: 7, 7").contentLength == 7)
    #expect(try fields("Content-Length: 9223372036854775807").contentLength == Int64.max)
    #expect(try fields("Content-Length: 7|Transfer-Encoding: chunked").contentLength == nil)
    #expect(try fields("X: y").contentLength == nil)
  }

  @Test(
    "say whether the body has an end of its own, or that of the connection",
    arguments: [
      ("HTTP/1.1 200 OK|Content-Length: 12", true), ("HTTP/1.0 200 OK|Content-Length: 0", true),
      ("HTTP/1.1 200 OK|Transfer-Encoding: chunked", true), ("HTTP/2 200 ", true),
      ("HTTP/3 206 ", true), ("HTTP/1.1 200 OK|X: y", false), ("HTTP/1.0 206 OK|X: y", false),
      ("HTTP/1.1 200 OK|Content-Length: 12|Transfer-Encoding: chunked, gzip", false),
      ("HTTP/1.1 200 OK|Transfer-Encoding: ", false), ("HTTP/2.0 200 OK|X: y", false),
    ])
  func ends(text: String, hasEnd: Bool) throws {
    let found = try #require(try head(text + "||"))
    #expect(found.hasDelimitedBody == hasEnd && HTTPHead(found).hasDelimitedBody == hasEnd)
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
    let range = try fields("Content-Range: \(text)").contentRange
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
    #expect(try fields("Content-Range: \(text)").contentRange == nil)
  }

  @Test("have the size alone where no byte is sent, and one range at most")
  func otherRanges() throws {
    let size = HTTPHead.ContentRange(bytes: nil, size: 7)
    #expect(try fields("Content-Range: bytes */7").contentRange == size)
    let range = "Content-Range: bytes 0-1/2"
    #expect(try fields("\(range)|\(range)").contentRange == nil)
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
    #expect(try fields("ETag: \(text)").entityTag == (isTag ? text : nil))
  }

  @Test("have a date of 64 printable bytes, a place, and one of each")
  func others() throws {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(try fields("Last-Modified:  \(date) \t").lastModified == date)
    #expect(try fields("Last-Modified: ü").lastModified == nil)
    let long = String(repeating: "x", count: 65)
    #expect(try fields("Last-Modified: \(long)").lastModified == nil)
    #expect(try fields("Location: /a").location == "/a")
    #expect(try fields("Location: /a|Location: /b").location == nil)
    #expect(try fields("ETag: \"a\"|ETag: \"b\"").entityTag == nil)
    #expect(try fields("X: y|Location: /a|\t b").location == "/a b")
    #expect(try fields("Retry-After: 12").retryAfter == .seconds(12))
    #expect(try fields("Retry-After: \(date)").retryAfter == .date(date))
    #expect(
      try fields("Retry-After: 99999999999999999999").retryAfter == .seconds(Int.max))
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
    let head = try fields("Cache-Control: \(control)|Age: \(age)")
    #expect(head.secondsFresh == seconds && head.mustNotBeStored == isForbidden)
    let parts = control.split(separator: ",").map { "Cache-Control: \($0)" }
    guard !control.contains("\"") else { return }
    #expect(try fields((["Age: \(age)"] + parts).joined(separator: "|")).secondsFresh == seconds)
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
    #expect(try fields(text).isEncoded == isEncoded)
  }

  @Test("have at most 64 KiB and 200 lines, all heads of an answer together")
  func limits() throws {
    var parser = HeadParser()
    var count = 0
    while (try? parser.take((count % 2 == 0 ? "HTTP/1.1 100 X\r\n" : "\r\n").utf8)) != nil {
      count += 1
    }
    #expect(count == 200)
    var large = HeadParser()
    _ = try large.take("HTTP/1.1 200 X\r\n".utf8)
    let field = "A: " + String(repeating: "x", count: 65_536 - 16 - 3)
    _ = try large.take(field.utf8)
    #expect(throws: HTTPError.headTooLarge) { try large.take("\n".utf8) }
  }

  @Test("any bytes are taken or refused")
  func noise() {
    var dice = Dice(9110)
    let words = [
      "HTTP/1.1 ", "200", "206 ", "100 X", "\r\n", "\n", ": ", "Content-Range", "bytes ", "0-9/10",
      "9223372036854775807", "-", "/", "*", "Content-Length", "ETag", "W/\"", "\"", "Cache-Control",
      "max-age=", "no-store", ",", "Age", "Retry-After", "Location", "//", "\0", "\t", " ",
      "Transfer-Encoding",
    ]
    for _ in 0..<4000 {
      var parser = HeadParser()
      if Bool.random(using: &dice) { _ = try? parser.take("HTTP/1.1 206 X\r\n".utf8) }
      for _ in 0..<Int.random(in: 1..<8, using: &dice) {
        var line: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<8, using: &dice) {
          if Int.random(in: 0..<4, using: &dice) == 0 {
            line.append(UInt8.random(in: 0...255, using: &dice))
          } else {
            line += Array((words.randomElement(using: &dice) ?? "").utf8)
          }
        }
        guard let event = try? parser.take(line) else { break }
        if case .end(let head) = event {
          #expect((200...999).contains(head.status) && head.contentLength ?? 0 >= 0)
          #expect(head.secondsFresh >= 0)
          if let bytes = head.contentRange?.bytes {
            #expect(!bytes.isEmpty && bytes.lowerBound >= 0)
          }
        }
      }
    }
  }
}
