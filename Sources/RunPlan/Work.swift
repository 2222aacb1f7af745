import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import Synchronization
import SystemPackage
import Threads
import WorkerPool

/// An export that is settled, and what the run must know of it: a job, or a part of a split one.
package struct Work: Sendable {
  /// As it was checked. Where it reads what another one writes, `settled` has the one to run.
  package var session: ExportSession
  /// The job that it is of, by which reports gather parts.
  package var job: String
  /// Where it stands among all work of the job files, wanted or not.
  package var order = WorkOrder()
  /// The shard that it is of, from 1, where it is dealt out; else 1.
  package var shard = 1
  /// Where the job file is, beside which receipts are kept; nil: it comes from no file.
  package var folder: FilePath?
  /// The loop that its job is of (`Job.loop`).
  package var loop: UInt64?
  /// The texts that its job was read from (`Job.texts`).
  package var texts: [ReadText] = []
  /// How much work it is thought to be.
  package var estimate: Duration
  /// What must be done before: indices into the run's work.
  package var needs: [Int] = []
  /// How long an attempt may take, and a wait for another process that is at the same.
  package var timeLimit: Duration
  /// How long all attempts may take together; nil: any time.
  package var totalTimeLimit: Duration?
  /// How often a temporary failure is followed by another attempt.
  package var retries: Int
  /// What it may take of the machine while it runs.
  package var resources: ResourceRequest
  /// Notes on what was decided by an analysis of its sound.
  package var remarks: [Diagnostic] = []
  /// What was found of it before work started.
  package var warnings: [Diagnostic] = []
  /// What it is made of anew when its turn comes, and which of the exports it is; nil: all that it
  /// reads is there already.
  var draft: (job: Draft, part: Int)?

  /// What is exported, as it was checked.
  package var export: Export { session.export }

  /// This work as a job of the pool.
  package var poolJob: PoolJob<Work> {
    var poolJob = PoolJob(
      self, estimate: estimate, needs: needs, timeLimit: timeLimit, retries: retries,
      resources: resources)
    poolJob.totalTimeLimit = totalTimeLimit
    return poolJob
  }
}

/// Where work stands among all that job files say, so that reports of shares can be put together.
package struct WorkOrder: Hashable, Comparable, Sendable {
  /// The job's number in the order of writing, from 1.
  package var job: Int
  /// Of a split job, the part's number in the order of time, from 1; else 1.
  package var part: Int

  /// The place of a part of a job.
  package init(job: Int = 1, part: Int = 1) { (self.job, self.part) = (job, part) }

  package static func < (a: WorkOrder, b: WorkOrder) -> Bool { (a.job, a.part) < (b.job, b.part) }
}

extension Work {
  /// What to run: with the facts of the files that others have written by now, where it was checked
  /// with predicted ones, and compiled from these once more. Called when all that it needs is done,
  /// from any thread.
  ///
  /// - Parameter cancellation: Once it is set, nothing more is looked for in pictures.
  /// - Returns: The session to run.
  /// - Throws: What is wrong with these files, or with the job now that they are there.
  package func settled(
    unless cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) -> ExportSession {
    try session.settled(by: draft, unless: cancellation)
  }
}

extension ExportSession {
  /// `Work.settled` of an export that was checked as this.
  func settled(
    by draft: (job: Draft, part: Int)?, unless cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) -> ExportSession {
    guard let (draft, part) = draft else { return self }
    let remade = try draft.export(part, library, unless: cancellation)
    guard let remade, remade.outputs.map(\.path) == export.outputs.map(\.path) else {
      throw Failure(
        .mendJob,
        "has other parts than were checked, now that what it reads is written; run it again",
        origin: draft.job.origin)
    }
    return ExportSession(remade, library: library).sharing(groups)
  }
}

/// A job that reads what another one of the run writes. Its parts are settled together.
///
/// Safe from any thread.
final class Draft: Sendable {
  let job: Job
  /// How many exports there were when it was checked.
  private let partCount: Int
  /// What others write, as the job calls it.
  private let awaited: Set<MediaLocation>
  /// Its exports, from the files that are there by now, and the parts that have taken theirs.
  private let settled = Mutex<(exports: [Export], takers: Set<Int>)?>(nil)

  init(_ job: Job, partCount: Int, awaited: Set<MediaLocation>) {
    (self.job, self.partCount, self.awaited) = (job, partCount, awaited)
  }

  /// Export number `part`; nil where the job has another number of parts now. The job is lowered once,
  /// and again for a part that comes again: its attempt has failed.
  func export(
    _ part: Int, _ library: MediaLibrary, unless cancellation: CancellationFlag
  ) throws(Failure) -> Export? {
    try settled.withLock { settled throws(Failure) in
      if settled?.takers.contains(part) ?? true {
        settled = (try exports(library, unless: cancellation), [])
      }
      settled?.takers.insert(part)
      guard let exports = settled?.exports, exports.count == partCount else { return nil }
      return exports[part]
    }
  }

  private func exports(
    _ library: MediaLibrary, unless cancellation: CancellationFlag
  ) throws(Failure) -> [Export] {
    var unreadable: Failure?
    let made: Job.Exports
    let words = KeptWords(library, awaiting: [:], unless: cancellation)
    do throws(Diagnostics) {
      made = try job.exports(
        assets: { reference in
          do throws(Failure) {
            guard awaited.contains(reference.location) else {
              return try library.asset(of: reference)
            }
            let written = try library.currentAsset(
              at: reference.location, streamIndex: reference.stream, raw: reference.raw)
            try library.require(reference.sha256, of: written)
            return written
          } catch {
            unreadable = unreadable ?? error.placed(at: reference.origin)
            return nil
          }
        }, listen: { search throws(Failure) in try library.silences(search) },
        findKeyPicture: { search throws(Failure) in
          try library.keyPicture(search, unless: cancellation)
        }, readTranscript: words.read)
    } catch {
      throw unreadable ?? Failure(error, at: job.origin)
    }
    if let unreadable { throw unreadable }
    return words.marked(made.exports)
  }
}

/// The result of an export that succeeded.
package enum WorkResult: Sendable {
  /// The outputs of an earlier run are there, and nothing has changed since.
  case upToDate
  /// The export was made; `reason` says why, with `--explain`.
  case written(ExportSession.Report, reason: String?)
}

extension Work {
  /// How long an attempt may take: thirty times what it is thought to be, and never less than ten
  /// minutes. An estimate is for one core that has nothing else to do; a slow machine, a disk behind
  /// a network and a neighbour may cost a factor of ten. What takes thirty hangs. Media of servers take
  /// as long as their bytes do.
  static func timeLimit(of job: Job, estimate: Duration, fetching bytes: Int64 = 0) -> Duration {
    guard let timeout = job.timeout?.value else {
      return max(.seconds(600), estimate * 30) + .seconds(bytes / slowestServer)
    }
    return .nanoseconds(timeout.frames(atRate: 1_000_000_000))
  }

  /// Bytes a second of the slowest server that is waited for: sound of 80 kbps, as it plays.
  package static let slowestServer: Int64 = 10_000
}
