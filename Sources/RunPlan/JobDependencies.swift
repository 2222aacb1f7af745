import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import SystemPackage

/// Which jobs of a run must be done before which, because one writes what another reads or because a
/// job says so with `needs`; and which outputs no run could write.
///
/// Both follow from one registry of all paths. What a split job writes is added when it is known.
package struct JobDependencies: Sendable {
  /// Why a job waits for another one.
  package struct Edge: Sendable, Hashable {
    /// What makes it wait.
    package enum Reason: Sendable, Hashable {
      /// The other one writes this file, as the reader calls it.
      case reads(FilePath)
      /// `needs` says so, by this name or group.
      case named(String)
    }
    /// The job that is needed: an index into the run's jobs.
    package var job: Int
    /// What makes it wait.
    package var reason: Reason
    /// Where the file, or the job, is named.
    package var origin: Origin
  }

  /// What each job waits for, in the order of the jobs.
  package private(set) var edges: [[Edge]]
  /// Every file that is read or written.
  package private(set) var registry = PathRegistry()
  private var conflicts: JobConflicts
  private let jobs: [Job]
  /// Jobs of which others read an output.
  private var readJobs: Set<Int> = []
  /// What jobs write of which it is known only when they are settled.
  private var written: [Int: [PathRegistry.Writer]] = [:]
  private var tooManyNeeds: [Diagnostic] = []
  /// The lists of files that jobs write, each once, with the first job that names it.
  private(set) var manifests: [(manifest: DataSetManifest, job: Int)] = []
  /// For each job that has some: the numbers of `manifests`, in the order of the job's own.
  private(set) var manifestNumbers: [Int: [Int]] = [:]
  /// Of all `needs` together, with a group as each of its jobs: an edge is some 70 bytes.
  static let largestNeedCount = 1_000_000

  /// What the jobs themselves show.
  ///
  /// - Parameters:
  ///   - jobs: All jobs of a run.
  ///   - fileNumbers: The job file that each is of, as any number; `needs` looks for names in its own.
  ///   - files: What is read beside the jobs' media and pictures, as the job files themselves.
  ///   - transcripts: Those of them that are transcripts, with the places that name them.
  ///   - currentDirectory: Absolute; relative paths count from it.
  /// - Complexity: O(number of items, outputs and needs of all jobs)
  package init(
    among jobs: [Job], of fileNumbers: [Int], reading files: [FilePath] = [],
    _ transcripts: [Located<FilePath>] = [], currentDirectory: FilePath
  ) {
    self.jobs = jobs
    edges = Array(repeating: [], count: jobs.count)
    conflicts = JobConflicts(among: jobs, currentDirectory)
    for file in transcripts { registry.protect(file.value, at: file.origin) }
    for file in files { registry.protect(file) }
    for (index, job) in jobs.enumerated() {
      job.forEachPicture { location, origin in
        if let path = location.file { registry.protect(path, at: origin) }
      }
      var last: MediaLocation?
      job.forEachMedium { location, origin in
        // Clips of one file mostly follow one another.
        guard location != last, case .file(let path) = location else { return }
        last = location
        registry.read(.init(job: index, path: path, origin: origin))
      }
    }
    for (index, job) in jobs.enumerated() where job.hasFinalPaths {
      add([ExportFiles(job)], of: index)
    }
    addManifests()
    addNeeds(fileNumbers)
  }

  /// What jobs show that were read from files.
  package init(_ loaded: LoadedJobs) {
    self.init(
      among: loaded.jobs, of: loaded.fileNumbers, reading: loaded.files, loaded.transcripts,
      currentDirectory: .current)
  }

  /// Outputs that no run could write, and outputs that are one file on some disks, as far as that is
  /// known; and needs that are too many.
  ///
  /// - Complexity: O(files that are read or written)
  package var problems: [Diagnostic] {
    conflicts.found.map(\.diagnostic) + conflicts.obstacles(in: registry) + tooManyNeeds
  }

  /// Notes the lists of files that jobs write. Jobs may share one, if they agree about its form.
  private mutating func addManifests() {
    var resolver = PathResolver()
    var known: [FilePlace: Int] = [:]
    for (index, job) in jobs.enumerated() {
      for manifest in (job.manifests ?? []).lazy.map(\.manifest) {
        guard let place = resolver.place(of: manifest.path) else { continue }
        let number = known[place] ?? manifests.count
        if known.updateValue(number, forKey: place) == nil {
          manifests.append((manifest, index))
          write(manifest, number, of: index)
        } else if manifestNumbers[index]?.contains(number) == true {
          conflicts.refuseSecond(manifest, of: index, beside: manifests[number].manifest)
        } else if manifests[number].manifest.form != manifest.form {
          conflicts.refuseForm(of: manifest, of: index, beside: manifests[number].manifest)
        }
        manifestNumbers[index, default: []].append(number)
      }
    }
  }

  private mutating func write(_ manifest: DataSetManifest, _ number: Int, of job: Int) {
    let file = ExportFiles.File(path: manifest.path, content: .manifest, origin: manifest.origin)
    // Numbers of its own, behind those of the job's files.
    let writer = PathRegistry.Writer(file, job: job, part: 0, number: Int.max - number)
    do throws(PathRegistry.Clash) {
      try registry.write(writer)
    } catch {
      conflicts.add(error, of: writer, file.content)
    }
    conflicts.compareCase(of: writer)
  }

  private mutating func addNeeds(_ fileNumbers: [Int]) {
    guard jobs.contains(where: { !$0.needs.isEmpty }) else { return }
    let names = JobNames(jobs, of: fileNumbers)
    var count = 0
    for (index, job) in jobs.enumerated() {
      for need in job.needs {
        let others = names.jobs(called: need.value, in: fileNumbers[index])
        count += others.count
        guard count <= Self.largestNeedCount else { return refuse(need) }
        for other in others {
          edges[index].append(Edge(job: other, reason: .named(need.value), origin: need.origin))
        }
      }
    }
  }

  private mutating func refuse(_ need: Located<String>) {
    tooManyNeeds = [
      Diagnostic(
        "by 'needs', jobs wait more than \(Self.largestNeedCount) times for another one",
        at: need.origin,
        help: "let one job need '\(need.value)', and the others that job; or name fewer")
    ]
  }

  /// Notes what the exports of job number `job` write, in place of what was noted of it before.
  ///
  /// - Returns: The jobs that wait for it now and did not before, or the other way round.
  @discardableResult
  package mutating func add(_ parts: [ExportFiles], of job: Int) -> Set<Int> {
    let files = parts.enumerated().flatMap { part, files in
      files.files.enumerated().map {
        (writer: PathRegistry.Writer($1, job: job, part: part, number: $0), content: $1.content)
      }
    }
    var changed = jobs[job].hasFinalPaths ? [] : forget(job, besides: files.map(\.writer))
    conflicts.begin(parts, of: job)
    for (writer, content) in files {
      do throws(PathRegistry.Clash) {
        for reader in try registry.write(writer) {
          edges[reader.job].append(
            Edge(job: job, reason: .reads(reader.path), origin: reader.origin))
          readJobs.insert(job)
          changed.insert(reader.job)
        }
      } catch {
        conflicts.add(error, of: writer, content)
      }
      conflicts.compareCase(of: writer)
    }
    return changed
  }

  /// Forgets what a job was known to write, but for `writers`; gives the jobs that waited for it.
  private mutating func forget(_ job: Int, besides writers: [PathRegistry.Writer]) -> Set<Int> {
    var readers: Set<Int> = []
    let kept = Set(writers)
    for old in written.updateValue(writers, forKey: job) ?? [] where !kept.contains(old) {
      conflicts.remove(old)
      for reader in registry.remove(old) {
        edges[reader.job].removeAll { $0.job == job && $0.reason == .reads(reader.path) }
        readers.insert(reader.job)
      }
    }
    return readers
  }

  /// The file that another job of the run writes and job number `job` reads at `path`; nil where no
  /// other job does.
  package func writer(of path: FilePath, readBy job: Int) -> PathRegistry.Writer? {
    guard !readJobs.isEmpty, let writer = registry.writer(ofSource: path), writer.job != job else {
      return nil
    }
    return writer
  }

  /// Whether a job of the run writes what jobs read at `path`.
  package func isWritten(_ path: FilePath) -> Bool { registry.writer(ofSource: path) != nil }

  /// The files that no job of the run writes.
  package func unwritten(_ files: [MissingFile]) -> [MissingFile] {
    files.filter { !$0.canBeWritten || !isWritten($0.path) }
  }

  /// Whether other jobs read an output of job number `job`.
  package func isRead(_ job: Int) -> Bool { readJobs.contains(job) }
}

extension Job {
  /// Whether all that it writes is known before its media are probed.
  fileprivate var hasFinalPaths: Bool {
    split == nil && !outputs.contains { $0.request == .same(as: nil, isInFolder: true) }
  }
}

extension ExportFiles {
  /// Those of a job that is not split.
  fileprivate init(_ job: Job) {
    self.init(
      name: job.name, outputs: job.outputs.map { ($0.path, $0.sidecars, $0.origin) },
      records: job.records)
  }
}

// MARK: - Order

extension JobDependencies {
  /// The jobs in an order in which each comes after those that it waits for, and what is wrong where
  /// there is none. Without needs it is the order of the list.
  ///
  /// - Returns: All jobs; of those in a circle one comes first, and an error names the whole circle.
  /// - Complexity: O(jobs + edges)
  package func order() -> (order: [Int], circles: [Diagnostic]) {
    guard edges.contains(where: { !$0.isEmpty }) else { return (Array(jobs.indices), []) }
    var order: [Int] = []
    order.reserveCapacity(jobs.count)
    var circles: [Diagnostic] = []
    var isDone = [Bool](repeating: false, count: jobs.count)
    /// How deep in the path to the current job each one is.
    var depth = [Int?](repeating: nil, count: jobs.count)
    for root in jobs.indices where !isDone[root] {
      // Chains may be as long as the list: no recursion.
      var path = [(job: root, next: 0)]
      depth[root] = 0
      while let (job, next) = path.last {
        guard next < edges[job].count else {
          path.removeLast()
          depth[job] = nil
          isDone[job] = true
          order.append(job)
          continue
        }
        path[path.count - 1].next += 1
        let needed = edges[job][next].job
        if let start = depth[needed] {
          circles.append(circle(path[start...].map { ($0.job, edges[$0.job][$0.next - 1]) }))
        } else if !isDone[needed] {
          depth[needed] = path.count
          path.append((needed, 0))
        }
      }
    }
    return (order, circles)
  }

  /// Each job of a circle with the edge to the next one.
  private func circle(_ steps: [(job: Int, edge: Edge)]) -> Diagnostic {
    let first = steps.indices.min { steps[$0].job < steps[$1].job } ?? 0
    let steps = steps[first...] + steps[..<first]
    var names = steps.prefix(8).map { "'\(jobs[$0.edge.job].name)'" }
    if steps.count > 8 {
      names += ["… (\(steps.count - 8) more)", "'\(jobs[steps[first].job].name)'"]
    }
    let rest = names.dropFirst().map { ", which needs \($0)" }.joined()
    var notes = steps.dropFirst().prefix(8).map { step in
      let what =
        switch step.edge.reason {
        case .reads(let path): "reads '\(path)', which '\(jobs[step.edge.job].name)' writes,"
        case .named(let name): "needs '\(name)'"
        }
      return Diagnostic.Note("'\(jobs[step.job].name)' \(what) here", at: step.edge.origin)
    }
    if steps.count > 9 {
      notes.append(.init("and so on, by way of \(steps.count - 9) more jobs", at: .unknown))
    }
    guard let start = steps.first else { return Diagnostic("a circle of jobs", at: .unknown) }
    return Diagnostic(
      "no job can be the first: '\(jobs[start.job].name)' needs \(names[0])\(rest)",
      at: start.edge.origin, help: "let one of them read something else, or need nothing",
      notes: notes)
  }
}
