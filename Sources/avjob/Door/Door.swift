import ArgumentParser
import Diagnosis
import ExportEngine
import ExportGraph
import JobFile
import MediaComposition
import SystemPackage
import Terminal
import Threads
import WorkerPool

/// What every command shares: the places of what was written, the media, the cores, the streams.
struct Door {
  /// For whom messages are repeated on standard output.
  let annotations: AnnotationOption.Reader?
  let map = SourceMap()
  let library: MediaLibrary
  /// What earlier runs left; nil for a command that keeps nothing.
  let memory: RunMemory?
  let budget = CPUBudget(total: CPUBudget.availableCores)
  let journal = Journal()
  /// What jobs may take together; files may be opened up to the hard limit from here on.
  let limits = PoolClaim.limits(
    openFiles: ProcessLimits.raiseOpenFiles(), memory: ProcessLimits.machineMemory)

  /// The exit statuses, beside 0 for success and 128 + n for signal n.
  enum Status {
    static let jobFailed = ExitCode(1)
    static let wrongJob = ExitCode(2)
    static let temporary = ExitCode(75)
  }

  /// The door of a command, which keeps receipts of what it makes where it has options for them.
  init(
    receipts options: ReceiptOptions? = nil, annotations: AnnotationOption.Reader? = nil
  ) {
    self.annotations = annotations
    guard let options else {
      memory = nil
      library = MediaLibrary()
      return
    }
    let memory = RunMemory(options)
    self.memory = memory
    library = MediaLibrary(recalling: { path, stream, identity in
      memory.find(path, stream: stream, identity)
    })
  }

  /// The door of a command that keeps nothing, over media that somebody else knows how to find.
  init(library: MediaLibrary) {
    annotations = nil
    memory = nil
    self.library = library
  }

  /// So many errors are said at once, and so many warnings: reports (`--report`) have them all.
  private static let mostDiagnostics = 1000

  /// Says what is wrong on standard error.
  func report(_ diagnostics: Diagnostics) {
    guard !diagnostics.isEmpty else { return }
    let diagnostics = diagnostics.bounded(to: Self.mostDiagnostics)
    journal.note(diagnostics)
    StandardStream.error.write(render(diagnostics) + "\n")
    annotate(diagnostics)
  }

  /// Says something that is no mistake, in one line.
  func note(_ text: String) { StandardStream.error.write("note: \(text)".printable + "\n") }

  /// Repeats messages for who reads them on standard output.
  func annotate(_ diagnostics: Diagnostics) {
    if annotations == .github { StandardStream.output.write(diagnostics.githubCommands(in: map)) }
  }

  func render(_ diagnostics: Diagnostics) -> String {
    diagnostics.render(in: map, style: Self.style)
  }

  private static var style: Diagnostic.Style {
    StandardStream.error.terminal?.isColored == true ? .colour : .plain
  }

  /// Says why a command is not carried out that has nothing to do with job files.
  static func refuse(_ message: String, help: String? = nil) {
    let diagnostic = Diagnostic(message, at: .unknown, help: help)
    StandardStream.error.write(diagnostic.render(in: SourceMap(), style: style) + "\n")
  }

  /// Reads job files, and those in folders; what is wrong with any of them is said before this
  /// throws. A file that is named twice is read once. Files that are not there are left to
  /// `prepare`, which knows what other jobs write.
  func load(
    _ paths: [String], options: VariableOptions, isPart: Bool = false
  ) throws -> LoadedJobs {
    let files = LocalFileSystem()
    var loaded = LoadedJobs()
    var isWrong = false
    var variables = options.read(into: map)
    let (found, isComplete) = jobFiles(paths, files)
    isWrong = !isComplete
    variables.allowsUnusedVariables = isPart || found.count > 1
    for (path, folder) in found {
      variables.allowsNoJobs = folder != nil
      do throws(Diagnostics) {
        let file = try JobFile.loadAllowingMissingFiles(
          path, options: variables, into: map, files: files)
        report(Diagnostics(file.warnings))
        loaded.append(file)
      } catch {
        report(error)
        isWrong = true
      }
    }
    let unused = isWrong || isPart ? Diagnostics() : loaded.unused(of: variables.variables)
    if !unused.isEmpty {
      report(unused)
      isWrong = true
    }
    if !isWrong, loaded.jobs.isEmpty, loaded.missingFiles.isEmpty, let folder = paths.first {
      report(
        Diagnostics(
          Diagnostic(
            "there is no job in '\(folder)'", at: .unknown,
            help: "its files are for others to include: put a job under 'jobs' in one of them")))
      isWrong = true
    }
    if isWrong {
      report(MissingFile.diagnostics(of: loaded.missingFiles))
      throw Status.wrongJob
    }
    return loaded
  }

  /// The files that arguments stand for, each once, and the folder of each that is one of a folder's;
  /// and whether all arguments stand for some.
  private func jobFiles(
    _ paths: [String], _ files: LocalFileSystem
  ) -> (found: [(path: FilePath, folder: FilePath?)], isComplete: Bool) {
    var found: [(path: FilePath, folder: FilePath?)] = []
    var isComplete = true
    for path in paths {
      let written = FilePath(path)
      let spelled = files.spelling(of: written) ?? written
      if spelled != written {
        note("'\(written)' is taken to be '\(spelled)'")
      }
      guard files.kind(of: spelled) == .folder else {
        found.append((spelled, nil))
        continue
      }
      do throws(Diagnostics) {
        found += try JobFile.paths(in: spelled, files: files).map { ($0, spelled) }
      } catch {
        report(error)
        isComplete = false
      }
    }
    var seen: Set<FilePath> = []
    let current = files.currentDirectory
    return (found.filter { seen.insert($0.path.normalized(in: current)).inserted }, isComplete)
  }

  /// Probes and composes; what is wrong is said. Throws where nothing may run, after `refuse`, which
  /// gets what was found.
  ///
  /// A mistake in a job file stops everything before it starts; a medium that cannot be read fails
  /// the jobs that use it, and no other.
  func prepare(
    _ loaded: LoadedJobs, _ rules: Preparation.Rules = .init(),
    refuse: (Preparation) -> Void = { _ in }
  ) throws -> Preparation {
    memory?.open(for: loaded.jobs)
    let preparation = Preparation(loaded, rules, library: library, budget: budget)
    memory?.keepProbes(of: library)
    report(preparation.diagnostics)
    for note in preparation.notes { self.note(note) }
    if preparation.hasJobErrors {
      refuse(preparation)
      throw Status.wrongJob
    }
    return preparation
  }

  func session(_ export: Export) -> ExportSession { ExportSession(export, library: library) }

  /// What an export would do; a refusal is said before this throws.
  func graph(of export: Export) throws -> Graph {
    do throws(Failure) {
      return try session(export).graph()
    } catch {
      report(Diagnostics(Diagnostic(error, at: export.origin)))
      throw Status.wrongJob
    }
  }
}
