import Diagnosis
import TestSupport
import Testing

@testable import HTTP

@Suite("Faults of proxies")
struct ProxyTests {
  private func error(
    through proxy: String, of url: String = "https://h.org/a", limits: HTTPLimits = HTTPLimits()
  ) throws -> HTTPError? {
    let client = HTTPClient.local([], limits: limits, environment: ["all_proxy": proxy])
    return Answer(HTTPRequest(try MediaURL(url)), from: client).error
  }

  @Test(
    "a proxy that cannot reach the server now is no fault of the machine's settings",
    arguments: [502, 503, 504, 500, 429])
  func badGateway(status: Int) throws {
    let proxy = try AnsweringListener("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")
    let found = try error(through: "http://127.0.0.1:\(proxy.port)")
    #expect(found == .proxyStatus(status) && found?.kind == .tryAgain)
  }

  @Test("a proxy that refuses the user, or the server, is one", arguments: [403, 407])
  func refused(status: Int) throws {
    let proxy = try AnsweringListener(
      "HTTP/1.1 \(status) X\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
    let found = try error(through: "http://127.0.0.1:\(proxy.port)")
    #expect(found == .proxyStatus(status) && found?.kind == .mendMachine)
  }

  @Test(
    "a proxy that closes or resets the connection may be tried again", arguments: [false, true])
  func closed(isReset: Bool) throws {
    let proxy = try AnsweringListener("", isReset: isReset)
    for url in ["https://h.org/a", "http://h.org/a"] {
      #expect(try error(through: "http://127.0.0.1:\(proxy.port)", of: url) == .connectionLost)
    }
  }

  @Test("a proxy that does not answer may be tried again")
  func timeout() throws {
    let listener = try SilentListener()
    let proxy = "http://127.0.0.1:\(listener.port)"
    // The tunnel belongs to the connection.
    var limits = HTTPLimits()
    limits.connectTime = .milliseconds(300)
    #expect(try error(through: proxy, limits: limits) == .connectTimeout("h.org"))
    limits = HTTPLimits()
    limits.headTime = .milliseconds(300)
    #expect(try error(through: proxy, of: "http://h.org/a", limits: limits) == .noAnswer)
  }

  @Test(
    "a SOCKS proxy that cannot reach the server may be tried again, and one that forbids it is not",
    arguments: [
      (4, HTTPError.refused("h.org")), (5, .refused("h.org")), (2, nil),
    ] as [(UInt8, HTTPError?)])
  func socks(reply: UInt8, expected: HTTPError?) throws {
    // RFC 1928: no authentication; the reply, and the address 0.0.0.0:0.
    let proxy = try AnsweringListener([5, 0, 5, reply, 0, 1, 0, 0, 0, 0, 0, 0])
    let found = try #require(try error(through: "socks5h://127.0.0.1:\(proxy.port)"))
    #expect(expected == nil ? found.kind == .mendMachine : found == expected, "\(found)")
  }

  @Test("a proxy that is not there, or has no name, is a fault of the machine's settings")
  func missing() throws {
    for proxy in ["http://127.0.0.1:1", "http://nowhere.invalid:1", "x://127.0.0.1:1"] {
      #expect(try error(through: proxy)?.kind == .mendMachine, "\(proxy)")
    }
  }
}
