import Diagnosis

/// Sends requests: through curl, or in tests to a fake server.
package protocol HTTPTransport: Sendable {
  /// Sends a request, follows redirects, and passes the answer to `receiver` on the calling thread.
  /// Returns when the body ends or the receiver ends the request.
  ///
  /// - Throws: `HTTPError`. Bytes that the receiver got before remain valid.
  func send(_ request: HTTPRequest, to receiver: any HTTPReceiver) throws(HTTPError)
}

/// Receives an answer as it arrives.
package protocol HTTPReceiver: AnyObject {
  /// Takes the answer's head: once, before its body. Heads of redirects are not passed.
  ///
  /// - Returns: Whether the request goes on. If it does not, the connection may be closed.
  func take(_ head: HTTPHead) -> Bool

  /// Takes the next bytes of the body, which are valid during this call.
  ///
  /// - Returns: Whether the request goes on.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool

  /// Whether the request is to end. Asked at least every second, also while no bytes arrive.
  var isCancelled: Bool { get }
}

/// A GET request without compression, since the cache holds the bytes of the entity itself. The
/// *entity* is the file that the server has at the address now.
package struct HTTPRequest: Sendable, Hashable {
  /// The address; its user and password are sent to its own origin alone.
  package var url: MediaURL
  /// The bytes asked for (RFC 9110, 14.2).
  package var range: Range
  /// The validator (tag or date) of the entity whose range is asked for: if the server has another
  /// entity now, it sends all of that (13.1.5).
  package var ifRange: String?
  /// The tag of the entity that the cache has: if the server has no other entity, it answers 304
  /// (13.1.2).
  package var ifNoneMatch: String?
  /// The date of the entity that the cache has, as the server wrote it: if the entity has not
  /// changed since, the server answers 304 (13.1.3).
  package var ifModifiedSince: String?

  /// The bytes that a request asks for.
  package enum Range: Sendable, Hashable {
    /// All, without a Range header.
    case whole
    /// These bytes; the range is not empty, and may end behind the entity.
    case bytes(Swift.Range<Int64>)
  }

  /// A request without conditions.
  package init(_ url: MediaURL, range: Range = .whole) {
    self.url = url
    self.range = range
  }
}

/// The head of an answer, as far as receivers need it.
package struct HTTPHead: Sendable, Hashable {
  /// 200, 206, 304 or 416. Redirects are followed, and other statuses are errors.
  package var status: Int
  /// The bytes that follow, and the size of the whole (RFC 9110, 14.4); nil without Content-Range,
  /// or if it is malformed.
  package var contentRange: ContentRange?
  /// The bytes of the body; nil if they are not known.
  package var contentLength: Int64?
  /// Whether the answer itself says where its body ends: by Content-Length, chunks, or the frames
  /// of HTTP/2 and later. Without that the end of the connection ends the body, and a body that was
  /// cut off looks like a whole one (RFC 9112, 6.3 and 8).
  package var hasDelimitedBody: Bool
  /// The tag with its quotes, and with `W/` if it is weak (8.8.3); nil without one, or if it is
  /// malformed.
  package var entityTag: String?
  /// The date as the server wrote it (8.8.2); nil without one, or if it is not printable or has
  /// more than 64 bytes.
  package var lastModified: String?
  /// Whether `lastModified` distinguishes the entity: not if the answer was sent less than a minute
  /// after it, since the file may have changed once more then. Only such a date may stand in
  /// If-Range (8.8.2.2). An answer without a Date counts as sent later.
  package var hasStrongDate: Bool
  /// The seconds for which the answer is fresh: `max-age` of Cache-Control less Age; 0 with
  /// `no-cache` or without `max-age` (RFC 9111, 4.2.1).
  package var secondsFresh: Int
  /// Whether a server of internet radio sends it: SHOUTcast's and Icecast's fields `icy-`.
  package var isRadio = false
  /// Whether `no-store` forbids storing the answer.
  package var mustNotBeStored: Bool
  /// The target of a redirect, in UTF-8, not checked further; nil without one.
  var location: String?
  /// Retry-After (10.2.3), in seconds; nil without one.
  var retryAfter: Int?
  /// Whether the bytes of the body are coded, and so are not those of the entity.
  var isEncoded = false

  /// A head without fields, whose body has an end of its own.
  package init(status: Int) {
    self.status = status
    (hasDelimitedBody, hasStrongDate) = (true, true)
    secondsFresh = 0
    mustNotBeStored = false
  }

  /// A Content-Range: `bytes 0-99/200`, `bytes 0-99/*`, or, with 416, `bytes */200`.
  package struct ContentRange: Sendable, Hashable {
    /// The bytes that follow; nil for a 416.
    package var bytes: Range<Int64>?
    /// The size of the whole entity; nil if the server does not know it.
    package var size: Int64?

    /// A Content-Range.
    package init(bytes: Range<Int64>?, size: Int64?) {
      (self.bytes, self.size) = (bytes, size)
    }
  }
}
