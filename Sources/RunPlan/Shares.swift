import Threads

/// How the work of a run is dealt out among machines. Together are jobs that need each other, those
/// that share a gain, which the first of them measures for all, and the parts of a split job whose
/// level is measured over all of them. Other parts of split jobs are each by itself.
struct Shares {
  private var shards: [Int]
  /// Differs where machines deal out otherwise: other jobs, or other shards of them (FNV-1a, 64 bits).
  private(set) var digest = "".utf8.fnv1a()
  /// Which unit each job's first part is of, and whether its other parts are of the next ones.
  private var units: [Int: (first: Int, isSpread: Bool)] = [:]

  /// - Parameters:
  ///   - jobs: The ones to do; all that they need is among them.
  ///   - preparer: Knows the jobs.
  ///   - count: How many machines there are.
  /// - Complexity: O(n · log n), n being parts and needs
  init(of jobs: [Int], _ preparer: Preparer, among count: Int) {
    var group = Groups(count: preparer.jobs.count)
    var isAlone = [Bool](repeating: true, count: preparer.jobs.count)
    func join(_ a: Int, _ b: Int) {
      group.join(a, b)
      (isAlone[a], isAlone[b]) = (false, false)
    }
    for index in jobs {
      for edge in preparer.edges(of: index) { join(index, edge.job) }
      if preparer.outcomes[index].measuresWhole { isAlone[index] = false }
    }
    let wanted = Set(jobs)
    for members in preparer.groups.jobs.map({ $0.filter(wanted.contains) }) {
      for (a, b) in zip(members, members.dropFirst()) { join(a, b) }
    }
    var estimates: [Duration] = []
    for index in jobs {
      // What cannot run is no work, but one shard reports it.
      let own = preparer.outcomes[index].estimates
      let leader = group.leader(of: index)
      if isAlone[index] {
        units[index] = (estimates.count, true)
        estimates += own.isEmpty ? [.zero] : own
      } else if let unit = units[leader] {
        units[index] = unit
        estimates[unit.first] += own.reduce(.zero, +)
      } else {
        units[index] = (estimates.count, false)
        units[leader] = (estimates.count, false)
        estimates.append(own.reduce(.zero, +))
      }
    }
    shards = Shard.deal(estimates, among: count)
    for index in jobs {
      mix("\(index) \(preparer.jobs[index].name)\n")
      for part in preparer.outcomes[index].estimates.indices {
        mix("\(shard(of: index, part: part)) ")
      }
    }
  }

  private mutating func mix(_ text: String) { digest = text.utf8.fnv1a(continuing: digest) }

  /// The shard of a part, from 1.
  func shard(of job: Int, part: Int) -> Int {
    guard let unit = units[job] else { return 1 }
    return shards[unit.first + (unit.isSpread ? part : 0)]
  }
}

extension Preparer.Outcome {
  /// Whether each part of a split job needs a measurement of all of it.
  fileprivate var measuresWhole: Bool {
    guard estimates.count > 1, let graph = try? sessions.first?.graph() else { return false }
    return !graph.normalizations.isEmpty
  }
}

/// Which of some numbers belong together (union-find).
private struct Groups {
  private var parents: [Int]

  init(count: Int) { parents = Array(0..<count) }

  mutating func leader(of number: Int) -> Int {
    var leader = number
    while parents[leader] != leader { leader = parents[leader] }
    var next = number
    while parents[next] != leader { (parents[next], next) = (leader, parents[next]) }
    return leader
  }

  /// The least number leads.
  mutating func join(_ a: Int, _ b: Int) {
    let (a, b) = (leader(of: a), leader(of: b))
    parents[max(a, b)] = min(a, b)
  }
}
