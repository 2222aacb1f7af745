/// How long a job waits between two attempts: longer each time, and not all jobs alike.
package struct Backoff: Sendable, Hashable {
  /// The wait after the first attempt, about.
  package var first: Duration
  /// The longest wait.
  package var longest: Duration

  /// A wait of about `first` after the first attempt, doubled after each further one.
  package init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
    self.first = max(.zero, first)
    self.longest = max(.zero, longest)
  }

  /// The wait of job number `job` after its `attempt`th attempt, 1 for the first.
  ///
  /// The wait is between half and one and a half of the time, other for each job, and the same in
  /// every run: jobs that failed together, because of one disk, do not come back together.
  package func wait(afterAttempt attempt: Int, ofJob job: Int) -> Duration {
    var wait = first
    // A product that is not computed beyond the longest cannot overflow.
    for _ in 1..<max(1, min(attempt, 128)) where wait < longest { wait *= 2 }
    let bits = Self.mixed(UInt64(truncatingIfNeeded: job) &* 1_000_003 &+ UInt64(max(0, attempt)))
    return min(longest, min(wait, longest) * (512 + Int(bits >> 54)) / 1024)
  }

  /// SplitMix64 (Steele, Lea, Flood 2014).
  private static func mixed(_ seed: UInt64) -> UInt64 {
    var z = seed &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
