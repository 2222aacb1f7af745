import Glibc

/// A moment by the system's clock.
package struct Timestamp: Comparable, Sendable {
  /// Since 1970, without leap seconds (POSIX `time`).
  package var seconds: Int64
  /// Of the second that has begun: 0 … 999.
  package var milliseconds: Int

  package init(seconds: Int64, milliseconds: Int) {
    self.seconds = seconds
    self.milliseconds = milliseconds
  }

  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), milliseconds: time.tv_nsec / 1_000_000)
  }

  package static func < (a: Timestamp, b: Timestamp) -> Bool {
    (a.seconds, a.milliseconds) < (b.seconds, b.milliseconds)
  }

  /// How much later `other` is.
  func duration(to other: Timestamp) -> Duration {
    .seconds(other.seconds - seconds) + .milliseconds(other.milliseconds - milliseconds)
  }

  /// `2026-01-02T03:04:05.678Z` (RFC 3339).
  package var text: String {
    let fraction = String(1000 + milliseconds).dropFirst()
    return secondsText + "." + fraction + "Z"
  }

  /// `2026-01-02T03:04:05`: UTC without a mark, as JUnit XML has it.
  var secondsText: String {
    var seconds = time_t(seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let numbers = [
      parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
      parts.tm_sec,
    ].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return numbers[..<3].joined(separator: "-") + "T" + numbers[3...].joined(separator: ":")
  }
}
