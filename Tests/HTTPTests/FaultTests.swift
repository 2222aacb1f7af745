import Diagnosis
import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite("Faults of servers")
struct FaultTests {
  @Test(
    "a status without bytes is an error",
    arguments: [204, 300, 304, 305, 400, 401, 403, 404, 410, 416, 418, 429, 500, 503])
  func statuses(status: Int) throws {
    let answer = try Answer("status=\(status)/x")
    #expect(answer.error == .status(status, retryAfter: nil))
    #expect(answer.head == nil && answer.bytes.isEmpty)
  }

  @Test("Retry-After is read as seconds and as a date")
  func retryAfter() throws {
    #expect(try Answer("busy=1,after=7/a.bin?busy").error == .status(503, retryAfter: 7))
    #expect(try Answer("busy=1,after=7/a.bin?busy").bytes == FaultServer.bytes)
    let past = escaped("Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(try Answer("status=429,after=\(past)/x").error?.retryAfter == 0)
    let future = escaped("Fri, 01 Jan 2100 00:00:00 GMT")
    let seconds = try #require(try Answer("status=429,after=\(future)/x").error?.retryAfter)
    #expect(seconds > 86_400)
    #expect(try Answer("status=429,after=soon/x").error == .status(429, retryAfter: nil))
  }

  @Test("a body that ends too early is an error, and what came is kept")
  func shortBodies() throws {
    let answer = try Answer("drop=5000/a.bin")
    #expect(answer.error == .shortBody(received: 5000, expected: 100_000))
    #expect(answer.bytes == Array(FaultServer.bytes[..<5000]))
    let range = try Answer("drop=5/a.bin", range: .bytes(100..<200))
    #expect(range.error == .shortBody(received: 5, expected: 100))
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"
    let broken = try Answer("raw=\(escaped(chunks))/")
    #expect(broken.error == .shortBody(received: 2, expected: nil))
    let unknown = "HTTP/1.1 206 X\r\nContent-Range: bytes 0-9/20\r\nConnection: close\r\n\r\nabc"
    let cut = try Answer("raw=\(escaped(unknown))/", range: .bytes(0..<10))
    #expect(cut.error == .shortBody(received: 3, expected: 10))
    #expect(try Answer("drop=5,times=1/a.bin?once").error != nil)
    #expect(try Answer("drop=5,times=1/a.bin?once").error == nil)
  }

  @Test("a body that stalls is an error, and what came is kept")
  func stalls() throws {
    let stalled = try Answer("stall=5000/a.bin", limits: .short)
    #expect(stalled.error == .stalled && stalled.bytes.count == 5000)
    let short = try Answer("short/a.bin", limits: .short)
    #expect(short.error == .stalled && short.bytes.count == 50_000)
    let slow = try Answer("rate=200/a.bin", limits: .short)
    #expect(slow.error == .stalled && slow.bytes.count < 2000)
    var limits = HTTPLimits.short
    limits.leastRate = 100
    #expect(try Answer("rate=500/a.bin", limits: limits, wanted: 700).error == nil)
  }

  @Test("a head that does not come is an error")
  func delay() throws {
    #expect(try Answer("delay=5000/a.bin", limits: .short).error == .noAnswer)
    #expect(try Answer("delay=100/a.bin", limits: .short).error == nil)
  }

  @Test(
    "bytes other than those asked for are an error",
    arguments: [
      "bytes 11-20/100", "bytes 10-20/100", "bytes 9-18/100", "items 10-19/100", "bytes */100",
      "bytes 10-19/15", "bytes 19-10/100", "", "bytes 10-19/100, bytes 10-19/100",
    ])
  func wrongRanges(range: String) throws {
    let raw = "HTTP/1.1 206 X\r\nContent-Range: \(range)\r\nContent-Length: 10\r\n\r\n0123456789"
    let answer = try Answer("raw=\(escaped(raw))/", range: .bytes(10..<20))
    #expect(answer.error == .wrongRange && answer.head == nil && answer.bytes.isEmpty)
  }

  @Test("a range must have its bytes, and be asked for")
  func wrongCounts() throws {
    #expect(try Answer("wrongrange/a.bin", range: .bytes(0..<100_000)).error == .wrongRange)
    let raw = "HTTP/1.1 206 X\r\nContent-Range: bytes 0-3/9\r\n"
    let unasked = escaped(raw + "Content-Length: 4\r\n\r\nabcd")
    #expect(try Answer("raw=\(unasked)/").error == .wrongRange)
    #expect(try Answer("raw=\(unasked)/", range: .bytes(0..<9)).bytes == Array("abcd".utf8))
    #expect(try Answer("raw=\(unasked)/", range: .bytes(0..<4)).error == nil)
    #expect(try Answer("raw=\(unasked)/", range: .bytes(0..<3)).error == .wrongRange)
    let longer = escaped(raw + "Content-Length: 5\r\n\r\nabcde")
    #expect(try Answer("raw=\(longer)/", range: .bytes(0..<9)).error == .wrongRange)
    let flood = escaped(raw + "Connection: close\r\n\r\nabcde")
    #expect(try Answer("raw=\(flood)/", range: .bytes(0..<9)).error == .wrongRange)
  }

  @Test("compressed bytes are an error")
  func encoding() throws {
    let answer = try Answer("gzip/a.bin")
    #expect(answer.error == .encoding && answer.head == nil)
    #expect(try Answer("header=Content-Encoding:br/a.bin").error == .encoding)
    #expect(try Answer("header=Content-Encoding:identity/a.bin").error == nil)
    let raw = "HTTP/1.1 200 X\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
    #expect(try Answer("raw=\(escaped(raw))/").error == .encoding)
  }

  @Test("a head has at most 64 KiB and 200 lines")
  func heads() throws {
    #expect(try Answer("head=60000/a.bin").error == nil)
    #expect(try Answer("head=66000/a.bin").error == .headTooLarge)
    let lines = String(repeating: "A: b\r\n", count: 200)
    #expect(try Answer("raw=\(escaped("HTTP/1.1 200 X\r\n" + lines))/").error == .headTooLarge)
  }

  @Test("what is no HTTP is an error, and so is silence")
  func garbage() throws {
    #expect(
      try Answer("raw=\(escaped("SSH-2.0-OpenSSH_9.2\r\n"))/").error
        == .malformedHead("Received HTTP/0.9 when not allowed"))
    #expect(try Answer("raw=/").error == .connectionLost)
    let twice = "HTTP/1.1 200 X\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na"
    guard case .malformedHead = try Answer("raw=\(escaped(twice))/").error else {
      Issue.record("two lengths were taken")
      return
    }
  }

  @Test(
    "a head that is none is refused",
    arguments: [
      "200 OK", "HTTP/1.1 20", "HTTP/1.1 2000 X", "HTTP/1.1 +20 X", "HTTP/1.1 099 X",
      "HTTP/1.1 200 OK\r\nx", "HTTP/1.1 200 OK\r\n a: b",
    ])
  func malformed(text: String) throws {
    let answer = try Answer("raw=\(escaped(text + "\r\nContent-Length: 2\r\n\r\nab"))/")
    guard case .malformedHead = answer.error, answer.head == nil else {
      Issue.record("'\(text)' was taken: \(String(describing: answer.error))")
      return
    }
  }

  @Test("a field that goes on in the next line is one")
  func folded() throws {
    let raw = "HTTP/1.1 302 X\r\nX: y\r\nLocation: /a\r\n\t b\r\nContent-Length: 0\r\n\r\n"
    #expect(try Answer("raw=\(escaped(raw))/").error == .redirect(.byte(0x20)))
  }

  @Test("a body that no one wants is not read on")
  func longErrors() throws {
    let raw = "HTTP/1.1 404 X\r\nContent-Length: 9000000000\r\n\r\nabc"
    #expect(try Answer("raw=\(escaped(raw))/").error == .status(404, retryAfter: nil))
    let endless = "HTTP/1.1 404 X\r\n\r\n" + String(repeating: "x", count: 2000)
    #expect(try Answer("raw=\(escaped(endless))/").error == .status(404, retryAfter: nil))
  }

  @Test("a server that is not there, or has no name, is an error")
  func unreachable() throws {
    let client = HTTPClient.local(["127.0.0.1", "nowhere.invalid"])
    let refused = Answer(HTTPRequest(try MediaURL("http://127.0.0.1:1/x")), from: client)
    #expect(refused.error == .refused("127.0.0.1:1"))
    let unknown = Answer(HTTPRequest(try MediaURL("http://nowhere.invalid/x")), from: client)
    #expect(unknown.error == .unknownHost("nowhere.invalid"))
  }

  @Test("a connection that is not made in its time is an error")
  func connectTime() throws {
    // The kernel takes the connection, and nobody answers to TLS.
    let listener = try SilentListener()
    var limits = HTTPLimits()
    limits.connectTime = .milliseconds(300)
    let url = try MediaURL("https://127.0.0.1:\(listener.port)/x")
    let answer = Answer(HTTPRequest(url), from: .local(limits: limits))
    #expect(answer.error == .connectTimeout("127.0.0.1:\(listener.port)"))
  }

  @Test("a client in the environment of this process reaches a server")
  func process() throws {
    let policy = AddressPolicy(allowedHosts: [try HostPattern("127.0.0.1")])
    let url = try FaultServer.shared.get().url("plain/a.bin")
    let receiver = Collector()
    let transport: any HTTPTransport = HTTPClient(policy: policy)
    try transport.send(HTTPRequest(url), to: receiver)
    #expect(receiver.bytes == FaultServer.bytes)
  }

  @Test("faults go together")
  func combined() throws {
    let server = try FaultServer.shared.get()
    let answer = try Answer("chunked+rate=40000+drop=8000/a.bin?combined")
    #expect(answer.error == .shortBody(received: 8000, expected: nil))
    #expect(try server.requests(for: "?combined").map { $0["bytes"] } == ["8000"])
    let damaged = try Answer("noranges+weak+corrupt=7/a.bin")
    #expect(damaged.bytes.indices.filter { damaged.bytes[$0] != FaultServer.bytes[$0] } == [7])
  }

  @Test("nothing is tried again")
  func oneRequest() throws {
    let server = try FaultServer.shared.get()
    _ = try Answer("status=503/once-only")
    #expect(try server.requests(for: "/once-only").count == 1)
  }

  @Test("a request is not sent without an option that the library refuses")
  func options() throws {
    let server = try FaultServer.shared.get()
    // Longer than curl takes it. Without the option it would read ~/.netrc.
    let client = HTTPClient.local(
      environment: ["NETRC": String(repeating: "x", count: 8_000_001)])
    let answer = Answer(HTTPRequest(try server.url("plain/a.bin?option")), from: client)
    #expect(answer.error == .option("A libcurl function was given a bad argument"))
    #expect(try server.requests(for: "?option").isEmpty)
  }

  @Test("a machine without free descriptors is not taken for a server that refuses connections")
  func descriptors() {
    #expect(HTTPError(socketError: EMFILE) == .tooManyFiles)
    #expect(HTTPError(socketError: ENFILE) == .tooManyFiles)
    #expect(HTTPError(socketError: EAFNOSUPPORT) == nil)
  }

  @Test("a library that is not there is an error")
  func library() {
    #expect(CurlLibrary(name: "libavjob-nowhere.so.4") == nil)
    #expect(CurlLibrary(name: "libc.so.6") == nil)
  }
}
