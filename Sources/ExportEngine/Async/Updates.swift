import Diagnosis
import Synchronization

/// The states of work that goes on by itself, until it ends.
///
/// A reader that is late gets the newest state only, and always the last. If the task that reads is
/// cancelled, or the sequence and its iterators are released, the work is cancelled; the reader gets
/// a `Failure` with the code `cancelled` at once, never the end of the sequence. Several tasks may
/// read: each state goes to those that wait for it, and the last one to all.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
  /// Why work ends before its last state.
  public typealias Failure = Diagnosis.Failure

  /// The work, which ends with the last reference to it.
  fileprivate final class Handle: Sendable {
    let operation: Operation<Element, Element>

    init(_ operation: Operation<Element, Element>) { self.operation = operation }

    deinit { operation.cancel() }
  }

  private let handle: Handle

  /// The reports of an operation that was started, and its value as the last one.
  init(_ operation: Operation<Element, Element>) { handle = Handle(operation) }

  /// Reads the states from now on.
  public func makeAsyncIterator() -> Iterator { Iterator(handle: handle) }

  /// Reads the states. One task at a time.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let handle: Handle
    private var isOver = false

    fileprivate init(handle: Handle) { self.handle = handle }

    /// The next state; nil after the last.
    ///
    /// - Throws: `Failure`, once: why the work ended, also with the code `cancelled`.
    public mutating func next() async throws(Diagnosis.Failure) -> Element? {
      try await next(isolation: nil)
    }

    /// The next state, as `next()` gives it, to a task of an actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Diagnosis.Failure) -> Element? {
      guard !isOver else { return nil }
      switch await handle.operation.next() {
      case .update(let state): return state
      case .end(let result):
        isOver = true
        return try result.get()
      }
    }
  }
}
