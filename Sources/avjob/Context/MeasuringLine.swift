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
    guard let terminal = StandardStream.error.terminal else { return }
    let now = ContinuousClock.now
    if let lastMoment, lastMoment.duration(to: now) < .milliseconds(200) { return }
    lastMoment = now
    isShown = true
    let text = Self.text(name, share, columns: terminal.columns)
    StandardStream.error.write("\r\(text)\u{1B}[K")
  }

  /// `measuring podcast: 40 %`, narrower than so many columns: a line that is wrapped could not be
  /// drawn over.
  static func text(_ name: String, _ share: Double, columns: Int) -> String {
    let (before, after) = ("measuring ", ": \(Int(share * 100)) %")
    let room = columns - 1 - before.columns - after.columns
    let name = name.printable.shortened(to: max(0, room))
    return (before + name + after).shortened(to: max(0, columns - 1))
  }

  /// Takes the line away.
  func erase() {
    guard isShown else { return }
    isShown = false
    StandardStream.error.write("\r\u{1B}[K")
  }
}
