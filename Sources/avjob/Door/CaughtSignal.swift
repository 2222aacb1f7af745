import Synchronization

/// The signal that stopped the run, if one did. Safe from any thread.
final class CaughtSignal: Sendable {
  private let number = Atomic<Int32>(0)

  func set(_ number: Int32) { self.number.store(number, ordering: .releasing) }

  /// The exit status that tells a shell of the signal: 130 for SIGINT, 143 for SIGTERM.
  var exitStatus: Int32? {
    let number = number.load(ordering: .acquiring)
    return number == 0 ? nil : 128 + number
  }
}
