import ExportEngine
import Terminal
import Threads

/// What comes over the network before a command has a screen: one line on the terminal, which goes
/// away.
package enum FetchingLine {
  /// Runs `body`, and shows the line on standard error meanwhile, where that is a terminal and bytes
  /// are on their way. `body` must write nothing there.
  package static func shown<Result>(while body: () throws -> Result) rethrows -> Result {
    guard StandardStream.error.terminal != nil else { return try body() }
    let isOver = Monitor(false)
    let thread = try? Thread.spawn(name: "avjob-line", stackSize: 1 << 18) { draw(until: isOver) }
    defer {
      isOver.withLock { $0 = true }
      thread?.join()
    }
    return try body()
  }

  private static func draw(until isOver: Monitor<Bool>) {
    var (meter, isShown) = (FetchMeter(), false)
    while !isOver.wait(for: .milliseconds(200)) {
      let line = meter.line(for: MediaNetwork.transfer, at: .now)
      guard let line, let columns = StandardStream.error.terminal?.columns else { continue }
      isShown = true
      StandardStream.error.write("\r\(line.shortened(to: max(0, columns - 1)))\u{1B}[K")
    }
    if isShown { StandardStream.error.write("\r\u{1B}[K") }
  }
}

extension Monitor<Bool> {
  /// Waits until the value is true, so long at most; gives the value.
  fileprivate func wait(for time: Duration) -> Bool {
    let end = ContinuousClock.now + time
    return wait { value -> Answer<Bool> in
      value || end <= .now ? .now(value) : .later(by: end)
    }
  }
}
