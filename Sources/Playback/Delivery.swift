import Synchronization

/// What a thread gives, once, to a task that waits for it. A task that is cancelled goes on at once,
/// whatever the thread waits for.
///
/// Safe from any thread. One task may wait.
final class Delivery<Value: Sendable>: Sendable {
  private enum State {
    case pending
    case awaited(CheckedContinuation<Value, any Error>)
    case delivered(Result<Value, any Error>)
    case taken
  }

  private let state = Mutex(State.pending)

  /// Gives a result. Only the first one counts.
  func deliver(_ result: Result<Value, any Error>) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      switch state {
      case .pending: state = .delivered(result)
      case .awaited(let continuation):
        state = .taken
        return continuation
      case .delivered, .taken: break
      }
      return nil
    }
    waiter?.resume(with: result)
  }

  /// Waits for the result.
  ///
  /// - Throws: The result's error, or `CancellationError` if the task was cancelled before.
  func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Value, any Error>? in
          guard case .delivered(let result) = state else {
            state = .awaited(continuation)
            return nil
          }
          state = .taken
          return result
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      deliver(.failure(CancellationError()))
    }
  }
}
