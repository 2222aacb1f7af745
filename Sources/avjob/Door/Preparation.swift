import ExportEngine
import JobFile
import MediaComposition
import SystemPackage
import Threads

/// Jobs as their files say them, before any medium was opened.
struct LoadedJobs {
  /// In the order of writing.
  var jobs: [Job] = []
  /// What was read to know them.
  var files: [FilePath] = []
  /// What they name and what is not there. It has been told, and nothing may run.
  var missingFiles: Set<FilePath> = []
}

/// Jobs on their way from text to something that can run, and what was found to be wrong.
struct Preparation {
  /// What is ready to run, in the order of writing and of time.
  private(set) var exports: [Export] = []
  /// The same with what a run must know of each.
  private(set) var work: [Work] = []
  /// How many jobs they are of.
  private(set) var readyJobs = 0
  /// How many of them are parts of split jobs.
  private(set) var readyParts = 0
  /// Everything to be said, in one pass.
  private(set) var diagnostics = Diagnostics()
  /// Whether something is wrong that only a change of the job file or the arguments can mend.
  private(set) var hasJobErrors = false
  /// Jobs that cannot run because of their media or their outputs.
  private(set) var refusals: [Refusal] = []
  /// How many they are.
  var refusedJobs: Int { refusals.count }

  /// Probes every medium once, on all cores, and makes each job's compositions.
  ///
  /// - Complexity: O(distinct media + items + parts)
  init(_ loaded: LoadedJobs, library: MediaLibrary, budget: CPUBudget) {
    let jobs = loaded.jobs
    var ready: [(job: Job, exports: [Export])] = []
    probe(jobs, library, budget)
    var reported: Set<MediaReference> = []
    if !loaded.missingFiles.isEmpty { hasJobErrors = true }
    for job in jobs {
      // Also what is wrong with it and was told of another one.
      var (isRefused, errors) = (!loaded.missingFiles.isEmpty, [Diagnostic]())
      for reference in job.media where !loaded.missingFiles.contains(reference.path) {
        do throws(Failure) {
          _ = try library.asset(at: reference.path, streamIndex: reference.stream)
        } catch {
          let found = Diagnostic(error, at: reference.origin)
          (isRefused, errors) = (true, errors + [found])
          if error.remedy == .mendJob { hasJobErrors = true }
          if reported.insert(reference).inserted { diagnostics.append(found) }
          continue
        }
        guard reported.insert(reference).inserted else { continue }
        for var warning in library.warnings(for: reference.path, streamIndex: reference.stream) {
          warning.origin = reference.origin
          diagnostics.append(Diagnostic(warning))
        }
      }
      do throws(Diagnostics) {
        let made = try job.exports { try? library.asset(at: $0.path, streamIndex: $0.stream) }
        diagnostics.append(contentsOf: made.warnings)
        // With a file missing, its outputs would be found wanting for a cover that is not there.
        let whole = loaded.missingFiles.isEmpty ? made.exports : []
        // What is wrong with one output's path is wrong with that of every part.
        var told: Set<Origin> = []
        let reviews = whole.map { ExportSession($0, library: library).review() }
        for failure in reviews.flatMap(\.problems) {
          if told.insert(failure.origin).inserted { diagnostics.append(Diagnostic(failure)) }
          isRefused = true
          errors.append(Diagnostic(failure))
          if failure.remedy == .mendJob { hasJobErrors = true }
        }
        if !isRefused {
          ready.append((job, made.exports))
          for wish in reviews.flatMap(\.unmetWishes) { diagnostics.append(Diagnostic(wish)) }
        }
      } catch {
        diagnostics.append(contentsOf: error.all)
        errors += error.errors
        if !error.errors.isEmpty { hasJobErrors = true }
        isRefused = true
      }
      if isRefused { refusals.append(Refusal(name: job.name, origin: job.origin, errors: errors)) }
    }
    exports = ready.flatMap(\.exports)
    work = ready.flatMap { job, exports in
      exports.map { Work(export: $0, job: job.name, folder: job.folder) }
    }
    readyJobs = ready.count
    readyParts = ready.reduce(0) { $0 + ($1.job.split == nil ? 0 : $1.exports.count) }
    findConflicts(among: ready, reading: loaded.files)
  }

  private func probe(_ jobs: [Job], _ library: MediaLibrary, _ budget: CPUBudget) {
    inParallel(Set(jobs.flatMap(\.media)), budget: budget) { reference in
      _ = try? library.asset(at: reference.path, streamIndex: reference.stream)
    }
  }

  /// By name, which says more, and else by what links lead to.
  private mutating func findConflicts(
    among ready: [(job: Job, exports: [Export])], reading files: [FilePath]
  ) {
    var found = Job.conflicts(
      among: ready, reading: files, currentDirectory: LocalFileSystem().currentDirectory)
    if found.isEmpty { found = ExportSession.conflicts(among: exports).map { Diagnostic($0) } }
    diagnostics.append(contentsOf: found)
    if !found.isEmpty { hasJobErrors = true }
  }
}

/// Does `body` for each element on as many threads as the budget has cores.
private func inParallel<Element: Sendable>(
  _ elements: Set<Element>, budget: CPUBudget, _ body: @escaping @Sendable (Element) -> Void
) {
  let queue = Channel<Element>(capacity: max(1, elements.count))
  for element in elements { _ = queue.send(element) }
  queue.close()
  let work: @Sendable () -> Void = { while let element = queue.receive() { body(element) } }
  let helpers = (1..<max(1, min(budget.total, elements.count))).compactMap { _ in
    try? Thread.spawn(name: "probe", work)
  }
  work()
  for helper in helpers { helper.join() }
}
