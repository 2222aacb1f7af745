/// How the work of a run is dealt out among machines: jobs that need each other together, and parts
/// of a split job each by itself.
struct Shares {
  private let own: Int
  private var shards: [Int]
  /// Which unit each job's first part is of, and whether its other parts are of the next ones.
  private var units: [Int: (first: Int, isSpread: Bool)] = [:]

  /// - Parameters:
  ///   - jobs: The ones to do; all that they need is among them.
  ///   - preparer: Knows the jobs.
  ///   - shard: The one whose share this machine does.
  init(of jobs: [Int], _ preparer: Preparer, _ shard: Shard) {
    own = shard.number
    var group = Groups(count: preparer.jobs.count)
    var isAlone = [Bool](repeating: true, count: preparer.jobs.count)
    for index in jobs {
      for edge in preparer.edges(of: index) {
        group.join(index, edge.job)
        (isAlone[index], isAlone[edge.job]) = (false, false)
      }
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
    shards = Shard.deal(estimates, among: shard.count)
  }

  /// Whether a part is of the wanted share.
  func isOwn(_ job: Int, part: Int) -> Bool { self.shard(of: job, part: part) == own }

  /// The shard of a part, from 1.
  func shard(of job: Int, part: Int) -> Int {
    guard let unit = units[job] else { return 1 }
    return shards[unit.first + (unit.isSpread ? part : 0)]
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
