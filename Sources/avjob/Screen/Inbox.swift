import Glibc
import Synchronization
import Threads

/// What other threads have to say to the loop of a command, and the bell that wakes it.
final class Inbox<Message: Sendable>: Sendable {
  private let messages = Mutex<[Message]>([])
  private let bell: WakeUp

  /// Readable while there is something.
  var descriptor: Int32 { bell.descriptor }

  init() throws(ChildProcess.SystemError) { bell = try WakeUp() }

  func put(_ message: Message) {
    messages.withLock { $0.append(message) }
    bell.ring()
  }

  /// Waits until there is something, or the time is over.
  func wait(milliseconds: Int32) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, milliseconds)
  }

  /// All that has come, in order.
  func takeAll() -> [Message] {
    bell.clear()
    return messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
