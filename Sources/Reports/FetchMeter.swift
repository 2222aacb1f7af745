import ExportEngine
import MediaTime
import Terminal

/// What comes over the network: `fetching 12 MB of 29 MB, 2.1 MB/s, 0:08 left`.
package struct FetchMeter: Sendable {
  /// Received bytes, and when; the oldest first, as far back as `memory`.
  private var marks: [(time: ContinuousClock.Instant, bytes: Int64)] = []

  /// Over which the rate is measured.
  private static let memory = Duration.seconds(5)

  /// A meter that has seen nothing yet.
  package init() {}

  /// The line to show now; nil where nothing is on its way.
  ///
  /// - Parameters:
  ///   - transfer: What has been received, and what is on its way.
  ///   - now: The present.
  /// - Returns: A line.
  package mutating func line(
    for transfer: MediaNetwork.Transfer, at now: ContinuousClock.Instant
  ) -> String? {
    while marks.count > 1, marks[1].time <= now - Self.memory { marks.removeFirst() }
    marks.append((now, transfer.receivedBytes))
    guard transfer.remainingBytes > 0 else { return nil }
    let total = transfer.receivedBytes + transfer.remainingBytes
    var parts = [
      "fetching \(Figures.size(bytes: transfer.receivedBytes)) of \(Figures.size(bytes: total))"
    ]
    let passed = marks[0].time.duration(to: now) / .seconds(1)
    let rate = Double(transfer.receivedBytes - marks[0].bytes) / max(passed, 0.001)
    if passed >= 0.5, rate >= 1 {
      parts.append("\(Figures.size(bytes: Int64(rate)))/s")
      let rest = Duration.seconds(Double(transfer.remainingBytes) / rate)
      parts.append("\(Figures.clock(rest)) left")
    }
    return parts.joined(separator: ", ")
  }
}
