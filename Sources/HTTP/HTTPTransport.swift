import Diagnosis

/// Who asks servers: curl, or a test's own answers.
package protocol HTTPTransport: Sendable {
  /// Asks for what `request` says, follows redirects, and hands everything to `receiver`, on the
  /// calling thread, which waits until the body ends or the receiver has enough.
  ///
  /// - Throws: `HTTPError`. What the receiver got before stays good.
  func send(_ request: HTTPRequest, to receiver: any HTTPReceiver) throws(HTTPError)
}

/// Takes an answer as it arrives.
package protocol HTTPReceiver: AnyObject {
  /// The answer's head, once, before any of its body; redirects are not shown.
  ///
  /// - Returns: Whether the body is wanted. Without it the connection may be closed.
  func take(_ head: HTTPHead) -> Bool

  /// The body's next bytes, valid for this call alone.
  ///
  /// - Returns: Whether more is wanted.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool

  /// Whether nothing is wanted any more. Asked at least every second, also while nothing arrives.
  var isCancelled: Bool { get }
}

/// A GET. Never asks for compression: what is cached are the entity's own bytes.
package struct HTTPRequest: Sendable, Hashable {
  /// Where; user and password, if it has them, go to its own origin alone.
  package var url: MediaURL
  /// The bytes wanted (RFC 9110, 14.2): from and to, or from and on, or all.
  package var range: Range
  /// Asks for the range only of the entity with this validator, and else for the whole one (13.1.5).
  package var ifRange: String?
  /// Asks only for another entity than the one with this tag (13.1.2).
  package var ifNoneMatch: String?
  /// Asks only for an entity changed since this date, given as a server wrote it (13.1.3).
  package var ifModifiedSince: String?

  /// Which bytes are asked for.
  package enum Range: Sendable, Hashable {
    /// All, without a Range header.
    case whole
    /// From this offset to the end.
    case from(Int64)
    /// These, which are some.
    case bytes(Swift.Range<Int64>)
  }

  package init(_ url: MediaURL, range: Range = .whole) {
    self.url = url
    self.range = range
  }
}

/// What a server says before the body.
package struct HTTPHead: Sendable, Hashable {
  /// 200, 206, 304 or 416. All others are errors, but redirects, which are followed.
  package var status: Int
  /// Which bytes of how many follow, as Content-Range says (RFC 9110, 14.4); nil without one.
  package var contentRange: ContentRange?
  /// Bytes of the body; nil where the server does not say.
  package var contentLength: Int64?
  /// The tag with its quotes, and `W/` where it is weak (8.8.3).
  package var entityTag: String?
  /// The date as the server wrote it (8.8.2).
  package var lastModified: String?
  /// Seconds for which the answer may be taken for fresh: Cache-Control's `max-age` less Age; 0 with
  /// `no-cache` or without any (RFC 9111, 4.2.1).
  package var secondsFresh: Int
  /// Whether `no-store` forbids to keep the answer.
  package var mustNotBeStored: Bool

  package init(status: Int) {
    self.status = status
    secondsFresh = 0
    mustNotBeStored = false
  }

  /// A Content-Range: `bytes 0-99/200`, `bytes 0-99/*`, or, with 416, `bytes */200`.
  package struct ContentRange: Sendable, Hashable {
    /// The bytes that follow; nil with 416.
    package var bytes: Range<Int64>?
    /// Bytes of the whole entity; nil where the server does not know.
    package var size: Int64?

    package init(bytes: Range<Int64>?, size: Int64?) {
      (self.bytes, self.size) = (bytes, size)
    }
  }
}
