import Diagnosis
import Synchronization

/// What a thread gives, once, to a task that waits for it. A task that is cancelled goes on at once,
/// whatever the thread waits for.
///
/// Safe from any thread. One task may wait.
final class Delivery<Value: Sendable>: Sendable {
  private enum State {
    case pending
    case awaited(CheckedContinuation<Result<Value, Failure>, Never>)
    case delivered(Result<Value, Failure>)
    case taken
  }

  private let state = Mutex(State.pending)

  /// Gives a result. Only the first one counts.
  func deliver(_ result: Result<Value, Failure>) {
    let waiter = state.withLock { state -> CheckedContinuation<Result<Value, Failure>, Never>? in
      switch state {
      case .pending: state = .delivered(result)
      case .awaited(let continuation):
        state = .taken
        return continuation
      case .delivered, .taken: break
      }
      return nil
    }
    waiter?.resume(returning: result)
  }

  /// Waits for the result.
  ///
  /// - Throws: The result's failure; the code `cancelled` if the task was cancelled before.
  func value() async throws(Failure) -> Value {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state -> Result<Value, Failure>? in
          guard case .delivered(let result) = state else {
            state = .awaited(continuation)
            return nil
          }
          state = .taken
          return result
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      deliver(.failure(.cancelled))
    }
    return try result.get()
  }
}
