import Diagnosis
import Glibc

internal import CCurl

/// One request to one server, and its answer: what curl's callbacks work on. Of one thread.
final class Exchange {
  let url: MediaURL
  let fields: RequestFields
  private let receiver: any HTTPReceiver
  let handle: CurlHandle
  private let policy: AddressPolicy
  private let limits: HTTPLimits
  let isProxied: Bool

  private var parser: HeadParser
  private(set) var head: AnswerHead?
  /// Bytes of the body that the receiver got, and those that 206 announces; nil without it.
  private(set) var received: Int64 = 0
  private(set) var announced: Int64?
  /// Bytes of the body that nobody wants.
  private var discarded: Int64 = 0
  private var isDiscarding = false
  private(set) var hasEnough = false
  /// Why a callback ended the request.
  private var failure: HTTPError?
  /// Why the last address was not connected to; nil as soon as one was.
  private(set) var refusal: HTTPError?
  private var hasOpened = false

  private let start = ContinuousClock.now
  /// Spent in the receiver.
  private var absence: Duration = .zero
  private var watch: StallWatch?
  /// When the body that nobody wants began.
  private var discardStart: ContinuousClock.Instant?

  init(
    url: MediaURL, fields: RequestFields, receiver: any HTTPReceiver, handle: CurlHandle,
    policy: AddressPolicy, limits: HTTPLimits, isProxied: Bool
  ) {
    (self.url, self.fields, self.receiver, self.handle) = (url, fields, receiver, handle)
    (self.policy, self.limits, self.isProxied) = (policy, limits, isProxied)
    parser = HeadParser(bytes: limits.headBytes, lines: limits.headLines)
  }

  /// Sends the request and receives the answer; returns where a redirect leads, as the server says
  /// it.
  ///
  /// - Throws: `HTTPError`
  func run(
    environment: NetworkEnvironment, proxy: String?,
    credentials: (user: String, password: String)?
  ) throws(HTTPError) -> String? {
    let list = try CurlList(fields.lines, library: handle.library)
    let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    text.initialize(repeating: 0)
    defer { text.deallocate() }
    handle.set(CURLOPT_ERRORBUFFER, pointer: UnsafeMutableRawPointer(text.baseAddress))
    handle.set(CURLOPT_HTTPHEADER, list)
    // After it nothing of this exchange is used any more.
    defer { handle.reset() }
    try setOptions(environment: environment, proxy: proxy, credentials: credentials)
    setCallbacks()
    let code = withExtendedLifetime((self, list)) { handle.perform() }
    if let failure { throw failure }
    if isDiscarding, let head { return try conclude(head) }
    if hasEnough { return nil }
    let words = HTTPText.printable(text.lazy.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 })
    if let error = error(code, words: words) { throw error }
    return nil
  }

  private func setOptions(
    environment: NetworkEnvironment, proxy: String?,
    credentials: (user: String, password: String)?
  ) throws(HTTPError) {
    guard handle.setProtocols(), handle.set(CURLOPT_URL, url.withoutCredentials.absoluteText),
      handle.set(CURLOPT_SSL_VERIFYPEER, 1), handle.set(CURLOPT_SSL_VERIFYHOST, 2),
      // CURL_SSLVERSION_TLSv1_2
      handle.set(CURLOPT_SSLVERSION, 6)
    else { throw .libraryMissing }
    handle.set(CURLOPT_FOLLOWLOCATION, 0)
    handle.set(CURLOPT_NOSIGNAL, 1)
    handle.set(CURLOPT_HTTP_VERSION, 4)  // CURL_HTTP_VERSION_2TLS; without HTTP/2: HTTP/1.1
    handle.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    handle.set(CURLOPT_TCP_KEEPALIVE, 1)
    handle.set(CURLOPT_BUFFERSIZE, 65_536)
    handle.set(CURLOPT_MAXCONNECTS, 1)
    handle.set(CURLOPT_USERAGENT, "avjob")
    let connectTime = min(limits.connectTime, .seconds(86_400)) / .milliseconds(1)
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(connectTime)))
    // "" keeps curl from reading the environment: what was checked is what is used.
    handle.set(CURLOPT_PROXY, proxy ?? "")
    handle.set(CURLOPT_NOPROXY, "")
    handle.set(CURLOPT_HTTPAUTH, 1)  // CURLAUTH_BASIC
    if let credentials {
      handle.set(CURLOPT_USERNAME, credentials.user)
      handle.set(CURLOPT_PASSWORD, credentials.password)
    } else {
      handle.set(CURLOPT_NETRC, 1)  // CURL_NETRC_OPTIONAL
      if let file = environment.passwordFile { handle.set(CURLOPT_NETRC_FILE, file) }
    }
    if let file = environment.authorityFile {
      handle.set(CURLOPT_CAINFO, file)
      handle.set(CURLOPT_PROXY_CAINFO, file)
    }
    if let folder = environment.authorityFolder {
      handle.set(CURLOPT_CAPATH, folder)
      handle.set(CURLOPT_PROXY_CAPATH, folder)
    }
  }

  private func setCallbacks() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    handle.set(CURLOPT_HEADERFUNCTION, takeLine)
    handle.set(CURLOPT_HEADERDATA, pointer: context)
    handle.set(CURLOPT_WRITEFUNCTION, takeBody)
    handle.set(CURLOPT_WRITEDATA, pointer: context)
    handle.setProgress(takeProgress)
    handle.set(CURLOPT_XFERINFODATA, pointer: context)
    handle.set(CURLOPT_NOPROGRESS, 0)
    handle.setOpen(openSocket)
    handle.set(CURLOPT_OPENSOCKETDATA, pointer: context)
  }

  /// Takes a line of the head; returns whether the request goes on.
  fileprivate func take(line: UnsafeRawBufferPointer) -> Bool {
    do throws(HTTPError) {
      guard case .end(let head) = try parser.take(line) else { return true }
      self.head = head
      return try begin(head)
    } catch {
      failure = error
      return false
    }
  }

  /// Decides what becomes of the body.
  private func begin(_ head: AnswerHead) throws(HTTPError) -> Bool {
    watch = StallWatch(time: limits.stallTime, leastRate: limits.leastRate, start: activeTime)
    switch head.status {
    case 200: if head.isEncoded { throw .encoding }
    case 206:
      if head.isEncoded { throw .encoding }
      announced = try countOfRange(in: head)
    case 304 where fields.isConditional: break
    case 416 where fields.range != nil: isDiscarding = true
    default:
      isDiscarding = true
      return head.contentLength ?? 0 <= limits.discardedBytes
    }
    if isDiscarding { discardStart = .now }
    hasEnough = !whileAbsent { receiver.take(HTTPHead(head)) }
    return !hasEnough && (!isDiscarding || head.contentLength ?? 0 <= limits.discardedBytes)
  }

  /// Bytes of a 206, which must be the first ones of those asked for.
  private func countOfRange(in head: AnswerHead) throws(HTTPError) -> Int64 {
    guard let asked = fields.range, let given = head.contentRange?.bytes,
      given.lowerBound == asked.lowerBound, given.upperBound <= asked.upperBound
    else { throw .wrongRange }
    let count = given.upperBound - given.lowerBound
    guard count == head.contentLength ?? count else { throw .wrongRange }
    return count
  }

  /// Takes bytes of the body; returns whether the request goes on.
  fileprivate func take(body: UnsafeRawBufferPointer) -> Bool {
    if isDiscarding {
      discarded += Int64(body.count)
      return discarded <= limits.discardedBytes
    }
    if let announced, Int64(body.count) > announced - received {
      failure = .wrongRange
      return false
    }
    received += Int64(body.count)
    hasEnough = !whileAbsent { receiver.take(body) }
    // At its end an answer is let through: to break it off would cost the connection.
    return !hasEnough || received == announced ?? head?.contentLength
  }

  /// Looks whether the request is still wanted, and gets on.
  fileprivate func mayGoOn() -> Bool {
    if whileAbsent({ receiver.isCancelled }) {
      failure = .cancelled
    } else if isDiscarding {
      let begin = discardStart ?? .now
      discardStart = begin
      return ContinuousClock.now - begin < .seconds(1)
    } else if watch?.isStalled(at: activeTime, bytes: received) == true {
      failure = .stalled
    } else if head == nil, activeTime > limits.headTime {
      failure = .noAnswer
    }
    return failure == nil
  }

  /// Opens a socket for an address, if that is allowed.
  fileprivate func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
    if !isProxied {
      do throws(HTTPError) {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = avjob_curl_address(address, &bytes)
        guard let found = NetworkAddress(bytes: Array(bytes.prefix(count))) else { return -1 }
        try policy.check(found, of: url)
      } catch {
        if !hasOpened { refusal = error }
        return -1
      }
    }
    (hasOpened, refusal) = (true, nil)
    return avjob_curl_socket(address)
  }

  /// Time since the start without that of the receiver.
  private var activeTime: Duration { ContinuousClock.now - start - absence }

  private func whileAbsent<Result>(_ body: () -> Result) -> Result {
    let begin = ContinuousClock.now
    defer { absence += ContinuousClock.now - begin }
    return body()
  }
}

// C functions, which belong to no actor: curl calls them on the thread of `Exchange.run`.

private func exchange(_ context: UnsafeMutableRawPointer?) -> Exchange? {
  context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
}

private func takeLine(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return exchange(context)?.take(line: line) == true ? line.count : -1
}

private func takeBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return exchange(context)?.take(body: body) == true ? body.count : -1
}

private func takeProgress(
  _ context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> Int32 {
  exchange(context)?.mayGoOn() == true ? 0 : 1
}

private func openSocket(
  _ context: UnsafeMutableRawPointer?, _: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let address, let exchange = exchange(context) else { return -1 }
  return exchange.open(address)
}
