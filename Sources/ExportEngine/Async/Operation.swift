import Diagnosis
import Synchronization
import Threads

/// Work that blocks, on a thread of its own outside Swift's cooperative pool, and the tasks that
/// await it.
///
/// A cancelled task goes on at once, with a failure of the code `cancelled`, whatever the thread waits
/// for: a server, a disk, a lock. The thread is told by `cancellation`, which ends its reads and its
/// waits for servers, and what it finds by then is dropped.
///
/// Safe from any thread.
package final class Operation<Update: Sendable, Value: Sendable>: Sendable {
  /// What a task that waits is given.
  enum Step: Sendable {
    /// The newest report of the work, which goes on.
    case update(Update)
    /// How the work ended.
    case end(Result<Value, Failure>)
  }

  /// Tells the thread to stop.
  package let cancellation = CancellationFlag()
  /// What the work is about, for its failures.
  private let location: MediaLocation?
  /// How long a cancelled task waits for the thread, which then cleans up.
  private let grace: Duration
  private let state = Mutex(State())

  private struct State {
    var newest: Update?
    var end: Result<Value, Failure>?
    var waiters: [CheckedContinuation<Step, Never>] = []
    var isCancelled = false
    var isSettled = false

    /// What a task that begins to wait is given; nil: nothing yet.
    mutating func take() -> Step? {
      // How far the work came is reported before its failure, also to a task that is late.
      if case .success? = end { newest = nil }
      if let update = newest {
        newest = nil
        return .update(update)
      }
      return end.map { .end($0) }
    }
  }

  init(about location: MediaLocation? = nil, grace: Duration = .zero) {
    (self.location, self.grace) = (location, grace)
  }

  /// Starts the work. Called once.
  ///
  /// - Parameters:
  ///   - name: That of the thread.
  ///   - body: The work, with this operation, to report to.
  func start(
    name: String = "avjob",
    _ body: @escaping @Sendable (Operation) throws(Failure) -> Value
  ) {
    do throws(Thread.SpawnError) {
      _ = try Thread.spawn(name: name) { [self] in
        finish(
          Result { () throws(Failure) in
            try cancellation.endingReads { () throws(Failure) in try body(self) }
          })
      }
    } catch {
      finish(.failure(.outOfThreads(error, at: location)))
    }
  }

  /// Reports how far the work is. Tasks that are late see the newest report only.
  func report(_ update: Update) {
    give { state in
      guard state.end == nil else { return nil }
      state.newest = update
      return state.waiters.isEmpty ? nil : state.take()
    }
  }

  /// Makes the work final: from now on a cancellation has no effect.
  ///
  /// - Returns: False where the work was cancelled before: it must not become final any more.
  func settle() -> Bool {
    state.withLock { state in
      if state.isCancelled { return false }
      state.isSettled = true
      return true
    }
  }

  /// Ends the work, unless it has ended or is final.
  func cancel() {
    let isFirst = state.withLock { state in
      guard state.end == nil, !state.isSettled, !state.isCancelled else { return false }
      (state.isCancelled, state.newest) = (true, nil)
      return true
    }
    guard isFirst else { return }
    cancellation.cancel()
    guard grace > .zero else { return finish(.failure(.cancelled(at: location))) }
    Task.detached { [self] in
      try? await Task.sleep(for: grace)
      finish(.failure(.cancelled(at: location)))
    }
  }

  /// The next report, or the end, which is given again to each later call.
  ///
  /// If the calling task is cancelled, the work is.
  func next() async -> Step {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let step = state.withLock { state -> Step? in
          if let step = state.take() { return step }
          state.waiters.append(continuation)
          return nil
        }
        if let step { continuation.resume(returning: step) }
      }
    } onCancel: {
      cancel()
    }
  }

  private func finish(_ result: Result<Value, Failure>) {
    give { state in
      guard state.end == nil else { return nil }
      state.end = result
      return state.waiters.isEmpty ? nil : state.take()
    }
  }

  /// Gives all tasks that wait the step that `body` makes of the state, if there is one.
  private func give(_ body: (inout sending State) -> Step?) {
    let (step, waiters) = state.withLock { state -> (Step?, [CheckedContinuation<Step, Never>]) in
      guard let step = body(&state) else { return (nil, []) }
      defer { state.waiters = [] }
      return (step, state.waiters)
    }
    guard let step else { return }
    for waiter in waiters { waiter.resume(returning: step) }
  }
}

/// Runs `body`, which may block, on a thread of its own; a cancelled task goes on at once.
///
/// - Parameters:
///   - location: What it is about, for its failures.
///   - body: The work. Its reads and its waits for servers end with the task.
/// - Returns: What `body` does.
/// - Throws: As `body`; the code `cancelled` where the task was cancelled before.
package func onThread<Value: Sendable>(
  about location: MediaLocation? = nil,
  _ body: @escaping @Sendable (Operation<Never, Value>) throws(Failure) -> Value
) async throws(Failure) -> Value {
  let operation = Operation<Never, Value>(about: location)
  return try await operation.run(body)
}

extension Operation where Update == Never {
  /// Starts the work, and waits for its end.
  ///
  /// - Throws: As `body`; the code `cancelled` where the task was cancelled before.
  func run(
    _ body: @escaping @Sendable (Operation) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    // Of a task that is cancelled already, nothing is begun.
    if Task.isCancelled { cancel() } else { start(body) }
    switch await next() {
    case .update(let never): switch never {}
    case .end(let result): return try result.get()
    }
  }
}
