import Diagnosis

/// Asks servers through libcurl (https://curl.se/libcurl). Safe from any thread; blocks its caller.
///
/// Follows redirects itself, so that each address is checked against the policy. Sends each request
/// once. Sends user and password of the URL, or else of netrc(5), with the Basic scheme (RFC 7617).
package final class HTTPClient: HTTPTransport {
  private let policy: AddressPolicy
  private let limits: HTTPLimits
  private let environment: NetworkEnvironment
  private let pool: OriginPool

  /// A client without connections; the library is loaded at the first request.
  ///
  /// Proxies, netrc and authorities are read from the environment now: `http_proxy`, `https_proxy`,
  /// `all_proxy`, `no_proxy`, `NETRC`, `CURL_CA_BUNDLE`, `SSL_CERT_FILE`, `SSL_CERT_DIR`.
  package convenience init(policy: AddressPolicy, limits: HTTPLimits = .init()) {
    self.init(policy: policy, limits: limits, environment: .process)
  }

  /// A client with an environment of its own.
  init(policy: AddressPolicy, limits: HTTPLimits, environment: NetworkEnvironment) {
    (self.policy, self.limits, self.environment) = (policy, limits, environment)
    pool = OriginPool(
      requestsPerOrigin: limits.requestsPerOrigin, idle: limits.idleConnections)
  }

  /// Sends a request; see `HTTPTransport`.
  ///
  /// The receiver also gets the first bytes of a body that ends too early or with an error. It does
  /// not get the body of a 416. A receiver that returns false ends the request without an error.
  ///
  /// - Throws: `HTTPError`
  package func send(
    _ request: HTTPRequest, to receiver: any HTTPReceiver
  ) throws(HTTPError) {
    let fields = try RequestFields(request)
    var url = request.url
    for _ in 0...max(0, limits.redirects) {
      guard let location = try send(request, fields, to: url, receiver) else { return }
      url = try Redirect.target(of: location, from: url)
    }
    throw .tooManyRedirects(limits.redirects)
  }

  /// Sends one request of a chain of redirects; returns the next Location, or nil at the end.
  private func send(
    _ request: HTTPRequest, _ fields: RequestFields, to url: MediaURL, _ receiver: any HTTPReceiver
  ) throws(HTTPError) -> String? {
    try policy.check(url)
    let proxy = environment.proxy(for: url)
    // A proxy resolves the name and connects to the address.
    if proxy != nil { try policy.checkByName(url) }
    let origin = Origin(url)
    let isHome = origin == Origin(request.url)
    let credentials = url.credentials ?? (isHome ? request.url.credentials : nil)
    return try pool.withHandle(of: origin, unless: { receiver.isCancelled }) {
      (handle) throws(HTTPError) in
      let exchange = Exchange(
        url: url, fields: fields, receiver: receiver, handle: handle, policy: policy,
        limits: limits, isProxied: proxy != nil)
      return try exchange.run(environment: environment, proxy: proxy, credentials: credentials)
    }
  }
}

/// The header fields of a request, the same for each redirect.
struct RequestFields {
  /// The lines, without CR LF.
  let lines: [String]
  /// The bytes asked for; nil for all.
  let range: Range<Int64>?
  /// Whether the server may answer 304.
  let isConditional: Bool

  /// The fields of a request.
  ///
  /// - Throws: `HTTPError.invalidRequest` for an empty or negative range, and for a validator that no
  ///   field may have.
  init(_ request: HTTPRequest) throws(HTTPError) {
    var lines = ["Accept-Encoding: identity"]
    switch request.range {
    case .whole: range = nil
    case .bytes(let bytes):
      guard bytes.lowerBound >= 0, !bytes.isEmpty else { throw .invalidRequest("no such range") }
      range = bytes
      lines.append("Range: bytes=\(bytes.lowerBound)-\(bytes.upperBound - 1)")
    }
    let validators = [
      ("If-Range", request.ifRange), ("If-None-Match", request.ifNoneMatch),
      ("If-Modified-Since", request.ifModifiedSince),
    ]
    for (name, value) in validators {
      guard let value else { continue }
      guard HTTPText.isSendable(value) else {
        throw .invalidRequest("\(name) has bytes that no header field may have")
      }
      lines.append("\(name): \(value)")
    }
    self.lines = lines
    isConditional = request.ifNoneMatch != nil || request.ifModifiedSince != nil
  }
}
