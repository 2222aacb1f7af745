import Diagnosis
import Glibc
import Terminal

/// A command that runs until a key, a signal or its work ends it. `runLoop` waits, and calls the other
/// functions, all on one thread.
protocol LiveSession: AnyObject {
  var console: Console { get }
  /// Readable while another thread has a message.
  var messageDescriptor: Int32 { get }
  /// Milliseconds until the next drawing; −1: none without an event.
  var drawingPause: Int32 { get }
  var isOver: Bool { get }

  func press(_ key: Key)
  /// Handles a signal that ends the command.
  func end(by signal: Int32)
  /// Handles messages of other threads, and draws.
  func update() throws(Failure)
  /// Handles another size of the terminal.
  func resize()
  /// Draws the next time below other output, which another program may have written.
  func redrawBelow()
  /// Pauses before the process is stopped (Ctrl-Z).
  ///
  /// - Returns: What to do when the process continues; nil if it must not be stopped.
  func suspend() -> (() -> Void)?
}

extension LiveSession {
  func resize() {}

  func redrawBelow() {}

  /// Runs until `isOver`. The caller takes the console before, and gives it back after.
  func runLoop() throws(Failure) {
    while !isOver {
      console.wait(or: messageDescriptor, milliseconds: drawingPause)
      if console.returns() { redrawBelow() }
      while !isOver, let signal = console.nextSignal() { handle(signal) }
      for key in console.keys() { press(key) }
      try update()
    }
  }

  private func handle(_ signal: Int32) {
    switch signal {
    case SIGWINCH: resize()
    case SIGTSTP:
      guard let resume = suspend() else { return }
      redrawBelow()
      for signal in console.suspend() { handle(signal) }
      console.enter()
      redrawBelow()
      resume()
    case SIGCONT:
      // Another program may have used the terminal, or still have it.
      console.enterAnew()
      redrawBelow()
    default: end(by: signal)
    }
  }
}
