import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import SystemPackage
import Threads
import WorkerPool

/// Probes the media of a run, and settles its jobs, each after those that it needs: what another job
/// has still to write is read as it is predicted. Every export is compiled once, here.
struct Preparer {
  /// What became of a job.
  struct Outcome {
    /// How much work each of its exports is thought to be; empty where the job is refused.
    var estimates: [Duration] = []
    /// What each of them takes of disks, at least; empty where the job is refused.
    var growth: [[DiskGrowth]] = []
    /// In the order of `estimates`; empty where they are not kept.
    var sessions: [ExportSession] = []
    /// The files of each, as the job's manifests list them; empty without any.
    var listed: [PlannedManifest.Listed] = []
    /// What is reported of the job itself.
    var found: [Diagnostic] = []
    /// Notes on what was decided by an analysis of its sound.
    var remarks: [Diagnostic] = []
    /// Why it cannot run although nothing need be wrong with it.
    var blocker: Blocker?
    /// Whether it cannot run.
    var isRefused = false
    /// Whether only a change of the job file or the arguments can mend that.
    var isMistake = false

    /// What is reported of the job and of those that it needs.
    var diagnostics: [Diagnostic] { (blocker.map { [$0.diagnostic] } ?? []) + found }
  }

  /// A job that is needed and cannot run.
  struct Blocker {
    var job: Int
    /// Reported where it is needed.
    var diagnostic: Diagnostic
  }

  let jobs: [Job]
  private(set) var outcomes: [Outcome]
  private(set) var dependencies: JobDependencies
  /// Jobs that need each other in a circle.
  private(set) var circles: [Diagnostic] = []
  let library: MediaLibrary
  private let purpose: RunPurpose
  private let openFiles: Int
  private var budget: JobBudget
  private var cache: ReviewCache
  /// What jobs name and what is no file on the disk.
  private let absent: Set<FilePath>
  /// Of each job that names some.
  private let absentFiles: [Int: [FilePath]]
  /// Of these, where something else is than a file.
  private let occupied: Set<FilePath>
  /// What is reported of media.
  private(set) var issues: [MediaReference: Issue] = [:]
  /// Of each job whose outputs others read: what these will be.
  private var predictions: [Int: [FilePath: Asset]] = [:]
  /// Sounds that share gains.
  private(set) var groups = LoudnessGroups()
  /// Outputs that belong together.
  private(set) var sets = DeliverySets()
  /// Names of the parts of split jobs.
  private(set) var partNames: [Int: [String]] = [:]
  /// Jobs that must be settled once more, since another one turned out to write what they read.
  private var stale: Set<Int>

  /// What is reported of one medium.
  struct Issue {
    var failure: Failure?
    var warnings: [Warning]
    /// Why no sound alone can be made of it: it is a picture without.
    var silence: Failure?
  }

  /// Does all of it.
  ///
  /// - Parameters:
  ///   - loaded: All jobs of the run.
  ///   - wanted: The jobs to settle, for a purpose that does not need the others.
  ///   - rules: What is to be done with them.
  ///   - library: Probes.
  ///   - budget: Of whose cores probing makes use.
  ///   - room: Finds the disk that a file will be on.
  ///   - probed: Called when the media are probed, and before anything is made of them.
  /// - Complexity: O(distinct media + items + parts), once for each link of a chain of split jobs
  init(
    _ loaded: LoadedJobs, _ wanted: [Int], _ rules: RunRules, library: MediaLibrary,
    budget: CPUBudget, room: @escaping (FilePath) -> DiskRoom?, probed: () -> Void
  ) {
    jobs = loaded.jobs
    self.library = library
    let purpose = rules.purpose
    self.purpose = purpose
    openFiles = rules.openFiles
    var segments = rules.segments
    segments.left -= min(segments.left, loaded.size)
    self.budget = JobBudget(exports: loaded.limit, segments: segments)
    cache = ReviewCache(room: room)
    outcomes = Array(repeating: Outcome(), count: jobs.count)
    let dependencies = JobDependencies(loaded)
    self.dependencies = dependencies
    stale = Set(wanted)
    occupied = Set(loaded.missingMedia.lazy.filter { !$0.canBeWritten }.map(\.path))
    let absent = Set((loaded.missingFiles + loaded.missingMedia).lazy.map(\.path))
      // What a run would write first is probed as it is now, and reported if it is not there.
      .filter { purpose != .preview || !dependencies.isWritten($0) }
    self.absent = absent
    var absentFiles: [Int: [FilePath]] = [:]
    for index in loaded.jobs.indices where !absent.isEmpty {
      let own = loaded.jobs[index].readFiles.filter(absent.contains)
      if !own.isEmpty { absentFiles[index] = own.sorted { $0.string < $1.string } }
    }
    self.absentFiles = absentFiles
    probe(budget)
    probed()
    findKeyPictures(budget)
    listen(budget)
    findKeyPictures(budget)
    settleAll()
  }

  // MARK: Media

  /// What job number `index` waits for; nothing where files are read as they are now.
  func edges(of index: Int) -> [JobDependencies.Edge] {
    purpose == .preview ? [] : dependencies.edges[index]
  }

  /// Whether what job number `index` reads at `location` is still to be written.
  func awaits(_ location: MediaLocation, _ index: Int) -> Bool {
    writer(of: location, readBy: index) != nil
  }

  private func writer(of location: MediaLocation, readBy index: Int) -> PathRegistry.Writer? {
    guard purpose != .preview, case .file(let path) = location else { return nil }
    return dependencies.writer(of: path, readBy: index)
  }

  private func isAbsent(_ location: MediaLocation) -> Bool {
    location.file.map(absent.contains) ?? false
  }

  /// Whether a job is still to be settled.
  func isStale(_ index: Int) -> Bool { stale.contains(index) }

  /// The names of the jobs that write what job number `index` reads, by its paths.
  func awaitedWriters(of index: Int) -> [MediaLocation: String] {
    guard !edges(of: index).isEmpty else { return [:] }
    return jobs[index].media.reduce(into: [:]) { names, reference in
      names[reference.location] = writer(of: reference.location, readBy: index).map {
        jobs[$0.job].name
      }
    }
  }

  /// What is there and stays as it is: each medium once, in the order of writing.
  private func steadyMedia() -> [MediaReference] {
    var seen: Set<MediaReference> = []
    var references: [MediaReference] = []
    for index in jobs.indices where stale.contains(index) {
      for reference in jobs[index].media where !isAbsent(reference.location) {
        guard !awaits(reference.location, index), seen.insert(reference).inserted else { continue }
        references.append(reference)
      }
    }
    return references
  }

  /// Probes on all cores.
  private mutating func probe(_ budget: CPUBudget) {
    let references = steadyMedia()
    let failures = library.probe(references, budget)
    for reference in references {
      if let failure = failures[reference] {
        issues[reference] = Issue(failure: failure, warnings: [])
        continue
      }
      let warnings = library.warnings(for: reference)
      let silence = library.probedAsset(of: reference)?.found.asset.silence
      if !warnings.isEmpty || silence != nil {
        issues[reference] = Issue(warnings: warnings, silence: silence)
      }
    }
  }

  /// Bytes of the servers' media that a job reads.
  func remoteBytes(of index: Int) -> Int64 {
    let media = Set(jobs[index].media.filter { $0.location.url != nil })
    return media.reduce(0) { sum, reference in
      let known = library.probedAsset(of: reference)
      return sum.addingReportingOverflow(known?.found.asset.identity.size ?? 0).partialValue
    }
  }

  func issue(of reference: MediaReference, readBy job: Int) -> Issue? {
    guard var issue = issues[reference], !awaits(reference.location, job) else { return nil }
    if !jobs[job].outputs.contains(where: \.keepsPicture) {
      issue.failure = issue.failure ?? issue.silence
    }
    return issue
  }

  /// Why a file is not there yet that only a run would write.
  func writtenLater(_ reference: MediaReference, _ index: Int) -> Diagnostic? {
    guard case .file(let path) = reference.location,
      let writer = dependencies.writer(of: path, readBy: index),
      LocalFileSystem().kind(of: path) == nil
    else { return nil }
    let name = jobs[writer.job].name
    return Diagnostic(
      "there is no file '\(reference.location)' yet: '\(name)' writes it", at: reference.origin,
      help: "run that first: 'avjob run … --only \(name)'")
  }

  /// The files that job number `index` names and that neither the disk has nor any job writes, in
  /// order of their names.
  func missingFiles(of index: Int) -> [FilePath] {
    guard let files = absentFiles[index] else { return [] }
    return files.filter {
      occupied.contains($0) || dependencies.writer(of: $0, readBy: index) == nil
    }
  }

  // MARK: Settling

  /// Until nothing more turns out to be written by another job: what parts are called is known when
  /// their job is settled.
  private mutating func settleAll() {
    while !stale.isEmpty {
      var order = Array(jobs.indices)
      if purpose != .preview { (order, circles) = dependencies.order() }
      var changed = stale
      stale = []
      for index in order {
        guard
          changed.contains(index) || edges(of: index).contains(where: { changed.contains($0.job) })
        else { continue }
        changed.insert(index)
        outcomes[index] = settled(index)
      }
      guard circles.isEmpty else { return }
    }
  }

  private mutating func settled(_ index: Int) -> Outcome {
    let job = jobs[index]
    var outcome = Outcome()
    groups.set(nil, of: index)
    // In a circle no job comes first, which is reported as such.
    let needs = circles.isEmpty ? edges(of: index) : []
    if let edge = needs.first(where: { outcomes[$0.job].isRefused }) {
      let message = "'\(job.name)' needs '\(jobs[edge.job].name)', which cannot run"
      outcome.blocker = Blocker(job: edge.job, diagnostic: Diagnostic(message, at: edge.origin))
      outcome.isRefused = true
    }
    let isMissing = !missingFiles(of: index).isEmpty
    if isMissing { (outcome.isRefused, outcome.isMistake) = (true, true) }
    if !issues.isEmpty {
      for reference in job.media {
        guard let issue = issue(of: reference, readBy: index) else { continue }
        if job.isStrict, !issue.warnings.isEmpty { outcome.isRefused = true }
        guard let failure = issue.failure else { continue }
        outcome.isRefused = true
        if failure.remedy == .mendJob || writtenLater(reference, index) != nil {
          outcome.isMistake = true
        }
      }
    }
    do throws(Diagnostics) {
      // Moved, since a copy would be one of what all jobs have spent.
      var budget = budget
      self.budget = JobBudget(exports: nil, segments: SegmentBudget())
      defer { self.budget = budget }
      let words = KeptWords(library, awaiting: awaitedWriters(of: index))
      let made = try budget.charge(index, job) { budget throws(Diagnostics) in
        try job.exports(
          within: &budget, assets: { asset($0, readBy: index, &outcome) },
          listen: listener(of: index),
          findKeyPicture: { [library] search throws(Failure) in try library.keyPicture(search) },
          readTranscript: words.read)
      }
      outcome.found += made.warnings + words.notes
      outcome.remarks = made.remarks
      outcome.listed = PlannedManifest.Listed.all(made)
      // Without a picture that is named, its outputs would be found wanting for that, too.
      if !isMissing { settle(words.marked(made.exports), of: index, &outcome) }
    } catch {
      outcome.found += error.all
      outcome.isRefused = true
      if !error.errors.isEmpty { outcome.isMistake = true }
    }
    return outcome
  }

  func asset(
    _ reference: MediaReference, readBy index: Int, _ outcome: inout Outcome
  ) -> Asset? {
    if let writer = writer(of: reference.location, readBy: index) {
      guard var asset = predictions[writer.job]?[writer.path] else { return nil }
      guard reference.stream ?? asset.streamIndex == asset.streamIndex else {
        let failure = Failure(
          .mendJob,
          "has no stream of sound \(reference.stream ?? 0); it has \(asset.streamIndex)",
          location: reference.location, code: .mediaStreamNotFound)
        outcome.found.append(Self.diagnostic(failure, of: reference))
        (outcome.isRefused, outcome.isMistake) = (true, true)
        return nil
      }
      asset.location = reference.location
      return asset
    }
    // A server that has failed is not asked again for each job.
    guard !isAbsent(reference.location), issue(of: reference, readBy: index)?.failure == nil else {
      return nil
    }
    return try? library.asset(of: reference)
  }

  private mutating func settle(_ exports: [Export], of index: Int, _ outcome: inout Outcome) {
    let job = jobs[index]
    if job.split != nil { partNames[index] = exports.map(\.name) }
    if job.split != nil || exports.map({ $0.outputs.map(\.path) }) != [job.outputs.map(\.path)] {
      stale.formUnion(dependencies.add(exports.map(ExportFiles.init), of: index))
    }
    let sessions = exports.map { ExportSession($0, library: library) }
    groups.set(sessions.first, of: index)
    sets.set(exports.lazy.flatMap(\.outputs), of: index)
    if purpose == .preview {
      outcome.estimates = sessions.map { _ in .zero }
    } else {
      review(sessions, of: index, &outcome)
    }
    if purpose != .check, !outcome.isRefused { outcome.sessions = sessions }
  }

  private mutating func review(
    _ sessions: [ExportSession], of index: Int, _ outcome: inout Outcome
  ) {
    let isRead = dependencies.isRead(index)
    predictions[index] = isRead ? [:] : nil
    // What is wrong with one output's path is wrong with that of every part.
    var blamed: Set<Origin> = []
    var wishes: [Diagnostic] = []
    for session in sessions {
      let review = session.review(predicting: isRead, seeing: &cache)
      for failure in review.problems {
        if blamed.insert(failure.origin).inserted { outcome.found.append(Diagnostic(failure)) }
        outcome.isRefused = true
        if failure.remedy == .mendJob { outcome.isMistake = true }
      }
      for shortage in shortages(session.export, review) {
        let diagnostic = Diagnostic(shortage.failure, at: session.export.origin)
        if purpose == .run || shortage.isSure {
          outcome.found.append(diagnostic)
          outcome.isRefused = true
        } else {
          // There may be room where, or when, it runs.
          wishes.append(Diagnostic(.warning, diagnostic.message, at: diagnostic.origin))
        }
      }
      outcome.growth.append(review.growth)
      wishes += review.unmetWishes.map { Diagnostic($0) }
      // Others print it of what they keep.
      if purpose == .check { wishes += session.pictureNotes }
      outcome.estimates.append(review.work)
      for asset in review.predictedAssets {
        if let path = asset.location.file { predictions[index]?[path] = asset }
      }
    }
    guard !outcome.isRefused else { return (outcome.estimates, outcome.growth) = ([], []) }
    outcome.found += wishes
  }

  /// What an export needs and the machine has not, and whether that is so at any time.
  private func shortages(
    _ export: Export, _ review: ExportSession.Review
  ) -> [(failure: Failure, isSure: Bool)] {
    var found = review.growth.compactMap { growth in
      growth.shortage.map { (failure: $0, isSure: growth.exceedsDisk) }
    }
    let (sources, written) = ResourceRequest.files(of: export)
    if sources + written > openFiles {
      let failure = Failure(
        .mendMachine,
        "has \(sources + written) files open at once, and \(openFiles) are allowed; raise the limit, "
          + "as with 'ulimit -n \(sources + written + 64)'", path: export.outputs.first?.path,
        origin: export.origin)
      found.append((failure, isSure: false))
    }
    return found
  }
}
