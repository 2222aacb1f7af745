import Diagnosis
import Threads

/// Numbered items, worked on by the calling thread and by threads on idle cores, with their outcomes
/// in order.
///
/// The first failure in the order of items ends the work, whichever came first in time. Safe from
/// any thread.
final class OrderedWork<Item: Sendable, Outcome: Sendable>: Sendable {
  /// Works on one item; stays on the thread that made it.
  typealias Worker = (Item) throws(Failure) -> Outcome

  private let name: String
  private let budget: CPUBudget
  private let run: Int
  private let mostHelpers: Int
  private let makeWorker: @Sendable () throws(Failure) -> Worker
  private let state = Monitor(State())

  private struct State {
    /// In order.
    var unclaimed: [(number: Int, item: Item)] = []
    var outcomes: [Int: Result<Outcome, Failure>] = [:]
    /// Threads beside the caller's.
    var helpers = 0
    var isStopped = false
  }

  /// - Parameters:
  ///   - name: Of threads.
  ///   - budget: Whose idle cores help; the calling thread holds one of it.
  ///   - run: A thread goes on with the next item up to so many, if it is there: neighbours are
  ///     cheaper.
  ///   - mostHelpers: Threads beside the calling one.
  ///   - makeWorker: Called once on each thread that works.
  init(
    name: String, budget: CPUBudget, run: Int = 1, mostHelpers: Int = .max,
    _ makeWorker: @escaping @Sendable () throws(Failure) -> Worker
  ) {
    self.name = name
    self.budget = budget
    self.run = max(1, run)
    self.mostHelpers = mostHelpers
    self.makeWorker = makeWorker
  }

  /// Whether what is worked on will not be asked for.
  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Works on `count` items, and returns when no thread does any more.
  ///
  /// - Parameters:
  ///   - count: How many items there are.
  ///   - room: How many items may be without a collected outcome beside so many helpers.
  ///   - kept: How many items no helper is called for, since the calling thread has time for them.
  ///   - produce: Makes an item, on this thread.
  ///   - collect: Takes the outcomes in order, on this thread.
  /// - Throws: What `produce`, a worker or `collect` throws.
  func finish(
    _ count: Int, room: (_ helpers: Int) -> Int, keeping kept: Int,
    produce: (Int) throws -> Item, collect: (Outcome) throws -> Void
  ) throws {
    defer { stop() }
    let worker = try makeWorker()
    var (produced, collected) = (0, 0)
    var last: Int?
    while collected < count {
      while produced < count, produced - collected < max(1, room(state.withLock { $0.helpers })) {
        let item = try produce(produced)
        state.withLock { $0.unclaimed.append((produced, item)) }
        produced += 1
        callHelpers(keeping: kept)
      }
      if let (number, item) = claim(after: last) {
        settle(number, item, worker)
        last = number
        callHelpers(keeping: kept)
      } else {
        wait(for: collected)
      }
      while let outcome = state.withLock({ $0.outcomes.removeValue(forKey: collected) }) {
        try collect(try outcome.get())
        collected += 1
      }
    }
  }

  private func settle(_ number: Int, _ item: Item, _ worker: Worker) {
    let outcome: Result<Outcome, Failure>
    do throws(Failure) {
      outcome = .success(try worker(item))
    } catch {
      outcome = .failure(error)
    }
    state.withLock { $0.outcomes[number] = outcome }
  }

  /// Starts a thread for each unclaimed item but `kept`, as far as there are idle cores.
  private func callHelpers(keeping kept: Int) {
    while true {
      let isUseful = state.withLock { state in
        guard state.unclaimed.count > kept, state.helpers < mostHelpers, !state.isStopped else {
          return false
        }
        state.helpers += 1
        return true
      }
      guard isUseful else { return }
      let isStarted = budget.runOnIdleCore(name: name) { [self] lease in
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

  /// Works until nothing is unclaimed, or a job needs the core.
  private func help(on lease: CPULease) {
    guard let worker = try? makeWorker() else { return }
    var last: Int?
    while !lease.isWanted, let (number, item) = claim(after: last) {
      settle(number, item, worker)
      last = number
    }
  }

  /// Takes the item after `last` within its run, or else the first of a run, or else the first.
  private func claim(after last: Int?) -> (number: Int, item: Item)? {
    state.withLock { state in
      guard !state.isStopped, !state.unclaimed.isEmpty else { return nil }
      let next = last.flatMap { last in
        (last + 1) % run == 0 ? nil : state.unclaimed.firstIndex { $0.number == last + 1 }
      }
      let place = next ?? state.unclaimed.firstIndex { $0.number % run == 0 } ?? 0
      return state.unclaimed.remove(at: place)
    }
  }

  /// Blocks until the item has an outcome, or there is one to claim.
  private func wait(for number: Int) {
    state.wait { state -> Void? in
      state.unclaimed.isEmpty ? state.outcomes[number].map { _ in } : ()
    }
  }

  /// Drops what is unclaimed, and waits until no thread works any more.
  private func stop() {
    state.withLock { state in
      state.isStopped = true
      state.unclaimed = []
    }
    state.wait { $0.helpers == 0 ? () : nil }
  }
}
