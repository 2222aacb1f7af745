import Glibc
import Synchronization
import Threads

/// What a test waited for and did not get.
public struct WaitFailure: Error, CustomStringConvertible {
  /// One line.
  public let description: String
}

/// Waits until something holds, looking a thousand times a second.
///
/// For what threads and other programs come to by themselves: a state, a byte in a file, an event in a
/// log. The limit is for what never comes; no test may count on anything coming sooner.
///
/// - Parameters:
///   - what: What is waited for, as a sentence of its own: "the device is silent".
///   - limit: After which it is given up.
///   - holds: Asked at least once after the limit, so that a machine that stood still fails no test.
/// - Throws: `WaitFailure` with the sentence where it does not come; what `holds` throws.
public func wait(
  until what: String, within limit: Duration = .seconds(60), _ holds: () throws -> Bool
) throws {
  let deadline = ContinuousClock.now + limit
  while true {
    let isLast = ContinuousClock.now > deadline
    if try holds() { return }
    if isLast {
      throw WaitFailure(description: "waited \(limit.components.seconds) s in vain until \(what)")
    }
    usleep(1000)
  }
}

/// Reads a sequence to its end, on a thread of its own.
///
/// A test that awaits elements itself is behind all tests that have not begun yet each time that none is
/// there: Swift's pool has one thread a core. So it may wait for minutes, without end where an element
/// does not come, while a stream whose buffer is bounded drops elements.
public final class SequenceReader<Element: Sendable>: Sendable {
  private final class Store: Sendable {
    let elements = Mutex<[Element]>([])
  }

  private let store = Store()
  private let task: Task<Void, Never>

  /// Begins to read.
  public init(_ sequence: AsyncStream<Element>) {
    let store = store
    task = Task(executorPreference: TestThread.shared) {
      for await element in sequence { store.elements.withLock { $0.append(element) } }
    }
  }

  deinit { task.cancel() }

  /// What has come so far, in order.
  public var elements: [Element] { store.elements.withLock { $0 } }

  /// Waits for an element.
  ///
  /// - Parameters:
  ///   - what: What it tells, as a sentence: "the player pauses".
  ///   - isLast: Whether it is that one.
  /// - Returns: All up to the first such one.
  /// - Throws: `WaitFailure` where it does not come, with what came.
  public func elements(
    until what: String, _ isLast: (Element) -> Bool
  ) throws -> [Element] {
    var found: [Element] = []
    do {
      try wait(until: what) {
        found = elements
        guard let end = found.firstIndex(where: isLast) else { return false }
        found.removeLast(found.count - end - 1)
        return true
      }
    } catch {
      throw WaitFailure(description: "\(error), but were told \(found)")
    }
    return found
  }
}
