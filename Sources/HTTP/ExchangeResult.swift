import Diagnosis
import Glibc

internal import CCurl

extension Exchange {
  /// Interprets an answer that has no body for the receiver: returns the Location of a redirect, or
  /// nil for a 416.
  ///
  /// - Throws: `HTTPError.status` and `redirectWithoutTarget`.
  func conclude(_ head: HTTPHead) throws(HTTPError) -> String? {
    if head.status == 416, fields.range != nil { return nil }
    if Redirect.isRedirect(head.status) {
      guard let location = head.location else { throw .redirectWithoutTarget }
      return location
    }
    throw .status(head.status, retryAfter: head.retryAfter)
  }

  /// The error for curl's result, with curl's message; nil if the whole answer was received.
  func error(_ code: CURLcode, words: String) -> HTTPError? {
    // A message may quote an address with a password, such as that of the proxy.
    let isShown = !words.isEmpty && !words.containsScalars("://") && !words.containsScalars("@")
    let text = isShown ? words : handle.library.text(of: code)
    switch code {
    case CURLE_OK:
      if head == nil { return .connectionLost }
      return received < announced ?? 0 ? .shortBody(received: received, expected: announced) : nil
    case CURLE_COULDNT_RESOLVE_PROXY: return .proxy(text)
    case CURLE_PROXY:
      return Self.passingProxyErrors.contains(handle.proxyError)
        ? .refused(url.authority) : .proxy(text)
    case CURLE_COULDNT_RESOLVE_HOST: return .unknownHost(url.host)
    case CURLE_COULDNT_CONNECT: return connectionError(text)
    case CURLE_OPERATION_TIMEDOUT: return .connectTimeout(url.authority)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE:
      return .certificate(text)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED:
      return .tls(text)
    // Curl takes an answer that is not HTTP/1 for HTTP/0.9, which is not supported.
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: return .malformedHead(text)
    // Curl 8 refuses a Transfer-Encoding before its head is whole.
    case CURLE_BAD_CONTENT_ENCODING: return .encoding
    // Curl 7.88 says that of a first field that continues another, before it gives the line.
    case CURLE_BAD_FUNCTION_ARGUMENT: return .malformedHead("a field has no name")
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
      CURLE_HTTP2_STREAM:
      if let head {
        return .shortBody(received: received, expected: announced ?? head.contentLength)
      }
      return tunnelError ?? .connectionLost
    default: return .other(text)
    }
  }

  /// The error for a connection that was not made, to the server or to its proxy.
  private func connectionError(_ text: String) -> HTTPError {
    if let known = refusal ?? tunnelError { return known }
    switch handle.systemError {
    case ETIMEDOUT, ECONNRESET, EHOSTUNREACH, ENETDOWN, ENETUNREACH:
      if isProxied { return .proxyUnreachable }
      return handle.systemError == ETIMEDOUT
        ? .connectTimeout(url.authority) : .refused(url.authority)
    default: return isProxied ? .proxy(text) : .refused(url.authority)
    }
  }

  /// The error for a proxy's answer to CONNECT (RFC 9110, 9.3.6); nil if there was none, or a good
  /// one.
  private var tunnelError: HTTPError? {
    let status = handle.tunnelStatus
    return status == 0 || (200..<300).contains(status) ? nil : .proxyStatus(status)
  }

  /// Errors of SOCKS proxies that may pass: the connection to the proxy broke, or the proxy cannot
  /// reach the server (RFC 1928, 6).
  private static let passingProxyErrors = [
    CURLPX_CLOSED, CURLPX_RECV_ADDRESS, CURLPX_RECV_AUTH, CURLPX_RECV_CONNECT, CURLPX_RECV_REQACK,
    CURLPX_SEND_AUTH, CURLPX_SEND_CONNECT, CURLPX_SEND_REQUEST, CURLPX_REPLY_CONNECTION_REFUSED,
    CURLPX_REPLY_GENERAL_SERVER_FAILURE, CURLPX_REPLY_HOST_UNREACHABLE,
    CURLPX_REPLY_NETWORK_UNREACHABLE, CURLPX_REPLY_TTL_EXPIRED, CURLPX_REQUEST_FAILED,
  ]
}

extension HTTPError {
  /// The error for an errno of socket(2); nil if other addresses may still have a socket.
  init?(socketError code: Int32) {
    guard code == EMFILE || code == ENFILE else { return nil }
    self = .tooManyFiles
  }
}
