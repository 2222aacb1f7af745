import Diagnosis
import Glibc

internal import CCurl

/// One request to one server, and its answer: the context of curl's callbacks. Used by one thread.
final class Exchange {
  let url: MediaURL
  let fields: RequestFields
  private let receiver: any HTTPReceiver
  let handle: CurlHandle
  private let policy: AddressPolicy
  private let limits: HTTPLimits
  let isProxied: Bool

  private(set) var head: HTTPHead?
  /// The bytes and lines of all heads so far.
  private var (headBytes, headLines) = (0, 0)
  private var headForm = HeadForm()
  /// Bytes of the body that the receiver got, and the count that a 206 announces; nil without a
  /// 206.
  private(set) var received: Int64 = 0
  private(set) var announced: Int64?
  /// Bytes of a body that the receiver does not get.
  private var discarded: Int64 = 0
  private var isDiscarding = false
  private(set) var hasEnough = false
  /// Why a callback ended the request.
  private var failure: HTTPError?
  /// Why no socket was opened for the last address; nil as soon as one was opened.
  private(set) var refusal: HTTPError?
  private var hasOpened = false

  private let start = ContinuousClock.now
  /// The time spent in the receiver.
  private var timeInReceiver: Duration = .zero
  private var watch: StallWatch?
  /// The start of a body that the receiver does not get.
  private var discardStart: ContinuousClock.Instant?

  init(
    url: MediaURL, fields: RequestFields, receiver: any HTTPReceiver, handle: CurlHandle,
    policy: AddressPolicy, limits: HTTPLimits, isProxied: Bool
  ) {
    (self.url, self.fields, self.receiver, self.handle) = (url, fields, receiver, handle)
    (self.policy, self.limits, self.isProxied) = (policy, limits, isProxied)
  }

  /// Sends the request and receives the answer; returns the Location of a redirect, or nil.
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
    // The handle keeps no pointer to anything of this exchange.
    defer { handle.reset() }
    try handle.set(CURLOPT_ERRORBUFFER, pointer: UnsafeMutableRawPointer(text.baseAddress))
    try handle.set(CURLOPT_HTTPHEADER, pointer: UnsafeMutableRawPointer(list.first))
    try setOptions()
    try setServers(environment: environment, proxy: proxy, credentials: credentials)
    try setCallbacks()
    let code = withExtendedLifetime((self, list)) { handle.perform() }
    if let failure { throw failure }
    if isDiscarding, let head { return try conclude(head) }
    if hasEnough { return nil }
    let words = HTTPText.printable(text.lazy.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 })
    if let error = error(code, words: words) { throw error }
    return nil
  }

  private func setOptions() throws(HTTPError) {
    try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
    try handle.set(CURLOPT_URL, url.withoutCredentials.absoluteText)
    try handle.set(CURLOPT_FOLLOWLOCATION, 0)
    try handle.set(CURLOPT_NOSIGNAL, 1)
    try handle.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try handle.set(CURLOPT_MAXCONNECTS, 1)
    try handle.set(CURLOPT_USERAGENT, "avjob")
    let connectTime = min(limits.connectTime, .seconds(86_400)) / .milliseconds(1)
    try handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(connectTime)))
    // A request ends while its name is still resolved; libraries before 7.87 wait for that.
    handle.setIfKnown(CURLOPT_QUICK_EXIT, 1)
    // CURL_HTTP_VERSION_2TLS; a library without HTTP/2 refuses it, and speaks HTTP/1.1.
    handle.setIfKnown(CURLOPT_HTTP_VERSION, 4)
    handle.setIfKnown(CURLOPT_TCP_KEEPALIVE, 1)
    handle.setIfKnown(CURLOPT_BUFFERSIZE, 65_536)
  }

  /// Sets the options that say which servers are connected to and believed, and with what
  /// passwords.
  private func setServers(
    environment: NetworkEnvironment, proxy: String?,
    credentials: (user: String, password: String)?
  ) throws(HTTPError) {
    try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
    try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
    try handle.set(CURLOPT_SSLVERSION, 6)  // CURL_SSLVERSION_TLSv1_2
    // "" keeps curl from reading the environment itself, which may have changed since the check.
    try handle.set(CURLOPT_PROXY, proxy ?? "")
    try handle.set(CURLOPT_NOPROXY, "")
    try handle.set(CURLOPT_HTTPAUTH, 1)  // CURLAUTH_BASIC
    if let credentials {
      try handle.set(CURLOPT_USERNAME, credentials.user)
      try handle.set(CURLOPT_PASSWORD, credentials.password)
    } else {
      try handle.set(CURLOPT_NETRC, 1)  // CURL_NETRC_OPTIONAL
      if let file = environment.passwordFile { try handle.set(CURLOPT_NETRC_FILE, file) }
    }
    if let file = environment.authorityFile(
      builtIn: handle.authorityFile, isReadable: { access($0, R_OK) == 0 })
    {
      try handle.set(CURLOPT_CAINFO, file)
      try handle.set(CURLOPT_PROXY_CAINFO, file)
    }
    if let folder = environment.authorityFolder {
      try handle.set(CURLOPT_CAPATH, folder)
      try handle.set(CURLOPT_PROXY_CAPATH, folder)
    }
  }

  private func setCallbacks() throws(HTTPError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    try handle.set(CURLOPT_HEADERFUNCTION, takeLine)
    try handle.set(CURLOPT_HEADERDATA, pointer: context)
    try handle.set(CURLOPT_WRITEFUNCTION, takeBody)
    try handle.set(CURLOPT_WRITEDATA, pointer: context)
    try handle.set(CURLOPT_XFERINFOFUNCTION, takeProgress)
    try handle.set(CURLOPT_XFERINFODATA, pointer: context)
    try handle.set(CURLOPT_NOPROGRESS, 0)
    try handle.set(CURLOPT_OPENSOCKETFUNCTION, openSocket)
    try handle.set(CURLOPT_OPENSOCKETDATA, pointer: context)
  }

  /// Takes a line of a head; returns whether the request goes on.
  fileprivate func take(line: UnsafeRawBufferPointer) -> Bool {
    headBytes += line.count
    headLines += 1
    do throws(HTTPError) {
      guard headBytes <= limits.headBytes, headLines <= limits.headLines else {
        throw .headTooLarge
      }
      try headForm.take(line)
      // An empty line ends a head. Those of 1xx (RFC 9110, 15.2) precede it, and trailers (6.5)
      // follow the body.
      guard head == nil, let first = line.first, first == 0x0A || first == 0x0D,
        handle.status >= 200
      else { return true }
      let found = try handle.head()
      head = found
      return try begin(found)
    } catch {
      failure = error
      return false
    }
  }

  /// Decides whether the body goes to the receiver, is discarded, or is an error.
  private func begin(_ head: HTTPHead) throws(HTTPError) -> Bool {
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
    hasEnough = !callingReceiver { receiver.take(head) }
    // No body follows, and to break the answer off would cost the connection.
    if head.status == 304 { return true }
    return !hasEnough && (!isDiscarding || head.contentLength ?? 0 <= limits.discardedBytes)
  }

  /// The count of bytes in a 206, which must begin with the first byte asked for.
  private func countOfRange(in head: HTTPHead) throws(HTTPError) -> Int64 {
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
    hasEnough = !callingReceiver { receiver.take(body) }
    // At its end an answer is let through: to break it off would cost the connection.
    return !hasEnough || received == announced ?? head?.contentLength
  }

  /// Returns whether the request goes on: it is not cancelled, and bytes arrive.
  fileprivate func mayGoOn() -> Bool {
    if callingReceiver({ receiver.isCancelled }) {
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

  /// Opens a socket for an address that the policy allows; -1 for others.
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
    let socket = avjob_curl_socket(address)
    guard socket >= 0 else {
      if !hasOpened, let error = HTTPError(socketError: -socket) { refusal = error }
      return -1
    }
    (hasOpened, refusal) = (true, nil)
    return socket
  }

  /// The time since the start without the time spent in the receiver.
  private var activeTime: Duration { ContinuousClock.now - start - timeInReceiver }

  /// Runs `body`, which calls the receiver: the limits of time do not count that.
  private func callingReceiver<Result>(_ body: () -> Result) -> Result {
    let begin = ContinuousClock.now
    defer { timeInReceiver += ContinuousClock.now - begin }
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
