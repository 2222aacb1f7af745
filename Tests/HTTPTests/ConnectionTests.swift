import Diagnosis
import Glibc
import Synchronization
import TestSupport
import Testing
import Threads

@testable import HTTP

@Suite("Connections", .serialized)
struct ConnectionTests {
  @Test("twenty requests take one connection, errors and redirects among them")
  func keepAlive() throws {
    let server = try FaultServer.shared.get()
    let client = HTTPClient.local()
    let paths = [
      "plain/a.bin", "status=404/x", "chunked/a.bin", "redirect=302/%2Fplain%2Fa.bin",
      "busy=9/a.bin",
    ]
    for index in 0..<20 {
      let url = try server.url(paths[index % paths.count] + "?keep-alive")
      _ = Answer(HTTPRequest(url, range: .bytes(0..<500)), from: client)
    }
    let records = try server.requests(for: "?keep-alive")
    // Four were redirected.
    #expect(records.count == 24 && Set(records.map { $0["connection"] }).count == 1)
  }

  @Test("a receiver that needs nothing behind the head of a 304 keeps the connection")
  func unchanged() throws {
    let server = try FaultServer.shared.get()
    let client = HTTPClient.local()
    let url = try server.url("plain/a.bin?unchanged")
    let tag = try #require(Answer(HTTPRequest(url), from: client).head?.entityTag)
    var request = HTTPRequest(url, range: .bytes(0..<500))
    request.ifNoneMatch = tag
    for _ in 0..<5 {
      let answer = Answer(request, from: client, wanted: 0)
      #expect(answer.head?.status == 304 && answer.error == nil)
    }
    let records = try server.requests(for: "?unchanged")
    #expect(records.count == 6 && Set(records.map { $0["connection"] }).count == 1)
  }

  @Test("at most four requests run at once for one origin, and all of them in the end")
  func parallel() throws {
    let server = try FaultServer.shared.get()
    let client = HTTPClient.local()
    let active = Counter()
    let done = Counter()
    let threads = try (0..<10).map { index in
      try Thread.spawn(name: "http \(index)") {
        let receiver = Watching(active)
        guard let url = try? server.url("rate=200000/a.bin?parallel") else { return }
        let request = HTTPRequest(url, range: .bytes(0..<40_000))
        if (try? client.send(request, to: receiver)) != nil { done.add(1) }
      }
    }
    for thread in threads { thread.join() }
    #expect(active.most == 4 && done.value == 10)
    let records = try server.requests(for: "?parallel")
    #expect(records.count == 10 && Set(records.map { $0["connection"] }).count <= 4)
  }

  @Test("a request ends soon after it is cancelled, whatever it waits for")
  func cancelling() throws {
    let server = try FaultServer.shared.get()
    for path in ["stall=100/a.bin", "delay=9000/a.bin", "rate=10000/a.bin"] {
      let request = HTTPRequest(try server.url(path))
      #expect(try Self.cancelled(request, from: .local(), after: .milliseconds(200)))
    }
  }

  @Test("a request that waits for its turn ends soon after it is cancelled")
  func cancelledWait() throws {
    let server = try FaultServer.shared.get()
    var limits = HTTPLimits()
    limits.requestsPerOrigin = 1
    let client = HTTPClient.local(limits: limits)
    let flag = CancellationFlag()
    let slow = HTTPRequest(try server.url("stall=100/a.bin?turn"))
    let first = try Thread.spawn(name: "first") {
      _ = try? client.send(slow, to: Collector(flag: flag))
    }
    try wait(until: "the first request runs") { try !server.requests(for: "?turn").isEmpty }
    let second = HTTPRequest(try server.url("plain/a.bin?second"))
    #expect(try Self.cancelled(second, from: client, after: .milliseconds(50)))
    #expect(try server.requests(for: "?second").isEmpty)
    flag.cancel()
    first.join()
    #expect(Answer(second, from: client).error == nil)
  }

  /// Whether a request ends with its cancellation, within three seconds.
  private static func cancelled(
    _ request: HTTPRequest, from client: HTTPClient, after time: Duration
  ) throws -> Bool {
    let flag = CancellationFlag()
    let result = Mutex<HTTPError?>(nil)
    let thread = try Thread.spawn(name: "cancelled") {
      do throws(HTTPError) {
        try client.send(request, to: Collector(flag: flag))
      } catch {
        result.withLock { $0 = error }
      }
    }
    guard !thread.join(until: .now + time) else { return false }
    flag.cancel()
    return thread.join(until: .now + .seconds(3)) && result.withLock { $0 } == .cancelled
  }

  @Test("a receiver may take its time")
  func slowReceiver() throws {
    let server = try FaultServer.shared.get()
    let receiver = Slow()
    let request = HTTPRequest(try server.url("rate=40000/a.bin"), range: .bytes(0..<8000))
    var limits = HTTPLimits.short
    // More than arrives in the receiver's time alone.
    limits.leastRate = 10_000
    try HTTPClient.local(limits: limits).send(request, to: receiver)
    #expect(receiver.count == 8000)
  }

  @Test("a body stalls when too few bytes come for the whole time")
  func stallWatch() {
    var watch = StallWatch(time: .seconds(20), leastRate: 1024, start: .seconds(5))
    // In bursts, with pauses of less than 20 s.
    for second in 5..<100 {
      let isStalled = watch.isStalled(at: .seconds(second), bytes: Int64(second / 10) * 11_000)
      #expect(!isStalled, "\(second)")
    }
    let isStalled = watch.isStalled(at: .seconds(110), bytes: 99_000)
    #expect(isStalled)
    var slow = StallWatch(time: .seconds(20), leastRate: 1024, start: .zero)
    let found = (0..<60).first { slow.isStalled(at: .seconds($0), bytes: Int64($0) * 1000) }
    #expect(found == 20)
  }

  /// Says how many take a body.
  private final class Watching: HTTPReceiver {
    private let active: Counter
    private var left = 40_000

    init(_ active: Counter) { self.active = active }

    func take(_ head: HTTPHead) -> Bool {
      active.add(1)
      return true
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
      left -= bytes.count
      if left == 0 { active.add(-1) }
      return true
    }

    var isCancelled: Bool { false }
  }

  /// Takes longer for the first bytes than a server may.
  private final class Slow: HTTPReceiver {
    var count = 0

    func take(_ head: HTTPHead) -> Bool { true }

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
      if count == 0 { usleep(800_000) }
      count += bytes.count
      return true
    }

    var isCancelled: Bool { false }
  }
}

@Suite("Encrypted connections")
struct TLSTests {
  /// A certificate that is its own authority, for 127.0.0.1.
  private static func certificate(in folder: TestFolder) throws -> (file: String, key: String) {
    let (file, key) = (folder.path("certificate.pem"), folder.path("key.pem"))
    _ = try Tool.succeed(
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
      "-out", file)
    return (file, key)
  }

  @Test("are made with servers whose authority the environment names, and with no others")
  func authorities() throws {
    let folder = TestFolder()
    let (file, key) = try Self.certificate(in: folder)
    let server = try FaultServer.serving(tls: [file, key])
    let url = try server.url("plain/a.bin", scheme: "https")
    func error(_ environment: [String: String]) -> HTTPError? {
      Answer(HTTPRequest(url), from: .local(environment: environment)).error
    }
    #expect(
      error([:])
        == .certificate("SSL certificate problem: self-signed certificate"))
    #expect(error(["CURL_CA_BUNDLE": file]) == nil)
    #expect(error(["SSL_CERT_FILE": file]) == nil)
    guard case .certificate = error(["CURL_CA_BUNDLE": "/nonexistent"]) else {
      Issue.record("a list of authorities that is not there was taken")
      return
    }
    let client = HTTPClient.local(
      ["127.0.0.1", "localhost"], environment: ["CURL_CA_BUNDLE": file])
    let other = HTTPRequest(try server.url("plain/a.bin", host: "localhost", scheme: "https"))
    #expect(Answer(other, from: client).error?.kind == .mendMachine)
    let open = try FaultServer.shared.get().url("plain/a.bin").absoluteText
    let down = HTTPRequest(try server.url("redirect=302/\(escaped(open))", scheme: "https"))
    #expect(Answer(down, from: client).error == .downgrade)
    let up = HTTPRequest(
      try FaultServer.shared.get().url("redirect=302/\(escaped(url.absoluteText))"))
    #expect(Answer(up, from: client).bytes == FaultServer.bytes)
  }

  @Test("are not made with servers that do not encrypt")
  func plainServer() throws {
    let url = try FaultServer.shared.get().url("plain/a.bin", scheme: "https")
    guard case .tls = Answer(HTTPRequest(url), from: .local()).error else {
      Issue.record("a server without TLS was taken")
      return
    }
  }
}
