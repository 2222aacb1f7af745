import Diagnosis

/// Why a request failed. No case holds a path, a query, credentials, or bytes of the server that
/// are not printable.
package enum HTTPError: Error, Sendable, Hashable {
  /// The host's name cannot be resolved.
  case unknownHost(String)
  /// No server accepts connections at the host's address and port, or no network leads there.
  case refused(String)
  /// The connection took longer than `HTTPLimits.connectTime`.
  case connectTimeout(String)
  /// The connection broke before the answer's head.
  case connectionLost
  /// TLS failed, with curl's message.
  case tls(String)
  /// The server's certificate, or this machine's list of authorities, is not valid, with curl's
  /// message.
  case certificate(String)
  /// The proxy of the environment has no address, refuses connections, or failed otherwise, with
  /// curl's message.
  case proxy(String)
  /// No network leads to the proxy of the environment now, or it takes too long.
  case proxyUnreachable
  /// The proxy answered CONNECT with this status.
  case proxyStatus(Int)
  /// `AddressPolicy` does not allow this host.
  case forbiddenHost(String)
  /// `AddressPolicy` does not allow this host an address of this scope.
  case forbiddenAddress(String, NetworkAddress.Scope)
  /// `AddressPolicy` allows this host, but does not allow a name an address of this scope.
  case forbiddenAddressOfName(String, NetworkAddress.Scope)
  /// The server redirects more often than `HTTPLimits.redirects`, the value.
  case tooManyRedirects(Int)
  /// The server redirects from https to http.
  case downgrade
  /// The server redirects to an address that is malformed or not supported.
  case redirect(MediaURLError)
  /// The server redirects without a Location.
  case redirectWithoutTarget
  /// The server answered with a status other than those of `HTTPHead`; `retryAfter` is the header
  /// Retry-After, in seconds.
  case status(Int, retryAfter: Int?)
  /// The server sent fewer bytes than `HTTPLimits.leastRate`.
  case stalled
  /// The server sent no head in `HTTPLimits.headTime`.
  case noAnswer
  /// The body ended too early; `expected` is nil if its length is not known.
  case shortBody(received: Int64, expected: Int64?)
  /// The server sent other bytes than those asked for.
  case wrongRange
  /// The server sent compressed bytes, which were not asked for.
  case encoding
  /// The head has more bytes or lines than `HTTPLimits` allows.
  case headTooLarge
  /// The head is malformed, with the reason.
  case malformedHead(String)
  /// libcurl cannot be loaded.
  case libraryMissing
  /// libcurl refuses an option, with its message.
  case option(String)
  /// No socket can be opened: the process, or the machine, has too many open files.
  case tooManyFiles
  /// The receiver ended the request.
  case cancelled
  /// The request is wrong, by a bug of the program, with the reason.
  case invalidRequest(String)
  /// Any other failure, with curl's message.
  case other(String)
  /// A source of the program's own failed, which answers in place of a server.
  case source(Failure)
}

extension HTTPError {
  /// The fault, on one line.
  package var fault: String {
    switch self {
    case .unknownHost(let host): "the server's name '\(host)' has no address"
    case .refused(let host): "'\(host)' cannot be connected to"
    case .connectTimeout(let host): "connecting to '\(host)' takes too long"
    case .connectionLost: "the connection broke before the server answered"
    case .tls(let text): "the connection cannot be encrypted: \(text)"
    case .certificate(let text): "the server's certificate is not trusted: \(text)"
    case .proxy(let text): "the proxy failed: \(text)"
    case .proxyUnreachable: "the proxy cannot be connected to"
    case .proxyStatus(let status): "the proxy answered \(status)\(Self.phrase(of: status))"
    case .forbiddenHost(let host): "'\(host)' is not an allowed host"
    case .forbiddenAddress(let host, let scope):
      "'\(host)' has a \(scope.rawValue) address, which is not allowed"
    case .forbiddenAddressOfName(let host, let scope):
      "the name '\(host)' has a \(scope.rawValue) address, which is not allowed for names"
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
    case .option(let text): "the library \(CurlLibrary.name) refuses an option: \(text)"
    case .tooManyFiles: "no connection can be opened: too many open files"
    case .cancelled: "the download was cancelled"
    case .invalidRequest(let text): "the request is invalid: \(text)"
    case .other(let text): "the download failed: \(text)"
    case .source(let failure): failure.message
    }
  }

  /// The remedy, on one line.
  package var remedy: String {
    switch self {
    case .unknownHost: "check the server's name and the network connection"
    case .refused, .connectTimeout: "check the port and the network connection, or try again later"
    case .connectionLost, .stalled, .noAnswer, .shortBody, .other: "try again later"
    case .tls: "check that the port serves https://, or try again later"
    case .certificate:
      "update the package ca-certificates, or set CURL_CA_BUNDLE to a file with the authority"
    case .proxy: "check the variables http_proxy, https_proxy, all_proxy and no_proxy"
    case .proxyUnreachable:
      "check the network connection and the variables of proxies, or try again later"
    case .forbiddenHost(let host): "add --allow-host '\(host)'"
    case .proxyStatus(let status): Self.remedy(ofProxy: status)
    case .forbiddenAddress(let host, _): "add --allow-host '\(host)' if you trust this server"
    case .forbiddenAddressOfName:
      "write the address instead of the name, and allow it, if you trust this server"
    case .tooManyRedirects: "use the address that the redirects lead to"
    case .downgrade: "use an https:// address that stays encrypted, or an http:// address"
    case .redirect, .redirectWithoutTarget: "use the final address of the file"
    case .status(let status, let retryAfter): Self.remedy(of: status, retryAfter: retryAfter)
    case .wrongRange, .encoding, .headTooLarge, .malformedHead:
      "download the file with another program and use its path, "
        + "or report it to the server's operator"
    case .libraryMissing: "install the package \(OptionalLibrary.curl.packageName), 7.85 or newer"
    case .option: "update the package \(OptionalLibrary.curl.packageName)"
    case .tooManyFiles: "raise the limit with ulimit -n or run fewer jobs at once"
    case .cancelled: "run the job again"
    case .invalidRequest: "report this as a bug of avjob"
    case .source: "check the program's own source"
    }
  }

  /// The kind of remedy.
  package var kind: Failure.Remedy {
    switch self {
    case .unknownHost, .refused, .connectTimeout, .connectionLost, .tls, .proxyUnreachable,
      .stalled, .noAnswer, .shortBody, .tooManyFiles, .cancelled, .other:
      .tryAgain
    case .certificate, .proxy, .libraryMissing, .option: .mendMachine
    case .forbiddenHost, .forbiddenAddress, .forbiddenAddressOfName, .tooManyRedirects, .downgrade,
      .redirect, .redirectWithoutTarget:
      .mendJob
    case .wrongRange, .encoding, .headTooLarge, .malformedHead: .mendInput
    case .proxyStatus(let status): Self.mayPass(status) ? .tryAgain : .mendMachine
    case .status(let status, _):
      Self.mayPass(status) ? .tryAgain : status == 407 ? .mendMachine : .mendJob
    case .invalidRequest: .reportBug
    case .source(let failure): failure.remedy
    }
  }

  /// What programs react to; nil: the code for the kind of remedy.
  package var code: Failure.Code? {
    switch self {
    case .unknownHost, .refused, .connectTimeout, .connectionLost, .tls, .proxy, .proxyUnreachable,
      .shortBody, .other:
      .networkUnreachable
    case .stalled, .noAnswer: .networkTimedOut
    case .certificate, .downgrade: .networkUntrusted
    case .forbiddenHost, .forbiddenAddress, .forbiddenAddressOfName: .networkNotAllowed
    case .tooManyRedirects, .redirect, .redirectWithoutTarget, .wrongRange, .encoding,
      .headTooLarge, .malformedHead:
      .networkAnswerInvalid
    case .status(404, _), .status(410, _): .networkNotFound
    case .status(401, _), .status(403, _), .status(407, _), .proxyStatus(407):
      .networkUnauthorized
    case .status, .proxyStatus: .networkRefused
    case .libraryMissing, .option: .libraryMissing
    case .tooManyFiles: .tooManyFiles
    case .cancelled: .cancelled
    case .source(let failure): failure.code
    case .invalidRequest: nil
    }
  }

  /// The Retry-After of the server, in seconds; nil without one.
  package var retryAfter: Int? {
    if case .status(_, let seconds) = self { seconds } else { nil }
  }

  /// Whether a later request may have another status.
  private static func mayPass(_ status: Int) -> Bool {
    [408, 425, 429].contains(status) || status >= 500
  }

  private static func remedy(ofProxy status: Int) -> String {
    status == 407 || mayPass(status)
      ? remedy(of: status, retryAfter: nil) : HTTPError.proxy("").remedy
  }

  private static func remedy(of status: Int, retryAfter: Int?) -> String {
    switch status {
    case 401, 403: "add the server's user and password to ~/.netrc, or check them"
    case 404, 410: "check the path of the address"
    case 407: "add user and password to the variable of the proxy, such as https_proxy"
    case _ where mayPass(status):
      retryAfter.map { "try again in \($0) s" } ?? "try again later"
    default: "check the address"
    }
  }

  /// The reason phrase of a status (RFC 9110, 15, and RFC 6585). The server's own may be any text.
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
