import Synchronization
import Threads

/// Messages of other threads to the loop of a command, and the wake-up of that loop.
package final class Inbox<Message: Sendable>: Sendable {
  private let messages = Mutex<[Message]>([])
  private let arrival: WakeUp

  /// Readable while there is something.
  package var descriptor: Int32 { arrival.descriptor }

  package init() throws(ChildProcess.SystemError) { arrival = try WakeUp() }

  package func put(_ message: Message) {
    messages.withLock { $0.append(message) }
    arrival.signal()
  }

  /// Waits until there is something, or the time is over.
  package func wait(milliseconds: Int32) { arrival.wait(milliseconds: milliseconds) }

  /// All that has come, in order.
  package func takeAll() -> [Message] {
    arrival.clear()
    return messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
