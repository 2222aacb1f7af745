import Glibc
import Synchronization

internal import CThreads

/// The machine's cores, as leases that jobs and encoders take.
///
/// Made once by the command and handed down, so that cores are neither idle nor oversubscribed.
/// Threads that wait in `lease` are served in order, and before any `tryLease`. Safe from any
/// thread.
package final class CPUBudget: Sendable {
  /// How many leases there are; at least 1.
  package let total: Int
  private let state: Monitor<State>

  private struct State {
    var free: Int
    /// Tickets of waiting threads, the oldest first; few, since each is a blocked thread.
    var queue: [UInt64] = []
    var nextTicket: UInt64 = 0
  }

  /// A budget of `total` cores; of one core where `total` is less than 1.
  package init(total: Int) {
    self.total = max(1, total)
    state = Monitor(State(free: max(1, total)))
  }

  /// Takes one core if one is free and no thread waits for it.
  package func tryLease() -> CPULease? {
    let isTaken = state.withLock { state in
      guard state.free > 0, state.queue.isEmpty else { return false }
      state.free -= 1
      return true
    }
    return isTaken ? CPULease(of: self) : nil
  }

  /// Takes one core, blocking the calling thread until its turn comes.
  ///
  /// Returns nil if `cancellation` is set before a core is free.
  package func lease(unless cancellation: CancellationFlag = CancellationFlag()) -> CPULease? {
    let state = self.state
    let ticket = state.withLock { state in
      defer { state.nextTicket += 1 }
      state.queue.append(state.nextTicket)
      return state.nextTicket
    }
    let isTaken = cancellation.whileNotifying {
      state.withLock { _ in }
    } _: {
      state.wait { state -> Bool? in
        if cancellation.isCancelled {
          state.queue.removeAll { $0 == ticket }
          return false
        }
        guard state.queue.first == ticket, state.free > 0 else { return nil }
        state.queue.removeFirst()
        state.free -= 1
        return true
      }
    }
    return isTaken ? CPULease(of: self) : nil
  }

  /// Runs `body` on a thread of its own that holds an idle core, if there is one.
  ///
  /// The core goes back when `body` returns. A long `body` should return early, or release the
  /// lease, once `CPULease.isWanted`: idle cores are lent, and waiting threads come first.
  ///
  /// - Parameters:
  ///   - name: The name of the thread (`Thread.spawn`).
  ///   - body: The work.
  /// - Returns: Whether `body` is run; false where no core is idle, or no thread can be started.
  package func runOnIdleCore(
    name: String, _ body: @escaping @Sendable (CPULease) -> Void
  ) -> Bool {
    guard let lease = tryLease() else { return false }
    let thread = try? Thread.spawn(name: name) {
      defer { lease.release() }
      body(lease)
    }
    if thread == nil { lease.release() }
    return thread != nil
  }

  /// Whether `tryLease` would have a core to give.
  var hasIdleCore: Bool { state.withLock { $0.free > 0 && $0.queue.isEmpty } }

  /// How many threads wait for a core.
  var waiting: Int { state.withLock { $0.queue.count } }

  fileprivate func giveBack() { state.withLock { $0.free += 1 } }
}

/// One core, taken from a `CPUBudget` until it is released.
///
/// Release it in a `defer`. The lease releases itself with its last reference, too, but Swift may
/// drop a reference right after its last use. A lease may be handed to another thread.
package final class CPULease: Sendable {
  private let budget: CPUBudget
  private let isReleased = Atomic<Bool>(false)

  fileprivate init(of budget: CPUBudget) { self.budget = budget }

  deinit { release() }

  /// Whether a thread waits for a core of the budget.
  package var isWanted: Bool { budget.waiting > 0 }

  /// Gives the core back; later calls do nothing.
  package func release() {
    guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
    budget.giveBack()
  }
}

extension CPUBudget {
  /// The cores that this process may use: those of its affinity mask (`sched_getaffinity`, which
  /// honours `taskset` and cpusets), and no more than its container's quota of CPU time.
  package static var availableCores: Int {
    min(affinityCount ?? onlineCount, quota(inCPUMax: read("/sys/fs/cgroup/cpu.max")) ?? Int.max)
  }

  private static var onlineCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Nil where the kernel refuses even a mask of 65,536 cores.
  private static var affinityCount: Int? {
    var words = 16  // 1,024 cores, glibc's own cpu_set_t.
    while words <= 1024 {
      var mask = [UInt](repeating: 0, count: words)
      let status = mask.withUnsafeMutableBytes {
        avjob_sched_getaffinity(0, UInt($0.count), $0.baseAddress)
      }
      if status == 0 { return max(1, mask.reduce(0) { $0 + $1.nonzeroBitCount }) }
      words *= 2
    }
    return nil
  }

  /// Cores, rounded up, of a cgroup v2 `cpu.max` file: `QUOTA PERIOD` in microseconds, where the
  /// quota may be `max` (kernel documentation, cgroup-v2, "CPU Interface Files").
  static func quota(inCPUMax text: String) -> Int? {
    let fields = text.split(whereSeparator: \.isWhitespace).map { Int($0) }
    guard fields.count == 2, let quota = fields[0], let period = fields[1], quota > 0, period > 0
    else { return nil }
    let (cores, rest) = quota.quotientAndRemainder(dividingBy: period)
    return cores + (rest > 0 ? 1 : 0)
  }

  /// The start of a small file, or nothing where it cannot be read.
  private static func read(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(file, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
