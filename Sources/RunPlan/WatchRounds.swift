import Diagnosis
import ExportEngine
import Files
import JobFile
import JobModel
import MediaComposition
import SystemPackage

/// Which jobs each round of a watch runs: those that are new, or whose words or sources have changed
/// since they were run last, once their sources are whole. Of one thread.
package struct WatchRounds {
  /// A job, by its file and name.
  private struct Key: Hashable {
    let file: FilePath?
    let name: String
  }

  /// What a job is made of, and what it makes.
  private struct Version: Hashable {
    let sources: [FilePath: FileIdentity]
    let outputs: [FilePath]
    let tags: [Metadata]
    /// Which version of the job files it is of.
    let generation: Int
  }

  /// The job files, and the lists and tables that they name, and how often these have changed.
  private var texts: (identities: [FilePath: FileIdentity], generation: Int) = ([:], 0)

  private var stillness: SourceStillness
  private var versions: [Key: Version] = [:]
  /// Jobs that were reported to read what the watch makes.
  private var reportedLoops: Set<Key> = []
  /// What the watch has had made, by which loop of a job file: where its source has gone, no job writes
  /// it any more, and it is no new source.
  private var made: [FilePath: Maker] = [:]
  /// The number of the loop that an earlier watch or run made a file by, beside the job files of a folder.
  private let makerBefore: (_ path: FilePath, _ folder: FilePath) -> UInt64?
  /// Sources of loops that were run on an earlier day, whose names and tags have the day (`${date}`).
  private var days: [Sources: CalendarDay?] = [:]

  /// What jobs that were run read.
  private var sources: [Key: Sources] = [:]
  /// Jobs that failed for a reason that may pass, with what they were then.
  private var resting: [Key: Rest] = [:]

  /// When a job is tried again.
  private struct Rest {
    let version: Version
    let end: ContinuousClock.Instant
    let pause: Duration
  }

  /// The first pause and the longest.
  private static let rests = Duration.seconds(10)...Duration.seconds(300)

  /// The job that made a file.
  private struct Maker {
    let key: Key
    let origin: Origin
  }

  /// What a job reads, and where the job was written.
  private struct Sources: Hashable {
    let file: FilePath?
    let origin: Origin
    let files: [FilePath: FileIdentity]
    let generation: Int
  }

  /// No round yet.
  ///
  /// - Parameters:
  ///   - stillness: Says which sources are whole.
  ///   - makerBefore: Gives the number (`Job.loop`) of the loop that made a file before this watch, by what
  ///     is kept beside the job files of `folder`; nil where that is not known.
  package init(
    _ stillness: SourceStillness = SourceStillness(),
    makerBefore: @escaping (_ path: FilePath, _ folder: FilePath) -> UInt64? = { _, _ in nil }
  ) {
    (self.stillness, self.makerBefore) = (stillness, makerBefore)
  }

  /// What a round is to do.
  package struct Round {
    /// The jobs to run; empty: nothing has changed.
    package var jobs: LoadedJobs
    /// How many jobs wait for a source that may still be written to.
    package var waitingCount = 0
    /// What is reported of jobs that are left out for good.
    package var problems: [Diagnostic] = []
  }

  /// The next round of the jobs that were just loaded. The round's jobs count as run.
  ///
  /// - Parameters:
  ///   - loaded: All jobs.
  ///   - now: By a clock that nobody sets.
  ///   - time: By the machine's clock, since 1970.
  ///   - day: Today.
  /// - Returns: The round.
  /// - Complexity: O(items and outputs of all jobs), with some system calls for each source
  package mutating func next(
    _ loaded: LoadedJobs, now: ContinuousClock.Instant = .now, time: Duration,
    on day: CalendarDay? = .today
  ) -> Round {
    let dependencies = JobDependencies(loaded)
    let edges = dependencies.edges
    noteTexts(loaded.files)
    var round = Round(jobs: loaded)
    // Of two jobs that write one file, no round may have one alone.
    round.problems = dependencies.problems.filter { $0.severity == .error }
    guard round.problems.isEmpty else {
      round.jobs.keep { _ in false }
      return round
    }
    var leftOut: Set<Int> = []
    var found: [Int: (key: Key, version: Version)] = [:]
    var known: [FilePath: FileIdentity?] = [:]
    let missing = Set((loaded.missingMedia + loaded.missingFiles).map(\.path))
    for (index, job) in loaded.jobs.enumerated() {
      let key = Key(file: loaded.jobFiles[loaded.fileNumbers[index]], name: job.name)
      if let found = ownOutput(loaded, index, key, edges[index]) {
        leftOut.insert(index)
        if reportedLoops.insert(key).inserted { round.problems.append(found) }
        continue
      }
      var sources: [FilePath: FileIdentity] = [:]
      var isWhole = true
      for path in Self.files(of: job, besidesThoseOf: edges[index]) {
        if known[path] == nil {
          known[path] = .some(stillness.wholeFile(at: path, now, time: time))
        }
        if case .some(.some(let identity)) = known[path] {
          sources[path] = identity
        } else if !missing.contains(path) {
          // That a file is missing is reported by the round.
          isWhole = false
        }
      }
      let version = Version(
        sources: sources, outputs: job.outputs.map(\.path),
        tags: [job.metadata] + job.outputs.map(\.metadata), generation: texts.generation)
      found[index] = (key, version)
      if !isWhole { leftOut.insert(index) }
    }
    round.waitingCount = leftOut.count - loaded.jobs.indices.count { found[$0] == nil }
    for (index, (key, version)) in found {
      if let rest = resting[key], rest.version == version, rest.end > now { leftOut.insert(index) }
    }
    Self.addDependents(to: &leftOut, edges)
    let wanted = wanted(among: found, besides: leftOut, loaded, edges, on: day)
    for index in wanted {
      guard let key = found[index]?.key else { continue }
      let job = loaded.jobs[index]
      for output in job.outputs {
        made[Self.place(output.path)] = Maker(key: key, origin: job.origin)
      }
    }
    round.jobs.keep { wanted.contains($0) }
    return round
  }

  /// The jobs that are new or have changed, and those that they need; they count as run.
  private mutating func wanted(
    among found: [Int: (key: Key, version: Version)], besides leftOut: Set<Int>,
    _ loaded: LoadedJobs, _ edges: [[JobDependencies.Edge]], on day: CalendarDay?
  ) -> Set<Int> {
    var wanted: Set<Int> = []
    for (index, (key, version)) in found
    where !leftOut.contains(index) && versions[key] != version {
      let sources = Sources(
        file: key.file, origin: loaded.jobs[index].origin, files: version.sources,
        generation: version.generation)
      // What was made is not made anew at midnight. A job without sources may be meant for each day.
      if loaded.usesToday, !sources.files.isEmpty, let known = days[sources], known != day {
        versions[key] = version
        continue
      }
      (days[sources], self.sources[key]) = (.some(day), sources)
      wanted.insert(index)
    }
    // Of jobs that share a list of files or a gain, all count.
    let isShared = loaded.jobs.contains { $0.manifests != nil || !$0.loudnessGroups.isEmpty }
    if isShared, !wanted.isEmpty { wanted = Set(loaded.jobs.indices).subtracting(leftOut) }
    for index in wanted {
      if let (key, version) = found[index] { versions[key] = version }
    }
    Self.addNeeded(by: &wanted, edges)
    return wanted
  }

  /// Has jobs of the last round run again after a pause, which is longer each time: what kept them from
  /// being done, as a full disk, may pass.
  ///
  /// - Parameters:
  ///   - jobs: The round's.
  ///   - now: By the clock of `next`.
  ///   - isHindered: Whether a job was kept so, by its index. Those that need one are run again, too.
  package mutating func retry(
    _ jobs: LoadedJobs, now: ContinuousClock.Instant = .now, where isHindered: (Int) -> Bool
  ) {
    var hindered = Set(jobs.jobs.indices.filter(isHindered))
    Self.addDependents(to: &hindered, JobDependencies(jobs).edges)
    for index in hindered {
      let job = jobs.jobs[index]
      let key = Key(file: jobs.jobFiles[jobs.fileNumbers[index]], name: job.name)
      guard let version = versions.removeValue(forKey: key) else { continue }
      let last = resting[key].flatMap { $0.version == version ? $0.pause : nil }
      let pause = last.map { min($0 * 2, Self.rests.upperBound) } ?? Self.rests.lowerBound
      resting[key] = Rest(version: version, end: now + pause, pause: pause)
      if let sources = sources[key] { days[sources] = nil }
    }
  }

  private static func place(_ path: FilePath) -> FilePath { path.normalized(in: .current) }

  /// The warning of a job that reads a file which its loop makes or made.
  private func ownOutput(
    _ loaded: LoadedJobs, _ index: Int, _ key: Key, _ edges: [JobDependencies.Edge]
  ) -> Diagnostic? {
    LoopOutputs.made(by: loaded, index, edges) ?? remains(loaded.jobs[index], key, edges)
  }

  /// What is reported of a job that reads what another job of its loop made, whose source has gone.
  private func remains(_ job: Job, _ key: Key, _ edges: [JobDependencies.Edge]) -> Diagnostic? {
    for path in job.media.lazy.compactMap(\.location.file) {
      if let maker = made[Self.place(path)] {
        guard maker.key.file == key.file, maker.key != key, maker.origin == job.origin else {
          continue
        }
        return LoopOutputs.warning(job, path, "which '\(maker.key.name)' made")
      }
      // A job that this watch has run reads a source.
      if versions[key] == nil,
        let found = LoopOutputs.madeBefore(job, path, edges, by: makerBefore)
      {
        return found
      }
    }
    return nil
  }

  /// Counts a change of what jobs were read from.
  private mutating func noteTexts(_ files: [FilePath]) {
    var identities: [FilePath: FileIdentity] = [:]
    for file in files {
      if let status = try? FileStatus(at: file) { identities[file] = FileIdentity(status) }
    }
    if identities != texts.identities { texts = (identities, texts.generation + 1) }
  }

  /// The media and pictures of a job that are files and that no other job makes.
  private static func files(
    of job: Job, besidesThoseOf edges: [JobDependencies.Edge]
  ) -> Set<FilePath> {
    var files = Set(job.media.compactMap(\.location.file))
    job.forEachPicture { location, _ in if let file = location.file { files.insert(file) } }
    for edge in edges { if case .reads(let path) = edge.reason { files.remove(path) } }
    return files
  }

  private static func addDependents(
    to jobs: inout Set<Int>, _ edges: [[JobDependencies.Edge]]
  ) {
    var readers: [Int: [Int]] = [:]
    for (index, needed) in edges.enumerated() {
      for edge in needed { readers[edge.job, default: []].append(index) }
    }
    var open = Array(jobs)
    while let next = open.popLast() {
      for reader in readers[next] ?? [] where jobs.insert(reader).inserted { open.append(reader) }
    }
  }

  private static func addNeeded(by jobs: inout Set<Int>, _ edges: [[JobDependencies.Edge]]) {
    var open = Array(jobs)
    while let next = open.popLast() {
      for edge in edges[next] where jobs.insert(edge.job).inserted { open.append(edge.job) }
    }
  }
}
