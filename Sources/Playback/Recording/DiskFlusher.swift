import Glibc
import Threads

/// Flushes files to the disk on a thread of its own, one after the other, so that who writes them does
/// not wait: a disk may take seconds for it, and sound comes meanwhile.
///
/// Safe from any thread. What went wrong is told by the next call.
final class DiskFlusher: Sendable {
  private struct State {
    /// Ours, in order; the first one is being flushed.
    var descriptors: [Int32] = []
    /// Whether a thread is at it.
    var isRunning = false
    /// The errno of the first call that failed and was not told; 0: none.
    var error: Int32 = 0
  }

  private let state = Monitor(State())
  private let call: @Sendable (Int32) -> Int32

  /// So many may wait: a process has not many descriptors.
  private static let most = 64

  /// A flusher that makes the given call, as fsync(2).
  init(calling call: @escaping @Sendable (Int32) -> Int32 = { fsync($0) }) { self.call = call }

  /// Whether something is not on the disk yet.
  var isBusy: Bool { state.withLock { !$0.descriptors.isEmpty } }

  /// Flushes a file, or a folder, soon; the descriptor may be closed then. Waits only where very much
  /// is to be flushed before it.
  ///
  /// - Returns: As fsync(2): -1, with errno set, where this or an earlier one could not be flushed.
  func flush(_ descriptor: Int32) -> Int32 {
    let error = state.wait { state -> Int32? in
      guard state.error != 0 || state.descriptors.count < Self.most else { return nil }
      defer { state.error = 0 }
      return state.error
    }
    guard error == 0 else {
      errno = error
      return -1
    }
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, CInt(0))
    // Where there is no descriptor, or no thread, to be had, it is done here.
    guard own >= 0 else { return call(descriptor) }
    let isRunning = state.withLock { state in
      state.descriptors.append(own)
      defer { state.isRunning = true }
      return state.isRunning
    }
    guard !isRunning else { return 0 }
    do {
      _ = try Thread.spawn(name: "record-flush") { self.work() }
    } catch {
      work()
    }
    return 0
  }

  /// Waits until all is on the disk; gives the errno of what failed, or 0.
  func finish() -> Int32 {
    state.wait { state in
      guard state.descriptors.isEmpty else { return nil }
      defer { state.error = 0 }
      return state.error
    }
  }

  /// Flushes what waits, until nothing does.
  private func work() {
    while let descriptor = next() {
      let error = call(descriptor) == 0 ? 0 : errno
      var facts = stat()
      // Some file systems have no flush of folders (fsync(2)).
      let isNone =
        error == EINVAL && fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
      close(descriptor)
      state.withLock { state in
        state.descriptors.removeFirst()
        if error != 0, !isNone, state.error == 0 { state.error = error }
      }
    }
  }

  private func next() -> Int32? {
    state.withLock { state in
      if state.descriptors.isEmpty { state.isRunning = false }
      return state.descriptors.first
    }
  }
}
