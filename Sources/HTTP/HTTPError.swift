import Diagnosis

/// Why a server's answer could not be had. No case holds a path, a query, credentials, or bytes of
/// the server's that are not printable.
package enum HTTPError: Error, Sendable, Hashable {
  /// The server's name has no address; which server.
  case unknownHost(String)
  /// Nothing answers at the server's address and port, or no network leads there.
  case refused(String)
  /// The connection took longer than `HTTPLimits.connectTime`.
  case connectTimeout(String)
  /// The connection broke before the answer's head.
  case connectionLost
  /// TLS failed, in curl's words.
  case tls(String)
  /// The server's certificate, or this machine's list of authorities, does not hold; in curl's
  /// words.
  case certificate(String)
  /// The proxy of the environment failed, in curl's words.
  case proxy(String)
  /// `AddressPolicy` has a list of hosts, and not this one.
  case forbiddenHost(String)
  /// A host leads to an address that is not public; which, and what for.
  case forbiddenAddress(String, NetworkAddress.Scope)
  /// More redirects than `HTTPLimits.redirects`, which this is.
  case tooManyRedirects(Int)
  /// A redirect from https to http.
  case downgrade
  /// A redirect to what is no address of a medium.
  case redirect(MediaURLError)
  /// A redirect that says not where to.
  case redirectWithoutTarget
  /// A status that no range of bytes comes with, and Retry-After in seconds.
  case status(Int, retryAfter: Int?)
  /// Fewer bytes than `HTTPLimits` asks for.
  case stalled
  /// No head in `HTTPLimits.headTime`.
  case noAnswer
  /// The body ended after so many bytes of how many; nil: of an unknown count.
  case shortBody(received: Int64, expected: Int64?)
  /// The server sent other bytes than those asked for.
  case wrongRange
  /// The server sent compressed bytes, which were not asked for.
  case encoding
  /// A head of more bytes or lines than allowed.
  case headTooLarge
  /// A head that is none; how.
  case malformedHead(String)
  /// libcurl cannot be loaded.
  case libraryMissing
  /// The receiver wants nothing any more.
  case cancelled
  /// The request itself is wrong, by a fault of the program's; how.
  case invalidRequest(String)
  /// Anything else, in curl's words.
  case other(String)
}

extension HTTPError {
  /// What is wrong, on one line.
  package var fault: String {
    switch self {
    case .unknownHost(let host): "the server's name '\(host)' has no address"
    case .refused(let host): "'\(host)' cannot be connected to"
    case .connectTimeout(let host): "connecting to '\(host)' takes too long"
    case .connectionLost: "the connection broke before the server answered"
    case .tls(let text): "the connection cannot be encrypted: \(text)"
    case .certificate(let text): "the server's certificate is not trusted: \(text)"
    case .proxy(let text): "the proxy failed: \(text)"
    case .forbiddenHost(let host): "'\(host)' is not an allowed host"
    case .forbiddenAddress(let host, let scope):
      "'\(host)' has a \(scope.rawValue) address, which is not allowed"
    case .tooManyRedirects(let count): "the server redirects more than \(count) times"
    case .downgrade: "the server redirects from https:// to http://"
    case .redirect(let error): "the server redirects to an address that is refused: \(error.fault)"
    case .redirectWithoutTarget: "the server redirects without an address"
    case .status(let status, _): "the server answered \(status)\(Self.phrase(of: status))"
    case .stalled: "the server stopped sending"
    case .noAnswer: "the server accepted the request and did not answer"
    case .shortBody(let received, let expected?):
      "the connection ended after \(received) of \(expected) bytes"
    case .shortBody(let received, nil): "the connection ended too early, after \(received) bytes"
    case .wrongRange: "the server sent other bytes than those requested"
    case .encoding: "the server sent compressed data, which was not requested"
    case .headTooLarge: "the head of the server's answer is too large"
    case .malformedHead(let text): "the head of the server's answer is malformed: \(text)"
    case .libraryMissing: "the library \(CurlLibrary.name) cannot be loaded"
    case .cancelled: "the download was cancelled"
    case .invalidRequest(let text): "the request is invalid: \(text)"
    case .other(let text): "the download failed: \(text)"
    }
  }

  /// What to do about it, on one line.
  package var remedy: String {
    switch self {
    case .unknownHost: "check the server's name and the network connection"
    case .refused, .connectTimeout: "check the port and the network connection, or try again later"
    case .connectionLost, .stalled, .noAnswer, .shortBody, .other: "try again later"
    case .tls: "check that the port serves https://, or try again later"
    case .certificate:
      "update the package ca-certificates, or set CURL_CA_BUNDLE to a file with the authority"
    case .proxy: "check the variables http_proxy, https_proxy, all_proxy and no_proxy"
    case .forbiddenHost(let host): "add --allow-host '\(host)'"
    case .forbiddenAddress(let host, _): "add --allow-host '\(host)' if you trust this server"
    case .tooManyRedirects: "use the address that the redirects lead to"
    case .downgrade: "use an https:// address that stays encrypted, or an http:// address"
    case .redirect, .redirectWithoutTarget: "use the final address of the file"
    case .status(let status, let retryAfter): Self.remedy(of: status, retryAfter: retryAfter)
    case .wrongRange, .encoding, .headTooLarge, .malformedHead:
      "download the file with another program and use its path, or tell the server's owner"
    case .libraryMissing: "install the package libcurl4"
    case .cancelled: "run the job again"
    case .invalidRequest: "report this as a bug of avjob"
    }
  }

  /// What the user must do.
  package var kind: Failure.Remedy {
    switch self {
    case .unknownHost, .refused, .connectTimeout, .connectionLost, .tls, .stalled, .noAnswer,
      .shortBody, .cancelled, .other:
      .tryAgain
    case .certificate, .proxy, .libraryMissing: .mendMachine
    case .forbiddenHost, .forbiddenAddress, .tooManyRedirects, .downgrade, .redirect,
      .redirectWithoutTarget, .wrongRange, .encoding, .headTooLarge, .malformedHead:
      .mendJob
    case .status(let status, _):
      [408, 425, 429].contains(status) || status >= 500
        ? .tryAgain
        : status == 407 ? .mendMachine : .mendJob
    case .invalidRequest: .reportBug
    }
  }

  /// Seconds after which the server asks to try again; nil where it does not say.
  package var retryAfter: Int? {
    if case .status(_, let seconds) = self { seconds } else { nil }
  }

  private static func remedy(of status: Int, retryAfter: Int?) -> String {
    switch status {
    case 401, 403: "add the server's user and password to ~/.netrc, or check those that it has"
    case 404, 410: "check the path of the address"
    case 407: "add user and password to the variable of the proxy, such as https_proxy"
    case 408, 425, 429, 500...:
      retryAfter.map { "try again in \($0) s" } ?? "try again later"
    default: "check the address"
    }
  }

  /// The reason of a status (RFC 9110, 15, and RFC 6585); that of the server may say anything.
  private static func phrase(of status: Int) -> String {
    let text =
      switch status {
      case 400: "Bad Request"
      case 401: "Unauthorized"
      case 403: "Forbidden"
      case 404: "Not Found"
      case 405: "Method Not Allowed"
      case 407: "Proxy Authentication Required"
      case 408: "Request Timeout"
      case 410: "Gone"
      case 412: "Precondition Failed"
      case 416: "Range Not Satisfiable"
      case 425: "Too Early"
      case 429: "Too Many Requests"
      case 451: "Unavailable For Legal Reasons"
      case 500: "Internal Server Error"
      case 502: "Bad Gateway"
      case 503: "Service Unavailable"
      case 504: "Gateway Timeout"
      default: ""
      }
    return text.isEmpty ? "" : " (\(text))"
  }
}
