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
    refuseUnreadableArguments()
    if ProcessArguments.words.dropFirst() == ["help", "agents"] {
      StandardStream.output.write(AgentsPage.text)
      endProcess(reportLoss() ? ExitStatus.jobFailed : 0)
    }
    refuseUnknownCommand()
    do {
      try ExportEngine.Engine.start()
      let words = Array(ProcessArguments.words.dropFirst())
      if let print = BuildFacts.printer(for: words) { print() } else { try run(words) }
    } catch let failure as Failure {
      StandardStream.error.write("error: \(failure.message)\n")
      arguments.printDocument(of: Diagnostic(failure), status: ExitStatus.jobFailed)
      endProcess(ExitStatus.jobFailed)
    } catch {
      _ = reportLoss()
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

  /// Arguments come as texts, in which other bytes than UTF-8 would name another file. Without the
  /// program's own name, which is always there, none of them was found: that is no call for help.
  private static func refuseUnreadableArguments() {
    guard ProcessArguments.bytes != [[]], !ProcessArguments.bytes.isEmpty else {
      ReportedDiagnostics.refuse(
        "the words of the command line cannot be read: this process has neither an argv[0] nor "
          + "/proc", help: "start avjob as a shell does, or mount /proc")
      endProcess(ExitStatus.jobFailed)
    }
    for word in ProcessArguments.bytes where String(validating: word, as: UTF8.self) == nil {
      ReportedDiagnostics.refuse(
        "the argument '\(String(decoding: word, as: UTF8.self))' is not UTF-8",
        help: "a wildcard in a job file finds such names, as for_each: '*.wav'")
      endProcess(ExitStatus.wrongJob)
    }
  }

  private static func refuseUnknownCommand() {
    guard let wrong = arguments.unknownCommand else { return }
    ReportedDiagnostics.refuse(wrong.message, help: wrong.help)
    endProcess(ExitStatus.wrongJob)
  }

  private static var arguments: WrongArguments {
    WrongArguments(words: Array(ProcessArguments.words.dropFirst()))
  }

  /// Ends the process as ArgumentParser would, but for wrong arguments.
  private static func end(with error: any Error) -> Never {
    let status = exitCode(for: error)
    guard status == .validationFailure else { exit(withError: error) }
    let wrong = arguments.message(for: error)
    ReportedDiagnostics.refuse(wrong.message, help: wrong.help)
    arguments.printDocument(
      of: Diagnostic(wrong.message, at: .unknown, help: wrong.help), status: ExitStatus.wrongJob)
    _ = reportLoss()
    endProcess(ExitStatus.wrongJob)
  }
}

/// Glibc's `exit`, which the protocol's own hides.
private func endProcess(_ status: Int32) -> Never { Glibc.exit(status) }
