import Testing
import Threads

/// A thread that runs what tasks want run.
final class TestThread: TaskExecutor {
  /// For all readers of sequences.
  static let shared = TestThread(name: "test-reader")

  private struct Work {
    var jobs: [UnownedJob] = []
    var isOver = false
  }

  private let work = Monitor(Work())

  init(name: String) {
    do { _ = try Thread.spawn(name: name) { [self] in run() } } catch {
      // Without it the test would wait for ever.
      fatalError("\(error)")
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    work.withLock { $0.jobs.append(job) }
  }

  /// Ends the thread when all is run.
  func end() { work.withLock { $0.isOver = true } }

  private func run() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func next() -> UnownedJob? {
    work.wait { work -> UnownedJob?? in
      if !work.jobs.isEmpty { return .some(work.jobs.removeFirst()) }
      return work.isOver ? .some(nil) : nil
    }
  }
}

/// Gives each test of a suite a thread of its own, where it goes on at once when what it awaits is there.
///
/// On Swift's pool, which has one thread a core, a test that awaits something goes on behind all tests that
/// have not begun yet, which takes minutes. Tests of a suite then run at the same time.
public struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
  /// Tests of suites within the suite have their threads, too.
  public let isRecursive = true

  /// Runs a test on its thread.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let thread = TestThread(name: "test")
    defer { thread.end() }
    try await withTaskExecutorPreference(thread, operation: function)
  }
}

extension Trait where Self == OwnThreadTrait {
  /// Each test of the suite has a thread of its own.
  public static var ownThreads: Self { Self() }
}
