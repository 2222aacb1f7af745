import MediaTime
import Playback
import Terminal

/// The lines of a preview for a file or a pipe: entries, problems, and the position in wide steps.
struct PreviewLog {
  private var lastStep: Int64 = 0
  private var isWaiting = false
  /// The last printed reason for having no device.
  private var reason: String?

  /// Between two lines of the position.
  private static let step = Time(value: 10, timescale: 1)

  /// The line for the start of an entry.
  mutating func began(
    _ name: String, number: Int, of count: Int, lasting duration: Time
  ) -> String {
    lastStep = 0
    let place = count > 1 ? "\(number) of \(count): " : ""
    return place + "\(name.printable) (\(PreviewLayout.clock(duration)))"
  }

  /// The line for the current position; nil between two steps.
  mutating func position(_ time: Time, of duration: Time) -> String? {
    let step = Int64(time.seconds / Self.step.seconds)
    guard step != lastStep else { return nil }
    lastStep = step
    return "\(PreviewLayout.clock(time)) of \(PreviewLayout.clock(duration))"
  }

  /// The line for an event; nil for most.
  mutating func line(for event: PlayerEvent, at time: Time, device: String) -> String? {
    switch event {
    case .timeControlStatusChanged(.waitingToPlayAtSpecifiedRate, .toMinimizeStalls):
      // The wait for the first sound is no stall.
      guard time > .zero else { return nil }
      return "buffering at \(PreviewLayout.clock(time)): the next sound is on its way"
    case .timeControlStatusChanged(.waitingToPlayAtSpecifiedRate, .toRenderAhead):
      return "too heavy to hear live, at \(PreviewLayout.clock(time)): rendering ahead"
    case .ranDry(let count):
      return "xrun at \(PreviewLayout.clock(time)): \(device) ran out of sound, \(count) so far"
    case .deviceLost(let failure):
      let isFirst = !isWaiting
      isWaiting = true
      defer { reason = failure?.message ?? reason }
      guard isFirst || failure.map({ $0.message != reason }) == true else { return nil }
      let place = PreviewLayout.clock(time)
      guard let failure else { return "\(device) has disconnected at \(place); waiting for it" }
      let why = failure.message.printable
      return isFirst
        ? "\(device) is not available at \(place), and is waited for: \(why)"
        : "\(device) cannot be opened again: \(why)"
    case .deviceFound:
      guard isWaiting else { return nil }
      (isWaiting, reason) = (false, nil)
      return "\(device) is connected again"
    default: return nil
    }
  }
}
