/// How long a request may wait, and how much it takes from a server.
package struct HTTPLimits: Sendable, Hashable {
  /// For name, connection and TLS together (CURLOPT_CONNECTTIMEOUT_MS).
  package var connectTime: Duration = .seconds(15)
  /// From the start of a request to the end of the answer's head, connecting included.
  package var headTime: Duration = .seconds(60)
  /// Over which the body's rate is measured. Time that the receiver takes does not count.
  package var stallTime: Duration = .seconds(20)
  /// Bytes a second below which a body stalls.
  package var leastRate: Int64 = 1024
  /// Redirects that one request follows.
  package var redirects = 8
  /// Requests at once for one origin; others wait.
  package var requestsPerOrigin = 4
  /// Connections without a request that are kept, over all origins.
  package var idleConnections = 16
  /// Bytes of all heads of one answer, those of 1xx and trailers included.
  package var headBytes = 65_536
  /// Lines of all heads of one answer.
  package var headLines = 200
  /// Bytes of a body that nobody asked for, an error's or a redirect's, that are read so that the
  /// connection can be used again.
  package var discardedBytes: Int64 = 65_536

  /// The limits for a user's network.
  package init() {}
}

/// Tells a body that stalls from one that is slow.
///
/// By the bytes of the last `time`, so that neither bursts nor pauses within it count. Times are
/// those of a clock that stands still while the receiver works.
struct StallWatch {
  let time: Duration
  let leastRate: Int64
  /// Bytes that had come by some time, the oldest first: at most some 20.
  private var marks: [(time: Duration, bytes: Int64)]

  /// A watch over a body that starts now.
  init(time: Duration, leastRate: Int64, start: Duration) {
    (self.time, self.leastRate) = (time, leastRate)
    marks = [(start, 0)]
  }

  /// Whether fewer bytes than allowed have come, over the whole time that is watched.
  mutating func isStalled(at now: Duration, bytes: Int64) -> Bool {
    while marks.count > 1, now - marks[1].time >= time { marks.removeFirst() }
    defer {
      if let last = marks.last, now - last.time >= time / 16 { marks.append((now, bytes)) }
    }
    let passed = now - marks[0].time
    guard passed >= time else { return false }
    return Double(bytes - marks[0].bytes) < passed / .seconds(1) * Double(leastRate)
  }
}
