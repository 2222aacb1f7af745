import Diagnosis

/// Asks servers by libcurl (https://curl.se/libcurl). Safe from any thread; blocks the calling one.
///
/// Follows redirects by itself, so that each address is held to the policy. Never tries again. User
/// and password go with Basic alone (RFC 7617): those of the URL, or else those of netrc(5).
package final class HTTPClient: HTTPTransport {
  private let policy: AddressPolicy
  private let limits: HTTPLimits
  private let environment: NetworkEnvironment
  private let pool: OriginPool

  /// A client without connections; the library is loaded at the first request.
  ///
  /// Proxies, netrc and authorities are those of the environment at this time: `http_proxy`,
  /// `https_proxy`, `all_proxy`, `no_proxy`, `NETRC`, `CURL_CA_BUNDLE`, `SSL_CERT_FILE`,
  /// `SSL_CERT_DIR`.
  package convenience init(policy: AddressPolicy, limits: HTTPLimits = .init()) {
    self.init(policy: policy, limits: limits, environment: .process)
  }

  /// A client in an environment of its own.
  init(policy: AddressPolicy, limits: HTTPLimits, environment: NetworkEnvironment) {
    (self.policy, self.limits, self.environment) = (policy, limits, environment)
    pool = OriginPool(
      requestsPerOrigin: limits.requestsPerOrigin, idle: limits.idleConnections)
  }

  /// Asks for what `request` says; see `HTTPTransport`.
  ///
  /// A body that ends too early, or is cut off by an error, is handed over as far as it came. The
  /// body of a 416 is not handed over. A receiver that returns false ends the request without an
  /// error.
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

  /// One request of a chain; returns where it is redirected to, or nil where the answer was
  /// received.
  private func send(
    _ request: HTTPRequest, _ fields: RequestFields, to url: MediaURL, _ receiver: any HTTPReceiver
  ) throws(HTTPError) -> String? {
    try policy.check(url)
    let proxy = environment.proxy(for: url)
    // The address of a server behind a proxy is not seen here.
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

/// The header fields of a request, the same at each redirect.
struct RequestFields {
  /// Lines without CR LF.
  let lines: [String]
  /// The bytes that are asked for; nil: all. Without a known end, to the greatest offset.
  let range: Range<Int64>?
  /// Whether 304 is an answer.
  let isConditional: Bool

  /// The fields of a request.
  ///
  /// - Throws: `HTTPError.invalidRequest` where a range is none, or a validator cannot be sent.
  init(_ request: HTTPRequest) throws(HTTPError) {
    var lines = ["Accept-Encoding: identity"]
    switch request.range {
    case .whole: range = nil
    case .from(let first):
      guard first >= 0, first < Int64.max else { throw .invalidRequest("no such range") }
      range = first..<Int64.max
      lines.append("Range: bytes=\(first)-")
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
        throw .invalidRequest("\(name) holds what no header field can")
      }
      lines.append("\(name): \(value)")
    }
    self.lines = lines
    isConditional = request.ifNoneMatch != nil || request.ifModifiedSince != nil
  }
}
