import Diagnosis

/// Who waits for the end of a seek or of a preparation. Part of a player's state, behind its lock.
struct Waiters {
  /// Called when the jump of the state was done, or will not be.
  var seek: (@Sendable (Bool) -> Void)?
  /// Called when the item and the device are open, or will not be.
  var preparations: [@Sendable (Failure?) -> Void] = []
  /// What is to be called without the lock, in order.
  private(set) var answers: [@Sendable () -> Void] = []

  /// Has the observing thread make a call.
  mutating func answer(_ call: @escaping @Sendable () -> Void) { answers.append(call) }

  /// Ends all preparations.
  mutating func endPreparations(_ failure: Failure?) {
    for preparation in preparations { answer { preparation(failure) } }
    preparations = []
  }

  /// Gives up everything that is waited for: the player ends.
  mutating func giveUp() {
    if let seek { answer { seek(false) } }
    seek = nil
    endPreparations(Failure(.tryAgain, "the player was released before it was ready; keep it"))
  }

  /// The calls that are to be made now.
  mutating func takeAnswers() -> [@Sendable () -> Void] {
    defer { answers = [] }
    return answers
  }
}

extension PlayerState {
  /// The jump was done.
  mutating func arrive() {
    if let seek = waiters.seek { waiters.answer { seek(true) } }
    waiters.seek = nil
    jump = nil
  }
}

extension PlayerEngine {
  /// Calls those who have waited.
  func answerWaiters() {
    let answers = state.withLock { $0.waiters.takeAnswers() }
    for answer in answers { answer() }
  }
}
