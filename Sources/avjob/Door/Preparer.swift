import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import SystemPackage
import Threads

/// Probes the media of a run, and lowers and reviews its jobs, each after those that it needs: what
/// another job has still to write is read as it is predicted.
struct Preparer {
  /// What became of a job.
  struct Outcome {
    /// Empty where it is refused.
    var parts: [Part] = []
    /// Of each part; empty where they are not kept.
    var exports: [Export] = []
    /// What is to be said of the job itself.
    var found: [Diagnostic] = []
    /// Why it cannot run although nothing need be wrong with it.
    var blocker: Blocker?
    /// Whether it cannot run.
    var isRefused = false
    /// Whether only a change of the job file or the arguments can mend that.
    var isMistake = false

    /// What is to be said of the job and of what it needs.
    var said: [Diagnostic] { (blocker.map { [$0.said] } ?? []) + found }
  }

  /// A job that is needed and cannot run.
  struct Blocker {
    var job: Int
    /// Where it is needed.
    var said: Diagnostic
  }

  /// What there is to know of an export beside itself.
  struct Part {
    var files: ExportFiles
    var estimate: Duration
  }

  let jobs: [Job]
  private(set) var outcomes: [Outcome]
  private(set) var dependencies: JobDependencies
  /// Jobs that need each other in a circle.
  private(set) var circles: [Diagnostic] = []
  /// What links lead to each other, as the last look at the disk found it.
  private(set) var collisions: [ExportSession.Collision] = []
  private let library: MediaLibrary
  /// Whether exports outlive their review: a hundred thousand take 300 MB.
  private let keepsExports: Bool
  private var look = ReviewLook()
  /// What jobs name and what is no file on the disk.
  private let absent: Set<FilePath>
  /// Of these, where something else is than a file.
  private let occupied: Set<FilePath>
  /// What is to be said of media.
  private var issues: [MediaReference: Issue] = [:]
  private var predictions: [JobDependencies.Producer: Asset] = [:]
  /// Jobs that must be lowered once more, since another one turned out to write what they read.
  private var stale: Set<Int> = []

  /// What is to be said of one medium.
  private struct Issue {
    var failure: Failure?
    var warnings: [Warning]
  }

  /// Does all of it.
  ///
  /// - Complexity: O(distinct media + items + parts), once for each link of a chain of split jobs
  init(
    _ loaded: LoadedJobs, keepingExports keepsExports: Bool = true, library: MediaLibrary,
    budget: CPUBudget
  ) {
    jobs = loaded.jobs
    self.library = library
    self.keepsExports = keepsExports
    absent = Set((loaded.missingFiles + loaded.missingMedia).map(\.path))
    occupied = Set(loaded.missingMedia.filter { !$0.canBeWritten }.map(\.path))
    outcomes = Array(repeating: Outcome(), count: jobs.count)
    dependencies = JobDependencies(
      among: jobs, of: loaded.fileNumbers,
      currentDirectory: LocalFileSystem().currentDirectory)
    probe(budget)
    lowerAll()
  }

  // MARK: Media

  /// What is there and stays as it is: each medium once, in the order of writing.
  private func steadyMedia() -> [MediaReference] {
    var seen: Set<MediaReference> = []
    var references: [MediaReference] = []
    for (index, job) in jobs.enumerated() {
      for reference in job.media where !absent.contains(reference.path) {
        guard dependencies.producer(of: reference.path, readBy: index) == nil,
          seen.insert(reference).inserted
        else { continue }
        references.append(reference)
      }
    }
    return references
  }

  /// Probes on all cores.
  private mutating func probe(_ budget: CPUBudget) {
    let references = steadyMedia()
    library.probe(references, budget)
    for reference in references {
      do throws(Failure) {
        _ = try library.asset(at: reference.path, streamIndex: reference.stream)
        let warnings = library.warnings(for: reference.path, streamIndex: reference.stream)
        if !warnings.isEmpty { issues[reference] = Issue(warnings: warnings) }
      } catch {
        issues[reference] = Issue(failure: error, warnings: [])
      }
    }
  }

  /// What is to be said of the media of some jobs: of each once, where the first of them names it.
  func mediaDiagnostics(of indices: [Int]) -> [Diagnostic] {
    guard !issues.isEmpty else { return [] }
    var told: Set<MediaReference> = []
    var found: [Diagnostic] = []
    for index in indices {
      for reference in jobs[index].media where told.insert(reference).inserted {
        guard let issue = issue(of: reference, readBy: index) else { continue }
        if let failure = issue.failure { found.append(Diagnostic(failure, at: reference.origin)) }
        for var warning in issue.warnings {
          warning.origin = reference.origin
          found.append(Diagnostic(warning))
        }
      }
    }
    return found
  }

  private func issue(of reference: MediaReference, readBy job: Int) -> Issue? {
    guard let issue = issues[reference],
      dependencies.producer(of: reference.path, readBy: job) == nil
    else { return nil }
    return issue
  }

  /// What job number `index` names, and what nobody has or writes.
  func missingFiles(of index: Int) -> [FilePath] {
    guard !absent.isEmpty else { return [] }
    return jobs[index].readFiles.filter { path in
      absent.contains(path)
        && (occupied.contains(path) || dependencies.producer(of: path, readBy: index) == nil)
    }
  }

  // MARK: Lowering

  /// Until nothing more turns out to be written by another job: what parts are called is known when
  /// their job is lowered, and where links lead when all paths are known.
  private mutating func lowerAll() {
    stale = Set(jobs.indices)
    while !stale.isEmpty {
      let (order, circles) = dependencies.order(of: jobs)
      self.circles = circles
      var changed = stale
      stale = []
      for index in order {
        let isChanged =
          changed.contains(index)
          || dependencies.edges[index].contains { changed.contains($0.job) }
        guard isChanged else { continue }
        changed.insert(index)
        outcomes[index] = lowered(index)
      }
      findLinks()
      guard circles.isEmpty else { return }
    }
  }

  private mutating func lowered(_ index: Int) -> Outcome {
    let job = jobs[index]
    var outcome = Outcome()
    // In a circle nobody comes first, which is told as such.
    let needs = circles.isEmpty ? dependencies.edges[index] : []
    if let edge = needs.first(where: { outcomes[$0.job].isRefused }) {
      let message = "'\(job.name)' needs '\(jobs[edge.job].name)', which cannot run"
      outcome.blocker = Blocker(job: edge.job, said: Diagnostic(message, at: edge.origin))
      outcome.isRefused = true
    }
    let isMissing = !missingFiles(of: index).isEmpty
    if isMissing { (outcome.isRefused, outcome.isMistake) = (true, true) }
    if !issues.isEmpty {
      for failure in job.media.compactMap({ issue(of: $0, readBy: index)?.failure }) {
        outcome.isRefused = true
        if failure.remedy == .mendJob { outcome.isMistake = true }
      }
    }
    do throws(Diagnostics) {
      let made = try job.exports { asset($0, readBy: index, &outcome) }
      outcome.found += made.warnings
      // Without a picture that is named, its outputs would be found wanting for that, too.
      if !isMissing { review(made.exports, of: index, &outcome) }
    } catch {
      outcome.found += error.all
      outcome.isRefused = true
      if !error.errors.isEmpty { outcome.isMistake = true }
    }
    return outcome
  }

  private func asset(
    _ reference: MediaReference, readBy index: Int, _ outcome: inout Outcome
  ) -> Asset? {
    if let producer = dependencies.producer(of: reference.path, readBy: index) {
      guard var asset = predictions[producer] else { return nil }
      guard reference.stream ?? asset.streamIndex == asset.streamIndex else {
        outcome.found.append(
          Diagnostic(
            "'\(reference.path)': has no stream of sound \(reference.stream ?? 0); it has "
              + "\(asset.streamIndex)", at: reference.origin))
        (outcome.isRefused, outcome.isMistake) = (true, true)
        return nil
      }
      asset.path = reference.path
      return asset
    }
    guard !absent.contains(reference.path) else { return nil }
    return try? library.asset(at: reference.path, streamIndex: reference.stream)
  }

  private mutating func review(_ exports: [Export], of index: Int, _ outcome: inout Outcome) {
    let job = jobs[index]
    for export in exports {
      let paths = export.outputs.map(\.path)
      guard job.split != nil || paths != job.outputs.map(\.path) else { continue }
      stale.formUnion(dependencies.add(paths, of: index))
    }
    let isRead = exports.contains { export in
      export.outputs.contains { dependencies.isRead($0.path, of: index) }
    }
    // What is wrong with one output's path is wrong with that of every part.
    var told: Set<Origin> = []
    var wishes: [Diagnostic] = []
    for export in exports {
      let review = ExportSession(export, library: library)
        .review(predicting: isRead, seeing: &look)
      for failure in review.problems {
        if told.insert(failure.origin).inserted { outcome.found.append(Diagnostic(failure)) }
        outcome.isRefused = true
        if failure.remedy == .mendJob { outcome.isMistake = true }
      }
      wishes += review.unmetWishes.map { Diagnostic($0) }
      outcome.parts.append(Part(files: ExportFiles(export), estimate: review.work))
      for asset in review.predictedAssets {
        predictions[JobDependencies.Producer(job: index, output: asset.path)] = asset
      }
    }
    guard !outcome.isRefused else {
      outcome.parts = []
      return
    }
    if keepsExports { outcome.exports = exports }
    outcome.found += wishes
  }

  /// Finds outputs that only links show to be what another job reads.
  private mutating func findLinks() {
    let owners = outcomes.indices.flatMap { Array(repeating: $0, count: outcomes[$0].parts.count) }
    let assets = steadyMedia().compactMap {
      try? library.asset(at: $0.path, streamIndex: $0.stream)
    }
    let unwritten = absent.filter { !dependencies.isWritten($0) }
    collisions = ExportSession.collisions(
      among: outcomes.lazy.flatMap(\.parts).map(\.files), sources: assets,
      absentSources: Array(unwritten))
    for collision in collisions {
      guard case .source(let source) = collision.other else { continue }
      let owner = owners[collision.export]
      let readers = dependencies.add(source, linkedTo: collision.path, of: owner)
      guard !readers.isEmpty else { continue }
      stale.formUnion(readers)
      stale.insert(owner)
    }
  }
}
