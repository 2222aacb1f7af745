import Files
import Glibc
import Threads

/// Flushes files to the disk on a thread of its own, one after the other, so that the writing
/// thread does not wait: a flush may take seconds.
///
/// Safe from any thread. A failure is reported by the next call.
final class DiskFlusher: Sendable {
  private struct State {
    /// Duplicates, in order; the first one is being flushed.
    var descriptors: [Int32] = []
    var isRunning = false
    /// The errno of the first failure that was not reported; 0: none.
    var error: Int32 = 0
  }

  private let state = Monitor(State())
  private let call: @Sendable (Int32) -> Int32

  /// The most files that may wait: descriptors are few.
  private static let most = 64

  /// A flusher that calls `call`, as fsync(2).
  init(calling call: @escaping @Sendable (Int32) -> Int32 = { fsync($0) }) { self.call = call }

  var isBusy: Bool { state.withLock { !$0.descriptors.isEmpty } }

  /// Flushes a file, or a folder, soon; the descriptor may be closed at once. Waits only if very
  /// many flushes are pending.
  ///
  /// - Returns: As fsync(2): -1, with errno set, if this or an earlier flush failed.
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
    // Without a descriptor or a thread, the flush is done here.
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

  /// Waits for all flushes.
  ///
  /// - Returns: The errno of a failure, or 0.
  func finish() -> Int32 {
    state.wait { state in
      guard state.descriptors.isEmpty else { return nil }
      defer { state.error = 0 }
      return state.error
    }
  }

  private func work() {
    while let descriptor = next() {
      let error = call(descriptor) == 0 ? 0 : errno
      // Some file systems have no flush of folders (fsync(2)).
      let isNone = error == EINVAL && (try? FileStatus(of: descriptor))?.kind == .folder
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
