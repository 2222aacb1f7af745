import Diagnosis
import Glibc

internal import CCurl

extension Exchange {
  /// What an answer without a body for the receiver means: where a redirect leads, or nil for a
  /// 416.
  ///
  /// - Throws: `HTTPError.status` and `redirectWithoutTarget`.
  func conclude(_ head: AnswerHead) throws(HTTPError) -> String? {
    if head.status == 416, fields.range != nil { return nil }
    if Redirect.isRedirect(head.status) {
      guard let location = head.location else { throw .redirectWithoutTarget }
      return location
    }
    throw .status(head.status, retryAfter: head.retryAfter.flatMap { seconds($0) })
  }

  private func seconds(_ retryAfter: AnswerHead.RetryAfter) -> Int? {
    switch retryAfter {
    case .seconds(let seconds): seconds
    case .date(let date): handle.library.secondsSince1970(date).map { max(0, $0 - time(nil)) }
    }
  }

  /// The error that curl's result is, with its words; nil where the whole answer was received.
  func error(_ code: CURLcode, words: String) -> HTTPError? {
    // An address that curl quotes, such as the proxy's, may have a password.
    let isShown = !words.isEmpty && !words.contains("://") && !words.contains("@")
    let text = isShown ? words : handle.library.text(of: code)
    switch code {
    case CURLE_OK:
      if head == nil { return .connectionLost }
      return received < announced ?? 0 ? .shortBody(received: received, expected: announced) : nil
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxy(text)
    case CURLE_COULDNT_RESOLVE_HOST: return .unknownHost(url.host)
    case CURLE_COULDNT_CONNECT:
      if let refusal { return refusal }
      if isProxied { return .proxy(text) }
      return handle.systemError == ETIMEDOUT
        ? .connectTimeout(url.authority) : .refused(url.authority)
    case CURLE_OPERATION_TIMEDOUT:
      return isProxied ? .proxy(text) : .connectTimeout(url.authority)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE:
      return .certificate(text)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED:
      return .tls(text)
    // What is no HTTP/1 at all, curl takes for HTTP/0.9, which is not spoken.
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: return .malformedHead(text)
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
      CURLE_HTTP2_STREAM:
      if let head {
        return .shortBody(received: received, expected: announced ?? head.contentLength)
      }
      return isProxied ? .proxy(text) : .connectionLost
    default: return .other(text)
    }
  }
}

extension HTTPHead {
  /// What a receiver is shown of a head.
  init(_ head: AnswerHead) {
    self.init(status: head.status)
    contentRange = head.contentRange
    contentLength = head.contentLength
    entityTag = head.entityTag
    lastModified = head.lastModified
    secondsFresh = head.secondsFresh
    mustNotBeStored = head.mustNotBeStored
  }
}
