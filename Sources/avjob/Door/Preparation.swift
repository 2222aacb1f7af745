import ExportEngine
import JobFile
import MediaComposition
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
  /// What comes along unasked.
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
    let wanted = wantedJobs(loaded, preparer.dependencies)
    tellOfFiles(loaded, preparer, wanted)
    diagnostics.append(contentsOf: preparer.mediaDiagnostics(of: wanted))
    for index in wanted {
      let outcome = preparer.outcomes[index]
      diagnostics.append(contentsOf: outcome.found)
      if outcome.isMistake, !rules.keepsGoing { hasJobErrors = true }
    }
    findConflicts(in: preparer, reading: loaded.files)
    gather(wanted, preparer)
  }

  // MARK: Which jobs

  /// The jobs that are wanted, with those that they need, in the order of writing.
  private mutating func wantedJobs(
    _ loaded: LoadedJobs, _ dependencies: JobDependencies
  ) -> [Int] {
    guard let only = rules.only else { return Array(jobs.indices) }
    var isWanted = [Bool](repeating: false, count: jobs.count)
    for name in only {
      let named = jobs.indices.filter { jobs[$0].isCalled(name.value) }
      for index in named { isWanted[index] = true }
      guard named.isEmpty else { continue }
      let names = JobNames(jobs, of: loaded.fileNumbers)
      diagnostics.append(
        Diagnostic(
          "there is no job '\(name.value)'", at: name.origin,
          help: names.help(for: name.value)))
      hasJobErrors = true
    }
    var queue = jobs.indices.filter { isWanted[$0] }
    var companions = 0
    while let index = queue.popLast() {
      for edge in dependencies.edges[index] where !isWanted[edge.job] {
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

  /// Speaks of files that nobody has or writes.
  private mutating func tellOfFiles(_ loaded: LoadedJobs, _ preparer: Preparer, _ wanted: [Int]) {
    guard !loaded.missingFiles.isEmpty || !loaded.missingMedia.isEmpty else { return }
    let absent = loaded.missingMedia.filter { file in
      !file.canBeWritten || !preparer.dependencies.isWritten(file.path)
    }
    var read: Set<FilePath> = []
    for index in jobs.indices { read.formUnion(preparer.missingFiles(of: index)) }
    var wantedFiles: Set<FilePath> = []
    for index in wanted { wantedFiles.formUnion(preparer.missingFiles(of: index)) }
    // Those that only jobs read that nobody wants do no harm now.
    let harmful = absent.filter { wantedFiles.contains($0.path) || !read.contains($0.path) }
    diagnostics.append(contentsOf: loaded.errors)
    diagnostics.append(contentsOf: MissingFile.diagnostics(of: harmful).all)
    // A list of times or a source that is missing is no one job's.
    let missing = loaded.missingFiles.union(absent.map(\.path))
    if !missing.subtracting(read).isEmpty { hasJobErrors = true }
  }

  // MARK: Conflicts

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

  /// Puts together what is ready of the wanted jobs, as far as it is of the wanted shard.
  private mutating func gather(_ wanted: [Int], _ preparer: Preparer) {
    let shares = rules.shard.map { Shares(of: wanted, preparer, among: $0.count) }
    var queue = WorkQueue(preparer, rules.limits)
    for index in wanted {
      let outcome = preparer.outcomes[index]
      func isOurs(_ part: Int) -> Bool {
        shares.map { $0.shard(of: index, part: part) == rules.shard?.number } ?? true
      }
      if outcome.isRefused {
        guard isOurs(0) else { continue }
        let missing = preparer.missingFiles(of: index).sorted { $0.string < $1.string }
        let errors =
          missing.map { Diagnostic("'\($0)' is not there, or no file", at: jobs[index].origin) }
          + preparer.mediaDiagnostics(of: [index]) + outcome.found
        refusals.append(
          Refusal(
            name: jobs[index].name, origin: jobs[index].origin,
            errors: errors.filter { $0.severity == .error }))
        continue
      }
      let parts = outcome.parts.indices.filter(isOurs)
      guard !parts.isEmpty else { continue }
      if rules.keepsWork { queue.append(parts, of: index) }
      readyJobs += 1
      if jobs[index].split != nil { readyParts += parts.count }
    }
    work = queue.connected()
  }
}
