import ExportEngine
import Glibc
import Synchronization
import Threads

/// SIGINT, SIGTERM and SIGHUP: the first stops the work cleanly, a second one the process.
///
/// A SIGHUP that was ignored when the process was started stays so: with `nohup` the work outlives its
/// terminal. A SIGINT is taken in any case: a shell ignores it for what a script starts with `&`, and
/// scripts stop that by it.
///
/// Safe from any thread.
final class Signals: Sendable {
  /// Set by the first signal, where work has begun.
  let cancellation = CancellationFlag()
  private let number = Atomic<Int32>(0)
  /// What a signal has to do, and then to end the process, as long as there is no work to be stopped.
  private let ending: Mutex<Ending?>

  /// Gets the status that the process is about to end with. Called on the thread of the signals.
  typealias Ending = @Sendable (Int32) -> Void

  /// Those that are caught.
  private let numbers: [Int32]

  private init(_ ending: Ending?) {
    self.ending = Mutex(ending)
    numbers = [SIGINT, SIGTERM] + (SignalDisposition.isIgnored(SIGHUP) ? [] : [SIGHUP])
  }

  /// Catches them on a thread of their own from now on.
  ///
  /// To be called before any other thread is started, since threads inherit what is blocked.
  ///
  /// - Parameter end: What the first signal does before it ends the process, until `workBegins`; nil:
  ///   work begins at once.
  /// - Returns: What signals do from now on.
  static func catchAll(beforeWork end: Ending? = nil) -> Signals {
    let caught = Signals(end)
    var signals = caught.set
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    // A file that may not grow (`ulimit -f`) is an error of a write: what was written can still be
    // taken away.
    signal(SIGXFSZ, SIG_IGN)
    // Whoever started this one may have left it ignored: the status of children would be lost.
    signal(SIGCHLD, SIG_DFL)
    let waiting = signals
    _ = try? Thread.spawn(name: "signals") {
      var waiting = waiting
      var number: Int32 = 0
      guard sigwait(&waiting, &number) == 0 else { return }
      caught.note(number)
      _ = sigwait(&waiting, &number)
      _exit(ChildProcess.exitStatus(ofSignal: number))
    }
    return caught
  }

  private var set: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    return signals
  }

  private func note(_ number: Int32) {
    self.number.store(number, ordering: .releasing)
    ending.withLock { end in
      guard let end else { return }
      // What `end` writes to may block, and this thread is the one that waits for the next signal:
      // from here on that ends the process by itself.
      for number in numbers { signal(number, SIG_DFL) }
      var signals = set
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      let status = ChildProcess.exitStatus(ofSignal: number)
      end(status)
      _exit(status)
    }
    cancellation.cancel()
    // Whoever waits for a server's bytes hears of it at once.
    MediaNetwork.cancel()
  }

  /// Says that from now on there is something to be stopped. Does not return where a signal is just
  /// ending the process.
  func workBegins() { ending.withLock { $0 = nil } }

  /// The exit status by which a shell knows the first signal; nil where none came.
  var exitStatus: Int32? {
    let number = number.load(ordering: .acquiring)
    return number == 0 ? nil : ChildProcess.exitStatus(ofSignal: number)
  }
}
