import Glibc
import Synchronization

internal import CThreads

/// A thread of our own, for work that blocks: decoding, encoding, waiting for a device.
///
/// Such work on Swift's cooperative pool would keep every task of the process waiting.
public final class Thread: Sendable {
  /// What `spawn` runs into.
  public struct SpawnError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errno of `pthread_create`: `EAGAIN` where the machine has no room for another thread.
    public let code: Int32

    /// `pthread_create`'s reason in the system's words.
    public var description: String {
      "no thread could be started: \(String(cString: strerror(code)))"
    }
  }

  /// Stack bytes of a thread that asks for no other size: as much as Linux gives `main`.
  public static let defaultStackSize = 8 << 20

  /// Nil once joined.
  private let handle: Mutex<pthread_t?>

  private init(_ handle: pthread_t) { self.handle = Mutex(handle) }

  deinit {
    handle.withLock { handle in
      if let handle { _ = pthread_detach(handle) }
    }
  }

  /// Starts a thread that runs `body` once.
  ///
  /// - Parameters:
  ///   - name: What `top -H` and debuggers show; the first 15 bytes count.
  ///   - stackSize: Bytes, rounded up to whole pages and to what POSIX asks for at least.
  ///   - body: The work. The thread ends with it.
  /// - Returns: The thread, which runs on by itself if nobody joins it.
  /// - Throws: `SpawnError` where the system has no thread to give.
  public static func spawn(
    name: String, stackSize: Int = defaultStackSize, _ body: @escaping @Sendable () -> Void
  ) throws(SpawnError) -> Thread {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    let page = max(1, sysconf(Int32(_SC_PAGESIZE)))
    let wanted =
      max(stackSize, sysconf(Int32(_SC_THREAD_STACK_MIN))) + avjob_signal_stack_size
    let sized = pthread_attr_setstacksize(&attributes, (wanted + page - 1) / page * page)
    guard sized == 0 else { throw SpawnError(code: sized) }

    // The new thread takes this reference over; where there is none, it is released here.
    let work = Unmanaged.passRetained(Work(name: name, body))
    var handle = pthread_t()
    let status = pthread_create(&handle, &attributes, runWork, work.toOpaque())
    guard status == 0 else {
      work.release()
      throw SpawnError(code: status)
    }
    return Thread(handle)
  }

  /// Blocks until the thread has ended; at once where it has been joined before.
  ///
  /// A thread must not join itself.
  public func join() {
    handle.withLock { handle in
      guard let joinable = handle else { return }
      pthread_join(joinable, nil)
      handle = nil
    }
  }
}

/// What a new thread finds behind the pointer that it is given.
private final class Work: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, _ body: @escaping @Sendable () -> Void) {
    self.name = name
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
  let work = Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
  // Linux takes 15 bytes and refuses more; a multi-byte character cut in two harms nobody here.
  let name = work.name.utf8.prefix(15).map { CChar(bitPattern: $0) } + [0]
  _ = avjob_pthread_setname(pthread_self(), name)
  work.body()
}
