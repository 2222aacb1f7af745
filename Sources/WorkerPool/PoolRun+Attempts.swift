import Diagnosis
import MediaComposition
import Synchronization
import Threads

extension PoolRun {
  /// What follows from the end of an attempt.
  private enum Ending {
    case over(Report.Outcome)
    case again(Failure, after: Duration)
    case later(Duration)
  }

  /// One attempt at a job. Returns whether this worker continues: not if the attempt was abandoned,
  /// since another worker then has its place.
  func run(_ job: Int, as worker: Int, _ lease: CPULease) -> Bool {
    guard let (attempt, pause) = begin(job, as: worker, lease) else { return true }
    if pause?.isShown != true { events.send(Event(job: job, .started, at: .now)) }
    let result = result(of: job, attempt)
    // With what the timekeeper noted meanwhile.
    guard let attempt = finish(job, attempt) else { return false }
    switch ending(of: result, attempt, job) {
    case .over(let outcome):
      let elapsed = attempt.start.duration(to: .now)
      conclude(job, Report(outcome, elapsed: elapsed, attempts: attempt.number))
    case .again(let failure, let wait):
      events.send(Event(job: job, .retrying(failure, after: wait), at: .now))
      let pause = AttemptPause(
        start: attempt.start, attempts: attempt.number, failure: failure, isShown: true)
      put(off: job, pause, until: wait, isLate: false)
    case .later(let wait):
      events.send(Event(job: job, .postponed(after: wait), at: .now))
      var pause = pause
      pause?.isShown = false
      put(off: job, pause, until: wait, isLate: true)
    }
    return true
  }

  /// Nil, and the job given back, where the run has been stopped meanwhile.
  private func begin(
    _ job: Int, as worker: Int, _ lease: CPULease
  ) -> (attempt: Attempt, pause: AttemptPause?)? {
    state.withLock { state in
      guard !cancellation.isCancelled, !state.schedule.isStopped else {
        state.schedule.giveBack(job)
        return nil
      }
      let now = ContinuousClock.now
      let pause = state.pauses.removeValue(forKey: job)
      let attempt = Attempt(
        lease: lease, worker: worker, start: pause?.start ?? now,
        number: (pause?.attempts ?? 0) + 1, at: now, of: jobs[job])
      state.attempts[job] = attempt
      return (attempt, pause)
    }
  }

  private func result(of job: Int, _ attempt: Attempt) -> Result<Runner.Result, any Error> {
    let events = events
    let context = JobContext(
      budget: pool.budget, cancellation: attempt.cancellation,
      onProgress: { progress in
        guard !attempt.isAbandoned else { return }
        events.trySend(Event(job: job, .progress(progress), at: .now))
      },
      onWarning: { warning in
        guard !attempt.isAbandoned else { return }
        events.send(Event(job: job, .warning(warning), at: .now))
      })
    return Result { try runner.run(jobs[job].job, context: context) }
  }

  /// Takes an attempt that has come back from the timekeeper; nil where that has abandoned it.
  private func finish(_ job: Int, _ attempt: Attempt) -> Attempt? {
    state.withLock { state in
      guard let current = state.attempts[job], current.cancellation === attempt.cancellation
      else { return nil }
      state.attempts[job] = nil
      return current
    }
  }

  private func ending(
    of result: Result<Runner.Result, any Error>, _ attempt: Attempt, _ job: Int
  ) -> Ending {
    do {
      return .over(.finished(try result.get()))
    } catch let postponed as JobPostponed {
      return .later(max(.milliseconds(10), postponed.after.orAnAge))
    } catch let failure as Failure {
      return ending(with: failure, attempt, job)
    } catch let hung as JobHung where attempt.isLate {
      var failure = Failure.late(attempt)
      failure.location = hung.location
      return ending(with: failure, attempt, job)
    } catch is JobHung where attempt.cancellation.isCancelled {
      return .over(.cancelled)
    } catch is CancellationError where attempt.isLate {
      return ending(with: .late(attempt), attempt, job)
    } catch is CancellationError where attempt.cancellation.isCancelled {
      return .over(.cancelled)
    } catch {
      return .over(
        .failed(Failure(.reportBug, "the job stopped with an unexpected error: \(error)")))
    }
  }

  private func ending(with failure: Failure, _ attempt: Attempt, _ job: Int) -> Ending {
    let wait = pool.backoff.wait(afterAttempt: attempt.number, ofJob: job)
    let hasTime = attempt.lastDeadline.map { .now.advanced(by: wait) < $0 } ?? true
    let mayPass = failure.remedy == .tryAgain && attempt.number <= jobs[job].retries && hasTime
    let isStopped = cancellation.isCancelled || state.withLock { $0.schedule.isStopped }
    return mayPass && !isStopped ? .again(failure, after: wait) : .over(.failed(failure))
  }

  private func put(off job: Int, _ pause: AttemptPause?, until wait: Duration, isLate: Bool) {
    state.withLock { state in
      state.pauses[job] = pause
      state.schedule.pause(job, until: ContinuousClock.now.advanced(by: wait), isLate: isLate)
    }
  }
}

extension PoolRun {
  /// The timekeeper's loop: cancels attempts that have had their time, or whose run is
  /// cancelled, and abandons those that do not stop.
  func keepTime() {
    while let (cancelled, abandoned) = nextMeasures() {
      for flag in cancelled { flag.cancel() }
      for (job, attempt) in abandoned { abandon(job, attempt) }
    }
  }

  /// Waits until something is to be done; nil when all workers have left.
  private func nextMeasures() -> (cancelled: [CancellationFlag], abandoned: [(Int, Attempt)])? {
    state.wait { state in
      guard state.isStaffed else { return .later(by: nil) }
      guard state.workersAtWork > 0 else { return .now(nil) }
      var cancelled: [CancellationFlag] = []
      var abandoned: [(Int, Attempt)] = []
      var next: ContinuousClock.Instant?
      let (now, isCancelled) = (ContinuousClock.now, cancellation.isCancelled)
      for (job, var attempt) in state.attempts {
        switch attempt.measure(at: now, isRunCancelled: isCancelled, grace: pool.grace) {
        case .cancel: cancelled.append(attempt.cancellation)
        case .abandon: abandoned.append((job, attempt))
        case .wait(until: let instant?): next = min(next ?? instant, instant)
        case .wait(until: nil): break
        }
        state.attempts[job] = attempt
      }
      for (job, attempt) in abandoned {
        state.attempts[job] = nil
        state.threads[attempt.worker] = nil
      }
      return cancelled.isEmpty && abandoned.isEmpty
        ? .later(by: next) : .now((cancelled, abandoned))
    }
  }

  /// A thread cannot be killed: its job ends without it, and another worker takes its place. If none
  /// can be started the others continue, and if there are none either, the remaining jobs fail.
  private func abandon(_ job: Int, _ attempt: Attempt) {
    attempt.abandon()
    attempt.lease.release()
    let outcome: Report.Outcome =
      attempt.isLate ? .failed(.stuck(attempt.limit, grace: pool.grace)) : .cancelled
    let elapsed = attempt.start.duration(to: .now)
    conclude(job, Report(outcome, elapsed: elapsed, attempts: attempt.number))
    do throws(Thread.SpawnError) {
      try startWorker()
    } catch {
      // None but this thread starts any, so the last one stays the last.
      if state.withLock({ $0.workersAtWork }) == 1 { failRest(.outOfThreads(error)) }
    }
    leave()
  }

  /// Fails all jobs that would have been started.
  private func failRest(_ failure: Failure) {
    guard !cancellation.isCancelled else { return }
    let rest = state.withLock { state in
      guard !state.schedule.isStopped else { return [(job: Int, pause: AttemptPause?)]() }
      state.schedule.stop()
      return jobs.indices.filter { state.reports[$0].outcome.isNotStarted }
        .map { ($0, state.pauses.removeValue(forKey: $0)) }
    }
    for (job, pause) in rest {
      if pause?.isShown != true { events.send(Event(job: job, .started, at: .now)) }
      let elapsed = pause.map { $0.start.duration(to: .now) } ?? .zero
      let report = Report(.failed(failure), elapsed: elapsed, attempts: pause?.attempts ?? 0)
      events.send(Event(job: job, .failed(failure), at: .now))
      state.withLock { $0.reports[job] = report }
    }
  }
}

extension JobReport.Outcome {
  fileprivate var isNotStarted: Bool { if case .notStarted = self { true } else { false } }
}
