import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import SystemPackage

/// Makes exports of the jobs that are to be heard.
///
/// A run would plan more: what is written where, in which order, and whether it can be. Nothing is
/// written here, so each job stands for itself, and what another one would write is read as it is
/// there now.
struct PreviewJobs {
  let door: Door
  private let loaded: LoadedJobs
  private let wanted: [Job]
  /// What is to be said, in the order of writing.
  private var found = Diagnostics()
  /// Whether something is wrong that only a change of the job file or the arguments can mend.
  private var isWrong = false
  /// Jobs that cannot be heard for another reason.
  private(set) var refusedJobs = 0
  /// What can be heard, in the order of writing and of time.
  private(set) var exports: [Export] = []

  /// Reads the wanted ones' media and makes them all.
  ///
  /// - Parameters:
  ///   - loaded: What was read.
  ///   - names: Names, groups and patterns of those that are wanted; none: all.
  ///   - door: For messages.
  /// - Throws: An `ExitCode` where nothing may be played; what is wrong was said.
  /// - Complexity: O(distinct media + items + parts)
  init(_ loaded: LoadedJobs, named names: [String], _ door: Door) throws {
    self.door = door
    self.loaded = loaded
    wanted =
      names.isEmpty
      ? loaded.jobs : loaded.jobs.filter { job in names.contains(where: job.isCalled) }
    refuseMissing()
    door.library.probe(wanted.flatMap(\.media), door.budget)
    var told: Set<MediaReference> = []
    for job in wanted { make(job, &told) }
    door.report(found)
    if isWrong { throw Door.Status.wrongJob }
  }

  private mutating func refuse(_ diagnostic: Diagnostic) {
    found.append(diagnostic)
    isWrong = true
  }

  /// Refuses files that the wanted jobs name, or that no one job does, such as lists of times.
  private mutating func refuseMissing() {
    let missing = loaded.missingFiles + loaded.missingMedia
    guard !missing.isEmpty else { return }
    let read = loaded.jobs.reduce(into: Set<FilePath>()) { $0.formUnion($1.readFiles) }
    let own = wanted.reduce(into: Set<FilePath>()) { $0.formUnion($1.readFiles) }
    let harmful = missing.filter { own.contains($0.path) || !read.contains($0.path) }
    guard !harmful.isEmpty else { return }
    found.append(contentsOf: MissingFile.diagnostics(of: harmful).all)
    isWrong = true
  }

  // MARK: One job

  private mutating func make(_ job: Job, _ told: inout Set<MediaReference>) {
    var isReadable = true
    for reference in job.media {
      if !look(at: reference, isTold: !told.insert(reference).inserted) {
        isReadable = false
      }
    }
    do throws(Diagnostics) {
      let made = try job.exports { [library = door.library] reference in
        try? library.asset(at: reference.path, streamIndex: reference.stream)
      }
      found.append(contentsOf: made.warnings)
      exports += made.exports
    } catch {
      found.append(contentsOf: error.all)
      if !error.errors.isEmpty { isWrong = true }
      isReadable = false
    }
    if !isReadable { refusedJobs += 1 }
  }

  /// Whether a medium can be read; says why not, and what is odd about it, unless that was told.
  private mutating func look(at reference: MediaReference, isTold: Bool) -> Bool {
    let (path, stream) = (reference.path, reference.stream)
    do throws(Failure) {
      _ = try door.library.asset(at: path, streamIndex: stream)
      guard !isTold else { return true }
      for var warning in door.library.warnings(for: path, streamIndex: stream) {
        warning.origin = reference.origin
        found.append(Diagnostic(warning))
      }
      return true
    } catch {
      guard !isTold else { return false }
      // Those that nobody writes were refused already.
      guard !loaded.missingMedia.contains(where: { $0.path == path }) else { return false }
      if LocalFileSystem().kind(of: path) == nil, let writer = writer(of: path) {
        refuse(
          Diagnostic(
            "there is no file '\(path)' yet: '\(writer.name)' writes it", at: reference.origin,
            help: "run that first: 'avjob run … --only \(writer.name)'"))
        return false
      }
      found.append(Diagnostic(error, at: reference.origin))
      if error.remedy == .mendJob { isWrong = true }
      return false
    }
  }

  /// The job that writes what another one reads.
  private func writer(of path: FilePath) -> Job? {
    let current = LocalFileSystem().currentDirectory
    let key = path.normalized(in: current)
    return loaded.jobs.first { job in
      job.outputs.contains { $0.path.normalized(in: current) == key }
    }
  }
}
