import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import Reports
import SystemPackage
import Threads

/// Jobs on their way from text to something that can run, and what was found to be wrong.
struct Preparation {
  /// What the user wants of a run, beside its jobs.
  struct Rules {
    /// Names and groups of the jobs that are wanted; nil: all.
    var only: [Located<String>]?
    /// Whether a job that is found to be wrong leaves the others alone, whatever is wrong with it.
    var keepsGoing = false
    var limits = WorkLimits()
    /// Which share of the work is wanted; nil: all.
    var shard: Shard?
    /// Whether anything is to be done with what is ready, beside counting it.
    var keepsWork = true
  }

  /// What is ready to run, in the order of writing and of time; empty where the rules keep none.
  private(set) var work: [Work] = []
  /// How many jobs it is of.
  private(set) var readyJobs = 0
  /// How many of them are parts of split jobs.
  private(set) var readyParts = 0
  /// Everything to be said, in one pass.
  private(set) var diagnostics = Diagnostics()
  /// What comes along unasked, and what is not there to be done.
  private(set) var notes: [String] = []
  /// Whether something is wrong that only a change of the job file or the arguments can mend, and
  /// that keeps the other jobs from running.
  private(set) var hasJobErrors = false
  /// Wanted jobs that cannot run.
  private(set) var refusals: [Refusal] = []
  /// How many they are.
  var refusedJobs: Int { refusals.count }
  private let jobs: [Job]
  private let rules: Rules

  /// The exports of `work`.
  var exports: [Export] { work.map(\.export) }

  /// Probes every medium once, on all cores, and makes the compositions of each job, after those
  /// that it needs.
  ///
  /// - Complexity: O(distinct media + items + parts)
  init(
    _ loaded: LoadedJobs, _ rules: Rules = Rules(), library: MediaLibrary, budget: CPUBudget
  ) {
    jobs = loaded.jobs
    self.rules = rules
    let preparer = Preparer(
      loaded, keepingExports: rules.keepsWork, library: library, budget: budget)
    let wanted = wantedJobs(loaded, preparer)
    let shares = rules.shard.map { Shares(of: wanted, preparer, $0) }
    // What is wrong with a job is told by the shard that would do it, so that all of them add up.
    let own = wanted.filter { shares?.isOwn($0, part: 0) ?? true }
    var missing = MissingFiles(loaded, preparer, of: own)
    tellOfFiles(missing)
    diagnostics.append(contentsOf: preparer.mediaDiagnostics(of: own))
    for index in own {
      let outcome = preparer.outcomes[index]
      diagnostics.append(contentsOf: outcome.said)
      if outcome.isMistake, !rules.keepsGoing { hasJobErrors = true }
    }
    if let shares, !rules.keepsGoing { tellOfOtherShards(wanted, preparer, shares) }
    findConflicts(in: preparer, reading: loaded.files)
    gather(wanted, preparer, shares, &missing)
  }

  // MARK: Which jobs

  /// The jobs that are wanted, with those that they need, in the order of writing.
  private mutating func wantedJobs(_ loaded: LoadedJobs, _ preparer: Preparer) -> [Int] {
    guard let only = rules.only else { return Array(jobs.indices) }
    var isWanted = [Bool](repeating: false, count: jobs.count)
    for name in only {
      let named = jobs.indices.filter { jobs[$0].isCalled(name.value) }
      for index in named { isWanted[index] = true }
      guard named.isEmpty else { continue }
      diagnostics.append(
        Diagnostic(
          "there is no job '\(name.value)'", at: name.origin,
          help: help(for: name.value, loaded, preparer)))
      hasJobErrors = true
    }
    var queue = jobs.indices.filter { isWanted[$0] }
    var companions = 0
    while let index = queue.popLast() {
      for edge in preparer.dependencies.edges[index] where !isWanted[edge.job] {
        isWanted[edge.job] = true
        queue.append(edge.job)
        companions += 1
        // Of a hundred thousand some are named.
        guard companions <= 20 else { continue }
        notes.append("'\(jobs[edge.job].name)' comes along: '\(jobs[index].name)' needs it")
      }
    }
    if companions > 20 { notes.append("\(companions - 20) more come along") }
    return jobs.indices.filter { isWanted[$0] }
  }

  /// What was perhaps meant by a name that no job has.
  private func help(for name: String, _ loaded: LoadedJobs, _ preparer: Preparer) -> String {
    let split = jobs.indices.first { index in
      jobs[index].split != nil
        && preparer.outcomes[index].parts.contains { $0.files.name == name }
    }
    if let split {
      return "it is a part of '\(jobs[split].name)': --only takes jobs whole"
    }
    return JobNames(jobs, of: loaded.fileNumbers).help(for: name)
  }

  // MARK: Files that are not there

  /// Speaks of files that nobody has or writes.
  private mutating func tellOfFiles(_ missing: MissingFiles) {
    diagnostics.append(contentsOf: MissingFile.diagnostics(of: missing.harmful).all)
    if missing.isOfNoJob { hasJobErrors = true }
  }

  // MARK: Conflicts

  /// Says why nothing is started where only jobs of other shards are wrong, which tell of it.
  private mutating func tellOfOtherShards(
    _ wanted: [Int], _ preparer: Preparer, _ shares: Shares
  ) {
    let wrong = wanted.filter {
      preparer.outcomes[$0].isMistake && !shares.isOwn($0, part: 0)
    }
    guard let first = wrong.first else { return }
    hasJobErrors = true
    let name = "'\(jobs[first].name)' of shard \(shares.shard(of: first, part: 0))"
    let rest = wrong.count > 1 ? " and \(wrong.count - 1) more jobs of other shards are" : " is"
    diagnostics.append(
      Diagnostic(
        "nothing is started, since \(name)\(rest) wrong", at: jobs[first].origin,
        help: "'avjob check' says what is wrong; --keep-going runs the other jobs"))
  }

  /// Of all jobs: what is not wanted now may be there, or be wanted next.
  private mutating func findConflicts(in preparer: Preparer, reading files: [FilePath]) {
    var found = preparer.circles
    if found.isEmpty {
      found = Job.conflicts(
        among: jobs, reading: files, currentDirectory: LocalFileSystem().currentDirectory
      ) { preparer.outcomes[$0].parts.map(\.files) }
    }
    // By name, which says more, and else by what links lead to.
    if Diagnostics(found).errors.isEmpty {
      found += preparer.collisions.map { Diagnostic($0.failure) }
    }
    diagnostics.append(contentsOf: found)
    if !Diagnostics(found).errors.isEmpty { hasJobErrors = true }
  }

  // MARK: What is ready

  /// Puts together what is ready of the wanted jobs, as far as it is of the wanted shard.
  private mutating func gather(
    _ wanted: [Int], _ preparer: Preparer, _ shares: Shares?, _ missing: inout MissingFiles
  ) {
    var queue = WorkQueue(preparer, rules.limits)
    for index in wanted {
      let outcome = preparer.outcomes[index]
      let isOwn = shares?.isOwn(index, part: 0) ?? true
      if outcome.isRefused {
        guard isOwn else { continue }
        let own =
          missing.diagnostics(of: index) + preparer.mediaDiagnostics(of: [index]) + outcome.found
        let isFaultless = !own.contains { $0.severity == .error }
        refusals.append(
          Refusal(
            name: jobs[index].name, origin: jobs[index].origin,
            messages: (outcome.blocker.map { [$0.said] } ?? []) + own,
            blockedBy: isFaultless ? outcome.blocker.map { jobs[$0.job].name } : nil))
        continue
      }
      let parts = outcome.parts.indices.filter { shares?.isOwn(index, part: $0) ?? true }
      guard !parts.isEmpty else { continue }
      if rules.keepsWork {
        let warnings = isOwn ? preparer.mediaDiagnostics(of: [index]) + outcome.said : []
        queue.append(parts, of: index, warnings: warnings.filter { $0.severity == .warning })
      }
      readyJobs += 1
      if jobs[index].split != nil { readyParts += parts.count }
    }
    work = queue.connected()
    guard let shard = rules.shard, readyJobs == 0, refusals.isEmpty, !hasJobErrors else { return }
    let all = wanted.count == 1 ? "1 job is" : "\(wanted.count) jobs are"
    notes.append(
      "shard \(shard.number)/\(shard.count) has no job: \(all) dealt out among \(shard.count) shards"
    )
  }
}

/// What the jobs of a run name, and nobody has or writes.
private struct MissingFiles {
  /// Those that keep something from being done that is wanted now.
  let harmful: [MissingFile]
  /// Whether one of them is no one job's, such as a list of times.
  let isOfNoJob: Bool
  private let preparer: Preparer
  private let byPath: [FilePath: [MissingFile]]
  private var said: [Located<FilePath>: Diagnostic] = [:]

  /// Looks a name up in a folder for so many: others are told without what was perhaps meant.
  private static let mostSuggestions = 200

  /// - Parameters:
  ///   - loaded: What was read.
  ///   - preparer: Knows who writes what.
  ///   - own: The jobs that are wanted.
  init(_ loaded: LoadedJobs, _ preparer: Preparer, of own: [Int]) {
    self.preparer = preparer
    let absent =
      loaded.missingFiles
      + loaded.missingMedia.filter { file in
        !file.canBeWritten || !preparer.dependencies.isWritten(file.path)
      }
    guard !absent.isEmpty else {
      (harmful, isOfNoJob, byPath) = ([], false, [:])
      return
    }
    var read: Set<FilePath> = []
    for index in preparer.jobs.indices { read.formUnion(preparer.missingFiles(of: index)) }
    var wanted: Set<FilePath> = []
    for index in own { wanted.formUnion(preparer.missingFiles(of: index)) }
    // Those that only jobs read that nobody wants do no harm now.
    harmful = absent.filter { wanted.contains($0.path) || !read.contains($0.path) }
    isOfNoJob = absent.contains { !read.contains($0.path) }
    byPath = Dictionary(grouping: absent, by: \.path)
  }

  /// What is to be said of those that a job reads, where it names them.
  ///
  /// - Complexity: O(items)
  mutating func diagnostics(of job: Int) -> [Diagnostic] {
    let paths = preparer.missingFiles(of: job).sorted { $0.string < $1.string }
    guard !paths.isEmpty else { return [] }
    let places = Set(preparer.jobs[job].mediaPlaces)
    return paths.flatMap { path -> [Diagnostic] in
      // What a job would read of its own outputs is a conflict beside that.
      guard let named = byPath[path] else {
        return [Diagnostic("there is no file '\(path)'", at: preparer.jobs[job].origin)]
      }
      let own = named.filter { places.contains(Located(path, at: $0.origin)) }
      return (own.isEmpty ? named : own).map { diagnostic(of: $0) }
    }
  }

  private mutating func diagnostic(of file: MissingFile) -> Diagnostic {
    let key = Located(file.path, at: file.origin)
    if let known = said[key] { return known }
    let made = file.diagnostic(suggesting: said.count < Self.mostSuggestions)
    said[key] = made
    return made
  }
}
