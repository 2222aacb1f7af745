import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import SystemPackage
import Threads

/// What a run is to do: jobs settled once, and what was found to be wrong.
package struct Preparation {
  /// What is ready to run, in the order of writing and of time; empty where the purpose keeps none.
  package private(set) var work: [Work] = []
  /// How many jobs it is of.
  package private(set) var readyJobs = 0
  /// How many of them are parts of split jobs.
  package private(set) var readyParts = 0
  /// Everything that is reported, in one pass.
  package private(set) var diagnostics = Diagnostics()
  /// What comes along unasked, and what is not there to be done.
  package private(set) var notes: [String] = []
  /// Whether something is wrong that only a change of the job file or the arguments can mend, and
  /// that keeps the other jobs from running.
  package private(set) var hasJobErrors = false
  /// Wanted jobs that cannot run; empty where the purpose is not to run.
  package private(set) var refusals: [Refusal] = []
  /// How many wanted jobs cannot run.
  package private(set) var refusedJobs = 0
  /// Whether all that is wrong with them may pass, as a server's failure.
  package private(set) var mayPass = true
  /// By which machines know that they have dealt out the same jobs in the same way; nil where nothing
  /// is dealt out.
  package private(set) var deal: String?
  /// Lists of files that are written when all their files are there, in the order of writing.
  package private(set) var manifests: [PlannedManifest] = []
  /// Every file that the run's jobs read or write, wanted or not.
  package private(set) var registry: PathRegistry
  private let jobs: [Job]
  private let rules: RunRules

  /// Probes every medium once, on all cores, and settles each job, after those that it needs.
  /// `probed` is called between the two.
  ///
  /// - Complexity: O(distinct media + items + parts)
  package init(
    _ loaded: LoadedJobs, _ rules: RunRules = RunRules(), library: MediaLibrary, budget: CPUBudget,
    room: @escaping (FilePath) -> DiskRoom? = { DiskRoom(for: $0) }, probed: () -> Void = {}
  ) {
    jobs = loaded.jobs
    self.rules = rules
    let called = rules.only.map { names in
      loaded.jobs.indices.filter { index in
        names.contains { loaded.jobs[index].isCalled($0.value) }
      }
    }
    // A preview settles what is heard; a run must know what its other jobs read and write.
    // The others count where they share a gain.
    let settled =
      rules.purpose == .preview && loaded.jobs.allSatisfy(\.loudnessGroups.isEmpty)
      ? called : nil
    let preparer = Preparer(
      loaded, settled ?? Array(loaded.jobs.indices), rules, library: library, budget: budget,
      room: room, probed: probed)
    registry = preparer.dependencies.registry
    let wanted = settled ?? wantedJobs(called, loaded, preparer)
    let shares = (rules.shard?.count ?? rules.shards).map {
      Shares(of: wanted, preparer, among: $0)
    }
    deal = shares.map { String($0.digest, radix: 16) }
    // What is wrong with a job is reported by the shard that would do it, so that all of them add up.
    let own = wanted.filter { isOwn($0, shares) }
    var missing = MissingFiles(loaded, preparer, of: own)
    report(missing)
    diagnostics.append(contentsOf: preparer.mediaDiagnostics(of: own))
    for index in own {
      let outcome = preparer.outcomes[index]
      diagnostics.append(contentsOf: outcome.diagnostics)
      if outcome.isMistake, !rules.keepsGoing { hasJobErrors = true }
    }
    if let shares, !rules.keepsGoing { reportOtherShards(wanted, preparer, shares) }
    if rules.purpose != .preview {
      reportConflicts(preparer)
      reportManifests(preparer, loaded)
      reportShortage(of: wanted, preparer, shares)
    }
    gather(wanted, preparer, shares, &missing)
  }

  // MARK: Which jobs

  /// The jobs that are wanted, with those that they need, in the order of writing.
  private mutating func wantedJobs(
    _ called: [Int]?, _ loaded: LoadedJobs, _ preparer: Preparer
  ) -> [Int] {
    guard let called else { return Array(jobs.indices) }
    for name in rules.only ?? [] where !called.contains(where: { jobs[$0].isCalled(name.value) }) {
      diagnostics.append(
        Diagnostic(
          "there is no job '\(name.value)'", at: name.origin,
          help: help(for: name.value, loaded, preparer)))
      hasJobErrors = true
    }
    var isWanted = [Bool](repeating: false, count: jobs.count)
    for index in called { isWanted[index] = true }
    var queue = called
    var companions = 0
    while let index = queue.popLast() {
      for edge in preparer.edges(of: index) where !isWanted[edge.job] {
        isWanted[edge.job] = true
        queue.append(edge.job)
        companions += 1
        // Of a hundred thousand some are named.
        guard companions <= 20 else { continue }
        notes.append("'\(jobs[edge.job].name)' is run, too: '\(jobs[index].name)' needs it")
      }
    }
    if companions > 20 { notes.append("\(companions - 20) more are run, too") }
    return jobs.indices.filter { isWanted[$0] }
  }

  /// What was perhaps meant by a name that no job has.
  private func help(for name: String, _ loaded: LoadedJobs, _ preparer: Preparer) -> String {
    if let split = preparer.partNames.first(where: { $1.contains(name) })?.key {
      return "it is a part of '\(jobs[split].name)': --only takes jobs whole"
    }
    return JobNames(jobs, of: loaded.fileNumbers).help(for: name)
  }

  /// Whether a part of a job, or what is reported of the job, is of the share of this run.
  private func isOwn(_ job: Int, part: Int = 0, _ shares: Shares?) -> Bool {
    guard let own = rules.shard, let shares else { return true }
    return shares.shard(of: job, part: part) == own.number
  }

  // MARK: What is wrong

  /// Reports files that neither the disk has nor any job writes.
  private mutating func report(_ missing: MissingFiles) {
    diagnostics.append(contentsOf: MissingFile.diagnostics(of: missing.harmful).all)
    if missing.isOfNoJob || rules.purpose == .preview && !missing.harmful.isEmpty {
      hasJobErrors = true
    }
  }

  /// Reports why nothing is started where only jobs are wrong that other shards report.
  private mutating func reportOtherShards(
    _ wanted: [Int], _ preparer: Preparer, _ shares: Shares
  ) {
    let wrong = wanted.filter {
      preparer.outcomes[$0].isMistake && !isOwn($0, shares)
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
  private mutating func reportConflicts(_ preparer: Preparer) {
    let refused = zip(preparer.jobs, preparer.outcomes).lazy.filter(\.1.isRefused).map(\.0)
    let found =
      preparer.circles + preparer.dependencies.problems
      + preparer.groups.problems(without: refused) + preparer.sets.problems
    diagnostics.append(contentsOf: found)
    if found.contains(where: { $0.severity == .error }) { hasJobErrors = true }
  }

  /// Puts together the lists of files, and reports those that cannot be written.
  private mutating func reportManifests(_ preparer: Preparer, _ loaded: LoadedJobs) {
    var folders = FolderCache()
    manifests = PlannedManifest.all(preparer, loaded)
    for failure in manifests.compactMap({ $0.problem(seeing: &folders) }) {
      diagnostics.append(Diagnostic(failure))
      hasJobErrors = true
    }
  }

  /// Reports outputs that do not fit on a disk together.
  private mutating func reportShortage(
    of wanted: [Int], _ preparer: Preparer, _ shares: Shares?
  ) {
    var growth: [UInt64: Int64] = [:]
    for index in wanted where !preparer.outcomes[index].isRefused {
      for (part, disks) in preparer.outcomes[index].growth.enumerated()
      where isOwn(index, part: part, shares) {
        for disk in disks { growth[disk.room.device, default: 0].add(disk.bytes) }
      }
    }
    reportExcess(growth.values.reduce(into: 0) { $0.add($1) })
    for disk in wanted.lazy.flatMap({ preparer.outcomes[$0].growth.joined() }) {
      let all = growth.removeValue(forKey: disk.room.device) ?? 0
      guard all > disk.room.free, disk.shortage == nil else { continue }
      let isError = rules.purpose == .run && !rules.keepsGoing
      var shortage = Diagnostic(
        isError ? .error : .warning,
        "all outputs together take \(DiskGrowth.text(all)) or more, and the disk of "
          + "'\(disk.path)' has \(DiskGrowth.text(disk.room.free)) free", at: disk.origin,
        help: "make room, or run fewer jobs, as with '--only'")
      shortage.remedy = .mendMachine
      diagnostics.append(shortage)
      if isError { hasJobErrors = true }
    }
  }

  /// Reports outputs that together are larger than the user allows.
  private mutating func reportExcess(_ bytes: Int64) {
    guard let limit = rules.outputLimit, bytes > limit else { return }
    diagnostics.append(
      Diagnostic(
        "all outputs together take \(DiskGrowth.text(bytes)) or more, and --max-output allows "
          + DiskGrowth.text(Int64(limit)), at: .unknown,
        help: "allow more with --max-output, or run fewer jobs, as with '--only'"))
    hasJobErrors = true
  }

  // MARK: What is ready

  /// Puts together what is ready of the wanted jobs, as far as it is of the wanted shard.
  private mutating func gather(
    _ wanted: [Int], _ preparer: Preparer, _ shares: Shares?, _ missing: inout MissingFiles
  ) {
    var queue = WorkQueue(preparer, rules, count: rules.purpose == .check ? 0 : wanted.count)
    for index in wanted {
      let outcome = preparer.outcomes[index]
      let isOwn = self.isOwn(index, shares)
      if outcome.isRefused {
        guard isOwn else { continue }
        refusedJobs += 1
        let own =
          missing.diagnostics(of: index) + preparer.mediaDiagnostics(of: [index]) + outcome.found
        let errors = own.filter { $0.severity == .error }
        if !errors.allSatisfy({ $0.remedy == .tryAgain }) { mayPass = false }
        guard rules.purpose == .run else { continue }
        refusals.append(
          Refusal(
            name: jobs[index].name, origin: jobs[index].origin,
            order: WorkOrder(job: index + 1),
            messages: (outcome.blocker.map { [$0.diagnostic] } ?? []) + own,
            blockedBy: errors.isEmpty ? outcome.blocker.map { jobs[$0.job].name } : nil))
        continue
      }
      let parts = outcome.estimates.indices.filter { self.isOwn(index, part: $0, shares) }
      guard !parts.isEmpty else { continue }
      if rules.purpose != .check {
        let warnings = isOwn ? preparer.mediaDiagnostics(of: [index]) + outcome.diagnostics : []
        queue.append(parts, of: index, warnings: warnings.filter { $0.severity != .error }) {
          shares?.shard(of: index, part: $0) ?? 1
        }
      }
      readyJobs += 1
      if jobs[index].split != nil { readyParts += parts.count }
    }
    work = queue.connected()
    let groups = preparer.groups.made()
    if !groups.isEmpty {
      for index in work.indices { work[index].session = work[index].session.sharing(groups) }
      for index in manifests.indices { manifests[index].share(groups) }
    }
    guard let shard = rules.shard, readyJobs == 0, refusedJobs == 0, !hasJobErrors else { return }
    let all = wanted.count == 1 ? "1 job is" : "\(wanted.count) jobs are"
    notes.append(
      "shard \(shard) has no job: \(all) dealt out among \(shard.count) shards"
    )
  }
}

extension Int64 {
  /// Adds `other`, as far as that can be counted.
  fileprivate mutating func add(_ other: Int64) {
    let (sum, isTooMuch) = addingReportingOverflow(other)
    self = isTooMuch ? (other < 0 ? .min : .max) : sum
  }
}
