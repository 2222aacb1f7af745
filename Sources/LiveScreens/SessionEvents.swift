import MediaTime
import Playback
import Terminal

extension AudioSession.Event {
  /// The line for the event; nil for those that a player reports, and for others without effect.
  func line(at time: Time, device: String) -> String? {
    let place = PreviewLayout.clock(time)
    switch self {
    case .interruption(.began(.default)):
      return "interrupted at \(place): another program's sound has priority"
    case .interruption(.began(.deviceSuspended)):
      return "interrupted at \(place): \(device) is suspended"
    case .interruption(.ended(shouldResume: true)): return "the interruption is over; playing again"
    case .interruption(.ended(shouldResume: false)): return "the interruption is over"
    case .routeChange(.oldDeviceUnavailable, let old):
      let name = old.outputs.first?.portName.printable ?? device
      return "\(name) has disconnected at \(place): paused"
    case .routeChange, .mediaServicesWereLost, .mediaServicesWereReset: return nil
    }
  }
}
