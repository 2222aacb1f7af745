internal import Threads

/// Chunks on their way from the thread that has the sound to the threads that encode them.
///
/// Safe from any thread.
final class ChunkQueue<Codec: SplicedCodec>: Sendable {
  typealias Problem = Codec.Encoder.Problem

  private let codec: Codec
  private let cancellation: CancellationFlag
  private let budget: CPUBudget?
  private let state = Monitor(State())

  private struct State {
    /// In order of time.
    var unclaimed: [Chunk<Codec>] = []
    /// By their numbers.
    var outcomes: [Int: Problem?] = [:]
    /// Threads beside the owner's.
    var helpers = 0
    var isStopped = false
  }

  /// - Parameters:
  ///   - codec: Of all encoders.
  ///   - budget: Whose idle cores help; nil: none.
  ///   - cancellation: Ends all encoding with `Problem.cancelled`.
  init(_ codec: Codec, budget: CPUBudget?, cancellation: CancellationFlag) {
    self.codec = codec
    self.budget = budget
    self.cancellation = cancellation
  }

  /// Threads at work beside the owner's.
  var helpers: Int { state.withLock { $0.helpers } }

  /// Adds a chunk, which its giver does not touch until it has an outcome.
  func add(_ chunk: Chunk<Codec>) { state.withLock { $0.unclaimed.append(chunk) } }

  /// Adds a chunk that needs no encoding of its own.
  func pass(_ chunk: Chunk<Codec>) { finish(chunk, nil) }

  /// Starts a thread for each unclaimed chunk but `kept` of them, as far as there are idle cores.
  func callHelpers(keeping kept: Int = 0) {
    guard let budget else { return }
    while true {
      let isUseful = state.withLock { state in
        guard state.unclaimed.count > kept, !state.isStopped else { return false }
        state.helpers += 1
        return true
      }
      guard isUseful else { return }
      let isStarted = budget.runOnIdleCore(name: "avjob-\(codec.name)") { [self] lease in
        defer {
          // First: a thread that sees no helpers any more may count on the core.
          lease.release()
          state.withLock { $0.helpers -= 1 }
        }
        help(on: lease)
      }
      guard isStarted else {
        state.withLock { $0.helpers -= 1 }
        return
      }
    }
  }

  /// Encodes unclaimed chunks, until a job needs the core.
  func help(on lease: CPULease) {
    while let chunk = claim() {
      while !advance(chunk) {
        if lease.isWanted { return putBack(chunk) }
      }
      if lease.isWanted { return }
    }
  }

  /// Gives a claimed chunk back, to be continued by another thread.
  private func putBack(_ chunk: Chunk<Codec>) {
    state.withLock { state in
      guard !state.isStopped else { return }
      let place = state.unclaimed.firstIndex { $0.number > chunk.number }
      state.unclaimed.insert(chunk, at: place ?? state.unclaimed.endIndex)
    }
  }

  /// Takes the oldest chunk that no thread encodes. The caller brings it to an outcome, or puts it
  /// back.
  func claim() -> Chunk<Codec>? {
    state.withLock { state in
      guard !state.isStopped, !state.unclaimed.isEmpty else { return nil }
      return state.unclaimed.removeFirst()
    }
  }

  /// Encodes some of a claimed chunk; gives whether it has an outcome now.
  func advance(_ chunk: Chunk<Codec>) -> Bool {
    do throws(Problem) {
      guard !cancellation.isCancelled, !state.withLock({ $0.isStopped }) else { throw .cancelled }
      guard try chunk.advance(codec) else { return false }
      finish(chunk, nil)
    } catch {
      finish(chunk, error)
    }
    return true
  }

  private func finish(_ chunk: Chunk<Codec>, _ error: Problem?) {
    state.withLock { $0.outcomes[chunk.number] = .some(error) }
  }

  /// Whether the chunk is encoded and may be touched again.
  ///
  /// - Throws: What ended its encoding early.
  func isEncoded(_ chunk: Chunk<Codec>) throws(Problem) -> Bool {
    let outcome = state.withLock { $0.outcomes[chunk.number] }
    guard let outcome else { return false }
    if let error = outcome { throw error }
    return true
  }

  /// Blocks until the chunk has an outcome, or there is one to claim.
  func wait(for chunk: Chunk<Codec>) {
    state.wait { state -> Void? in
      state.unclaimed.isEmpty ? state.outcomes[chunk.number].map { _ in } : ()
    }
  }

  /// Drops unclaimed chunks, and waits until no thread encodes any more.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.unclaimed = []
    }
    state.wait { $0.helpers == 0 ? () : nil }
  }
}
