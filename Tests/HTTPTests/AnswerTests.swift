import Diagnosis
import TestSupport
import Testing

@testable import HTTP

@Suite("Answers of servers")
struct AnswerTests {
  @Test("a whole file arrives with its length and validators")
  func whole() throws {
    let answer = try Answer("plain/a.bin")
    #expect(answer.error == nil && answer.bytes == FaultServer.bytes && answer.heads == 1)
    let head = try #require(answer.head)
    #expect(head.status == 200 && head.contentLength == 100_000 && head.contentRange == nil)
    #expect(head.entityTag?.count == 18 && head.lastModified?.hasSuffix(" GMT") == true)
    #expect(head.secondsFresh == 0 && !head.mustNotBeStored)
  }

  @Test(
    "a range arrives, and no other byte",
    arguments: [
      (HTTPRequest.Range.bytes(10..<20), 10, 20), (.bytes(99_990..<200_000), 99_990, 100_000),
      (.bytes(0..<Int64.max), 0, 100_000), (.bytes(99_999..<100_000), 99_999, 100_000),
    ])
  func ranges(range: HTTPRequest.Range, first: Int, end: Int) throws {
    let answer = try Answer("plain/a.bin", range: range)
    #expect(answer.error == nil && answer.bytes == Array(FaultServer.bytes[first..<end]))
    #expect(answer.head?.status == 206)
    #expect(
      answer.head?.contentRange
        == HTTPHead.ContentRange(bytes: Int64(first)..<Int64(end), size: 100_000))
  }

  @Test("a range behind the end is answered with the file's size, and without bytes")
  func beyond() throws {
    let answer = try Answer("plain/a.bin", range: .bytes(100_000..<200_000))
    #expect(answer.error == nil && answer.head?.status == 416 && answer.bytes.isEmpty)
    #expect(answer.head?.contentRange == HTTPHead.ContentRange(bytes: nil, size: 100_000))
  }

  @Test("a range far into a file of 10 GB arrives")
  func huge() throws {
    let answer = try Answer("huge/", range: .bytes(9_999_999_990..<9_999_999_999))
    #expect(answer.error == nil && answer.bytes == [UInt8](repeating: 0, count: 9))
  }

  @Test("a server without ranges sends the whole file")
  func withoutRanges() throws {
    for path in ["noranges/a.bin", "chunked/a.bin"] {
      let answer = try Answer(path, range: .bytes(50_000..<60_000))
      #expect(answer.error == nil && answer.bytes == FaultServer.bytes, "\(path)")
      #expect(answer.head?.status == 200 && answer.head?.contentRange == nil)
      #expect(answer.head?.contentLength == (path.hasPrefix("chunked") ? nil : 100_000))
    }
  }

  @Test("an answer may be fresh for a while, and may have no or weak validators")
  func freshness() throws {
    #expect(try Answer("maxage=600/a.bin").head?.secondsFresh == 600)
    #expect(try Answer("header=Cache-Control:no-store/a.bin").head?.mustNotBeStored == true)
    #expect(try Answer("weak/a.bin").head?.entityTag?.hasPrefix("W/\"") == true)
    let dated = try Answer("dateonly/a.bin").head
    #expect(dated?.entityTag == nil && dated?.lastModified != nil)
    let bare = try Answer("noetag/a.bin").head
    #expect(bare != nil && bare?.entityTag == nil && bare?.lastModified == nil)
  }

  @Test("a conditional request is answered with 304 for the same file, and else with the new one")
  func conditional() throws {
    let server = try FaultServer.shared.get()
    let head = try #require(try Answer("changes=2/a.bin?304").head)
    var byTag = HTTPRequest(try server.url("changes=2/a.bin?304"))
    byTag.ifNoneMatch = head.entityTag
    #expect(Answer(byTag, from: .local()).head?.status == 304)
    let changed = Answer(byTag, from: .local())
    #expect(changed.head?.status == 200 && changed.bytes == FaultServer.bytes.map { $0 ^ 0x55 })
    var byDate = HTTPRequest(try server.url("dateonly/a.bin"))
    byDate.ifModifiedSince = head.lastModified
    let same = Answer(byDate, from: .local())
    #expect(same.head?.status == 304 && same.bytes.isEmpty && same.error == nil)
  }

  @Test("a range is asked of the entity that was seen, and the new one comes whole")
  func ifRange() throws {
    let server = try FaultServer.shared.get()
    let tag = try #require(try Answer("changes=2/a.bin?if-range").head?.entityTag)
    var request = HTTPRequest(
      try server.url("changes=2/a.bin?if-range"), range: .bytes(100..<200))
    request.ifRange = tag
    let same = Answer(request, from: .local())
    #expect(same.head?.status == 206 && same.bytes == Array(FaultServer.bytes[100..<200]))
    let changed = Answer(request, from: .local())
    #expect(changed.head?.status == 200 && changed.bytes.count == 100_000)
    let records = try server.requests(for: "?if-range")
    #expect(records.map { $0["If-Range"] } == [nil, tag, tag])
    #expect(records.allSatisfy { $0["Accept-Encoding"] == "identity" })
  }

  @Test("a receiver that has enough ends the request without an error")
  func enough() throws {
    let some = try Answer("endless/a.bin", wanted: 300_000)
    #expect(some.error == nil && (300_000..<400_000).contains(some.bytes.count))
    let none = try Answer("endless/", wanted: 0)
    #expect(none.error == nil && none.head?.status == 200 && none.bytes.isEmpty)
  }

  @Test("heads of 1xx and trailers are not shown")
  func interim() throws {
    let raw =
      "HTTP/1.1 103 Early Hints\r\nETag: \"no\"\r\n\r\nHTTP/1.1 200 OK\r\nETag: \"yes\"\r\n"
      + "Transfer-Encoding: chunked\r\nTrailer: ETag\r\n\r\n3\r\nabc\r\n0\r\nETag: \"no\"\r\n\r\n"
    let answer = try Answer("raw=\(escaped(raw))/")
    #expect(answer.error == nil && answer.heads == 1 && answer.head?.entityTag == "\"yes\"")
    #expect(answer.bytes == Array("abc".utf8))
  }

  @Test("user and password are sent to their server, from the URL before those of netrc")
  func credentials() throws {
    let server = try FaultServer.shared.get()
    let path = "auth=anna:p%2540%20w/a.bin"
    let url = try MediaURL("http://anna:p%2540%20w@127.0.0.1:\(server.port)/\(path)")
    #expect(url.credentials?.password == "p%40 w")
    #expect(Answer(HTTPRequest(url), from: .local()).bytes == FaultServer.bytes)
    #expect(try Answer(path).error == .status(401, retryAfter: nil))

    let folder = TestFolder()
    try writeFile(
      folder.path("netrc"), Array("machine 127.0.0.1 login ben password hush\n".utf8))
    let client = HTTPClient.local(environment: ["NETRC": folder.path("netrc")])
    let request = HTTPRequest(try server.url("auth=ben:hush/a.bin"))
    #expect(Answer(request, from: client).bytes == FaultServer.bytes)
    #expect(Answer(HTTPRequest(url), from: client).bytes == FaultServer.bytes)
  }
}

/// Bytes for the path of a URL.
func escaped(_ text: String) -> String {
  text.utf8.map { byte in
    let digits = String(byte, radix: 16)
    return "%" + (byte < 16 ? "0" : "") + digits
  }.joined()
}
