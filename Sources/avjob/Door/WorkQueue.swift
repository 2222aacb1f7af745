import Diagnosis
import JobFile
import MediaComposition
import SystemPackage

/// Puts together what is ready to run, and what each piece must wait for.
struct WorkQueue {
  private let preparer: Preparer
  private let limits: WorkLimits
  private var work: [Work] = []
  /// Which pieces of work each job has become.
  private var places: [Int: Range<Int>] = [:]
  /// Which piece writes what another job reads.
  private var writers: [JobDependencies.Producer: Int] = [:]
  private var owners: [Int] = []

  init(_ preparer: Preparer, _ limits: WorkLimits) {
    self.preparer = preparer
    self.limits = limits
  }

  /// Adds some of a job's parts; one that is not split is one part. What was found of the job is told
  /// of the first of them.
  mutating func append(_ parts: [Int], of index: Int, warnings: [Diagnostic] = []) {
    let (job, outcome) = (preparer.jobs[index], preparer.outcomes[index])
    var awaited: Set<FilePath> = []
    if !preparer.dependencies.edges[index].isEmpty {
      for reference in job.media
      where preparer.dependencies.producer(of: reference.path, readBy: index) != nil {
        awaited.insert(reference.path)
      }
    }
    let first = work.count
    for part in parts {
      let estimate = outcome.parts[part].estimate
      var piece = Work(
        export: outcome.exports[part], job: job.name, folder: job.folder, estimate: estimate,
        timeLimit: WorkLimits.timeLimit(of: job, estimate: estimate))
      piece.retries = job.retries ?? limits.retries
      if !awaited.isEmpty {
        piece.draft = Work.Draft(
          job: job, part: part, partCount: outcome.exports.count, awaited: awaited)
      }
      for output in piece.export.outputs
      where preparer.dependencies.isRead(output.path, of: index) {
        writers[JobDependencies.Producer(job: index, output: output.path)] = work.count
      }
      work.append(piece)
      owners.append(index)
    }
    if !warnings.isEmpty, first < work.count { work[first].warnings = warnings }
    places[index] = first..<work.count
  }

  /// All that was added, in its order, each with what it waits for.
  ///
  /// - Complexity: O(pieces · what their jobs need)
  func connected() -> [Work] {
    var connected = work
    for (number, index) in owners.enumerated() {
      let edges = preparer.dependencies.edges[index]
      guard !edges.isEmpty else { continue }
      var needs: Set<Int> = []
      for edge in edges {
        switch edge.reason {
        case .named: needs.formUnion(places[edge.job] ?? 0..<0)
        case .reads(let path):
          guard let producer = preparer.dependencies.producer(of: path, readBy: index),
            let writer = writers[producer]
          else { continue }
          needs.insert(writer)
        }
      }
      connected[number].needs = needs.sorted()
    }
    return connected
  }
}

/// How the work of a run is dealt out among machines: jobs that need each other together, and parts
/// of a split job each by itself.
struct Shares {
  private let own: Int
  private var shards: [Int]
  /// Which unit each job's first part is of, and whether its other parts are of the next ones.
  private var units: [Int: (first: Int, isSpread: Bool)] = [:]

  /// - Parameters:
  ///   - jobs: The wanted ones; all that they need is among them.
  ///   - preparer: Knows the jobs.
  ///   - shard: The one whose share is wanted.
  init(of jobs: [Int], _ preparer: Preparer, _ shard: Shard) {
    own = shard.number
    let edges = preparer.dependencies.edges
    var group = Groups(count: preparer.jobs.count)
    var isAlone = [Bool](repeating: true, count: preparer.jobs.count)
    for index in jobs {
      for edge in edges[index] {
        group.join(index, edge.job)
        (isAlone[index], isAlone[edge.job]) = (false, false)
      }
    }
    var estimates: [Duration] = []
    for index in jobs {
      // What cannot run is nobody's work, but one shard speaks of it.
      let own = preparer.outcomes[index].parts.map(\.estimate)
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
