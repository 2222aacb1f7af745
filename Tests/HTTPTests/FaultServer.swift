import Diagnosis
import Glibc
import TestSupport
import Threads

@testable import HTTP

extension FaultServer {
  /// One of `a.bin`, without TLS, for all tests.
  static let shared = Result { try serving() }

  /// The bytes of `a.bin`.
  static let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

  /// A server of `a.bin`, with TLS if there are a certificate and a key.
  static func serving(tls: [String] = []) throws -> FaultServer {
    let folder = TestFolder()
    try writeFile(folder.path("a.bin"), bytes)
    return try FaultServer(of: folder, tls: tls)
  }

  func url(_ path: String, host: String = "127.0.0.1", scheme: String = "http") throws -> MediaURL {
    try MediaURL("\(scheme)://\(host):\(port)/\(path)")
  }
}

extension HTTPClient {
  /// A client that may ask this machine by its address, outside of the tests' environment.
  static func local(
    _ hosts: [String] = ["127.0.0.1"], limits: HTTPLimits = HTTPLimits(),
    environment: [String: String] = [:]
  ) -> HTTPClient {
    HTTPClient(
      policy: AddressPolicy(allowedHosts: hosts.compactMap { try? HostPattern($0) }),
      limits: limits,
      environment: NetworkEnvironment(["NETRC": "/nonexistent"].merging(environment) { $1 }))
  }
}

extension HTTPLimits {
  /// Limits for tests of what takes too long.
  static let short = {
    var limits = HTTPLimits()
    (limits.connectTime, limits.headTime) = (.seconds(1), .milliseconds(500))
    (limits.stallTime, limits.leastRate) = (.milliseconds(500), 1024)
    return limits
  }()
}

/// What a receiver got.
struct Answer {
  let head: HTTPHead?
  let heads: Int
  let bytes: [UInt8]
  let error: HTTPError?

  /// The answer to a request, of which so many bytes are wanted.
  init(_ request: HTTPRequest, from client: HTTPClient, wanted: Int = .max) {
    let receiver = Collector(wanted: wanted)
    do throws(HTTPError) {
      try client.send(request, to: receiver)
      error = nil
    } catch {
      self.error = error
    }
    (head, heads, bytes) = (receiver.head, receiver.heads, receiver.bytes)
  }

  /// The answer of the shared server to a request for a path.
  init(
    _ path: String, range: HTTPRequest.Range = .whole, limits: HTTPLimits = HTTPLimits(),
    wanted: Int = .max
  ) throws {
    let url = try FaultServer.shared.get().url(path)
    self.init(HTTPRequest(url, range: range), from: .local(limits: limits), wanted: wanted)
  }
}

/// Keeps what it gets.
final class Collector: HTTPReceiver {
  private(set) var head: HTTPHead?
  private(set) var heads = 0
  private(set) var bytes: [UInt8] = []
  private let wanted: Int
  private let flag: CancellationFlag

  init(wanted: Int = .max, flag: CancellationFlag = CancellationFlag()) {
    (self.wanted, self.flag) = (wanted, flag)
  }

  func take(_ head: HTTPHead) -> Bool {
    self.head = head
    heads += 1
    return wanted > 0
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    self.bytes += bytes
    return self.bytes.count < wanted
  }

  var isCancelled: Bool { flag.isCancelled }
}

/// A port of this machine where connections are never accepted, and never refused.
final class SilentListener {
  let port: Int
  private let socket: Int32

  init() throws { (socket, port) = try listeningSocket() }

  deinit { close(socket) }
}

/// A port of this machine where every connection gets the same bytes, and is closed.
final class AnsweringListener {
  let port: Int
  private let socket: Int32
  private let thread: Thread

  /// A listener that answers with `bytes`, once it has been sent some.
  init(_ bytes: [UInt8], isReset: Bool = false) throws {
    let (socket, port) = try listeningSocket()
    (self.socket, self.port) = (socket, port)
    thread = try Thread.spawn(name: "listener") {
      while case let connection = accept(socket, nil, nil), connection >= 0 {
        var request = [UInt8](repeating: 0, count: 4096)
        _ = recv(connection, &request, request.count, 0)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        var linger = linger(l_onoff: isReset ? 1 : 0, l_linger: 0)
        setsockopt(
          connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close(connection)
      }
    }
  }

  /// A listener that answers with a text.
  convenience init(_ text: String, isReset: Bool = false) throws {
    try self.init(Array(text.utf8), isReset: isReset)
  }

  deinit {
    // Ends accept(2).
    shutdown(socket, Int32(SHUT_RDWR))
    thread.join()
    close(socket)
  }
}

/// A socket that listens on a free port of this machine.
private func listeningSocket() throws -> (socket: Int32, port: Int) {
  let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let status = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(socket, $0, size) | listen(socket, 5) | getsockname(socket, $0, &size)
    }
  }
  guard status == 0 else {
    close(socket)
    throw ToolFailure(description: "no port to listen on")
  }
  return (socket, Int(UInt16(bigEndian: address.sin_port)))
}
