import Glibc
import Threads

/// SIGINT, SIGTERM and SIGHUP: the first stops the work cleanly, a second one the process.
enum Signals {
  /// Catches them on a thread of their own from now on.
  ///
  /// To be called before any other thread is started, since threads inherit what is blocked.
  /// - Returns: The flag that the first signal sets, and which signal that was.
  static func catchAll() -> (cancellation: CancellationFlag, caught: CaughtSignal) {
    let cancellation = CancellationFlag()
    let caught = CaughtSignal()
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    // A terminal that is closed.
    sigaddset(&signals, SIGHUP)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    // A pipe that is closed at the other end is an error of a write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // So is a file that may not grow (`ulimit -f`): what was written can still be taken away.
    signal(SIGXFSZ, SIG_IGN)
    let waiting = signals
    _ = try? Thread.spawn(name: "signals") {
      var waiting = waiting
      var number: Int32 = 0
      guard sigwait(&waiting, &number) == 0 else { return }
      caught.set(number)
      cancellation.cancel()
      _ = sigwait(&waiting, &number)
      _exit(128 + number)
    }
    return (cancellation, caught)
  }
}
