/// The limits of a request: of time, rate, connections and bytes.
package struct HTTPLimits: Sendable, Hashable {
  /// The time for resolving, connecting and TLS together (CURLOPT_CONNECTTIMEOUT_MS).
  package var connectTime: Duration = .seconds(15)
  /// The time from the start of a request to the end of the answer's head, connecting included.
  package var headTime: Duration = .seconds(60)
  /// The time over which the body's rate is measured, without the time spent in the receiver.
  package var stallTime: Duration = .seconds(20)
  /// The bytes a second below which a body stalls.
  package var leastRate: Int64 = 1024
  /// The redirects that one request follows.
  package var redirects = 8
  /// The requests that run at once for one origin; others wait.
  package var requestsPerOrigin = 4
  /// The idle connections that are kept, of all origins together.
  package var idleConnections = 16
  /// The bytes of all heads of one answer, with heads of 1xx and trailers.
  package var headBytes = 65_536
  /// The lines of all heads of one answer.
  package var headLines = 200
  /// The bytes of the body of an error or a redirect that are read, so that the connection can be
  /// used again.
  package var discardedBytes: Int64 = 65_536

  /// The limits for a user's network.
  package init() {}
}

/// Detects a body that stalls.
///
/// Counts the bytes of the last `time`, so that neither bursts nor shorter pauses matter. Times are
/// those of a clock that stops while the receiver works.
struct StallWatch {
  let time: Duration
  let leastRate: Int64
  /// How many bytes had arrived at some times, the oldest first: at most about 20.
  private var marks: [(time: Duration, bytes: Int64)]

  /// A watch over a body that starts now.
  init(time: Duration, leastRate: Int64, start: Duration) {
    (self.time, self.leastRate) = (time, leastRate)
    marks = [(start, 0)]
  }

  /// Whether fewer bytes than allowed have arrived in the last `time`.
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
