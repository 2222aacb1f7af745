import Diagnosis
import ExportEngine
import Files
import FoundationEssentials
import Glibc
import MediaComposition
import MediaTime
import RunPlan
import Synchronization
import SystemPackage
import Terminal
import Threads
import WorkerPool

/// `--isolate`: each export in a process of its own, so that one that crashes, or takes more than
/// the machine has, fails alone.
///
/// The process is this program with the command `isolated-job`. It gets its work as JSON on standard
/// input, and writes its progress to standard output, one JSON object a line. What its libraries or a
/// crash write to standard error is kept for the message about the job. It has one core, which the
/// pool's worker holds for it, and it ends with the worker.
package struct Isolation: Sendable {
  /// What any process may take; files and time are each job's own.
  private let limits: ProcessLimits
  /// Bytes that all processes have written.
  private let written = Written()

  private final class Written: Sendable {
    let bytes = Atomic<Int>(0)
  }

  /// What a process is asked to do.
  package struct Order: Codable {
    fileprivate var export: Export
    /// By the name of each group of the export, all exports of the group, this one among them: the
    /// process measures their sounds.
    fileprivate var groups: [String: [Export]]
    /// What other processes have measured of them.
    fileprivate var levels: [String: LoudnessMeasurement]
    fileprivate var limits: ProcessLimits
    fileprivate var replaced: ExportSession.ReplacedFiles
    fileprivate var examination: ExportSession.Examination
    /// Beside which findings of analyses are kept, by their bytes.
    fileprivate var jobFolders: [[UInt8]]
  }

  /// A line of a process; after one that is neither `progress`, `found` nor `measured` there is no other.
  fileprivate enum Message: Codable {
    case progress(completed: Time, total: Time)
    /// The finding of an analysis, under its digest.
    case found(String, String)
    /// A group of that name.
    case measured(String, LoudnessMeasurement)
    case finished(ExportSession.Report)
    case failed(Failure)
    case cancelled
  }

  /// How long a process that was asked to stop may take for it: less than the pool's patience.
  private static let grace = Duration.seconds(4)

  /// Processes that share the machine.
  ///
  /// - Parameters:
  ///   - workers: How many there are at once.
  ///   - openFiles: How many files each may open.
  ///   - memory: Bytes that each may take; nil: its share of the machine's.
  ///   - fileSize: Bytes of all files that they write; nil: any number.
  package init(workers: Int, openFiles: Int, memory: Int? = nil, fileSize: Int? = nil) {
    limits = ProcessLimits(
      memory: memory ?? ProcessLimits.memory(among: workers),
      processorTime: nil, openFiles: openFiles, fileSize: fileSize)
  }

  /// Makes an export's files in another process. One that dies leaves none of its temporary files.
  ///
  /// - Parameters:
  ///   - session: What to make.
  ///   - work: Says what it may take; its attempt's time bounds its processor time.
  ///   - context: Of the attempt; holds the core that the process takes.
  ///   - replaced: Which files at the outputs' paths are replaced.
  ///   - examination: What is found out for reports alone.
  ///   - memory: Keeps what its analyses find; nil: it analyses everything.
  /// - Returns: What the process wrote.
  /// - Throws: As `ExportSession.run`, and a `Failure` where the process died.
  func perform(
    _ session: ExportSession, _ work: Work, _ context: JobContext,
    replacing replaced: ExportSession.ReplacedFiles,
    examining examination: ExportSession.Examination,
    remembering memory: RunMemory?
  ) throws -> ExportSession.Report {
    try Self.requirePassable(session.export)
    let order = self.order(
      session, work, replacing: replaced, examining: examination, remembering: memory)
    let bytes = try order.encoded()
    let child: ChildProcess
    let place = SharedNumber()
    do {
      child = try Self.spawn(["isolated-job", "--parent", String(getpid())], sharing: place)
    } catch {
      throw Failure(.tryAgain, "cannot start a process for the job: \(error)")
    }
    let isCancelled = { context.cancellation.isCancelled }
    _ = child.send(Array(bytes), unless: isCancelled)
    let (lastWord, isEndless) = try listen(
      to: child, context, session.groups, memory?.remembered)
    let end = Self.end(of: child)
    let words = Self.words(of: child.lastComplaints(200))
    switch lastWord {
    case .finished(let report):
      let bytes = report.files.reduce(0) { $0 + Int($1.identity.size) }
      written.bytes.wrappingAdd(bytes, ordering: .relaxed)
      // It has no screen of its own, and what it says there in this process is seen, too.
      if !words.isEmpty {
        context.warn(Warning("its process wrote: \(words)", origin: session.export.origin))
      }
      return report
    case .failed(let failure): throw failure
    case .cancelled where isCancelled(): throw CancellationError()
    // Somebody else has stopped it.
    case .cancelled: throw Self.failure(of: .signalled(SIGTERM))
    case .progress, .found, .measured, nil:
      session.removeLeftovers()
      let sources = order.sources
      let number = Int(place?.value ?? 0)
      let read = sources.indices.contains(number - 1) ? sources[number - 1] : nil
      if isCancelled() {
        guard let read else { throw CancellationError() }
        throw JobHung(at: read)
      }
      guard !isEndless else {
        throw Failure(
          .reportBug, "its process wrote a line without an end, and was stopped: please report it")
      }
      var failure = Self.failure(
        of: end, saying: words, memory: limits.memory, peak: child.peakMemory)
      failure.location = read ?? (sources.count == 1 ? sources[0] : nil)
      throw failure
    }
  }

  /// Refuses (`mendJob`) an export with code of this program, which no other process has.
  static func requirePassable(_ export: Export) throws(Failure) {
    guard let effect = export.composition.customEffects.first else { return }
    throw Failure(
      .mendJob,
      "the \(effect) is code of this program, which a process of its own does not have; run the "
        + "export without isolation", origin: export.origin)
  }

  private func order(
    _ session: ExportSession, _ work: Work, replacing replaced: ExportSession.ReplacedFiles,
    examining examination: ExportSession.Examination, remembering memory: RunMemory?
  ) -> Order {
    let groups = session.groups.mapValues(\.exports)
    let fetches = ([session.export] + groups.values.joined()).contains { export in
      export.composition.readAssets.contains { $0.location.url != nil }
    }
    return Order(
      export: session.export, groups: groups, levels: session.groups.compactMapValues(\.known),
      limits: limits(for: work, fetching: fetches), replaced: replaced, examination: examination,
      jobFolders: memory?.jobFolders.map(\.bytes) ?? [])
  }

  private func limits(for work: Work, fetching fetches: Bool) -> ProcessLimits {
    var limits = limits
    limits.openFiles = max(256, 2 * work.resources.openFiles)
    limits.outputSize = limits.fileSize.map { max(0, $0 - written.bytes.load(ordering: .relaxed)) }
    // What is fetched goes into the cache, whose files are as long as the media.
    limits.fileSize = fetches ? nil : limits.outputSize
    // Its deadline comes first, unless the process that watches it is gone.
    limits.processorTime = Int(
      clamping: max(1, min(work.timeLimit.components.seconds, 1 << 30)) + 10)
    return limits
  }

  /// Starts this program, confined as this process is.
  static func spawn(
    _ arguments: [String], sharing number: SharedNumber? = nil
  ) throws(ChildProcess.SystemError) -> ChildProcess {
    try ChildProcess.spawn(
      arguments: arguments + (Confinement.root.map { ["--root", $0.string] } ?? []),
      // A crash is reported in our words; Swift's own take seconds, and go over the screen.
      environment: ["SWIFT_BACKTRACE": "enable=no", networkVariable: networkText],
      sharing: number)
  }

  /// The variable in which a process finds how media of servers are read.
  private static let networkVariable = "AVJOB_NETWORK"

  private static var networkText: String {
    let bytes = (try? JSONEncoder().encode(MediaNetwork.options)) ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Lets a process that `spawn` has started read media of servers as this one does; a server that has
  /// been asked in the run is not asked again. Where that cannot be read, no server is asked at all.
  package static func inheritNetwork() {
    let text = getenv(networkVariable).map { String(cString: $0) } ?? ""
    do {
      try MediaNetwork.configure(
        JSONDecoder().decode(MediaNetwork.Options.self, from: Data(text.utf8)))
    } catch {
      MediaNetwork.forbid()
    }
  }

  /// The end of a process that has closed its output, which is brought about where it does not come.
  private static func end(of child: ChildProcess) -> ChildProcess.End {
    if let end = child.wait(within: grace) { return end }
    child.signal(SIGKILL)
    return child.wait()
  }

  /// Passes on what a process says until its end, asks it to stop where the job is cancelled, and kills
  /// it where it does not stop, or writes a line without end.
  private func listen(
    to child: ChildProcess, _ context: JobContext, _ groups: [String: LoudnessGroup],
    _ analyses: RememberedAnalyses?
  ) throws -> (lastWord: Message?, isEndless: Bool) {
    var lastWord: Message?
    var lastMoment: ContinuousClock.Instant?
    while true {
      if context.cancellation.isCancelled {
        if let lastMoment {
          if lastMoment <= .now { child.signal(SIGKILL) }
        } else {
          child.signal(SIGTERM)
          lastMoment = .now.advanced(by: Self.grace)
        }
      }
      switch child.readLine(within: .milliseconds(100)) {
      case .nothing: break
      case .end: return (lastWord, false)
      case .endless:
        child.signal(SIGKILL)
        return (nil, true)
      case .line(let line):
        // Half a line: the process died while it wrote.
        guard let message = try? JSONDecoder().decode(Message.self, from: Data(line)) else {
          break
        }
        switch message {
        case .progress(let completed, let total):
          context.report(JobProgress(completed: completed, total: total))
        case .found(let digest, let finding): analyses?.keep(digest, Array(finding.utf8))
        case .measured(let name, let level):
          if level.isPlausible { groups[name]?.known = level }
        default: lastWord = message
        }
      }
    }
  }

  /// The last three lines of a process that say something: behind its message the Swift runtime lists
  /// calls, as `21   libc.so.6   0x00007fa166a6c24a …`, by addresses that tell nobody anything.
  static func words(of lines: [String]) -> String {
    lines.filter { line in
      let words = line.split(separator: " ")
      let isCall = words.count > 2 && words[0].allSatisfy(\.isNumber) && words[2].hasPrefix("0x")
      return !isCall && line != "Current stack trace:"
    }
    .suffix(3).joined(separator: " | ").printable
  }

  /// What the end of a process means that has not said how its work went.
  ///
  /// - Parameters:
  ///   - end: How it ended.
  ///   - words: The last of what it wrote to standard error.
  ///   - memory: Bytes that it might take.
  ///   - peak: Bytes that it had at its peak.
  /// - Returns: What to do about it.
  static func failure(
    of end: ChildProcess.End, saying words: String = "", memory: Int = .max, peak: Int = 0
  ) -> Failure {
    let said = words.isEmpty ? "" : "; it wrote: \(words)"
    // Of memory that is not to be had Swift and C++ die with these words, or of a null pointer.
    let isCrash = if case .signalled(let signal) = end { crashes.contains(signal) } else { false }
    let complaints = ["failed to allocate", "ould not allocate", "std::bad_alloc"]
    if complaints.contains(where: said.contains) || isCrash && peak > memory / 10 * 9 {
      return Failure(
        .mendMachine,
        "its process needs more memory than its limit, "
          + "\(Figures.size(bytes: Int64(clamping: memory))) or that of 'ulimit -d'; run fewer jobs "
          + "at once, with '--workers', or raise '--max-memory'"
      )
    }
    return switch end {
    case .unknown:
      Failure(.reportBug, "its process ended without a status and without a message" + said)
    case .exited(let status):
      Failure(.reportBug, "its process ended with status \(status) without a message" + said)
    case .signalled(SIGKILL):
      Failure(
        .tryAgain,
        "its process was killed (SIGKILL), as Linux does when memory runs out; run fewer jobs at "
          + "once")
    case .signalled(SIGXCPU):
      Failure(
        .tryAgain, "its process took more time than its limit; raise its 'timeout', or '--max-time'"
      )
    case .signalled(let number) where [SIGTERM, SIGINT, SIGHUP].contains(number):
      Failure(.tryAgain, "its process was stopped from outside (\(name(of: number))); run again")
    case .signalled(let number):
      Failure(
        .reportBug,
        "its process crashed (\(name(of: number))); the other jobs are not touched: please report "
          + "it, with the job and its sources" + said)
    }
  }

  private static let crashes: Set = [SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP]

  private static func name(of signal: Int32) -> String {
    let names: [Int32: String] = [
      SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
      SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGSEGV: "SIGSEGV", SIGTERM: "SIGTERM", SIGSYS: "SIGSYS",
    ]
    return names[signal] ?? "signal \(signal)"
  }
}

extension Isolation.Order {
  /// What its process is given, which can read all that it is asked to.
  ///
  /// - Throws: `Failure` for a source of this process's own.
  fileprivate func encoded() throws(Failure) -> Data {
    try requireReadable()
    do {
      return try JSONEncoder().encode(self)
    } catch {
      throw Failure(.reportBug, "its work cannot be given to a process: \(error)")
    }
  }

  private func requireReadable() throws(Failure) {
    let exports = [export] + groups.values.joined()
    let tags = exports.map(\.metadata) + exports.flatMap(\.outputs).map(\.metadata)
    let pictures = tags.map(\.cover) + exports.flatMap(\.chapters).map(\.image)
    for location in sources + pictures.compactMap(\.?.location) {
      try location.requireReadableByOtherProcesses()
    }
  }

  /// The media that it reads; the processes on both sides count them.
  fileprivate var sources: [MediaLocation] {
    let exports = [export] + groups.values.joined()
    return Set(exports.flatMap(\.composition.readAssets).map(\.location)).sorted()
  }

  /// What a process was given on its standard input; nil where no run has written that.
  package init?(_ bytes: [UInt8]) {
    guard let order = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = order
  }

  /// Binds this process by the order's limits.
  package func applyLimits() { limits.apply() }

  /// Makes the files, in the process itself; `write` gets whole lines for the one that waits.
  package func perform(
    _ cancellation: CancellationFlag, _ write: @escaping @Sendable (String) -> Void
  ) {
    @Sendable func say(_ message: Isolation.Message) {
      guard let line = try? JSONEncoder().encode(message) else { return }
      write(String(decoding: line, as: UTF8.self) + "\n")
    }
    do throws(Failure) {
      let numbers = Dictionary(uniqueKeysWithValues: zip(sources, Int32(1)...))
      let place = SharedNumber.ofParent()
      let kept = jobFolders.map { KeptAnalyses(besideJobsIn: FilePath(bytes: $0)) }
      let analyses = RememberedAnalyses { digest in
        kept.lazy.compactMap { $0.find(digest) }.first
      } keep: { digest, finding in
        say(.found(digest, String(decoding: finding, as: UTF8.self)))
      }
      let library = MediaLibrary(
        recalling: nil, probing: nil, verifiesAssets: true,
        watching: { place?.value = $0.flatMap { numbers[$0] } ?? 0 }, remembering: analyses)
      let groups = groups.map { name, exports in
        let group = LoudnessGroup(name, of: exports.map { ExportSession($0, library: library) })
        group.known = levels[name]
        return (name, group)
      }
      let session = ExportSession(export, library: library)
        .sharing(Dictionary(uniqueKeysWithValues: groups))
      let report = try session.run(
        budget: CPUBudget(total: 1), replacing: replaced, examining: examination,
        cancellation: cancellation,
        progress: eachSecond { say(.progress(completed: $0.completed, total: $0.total)) })
      for (name, group) in groups {
        if let level = group.known, levels[name] == nil { say(.measured(name, level)) }
      }
      say(.finished(report))
    } catch {
      say(cancellation.isCancelled && error.code == .cancelled ? .cancelled : .failed(error))
    }
  }
}
