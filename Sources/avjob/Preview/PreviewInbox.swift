import Playback
import Synchronization
import Threads

/// What other threads have to say to the loop of a preview, and the bell that wakes it.
final class PreviewInbox<Message: Sendable>: Sendable {
  private let messages = Mutex<[Message]>([])
  private let bell: WakeUp

  /// Readable while there is something.
  var descriptor: Int32 { bell.descriptor }

  init() throws(ChildProcess.SystemError) { bell = try WakeUp() }

  func put(_ message: Message) {
    messages.withLock { $0.append(message) }
    bell.ring()
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
