import Diagnosis
import JobFile
import MediaComposition
import SystemPackage

/// The files that the jobs of a run name and that neither the disk has nor any job writes.
struct MissingFiles {
  /// Those without which one of the jobs to do cannot be done.
  let harmful: [MissingFile]
  /// Whether one of them belongs to no job, such as a list of times.
  let isOfNoJob: Bool
  private let preparer: Preparer
  private let byPath: [FilePath: [MissingFile]]
  private var reported: [Located<FilePath>: Diagnostic] = [:]

  /// For so many the disk is asked what was perhaps meant; a report names the others without that.
  private static let mostSuggestions = 200

  /// - Parameters:
  ///   - loaded: What was read.
  ///   - preparer: Knows what jobs write.
  ///   - own: The jobs that are wanted.
  init(_ loaded: LoadedJobs, _ preparer: Preparer, of own: [Int]) {
    self.preparer = preparer
    let absent = loaded.missingFiles + preparer.dependencies.unwritten(loaded.missingMedia)
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

  /// What is reported of those that a job reads, where it names them.
  ///
  /// - Complexity: O(items)
  mutating func diagnostics(of job: Int) -> [Diagnostic] {
    let paths = preparer.missingFiles(of: job)
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
    if let known = reported[key] { return known }
    let made = file.diagnostic(suggesting: reported.count < Self.mostSuggestions)
    reported[key] = made
    return made
  }
}

extension JobFile {
  /// All that is wrong with a file that has mistakes: also outputs that clash, and media that none of
  /// its jobs writes.
  package var mistakes: Diagnostics {
    var loaded = LoadedJobs()
    loaded.append(self)
    let dependencies = JobDependencies(loaded)
    var found = diagnostics
    found.append(contentsOf: dependencies.problems)
    let missing = MissingFile.diagnostics(of: dependencies.unwritten(missingMedia))
    found.append(contentsOf: missing.all)
    return found
  }
}
