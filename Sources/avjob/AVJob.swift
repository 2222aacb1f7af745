import ArgumentParser
import Diagnosis
import ExportEngine
import Glibc
import JobFile
import MediaComposition
import Reports
import Terminal
import Threads

/// The command: its subcommands, and how the process ends.
@main
struct AVJob: ParsableCommand {
  // Each command says its name: to derive one from its type, the parser has Swift look through all
  // conformances of the program, which takes milliseconds at every start.
  static let configuration = CommandConfiguration(
    commandName: "avjob",
    abstract: "Cut, join, mix and compress sound, exact to the sample.",
    discussion: """
      A job file describes jobs; 'avjob run jobs/podcast.yaml' runs them. The commands clip, \
      concat and compress do one thing without a job file. 'avjob help agents' is for programs \
      that write job files.

      Versions of FFmpeg, LAME and a bundle's libraries are printed by 'avjob --version --json', and \
      licences by 'avjob --licenses'.
      """,
    version: Engine.version,
    subcommands: [
      Run.self, Attach.self, Check.self, Plan.self, Manifest.self, Preview.self, Probe.self,
      Clip.self, Concat.self,
      Compress.self, Record.self, Report.self, Verify.self, Cache.self, Init.self,
      SchemaCommand.self,
      IsolatedJob.self, IsolatedProbe.self,
    ])

  static func main() {
    // A reader that closes a pipe early (`head`) is done: the write fails, and nothing else.
    signal(SIGPIPE, SIG_IGN)
    ProcessMemory.returnLargeBlocks()
    occupyStandardStreams()
    refuseMissingWords()
    if let wrong = arguments.unreadableWord(ProcessArguments.bytes.dropFirst()) { refuse(wrong) }
    if ProcessArguments.words.dropFirst() == ["help", "agents"] {
      StandardStream.output.write(AgentsPage.text)
      endProcess(reportLoss() ? ExitStatus.jobFailed : 0)
    }
    if let wrong = arguments.unknownCommand { refuse(wrong) }
    do {
      try ExportEngine.Engine.start()
      let words = Array(ProcessArguments.words.dropFirst())
      if let print = BuildFacts.printer(for: words) { print() } else { try run(words) }
    } catch let failure as Failure {
      StandardStream.error.write("error: \(failure.message)\n")
      arguments.printDocument(of: Diagnostic(failure), status: ExitStatus.jobFailed)
      endProcess(ExitStatus.jobFailed)
    } catch {
      end(with: error)
    }
    if reportLoss() { endProcess(ExitStatus.jobFailed) }
  }

  private static func run(_ words: [String]) throws {
    var command = try parseAsRoot(words)
    if let reader = command as? any MediaCommand {
      try reader.network.enter(isConfined: reader.isConfined)
    }
    defer { MediaNetwork.settle() }
    try command.run()
  }

  /// Opens `/dev/null` for each standard stream that was closed, so that later opens get other
  /// numbers. It is opened the wrong way around (standard input for writing, the others for
  /// reading), so that the stream still cannot be used.
  private static func occupyStandardStreams() {
    for stream in Int32(0)...2 where fcntl(stream, F_GETFD) < 0 {
      _ = open("/dev/null", (stream == 0 ? O_WRONLY : O_RDONLY) | O_NOCTTY)
    }
  }

  /// Says that results did not get to standard output, if some did not.
  private static func reportLoss() -> Bool {
    StandardStream.finish()
    guard let reason = StandardStream.lossOfOutput else { return false }
    StandardStream.error.write("error: standard output cannot be written: \(reason)\n")
    return true
  }

  /// Without the program's own name, which is always there, no word was found: that is no call for
  /// help.
  private static func refuseMissingWords() {
    guard ProcessArguments.bytes == [[]] || ProcessArguments.bytes.isEmpty else { return }
    ReportedDiagnostics.refuse(
      "the words of the command line cannot be read: this process has neither an argv[0] nor "
        + "/proc", help: "start avjob as a shell does, or mount /proc")
    endProcess(ExitStatus.jobFailed)
  }

  private static var arguments: WrongArguments {
    WrongArguments(words: Array(ProcessArguments.words.dropFirst()))
  }

  /// Ends the process as ArgumentParser would, but for wrong arguments, and where what it prints gets
  /// lost.
  private static func end(with error: any Error) -> Never {
    switch exitCode(for: error) {
    case .success:
      let text = fullMessage(for: error)
      if !text.isEmpty { StandardStream.output.write(text + "\n", verbatim: true) }
      endProcess(reportLoss() ? ExitStatus.jobFailed : 0)
    case .validationFailure: refuse(arguments.message(for: error))
    default:
      _ = reportLoss()
      exit(withError: error)
    }
  }

  /// Ends the process for wrong arguments.
  private static func refuse(_ wrong: (message: String, help: String)) -> Never {
    ReportedDiagnostics.refuse(wrong.message, help: wrong.help)
    arguments.printDocument(
      of: Diagnostic(wrong.message, at: .unknown, help: wrong.help), status: ExitStatus.wrongJob)
    _ = reportLoss()
    endProcess(ExitStatus.wrongJob)
  }
}

/// Glibc's `exit`, which the protocol's own hides.
private func endProcess(_ status: Int32) -> Never { Glibc.exit(status) }
