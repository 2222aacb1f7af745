import MediaTime
import Playback
import Terminal

/// The lines of a preview for a file or a pipe: what begins, what goes wrong, and where it is, in wide
/// steps.
struct PreviewLog {
  private var lastStep: Int64 = 0
  private var isWaiting = false
  /// Why there is no device, as it was said last.
  private var reason: String?

  /// Between two lines of the position.
  private static let step = Time(value: 10, timescale: 1)

  /// An entry is heard from here on.
  mutating func began(
    _ name: String, number: Int, of count: Int, lasting duration: Time
  ) -> String {
    lastStep = 0
    let place = count > 1 ? "\(number) of \(count): " : ""
    return place + "\(name.printable) (\(PreviewLayout.clock(duration)))"
  }

  /// It is heard there now; nil: that is not worth a line.
  mutating func position(_ time: Time, of duration: Time) -> String? {
    let step = Int64(time.seconds / Self.step.seconds)
    guard step != lastStep else { return nil }
    lastStep = step
    return "\(PreviewLayout.clock(time)) of \(PreviewLayout.clock(duration))"
  }

  /// What is said of an event; nil: nothing.
  mutating func line(for event: PlayerEvent, at time: Time, device: String) -> String? {
    switch event {
    case .ranDry(let count):
      return "xrun at \(PreviewLayout.clock(time)): \(device) ran dry, \(count) so far"
    case .deviceLost(let failure):
      let isNews = !isWaiting
      isWaiting = true
      defer { reason = failure?.message ?? reason }
      guard isNews || failure.map({ $0.message != reason }) == true else { return nil }
      let line = isNews ? "\(device) is gone; waiting for it at \(PreviewLayout.clock(time))" : nil
      let why = failure.map { "\(device) does not come back: \($0.message.printable)" }
      return [line, why].compactMap { $0 }.joined(separator: "\n")
    case .deviceFound:
      guard isWaiting else { return nil }
      (isWaiting, reason) = (false, nil)
      return "\(device) is back"
    default: return nil
    }
  }
}
