import Diagnosis
import TestSupport
import Testing

@testable import HTTP

@Suite("Errors of HTTP")
struct HTTPErrorTests {
  private static let curl = OptionalLibrary.curl.packageName

  /// One error of each kind, and of each remedy of a status.
  private static let all: [HTTPError] = [
    .unknownHost("h"), .refused("h:1"), .connectTimeout("h"), .connectionLost, .tls("x"),
    .certificate("x"), .proxy("x"), .proxyUnreachable, .proxyStatus(403), .proxyStatus(407),
    .proxyStatus(503),
    .forbiddenHost("h:1"), .forbiddenAddress("h", .private),
    .forbiddenAddressOfName("h", .linkLocal), .tooManyRedirects(8), .downgrade,
    .redirect(.otherScheme("file")), .redirectWithoutTarget, .status(401, retryAfter: nil),
    .status(404, retryAfter: nil), .status(407, retryAfter: nil), .status(418, retryAfter: nil),
    .status(429, retryAfter: 30), .status(503, retryAfter: nil), .stalled, .noAnswer,
    .shortBody(received: 5, expected: 9), .shortBody(received: 5, expected: nil), .wrongRange,
    .encoding, .headTooLarge, .malformedHead("x"), .libraryMissing, .option("x"), .tooManyFiles,
    .cancelled, .invalidRequest("x"), .other("x"),
  ]

  private static let download =
    "download the file with another program and use its path, "
    + "or report it to the server's operator"
  private static let variables =
    "check the variables http_proxy, https_proxy, all_proxy and no_proxy"

  @Test("say what is wrong and what to do")
  func screen() {
    let found = Self.all.map { "\($0.kind): \($0.fault); \($0.remedy)" }.joined(separator: "\n")
    expect(
      found,
      """
      tryAgain: the server's name 'h' has no address; check the server's name and the network \
      connection
      tryAgain: 'h:1' cannot be connected to; check the port and the network connection, or try \
      again later
      tryAgain: connecting to 'h' takes too long; check the port and the network connection, or \
      try again later
      tryAgain: the connection broke before the server answered; try again later
      tryAgain: the connection cannot be encrypted: x; check that the port serves https://, or \
      try again later
      mendMachine: the server's certificate is not trusted: x; update the package \
      ca-certificates, or set CURL_CA_BUNDLE to a file with the authority
      mendMachine: the proxy failed: x; \(Self.variables)
      tryAgain: the proxy cannot be connected to; check the network connection and the variables of \
      proxies, or try again later
      mendMachine: the proxy answered 403 (Forbidden); \(Self.variables)
      mendMachine: the proxy answered 407 (Proxy Authentication Required); add user and password \
      to the variable of the proxy, such as https_proxy
      tryAgain: the proxy answered 503 (Service Unavailable); try again later
      mendJob: 'h:1' is not an allowed host; add --allow-host 'h:1'
      mendJob: 'h' has a private address, which is not allowed; add --allow-host 'h' if you trust \
      this server
      mendJob: the name 'h' has a link-local address, which is not allowed for names; write the \
      address instead of the name, and allow it, if you trust this server
      mendJob: the server redirects more than 8 times; use the address that the redirects lead to
      mendJob: the server redirects from https:// to http://; use an https:// address that stays \
      encrypted, or an http:// address
      mendJob: the server redirects to an address that is refused: 'file://' is not supported; \
      use the final address of the file
      mendJob: the server redirects without an address; use the final address of the file
      mendJob: the server answered 401 (Unauthorized); add the server's user and password to \
      ~/.netrc, or check them
      mendJob: the server answered 404 (Not Found); check the path of the address
      mendMachine: the server answered 407 (Proxy Authentication Required); add user and password \
      to the variable of the proxy, such as https_proxy
      mendJob: the server answered 418; check the address
      tryAgain: the server answered 429 (Too Many Requests); try again in 30 s
      tryAgain: the server answered 503 (Service Unavailable); try again later
      tryAgain: the server stopped sending; try again later
      tryAgain: the server accepted the request and did not answer; try again later
      tryAgain: the connection ended after 5 of 9 bytes; try again later
      tryAgain: the connection ended too early, after 5 bytes; try again later
      mendInput: the server sent other bytes than those requested; \(Self.download)
      mendInput: the server sent compressed data, which was not requested; \(Self.download)
      mendInput: the head of the server's answer is too large; \(Self.download)
      mendInput: the head of the server's answer is malformed: x; \(Self.download)
      mendMachine: the library libcurl.so.4 cannot be loaded; install the package \(Self.curl), \
      7.85 or newer
      mendMachine: the library libcurl.so.4 refuses an option: x; update the package \(Self.curl)
      tryAgain: no connection can be opened: too many open files; raise the limit with ulimit -n \
      or run fewer jobs at once
      tryAgain: the download was cancelled; run the job again
      reportBug: the request is invalid: x; report this as a bug of avjob
      tryAgain: the download failed: x; try again later
      """)
  }

  @Test("of statuses are tried again if they may pass")
  func statuses() {
    for status in 204...599 {
      let mayPass = status >= 500 || [408, 425, 429].contains(status)
      #expect((HTTPError.status(status, retryAfter: nil).kind == .tryAgain) == mayPass)
      #expect((HTTPError.proxyStatus(status).kind == .tryAgain) == mayPass)
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
      let answer = Answer(HTTPRequest(url, range: .bytes(1..<9)), from: .local())
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
      var request = HTTPRequest(try server.url("plain/a.bin?injected"), range: .bytes(0..<9))
      request.ifRange = text
      guard case .invalidRequest = Answer(request, from: .local()).error else {
        Issue.record("'\(text)' was sent")
        continue
      }
    }
    for range in [HTTPRequest.Range.bytes(5..<5), .bytes(-1..<4)] {
      let request = HTTPRequest(try server.url("plain/a.bin?injected"), range: range)
      #expect(Answer(request, from: .local()).error == .invalidRequest("no such range"))
    }
    #expect(try server.requests(for: "?injected").isEmpty)
    #expect(try server.requests(for: "?%0D%0AInjected:%20x").count == 1)
  }
}
