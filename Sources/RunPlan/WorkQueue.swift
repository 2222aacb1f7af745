import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import SystemPackage
import WorkerPool

/// Puts together what is ready to run, and what each piece must wait for.
struct WorkQueue {
  private let preparer: Preparer
  private let rules: RunRules
  private var work: [Work] = []
  /// Which pieces of work each job has become.
  private var places: [Int: Range<Int>] = [:]
  /// Which piece each part is that other jobs read.
  private var readParts: [Part: Int] = [:]
  private var owners: [Int] = []
  /// The estimates of jobs that may measure the sounds of groups, with those of their groups.
  private let groupEstimates: [Int: Duration]
  /// Of the same jobs: the bytes of servers' media.
  private let groupFetches: [Int: Int64]

  private struct Part: Hashable {
    var job: Int
    var part: Int
  }

  /// A queue with room for `count` pieces.
  init(_ preparer: Preparer, _ rules: RunRules, count: Int) {
    self.preparer = preparer
    self.rules = rules
    groupEstimates = preparer.groups.sums { preparer.outcomes[$0].estimates.reduce(.zero, +) }
    groupFetches = preparer.groups.sums { preparer.remoteBytes(of: $0) }
    work.reserveCapacity(count)
  }

  /// Adds some of a job's parts; one that is not split is one part. The first of them gets what was
  /// found of the job; `shard` is asked which one each is of.
  mutating func append(
    _ parts: [Int], of index: Int, warnings: [Diagnostic] = [], shard: (Int) -> Int
  ) {
    let (job, outcome) = (preparer.jobs[index], preparer.outcomes[index])
    let draft = preparer.draft(of: index)
    let isRead = preparer.dependencies.isRead(index)
    let first = work.count
    let shared = groupEstimates[index, default: .zero]
    let fetched = groupFetches[index] ?? preparer.remoteBytes(of: index)
    for part in parts {
      let estimate = outcome.estimates[part]
      if isRead { readParts[Part(job: index, part: part)] = work.count }
      let timeLimit = Work.timeLimit(of: job, estimate: estimate + shared, fetching: fetched)
      var piece = Work(
        session: outcome.sessions[part], job: job.name, folder: job.folder, estimate: estimate,
        timeLimit: min(timeLimit, rules.timeLimit ?? timeLimit),
        retries: job.retries ?? rules.retries,
        resources: ResourceRequest(for: outcome.sessions[part].export))
      piece.order = WorkOrder(job: index + 1, part: part + 1)
      piece.shard = shard(part)
      piece.loop = job.loop
      piece.texts = job.texts ?? []
      piece.totalTimeLimit = rules.timeLimit
      piece.draft = draft.map { ($0, part) }
      work.append(piece)
      owners.append(index)
    }
    if !warnings.isEmpty, first < work.count { work[first].warnings = warnings }
    if !outcome.remarks.isEmpty, first < work.count { work[first].remarks = outcome.remarks }
    places[index] = first..<work.count
  }

  /// All that was added, in its order, each with what it waits for.
  ///
  /// - Complexity: O(pieces · what their jobs need)
  consuming func connected() -> [Work] {
    for (number, index) in owners.enumerated() {
      let edges = preparer.edges(of: index)
      guard !edges.isEmpty else { continue }
      var needs: Set<Int> = []
      for edge in edges {
        switch edge.reason {
        case .named: needs.formUnion(places[edge.job] ?? 0..<0)
        case .reads(let path):
          guard let writer = preparer.dependencies.writer(of: path, readBy: index),
            let piece = readParts[Part(job: writer.job, part: writer.part)]
          else { continue }
          needs.insert(piece)
        }
      }
      work[number].needs = needs.sorted()
    }
    return work
  }
}

extension Preparer {
  /// What the exports of job number `index` are made of anew once all that it reads is written; nil where
  /// all of it is there already.
  func draft(of index: Int) -> Draft? {
    guard !edges(of: index).isEmpty else { return nil }
    let awaited = Set(jobs[index].media.map(\.location).filter { awaits($0, index) })
    guard !awaited.isEmpty else { return nil }
    return Draft(jobs[index], partCount: outcomes[index].sessions.count, awaited: awaited)
  }
}
