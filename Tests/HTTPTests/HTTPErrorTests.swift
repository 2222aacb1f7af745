import Diagnosis
import TestSupport
import Testing

@testable import HTTP

@Suite("Errors of HTTP")
struct HTTPErrorTests {
  private static let later = "try again later"
  private static let other =
    "download the file with another program and use its path, or tell the server's owner"
  private static let table: [(HTTPError, Failure.Remedy, String, String)] = [
    (
      .unknownHost("h"), .tryAgain, "the server's name 'h' has no address",
      "check the server's name and the network connection"
    ),
    (
      .refused("h:1"), .tryAgain, "'h:1' cannot be connected to",
      "check the port and the network connection, or try again later"
    ),
    (
      .connectTimeout("h"), .tryAgain, "connecting to 'h' takes too long",
      "check the port and the network connection, or try again later"
    ),
    (.connectionLost, .tryAgain, "the connection broke before the server answered", later),
    (
      .tls("x"), .tryAgain, "the connection cannot be encrypted: x",
      "check that the port serves https://, or try again later"
    ),
    (
      .certificate("x"), .mendMachine, "the server's certificate is not trusted: x",
      "update the package ca-certificates, or set CURL_CA_BUNDLE to a file with the authority"
    ),
    (
      .proxy("x"), .mendMachine, "the proxy failed: x",
      "check the variables http_proxy, https_proxy, all_proxy and no_proxy"
    ),
    (.forbiddenHost("h:1"), .mendJob, "'h:1' is not an allowed host", "add --allow-host 'h:1'"),
    (
      .forbiddenAddress("h", .linkLocal), .mendJob,
      "'h' has a link-local address, which is not allowed",
      "add --allow-host 'h' if you trust this server"
    ),
    (
      .tooManyRedirects(8), .mendJob, "the server redirects more than 8 times",
      "use the address that the redirects lead to"
    ),
    (
      .downgrade, .mendJob, "the server redirects from https:// to http://",
      "use an https:// address that stays encrypted, or an http:// address"
    ),
    (
      .redirect(.otherScheme("file")), .mendJob,
      "the server redirects to an address that is refused: what 'file://' leads to is not read",
      "use the final address of the file"
    ),
    (
      .redirectWithoutTarget, .mendJob, "the server redirects without an address",
      "use the final address of the file"
    ),
    (
      .status(404, retryAfter: nil), .mendJob, "the server answered 404 (Not Found)",
      "check the path of the address"
    ),
    (
      .status(410, retryAfter: nil), .mendJob, "the server answered 410 (Gone)",
      "check the path of the address"
    ),
    (
      .status(401, retryAfter: nil), .mendJob, "the server answered 401 (Unauthorized)",
      "add the server's user and password to ~/.netrc, or check those that it has"
    ),
    (
      .status(403, retryAfter: nil), .mendJob, "the server answered 403 (Forbidden)",
      "add the server's user and password to ~/.netrc, or check those that it has"
    ),
    (
      .status(407, retryAfter: nil), .mendMachine,
      "the server answered 407 (Proxy Authentication Required)",
      "add user and password to the variable of the proxy, such as https_proxy"
    ),
    (.status(418, retryAfter: nil), .mendJob, "the server answered 418", "check the address"),
    (
      .status(429, retryAfter: 30), .tryAgain, "the server answered 429 (Too Many Requests)",
      "try again in 30 s"
    ),
    (.status(408, retryAfter: nil), .tryAgain, "the server answered 408 (Request Timeout)", later),
    (.status(425, retryAfter: nil), .tryAgain, "the server answered 425 (Too Early)", later),
    (
      .status(503, retryAfter: nil), .tryAgain, "the server answered 503 (Service Unavailable)",
      later
    ),
    (.stalled, .tryAgain, "the server stopped sending", later),
    (.noAnswer, .tryAgain, "the server accepted the request and did not answer", later),
    (
      .shortBody(received: 5, expected: 9), .tryAgain, "the connection ended after 5 of 9 bytes",
      later
    ),
    (
      .shortBody(received: 5, expected: nil), .tryAgain,
      "the connection ended too early, after 5 bytes", later
    ),
    (.wrongRange, .mendJob, "the server sent other bytes than those requested", other),
    (.encoding, .mendJob, "the server sent compressed data, which was not requested", other),
    (.headTooLarge, .mendJob, "the head of the server's answer is too large", other),
    (.malformedHead("x"), .mendJob, "the head of the server's answer is malformed: x", other),
    (
      .libraryMissing, .mendMachine, "the library libcurl.so.4 cannot be loaded",
      "install the package libcurl4"
    ),
    (.cancelled, .tryAgain, "the download was cancelled", "run the job again"),
    (
      .invalidRequest("x"), .reportBug, "the request is invalid: x",
      "report this as a bug of avjob"
    ),
    (.other("x"), .tryAgain, "the download failed: x", later),
  ]

  @Test("say what is wrong and what to do")
  func words() {
    for (error, kind, fault, remedy) in Self.table {
      #expect(error.fault == fault)
      #expect(error.remedy == remedy)
      #expect(error.kind == kind, "\(error)")
    }
  }

  @Test("show no secret, no query, and nothing that a terminal acts on")
  func secrets() throws {
    let server = try FaultServer.shared.get()
    let secrets = "anna:hush@"
    for path in [
      "status=500/x", "raw=\(escaped("HTTP/1.1 500 \u{1B}[2J\r\n\r\n"))/", "loop/x",
      "wrongrange/a.bin",
      "raw=\(escaped("\u{1B}]0;x\u{7}\r\n"))/", "redirect=302/\(escaped("x://\u{1B}[2J/"))",
      "raw=\(escaped("HTTP/1.1 200 X\r\nContent-Length: \u{1B}\r\n\r\n"))/",
      "raw=\(escaped("HTTP/1.1 200 X\r\nTransfer-Encoding: \u{1B}\r\n\r\n"))/", "gzip/a.bin",
    ] {
      let url = try MediaURL("http://\(secrets)127.0.0.1:\(server.port)/\(path)?sig=hush")
      let answer = Answer(HTTPRequest(url, range: .from(1)), from: .local())
      let error = try #require(answer.error, "\(path)")
      let text = error.fault + error.remedy
      #expect(!text.contains("hush") && !text.contains("anna") && !text.contains("sig"))
      #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(text)")
    }
  }

  @Test("show no password of a proxy")
  func proxySecrets() throws {
    let request = HTTPRequest(try MediaURL("http://h.org/"))
    for proxy in [
      "http://anna:hush@127.0.0.1:1", "anna:hush@127.0.0.1:x", "anna:hush@[", "x://anna:hush@h",
      "http://anna:hush@h h:1", "http://anna:hush@nowhere.invalid",
    ] {
      let error = Answer(request, from: .local([], environment: ["http_proxy": proxy])).error
      let fault = try #require(error, "\(proxy)").fault
      #expect(fault.hasPrefix("the proxy failed: ") && !fault.contains("hush"), "\(fault)")
    }
  }

  @Test("a validator that would end its line is not sent")
  func injection() throws {
    let server = try FaultServer.shared.get()
    // No URL holds a line break: see also the tests of `MediaURL`.
    for text in ["http://h/a\r\nX: y", "http://h/?a\nb", "http://h\r/", "http://u\n@h/"] {
      #expect(throws: MediaURLError.self) { try MediaURL(text) }
    }
    let encoded = HTTPRequest(try server.url("plain/a.bin?%0D%0AInjected:%20x"))
    #expect(Answer(encoded, from: .local()).bytes == FaultServer.bytes)
    for text in ["\"a\"\r\nX: y", "\"a\"\nX", "", "\"\0\"", "ü", "\t"] {
      var request = HTTPRequest(try server.url("plain/a.bin?injected"), range: .from(0))
      request.ifRange = text
      guard case .invalidRequest = Answer(request, from: .local()).error else {
        Issue.record("'\(text)' was sent")
        continue
      }
    }
    for range in [HTTPRequest.Range.from(-1), .bytes(5..<5), .bytes(-1..<4), .from(.max)] {
      let request = HTTPRequest(try server.url("plain/a.bin?injected"), range: range)
      #expect(Answer(request, from: .local()).error == .invalidRequest("no such range"))
    }
    #expect(try server.requests(for: "?injected").isEmpty)
    #expect(try server.requests(for: "?%0D%0AInjected:%20x").count == 1)
  }
}
