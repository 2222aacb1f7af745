import ArgumentParser
import Diagnosis
import ExportEngine
import Files
import Glibc
import JobFile
import JobModel
import LiveScreens
import MediaComposition
import Reports
import RunExecution
import RunPlan
import SystemPackage
import Threads
import WorkerPool

/// What every command shares: the places of what was written, the media, the cores, the streams.
struct CommandContext {
  private(set) var diagnostics: ReportedDiagnostics
  var map: SourceMap { diagnostics.map }
  let library: MediaLibrary
  /// nil: media are probed in this process.
  private let probes: ProbeProcesses?
  /// What earlier runs left; nil for a command that keeps nothing.
  let memory: RunMemory?
  /// What kept jobs of a run from being done.
  let hindrances = RunHindrances()
  let budget = CPUBudget(total: min(CPUBudget.availableCores, Self.grantedCores))
  /// What job files are read from.
  private var files: any FileSystem = LocalFileSystem.networked
  /// What jobs may take together.
  let limits: ResourceRequest
  /// What all jobs may take of memory in this process: each process has the same bound.
  private let pieces: SegmentBudget
  /// How many more files may be opened: up to the hard limit from here on.
  private let openFiles = ProcessLimits.raiseOpenFiles()

  /// The context of a command; `memory` is what it uses of earlier runs, and leaves to later ones,
  /// and media are probed in processes with these `bounds`, or nil: in this one. `analyses` is what a
  /// command without a memory uses and leaves of analyses. Messages are printed within `interrupt`, from
  /// the start or from `beginPrinting` of `diagnostics` on, and each as `rephrase` says it.
  init(
    _ memory: RunMemory? = nil, annotations: AnnotationOption.Reader? = nil, isQuiet: Bool = false,
    probingIn bounds: ProcessBounds? = nil, remembering analyses: RememberedAnalyses? = nil,
    isPrinting: Bool = true,
    interrupting interrupt: @escaping ReportedDiagnostics.Interruption = { $0() },
    rephrasing rephrase: @escaping ReportedDiagnostics.Rephrasing = { $0 }
  ) {
    diagnostics = ReportedDiagnostics(
      annotates: annotations == .github, isQuiet: isQuiet, isPrinting: isPrinting,
      interrupting: interrupt, rephrasing: rephrase)
    self.memory = memory
    limits = .limits(openFiles: openFiles, memory: ProcessLimits.machineMemory)
    if let memory = bounds?.memory {
      ProcessLimits.bindStarter(memory: memory, cores: budget.total)
    }
    pieces = SegmentBudget(
      bytes: bounds?.memory ?? min(SegmentBudget.usualLimit, ProcessLimits.machineMemory),
      isSent: bounds != nil)
    var recall: MediaLibrary.Recall?
    if let memory { recall = { memory.find($0, stream: $1, $2) } }
    var probe: MediaLibrary.Probe?
    var listen: MediaLibrary.Listen?
    var findKeyPictures: MediaLibrary.FindKeyPictures?
    var readTranscript: MediaLibrary.ReadTranscript?
    if let bounds {
      let probes = ProbeProcesses(
        workers: budget.total, memory: bounds.memory, timeLimit: bounds.time)
      probe = { (path, stream) throws(Failure) in try probes.probe(path, stream) }
      listen = { (search) throws(Failure) in try probes.silences(search) }
      findKeyPictures = { (asset, times) throws(Failure) in
        try probes.keyPictures(of: asset, near: times)
      }
      readTranscript = { (asset) throws(Failure) in try probes.transcript(of: asset) }
      self.probes = probes
    } else {
      probes = nil
    }
    library = MediaLibrary(
      recalling: recall, probing: probe, listening: listen, seeking: findKeyPictures,
      reading: readTranscript, verifiesAssets: memory != nil,
      remembering: memory?.remembered ?? analyses)
  }

  /// The context of a command that plays, whose messages replace `line`.
  init(beside line: OpeningLine, isConfined: Bool) {
    self.init(
      isConfined ? nil : RunMemory(), probingIn: isConfined ? .confined : nil,
      interrupting: line.interrupt)
  }

  /// The cores that Slurm has given to this process, where it does not bind processes to cores.
  private static var grantedCores: Int {
    getenv("SLURM_CPUS_PER_TASK").flatMap { Int(String(cString: $0)) }.map { max(1, $0) } ?? .max
  }

  /// The same context for reading job files once more: with texts of its own, and messages that are
  /// kept.
  func renewed() -> CommandContext {
    var context = self
    context.diagnostics = ReportedDiagnostics(isPrinting: false)
    return context
  }

  /// The same context, which notes what job files and what they name are read from.
  func noting(_ read: ReadFiles) -> CommandContext {
    var context = self
    context.files = NotingFileSystem(base: .networked, read: read)
    return context
  }

  /// Reports what is wrong.
  func report(_ diagnostics: Diagnostics) { self.diagnostics.report(diagnostics) }

  /// Reports what is wrong, and throws where anything is.
  func refuse(_ diagnostics: [Diagnostic]) throws {
    guard !diagnostics.isEmpty else { return }
    report(Diagnostics(diagnostics))
    throw ExitCode.wrongJob
  }

  /// Prints one line that reports no mistake.
  func note(_ text: String) { diagnostics.note(text) }

  /// As standard error shows it.
  func render(_ diagnostics: Diagnostics) -> String { self.diagnostics.text(of: diagnostics) }

  /// Reads job files, and those in folders; what is wrong with any of them is reported before this
  /// throws. A file that is named twice is read once. Files that are not there are left to
  /// `prepare`, which knows what other jobs write.
  func load(
    _ paths: [String], options: VariableOptions, isPart: Bool = false, isWatched: Bool = false
  ) throws -> LoadedJobs {
    try options.confinement.enter()
    var loaded = LoadedJobs()
    var faults: [Failure.Remedy] = []
    var variables = options.read(into: map)
    let (found, isComplete) = jobFiles(paths)
    if !isComplete { faults.append(.mendJob) }
    variables.allowsUnusedVariables = isPart || found.count > 1
    variables.isSent = probes != nil
    variables.allowsNoFiles = isWatched
    for (path, folder) in found {
      variables.allowsNoJobs = folder != nil
      variables.sizeLimit = pieces.limit - loaded.size
      do throws(Diagnostics) {
        let file = try JobFile.loadAllowingMistakes(
          path, options: variables, into: map, files: files)
        if file.hasMistakes { throw file.mistakes }
        report(Diagnostics(file.warnings))
        loaded.append(file)
      } catch {
        report(error.about(file: path.string))
        faults += error.errors.map(\.remedy)
      }
    }
    if options.strict { loaded.makeStrict() }
    loaded.limit = options.confinement.jobLimit
    if let limit = loaded.limit, loaded.jobs.count > limit {
      report(
        Diagnostics(
          "there are \(loaded.jobs.count) jobs, and \(limit) are allowed",
          at: loaded.jobs[limit].origin, help: "allow more with --max-jobs"))
      faults.append(.mendJob)
    }
    var wrong = !faults.isEmpty || isPart ? [] : loaded.unused(of: variables.variables).all
    if faults.isEmpty, loaded.jobs.isEmpty, !loaded.leavesOutJobs, loaded.missingFiles.isEmpty,
      let folder = paths.first
    {
      wrong.append(
        Diagnostic(
          "there is no job in '\(folder)'", at: .unknown,
          help: "its files are for others to include: put a job under 'jobs' in one of them"))
    }
    guard !faults.isEmpty || !wrong.isEmpty else {
      // A watch knows more of them.
      guard !isWatched else { return loaded }
      let found = loaded.leaveOutOutputsOfLoops { memory?.loop(thatMade: $0, besideJobsIn: $1) }
      report(Diagnostics(found))
      return loaded
    }
    let missing = MissingFile.diagnostics(of: loaded.missingFiles).all
    report(Diagnostics(wrong + missing))
    throw ExitCode(worstOf: faults + (wrong + missing).map(\.remedy)) ?? .wrongJob
  }

  /// The files that arguments stand for, each once, and the folder of each that is one of a folder's;
  /// and whether all arguments stand for some.
  private func jobFiles(
    _ paths: [String]
  ) -> (found: [(path: FilePath, folder: FilePath?)], isComplete: Bool) {
    var found: [(path: FilePath, folder: FilePath?)] = []
    var isComplete = true
    for path in paths {
      let written = FilePath(path)
      let spelled = files.spelling(of: written) ?? written
      if spelled != written {
        note("'\(written)' is read as '\(spelled)'")
      }
      guard files.kind(of: spelled) == .folder else {
        found.append((spelled, nil))
        continue
      }
      do throws(Diagnostics) {
        found += try JobFile.paths(in: spelled, files: files).map { ($0, spelled) }
      } catch {
        report(error.about(file: spelled.string))
        isComplete = false
      }
    }
    var resolver = PathResolver()
    var seen: Set<FilePlace> = []
    let distinct = found.filter { path, _ in
      resolver.place(of: path).map { seen.insert($0).inserted } ?? true
    }
    return (distinct, isComplete)
  }

  /// Probes and composes; what is wrong is reported. Throws where nothing may run, after `refused` got
  /// what was found.
  ///
  /// A mistake in a job file stops everything before it starts; a medium that cannot be read fails
  /// the jobs that use it, and no other.
  func prepare(
    _ loaded: LoadedJobs, _ rules: RunRules = .init(),
    refused: (Preparation) -> Void = { _ in }
  ) throws -> Preparation {
    memory?.open(for: loaded.jobs)
    var rules = rules
    rules.openFiles = openFiles
    rules.segments = pieces
    let isRemote = loaded.jobs.contains { $0.media.contains { $0.location.url != nil } }
    // A preview shows a line of its own.
    let showsLine = isRemote && !diagnostics.isQuiet && rules.purpose != .preview
    let prepare = { [rules] in
      // What was probed is kept before graphs are made of it, which take as much memory again.
      Preparation(
        loaded, rules, library: library, budget: budget,
        probed: { memory?.keepProbes(of: library) })
    }
    let preparation = showsLine ? FetchingLine.shown(while: prepare) : prepare()
    probes?.rest()
    report(preparation.diagnostics)
    hindrances.note(preparation)
    for note in preparation.notes { self.note(note) }
    if preparation.hasJobErrors {
      refused(preparation)
      throw ExitCode.wrongJob
    }
    return preparation
  }
}

extension ExitCode {
  static let jobFailed = ExitCode(ExitStatus.jobFailed)
  static let wrongJob = ExitCode(ExitStatus.wrongJob)
  static let temporary = ExitCode(ExitStatus.temporary)

  /// The status of a command that failed, by what the user must do.
  init(_ remedy: Failure.Remedy) { self.init(ExitStatus.failed(remedy)) }

  /// The status of a command that failed for several reasons; nil without any.
  init?(worstOf remedies: [Failure.Remedy]) {
    guard !remedies.isEmpty else { return nil }
    self.init(ExitStatus.worst(remedies.map { ExitStatus.failed($0) }))
  }
}

extension OpeningSession.End {
  /// What was opened; nil after `q`.
  ///
  /// - Throws: The error of the opening; an `ExitCode` after a signal.
  func get() throws -> Opened? {
    switch self {
    case .opened(let opened): return try opened.get()
    case .quit: return nil
    case .signal(let signal): throw ExitCode(ChildProcess.exitStatus(ofSignal: signal))
    }
  }
}

extension Preparation {
  /// The status of a command that runs nothing and was to find out whether jobs can run.
  var status: ExitCode {
    ExitCode(ExitStatus.failed(refusedJobs, mayPass: mayPass))
  }
}

extension LocalFileSystem {
  /// The disk, and texts of servers by `MediaNetwork`.
  static let networked = LocalFileSystem { url, limit in
    guard let bytes = try MediaNetwork.contents(of: url, limit: limit) else {
      throw FileTooLarge(limit: limit)
    }
    return bytes
  }
}
