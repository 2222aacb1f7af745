/// A part of some work. Any thread of a `Crew` can go on with it, one thread at a time.
package protocol CrewTask: AnyObject, Sendable {
  /// Works on, best for some milliseconds: another job may wait for the core. A failure is an end, too:
  /// the task keeps it for its owner.
  ///
  /// - Returns: Whether nothing is left to do.
  func advance() -> Bool
}

/// The threads at work on one job: the one that it belongs to, and those on cores that are idle.
///
/// Encoders, renderers and analyses divide their work into tasks, and add these to the crew of their
/// job. A thread on an idle core takes one task after the other until none is left, or until another
/// job waits for the core. The job's own thread takes tasks where it would otherwise wait.
///
/// Functions are for the job's own thread, one at a time.
package final class Crew: Sendable {
  /// Ends all work of the crew once it is set. Tasks look at the flag themselves.
  package let cancellation: CancellationFlag
  /// The budget whose idle cores help; nil: only the calling thread works.
  package let budget: CPUBudget?
  private let state = Monitor(State())

  /// Which tasks a thread takes first.
  package enum Priority: Int, Sendable {
    /// Tasks that other work waits for.
    case usual
    /// Tasks whose outcome is not needed yet.
    case ahead
  }

  /// A task's number in its crew: of two of the same priority, the lower one is taken first.
  package typealias Ticket = Int

  private struct Entry {
    let ticket: Ticket
    let priority: Priority
    let task: any CrewTask

    var rank: (Int, Ticket) { (priority.rawValue, ticket) }
  }

  private struct State {
    /// By rank.
    var waiting: [Entry] = []
    /// Those that a thread has taken.
    var running: Set<Ticket> = []
    /// Those of them that are not to be gone on with.
    var withdrawn: Set<Ticket> = []
    /// Threads beside the job's own.
    var helpers = 0
    /// Those of them that have not yet come to take a task.
    var starting = 0
    var nextTicket = 0

    mutating func insert(_ entry: Entry) {
      let place = waiting.firstIndex { $0.rank > entry.rank }
      waiting.insert(entry, at: place ?? waiting.endIndex)
    }

    func place(of ticket: Ticket) -> Int? { waiting.firstIndex { $0.ticket == ticket } }

    func isDone(_ ticket: Ticket) -> Bool { !running.contains(ticket) && place(of: ticket) == nil }

    mutating func take(at place: Int = 0) -> Entry? {
      guard waiting.indices.contains(place) else { return nil }
      running.insert(waiting[place].ticket)
      return waiting.remove(at: place)
    }

    /// Gives back a task that was taken, to be gone on with unless it is done or withdrawn.
    mutating func giveBack(_ entry: Entry, isDone: Bool) {
      running.remove(entry.ticket)
      let isWithdrawn = withdrawn.remove(entry.ticket) != nil
      if !isDone, !isWithdrawn { insert(entry) }
    }
  }

  /// A crew of the calling thread and others.
  ///
  /// - Parameters:
  ///   - budget: Whose idle cores help, beside the calling thread, which should hold one of it; nil:
  ///     none.
  ///   - cancellation: Ends the work of all owners.
  package init(budget: CPUBudget? = nil, cancellation: CancellationFlag = CancellationFlag()) {
    (self.budget, self.cancellation) = (budget, cancellation)
  }

  /// Calls `body` with a crew of the calling thread and idle cores; gives back all cores before it
  /// returns.
  ///
  /// - Parameters:
  ///   - budget: The budget that has the cores. The calling thread should hold one of them; nil:
  ///     all cores that the process may use.
  ///   - cancellation: Ends the work of all owners.
  ///   - body: Withdraws its tasks.
  /// - Returns: What `body` does.
  package static func gather<Result>(
    from budget: CPUBudget?, unless cancellation: CancellationFlag,
    _ body: (Crew) throws -> Result
  ) rethrows -> Result {
    // A core for the calling thread, where no caller's budget has one.
    let own = budget == nil ? CPUBudget(total: CPUBudget.availableCores) : nil
    let lease = own?.tryLease()
    defer { lease?.release() }
    let crew = Crew(budget: budget ?? own, cancellation: cancellation)
    defer { crew.dismiss() }
    return try body(crew)
  }

  /// Threads that there may be at most.
  package var mostThreads: Int { budget?.total ?? 1 }

  /// Threads at work beside the job's own.
  package var helpers: Int { state.withLock { $0.helpers } }

  /// How many threads may be at work: the job's own, the helpers, and one more where a core is
  /// idle.
  package var threads: Int {
    // The core of a helper on its way out is idle before the helper is gone.
    min(mostThreads, 1 + helpers + (budget?.hasIdleCore == true ? 1 : 0))
  }

  /// Whether each of the `threads` has a task of usual priority, and one more such task waits.
  package var isBusy: Bool {
    let pending = state.withLock { state in
      state.waiting.count { $0.priority == .usual } + state.running.count
    }
    return pending > threads
  }

  /// Adds a task, and starts threads as far as tasks wait and cores are idle.
  ///
  /// - Parameters:
  ///   - task: The task. Its owner does not touch it until it is done or withdrawn.
  ///   - priority: When threads take the task.
  ///   - kept: How many waiting tasks are left to the calling thread, which has time for them: no
  ///     helper is started for these.
  /// - Returns: The task's number.
  package func add(
    _ task: any CrewTask, priority: Priority = .usual, keeping kept: Int = 0
  ) -> Ticket {
    let ticket = state.withLock { state in
      defer { state.nextTicket += 1 }
      state.insert(Entry(ticket: state.nextTicket, priority: priority, task: task))
      return state.nextTicket
    }
    callHelpers(keeping: kept)
    return ticket
  }

  /// Whether a task is done, so that its owner may touch it.
  package func isDone(_ ticket: Ticket) -> Bool { state.withLock { $0.isDone(ticket) } }

  /// Advances the task `ticket` once, or, if another thread has that, another task. If other
  /// threads have all tasks, waits until `ticket` is done or a task can be taken. Returns at once
  /// if `ticket` is done.
  package func work(for ticket: Ticket) {
    let entry = state.wait { state -> Entry?? in
      if state.isDone(ticket) { return .some(nil) }
      guard let entry = state.take(at: state.place(of: ticket) ?? 0) else { return nil }
      return entry
    }
    guard let entry else { return }
    callHelpers(keeping: 0)
    let isDone = entry.task.advance()
    state.withLock { $0.giveBack(entry, isDone: isDone) }
  }

  /// Takes back tasks that are not done; returns when no thread works on them any more.
  package func withdraw(_ tickets: some Sequence<Ticket>) {
    let tickets = Set(tickets)
    state.withLock { state in
      state.waiting.removeAll { tickets.contains($0.ticket) }
      state.withdrawn.formUnion(state.running.intersection(tickets))
    }
    state.wait { $0.running.isDisjoint(with: tickets) ? () : nil }
  }

  /// Waits until no thread but the job's own is left; there may be no task any more.
  private func dismiss() { state.wait { $0.helpers == 0 ? () : nil } }

  /// Does `count` tasks, and collects them in order when they are done.
  ///
  /// - Parameters:
  ///   - count: How many tasks there are.
  ///   - priority: When threads take the tasks; the calling thread takes the task that is to be
  ///     collected next.
  ///   - kept: How many waiting tasks are left to the calling thread, as in `add`.
  ///   - room: How many tasks may be made and not collected yet, by the number of helpers; one at
  ///     least. If it is not more than `kept`, no helper is ever started.
  ///   - make: Makes a task by its number, on this thread.
  ///   - collect: Gets each task when it is done, on this thread.
  /// - Throws: What `make` or `collect` throws, once no thread works on the tasks any more.
  package func inOrder<Task: CrewTask>(
    _ count: Int, priority: Priority = .usual, keeping kept: Int = 1,
    room: (_ helpers: Int) -> Int, make: (Int) throws -> Task, collect: (Task) throws -> Void
  ) throws {
    var made: [(ticket: Ticket, task: Task)] = []
    defer { withdraw(made.map(\.ticket)) }
    var next = 0
    while next < count || !made.isEmpty {
      while next < count, made.count < max(1, room(helpers)) {
        let task = try make(next)
        // Before this thread has time for a task, it collects those that are done.
        let isFree = made.first.map { !isDone($0.ticket) } ?? true
        made.append((add(task, priority: priority, keeping: isFree ? kept : 0), task))
        next += 1
      }
      guard isDone(made[0].ticket) else {
        work(for: made[0].ticket)
        continue
      }
      // One at a time: meanwhile the others have further tasks.
      try collect(made.removeFirst().task)
    }
  }

  /// Starts a thread for each waiting task but `kept`, as far as there are idle cores.
  private func callHelpers(keeping kept: Int) {
    guard let budget else { return }
    while true {
      let isUseful = state.withLock { state in
        guard state.waiting.count > kept + state.starting else { return false }
        state.helpers += 1
        state.starting += 1
        return true
      }
      guard isUseful else { return }
      let isStarted = budget.runOnIdleCore(name: "avjob-helper") { [self] lease in
        help(on: lease)
        // First: a thread that sees no helper any more may count on the core.
        lease.release()
        state.withLock { $0.helpers -= 1 }
      }
      guard isStarted else {
        state.withLock { state in
          state.helpers -= 1
          state.starting -= 1
        }
        return
      }
    }
  }

  /// Takes tasks on a thread of its own, until none waits, or a job needs the core.
  private func help(on lease: CPULease) {
    cancellation.endingReads { work(on: lease) }
  }

  private func work(on lease: CPULease) {
    var entry = state.withLock { state in
      state.starting -= 1
      return state.take()
    }
    while let current = entry {
      let isDone = current.task.advance()
      let isWanted = lease.isWanted
      entry = state.withLock { state in
        state.giveBack(current, isDone: isDone)
        return isWanted ? nil : state.take()
      }
    }
  }
}
