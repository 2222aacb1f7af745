import Glibc

internal import CThreads

/// Signals that wait until they are read (signalfd(2)), for a loop that waits for other things,
/// too.
///
/// The signals stay blocked in the thread that made the queue, and in threads that it starts from
/// then on, until the queue is released there.
package final class SignalQueue {
  /// For poll(2): readable while a signal waits.
  package let descriptor: Int32
  private let before: sigset_t

  /// Blocks the given signals. To be called before other threads are started, which would take the
  /// signals.
  ///
  /// - Throws: The errno of signalfd(2), where the process has no descriptor left.
  package init(_ signals: [Int32]) throws(ChildProcess.SystemError) {
    var (set, before) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, &before)
    self.before = before
    descriptor = avjob_signalfd(-1, &set, Int32(O_CLOEXEC | O_NONBLOCK))
    guard descriptor >= 0 else {
      let code = errno
      pthread_sigmask(SIG_SETMASK, &before, nil)
      throw ChildProcess.SystemError(errno: code, call: "signalfd")
    }
  }

  /// Closes the queue, and unblocks the signals as `unblock` does.
  deinit {
    close(descriptor)
    unblock()
  }

  /// Unblocks the signals on this thread: they, and those that still wait, act as they did before
  /// the queue was made.
  package func unblock() {
    var before = before
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// The next signal that waits; nil if none waits.
  package func next() -> Int32? {
    // `signalfd_siginfo`, which begins with the number: 128 bytes.
    var block = [UInt32](repeating: 0, count: 32)
    let count = read(descriptor, &block, 128)
    return count == 128 ? Int32(truncatingIfNeeded: block[0]) : nil
  }

  /// Stops the process as an uncaught SIGTSTP does, and returns when it continues. Returns at once
  /// where no shell would wake it again.
  package func stopProcess() {
    var stop = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    raise(SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, nil)
    pthread_sigmask(SIG_BLOCK, &stop, nil)
  }
}
