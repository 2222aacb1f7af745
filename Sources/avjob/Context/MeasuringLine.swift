import Glibc
import Terminal
import Threads

/// The line on standard error that shows how far the measuring of an entry is, before anything is
/// heard; a signal ends it. One thread at a time.
final class MeasuringLine {
  /// Set by a signal.
  let cancellation = CancellationFlag()
  /// The signal that came; nil: none.
  private(set) var signal: Int32?
  private let signals: SignalQueue
  private var isShown = false
  private var lastMoment: ContinuousClock.Instant?

  init(_ signals: SignalQueue) { self.signals = signals }

  /// Shows the share that is done, some times a second, where there is a terminal; and looks for a
  /// signal.
  func show(_ name: String, _ share: Double) {
    while let next = signals.next() {
      // The others are about a screen, which there is not yet.
      guard [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(next) else { continue }
      signal = next
      cancellation.cancel()
    }
    guard StandardStream.error.terminal != nil else { return }
    let now = ContinuousClock.now
    if let lastMoment, lastMoment.duration(to: now) < .milliseconds(200) { return }
    lastMoment = now
    isShown = true
    StandardStream.error.write("\rmeasuring \(name.printable): \(Int(share * 100)) %\u{1B}[K")
  }

  /// Takes the line away.
  func erase() {
    guard isShown else { return }
    isShown = false
    StandardStream.error.write("\r\u{1B}[K")
  }
}
