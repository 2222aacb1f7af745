/// A job, and the facts by which the pool orders it.
package struct PoolJob<Job: Sendable>: Sendable {
  /// What the runner is given.
  package var job: Job
  /// The estimate of its work, on one core. Jobs with most work ahead start first: their own, and
  /// that of the longest chain of jobs that need them.
  package var estimate: Duration
  /// Which jobs must have finished before this one starts: indices into the list that `Pool.run` is
  /// given. Where one of them does not finish, this one is blocked.
  package var needs: [Int]
  /// How long an attempt may take before it is stopped, and fails with `tryAgain`; nil: for ever.
  package var timeLimit: Duration?
  /// How long all attempts may take together, with the pauses between them (`--max-time`); nil: any
  /// time.
  package var totalTimeLimit: Duration?
  /// How often a failure with `tryAgain` may be followed by another attempt.
  package var retries: Int
  /// What the job may take while it runs. The job starts when that fits under `Pool.limits` beside
  /// the jobs that run, or when no other job runs.
  package var resources: ResourceRequest

  /// A job that needs no other, and has one attempt of any length.
  package init(
    _ job: Job, estimate: Duration = .zero, needs: [Int] = [], timeLimit: Duration? = nil,
    retries: Int = 0, resources: ResourceRequest = ResourceRequest()
  ) {
    self.job = job
    self.estimate = estimate
    self.needs = needs
    self.timeLimit = timeLimit
    self.retries = retries
    self.resources = resources
  }
}
