import Glibc
import Synchronization

internal import CThreads

/// A thread of our own, for work that blocks: decoding, encoding, waiting for a device.
///
/// Such work on Swift's cooperative pool would keep every task of the process waiting.
package final class Thread: Sendable {
  /// Why `spawn` could not start a thread.
  package struct SpawnError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errno of `pthread_create`: `EAGAIN` where the machine has no room for another thread.
    package let code: Int32

    /// `pthread_create`'s reason in the system's words.
    package var description: String {
      "no thread could be started: \(String(cString: strerror(code)))"
    }
  }

  /// Stack bytes of a thread by default: as many as Linux gives `main`.
  package static let defaultStackSize = 8 << 20

  /// Nil once joined.
  private let handle: Mutex<pthread_t?>
  /// Whether the work is done.
  private let hasEnded: Monitor<Bool>

  private init(_ handle: pthread_t, _ hasEnded: Monitor<Bool>) {
    self.handle = Mutex(handle)
    self.hasEnded = hasEnded
  }

  deinit {
    handle.withLock { handle in
      if let handle { _ = pthread_detach(handle) }
    }
  }

  /// How soon a thread gets a core that other threads also need.
  package enum Urgency: Sendable, Hashable {
    /// The thread gets a core in its turn.
    case usual
    /// Before others: for sound that is being heard or recorded. As far as the system lets this
    /// process (`ulimit -e`, CAP_SYS_NICE); where it does not, as usual. It is the nice value that
    /// PulseAudio's threads have, and no real-time class: a mistake in such a thread stops nothing.
    case live
    /// After all others: for work that nobody waits for. The lowest nice value.
    case idle

    fileprivate var niceValue: Int32? {
      switch self {
      case .usual: nil
      case .live: -11
      case .idle: 19
      }
    }
  }

  /// Starts a thread that runs `body` once.
  ///
  /// The thread blocks the signals that are sent to a process: `main`, or another thread, takes them.
  /// Faults of the thread itself, such as SIGSEGV, are not blocked.
  ///
  /// - Parameters:
  ///   - name: What `top -H` and debuggers show; the first 15 bytes count.
  ///   - urgency: How soon it gets a core.
  ///   - stackSize: Bytes, rounded up to whole pages, and to what POSIX and Swift need at least.
  ///   - body: The work. The thread ends with it.
  /// - Returns: The thread, which runs on by itself if it is not joined.
  /// - Throws: `SpawnError` where the system has no thread to give.
  package static func spawn(
    name: String, urgency: Urgency = .usual, stackSize: Int = defaultStackSize,
    _ body: @escaping @Sendable () -> Void
  ) throws(SpawnError) -> Thread {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    let page = max(1, sysconf(Int32(_SC_PAGESIZE)))
    // Swift's runtime takes 40 KB where a generic type is used for the first time.
    let least = sysconf(Int32(_SC_THREAD_STACK_MIN)) + 1 << 16
    let wanted = max(stackSize, least) + avjob_signal_stack_size
    let sized = pthread_attr_setstacksize(&attributes, (wanted + page - 1) / page * page)
    guard sized == 0 else { throw SpawnError(code: sized) }

    // The new thread takes this reference over; where there is none, it is released here.
    let hasEnded = Monitor(false)
    let work = Unmanaged.passRetained(ThreadBody(name: name, urgency, hasEnded, body))
    var handle = pthread_t()
    // A thread has the mask of the one that creates it, from its first instruction on.
    var (blocked, before) = (sentSignals, sigset_t())
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    let status = pthread_create(&handle, &attributes, runWork, work.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard status == 0 else {
      work.release()
      throw SpawnError(code: status)
    }
    return Thread(handle, hasEnded)
  }

  /// Whether this is the calling thread; false once it was joined.
  package var isCurrent: Bool {
    handle.withLock { handle in
      guard let handle else { return false }
      return pthread_equal(handle, pthread_self()) != 0
    }
  }

  /// Blocks until the thread has ended; at once where it has been joined before.
  ///
  /// A thread must not join itself.
  package func join() {
    handle.withLock { handle in
      guard let joinable = handle else { return }
      pthread_join(joinable, nil)
      handle = nil
    }
  }

  /// Blocks until the thread has ended, or the time is over: for work that may block in a library.
  ///
  /// A thread that has not ended by then runs on; it keeps what its work holds. A thread must not join
  /// itself.
  ///
  /// - Returns: Whether the thread has ended.
  @discardableResult
  package func join(until deadline: ContinuousClock.Instant) -> Bool {
    let hasEnded = hasEnded.wait { hasEnded -> Monitor<Bool>.Answer<Bool> in
      hasEnded || ContinuousClock.now >= deadline ? .now(hasEnded) : .later(by: deadline)
    }
    if hasEnded { join() }
    return hasEnded
  }
}

/// The signals that terminals, shells and other programs send to a process. If `main` blocks one for a
/// `SignalQueue`, the kernel gives it to any thread that does not, where it ends or stops the process.
private var sentSignals: sigset_t {
  var signals = sigset_t()
  sigemptyset(&signals)
  for signal in [
    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT, SIGWINCH, SIGALRM, SIGUSR1, SIGUSR2,
    SIGCHLD,
  ] {
    sigaddset(&signals, signal)
  }
  return signals
}

/// A new thread's name and body: the pointer that it is given.
private final class ThreadBody: Sendable {
  let name: String
  let urgency: Thread.Urgency
  let hasEnded: Monitor<Bool>
  let body: @Sendable () -> Void

  init(
    name: String, _ urgency: Thread.Urgency, _ hasEnded: Monitor<Bool>,
    _ body: @escaping @Sendable () -> Void
  ) {
    self.name = name
    self.urgency = urgency
    self.hasEnded = hasEnded
    self.body = body
  }
}

/// The C entry point of every thread: at file scope, so that it inherits no actor's isolation.
private func runWork(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  avjob_with_signal_stack(runBody, pointer)
  return nil
}

private func runBody(_ pointer: UnsafeMutableRawPointer?) {
  guard let pointer else { return }
  let work = Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue()
  // Linux takes 15 bytes and refuses more; a multi-byte character cut in two is harmless here.
  let name = work.name.utf8.prefix(15).map { CChar(bitPattern: $0) } + [0]
  _ = avjob_pthread_setname(pthread_self(), name)
  // Linux keeps a nice value for each thread, and 0 is the calling one (setpriority(2)).
  if let nice = work.urgency.niceValue { setpriority(.init(PRIO_PROCESS.rawValue), 0, nice) }
  work.body()
  work.hasEnded.withLock { $0 = true }
}
