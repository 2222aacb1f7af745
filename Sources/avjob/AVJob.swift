import ArgumentParser
import ExportEngine
import Glibc

/// The door: commands, exit statuses, signals, the CPU budget.
@main
struct AVJob: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "avjob",
    abstract: "Cut, join, mix and compress sound, exact to the sample.",
    discussion: """
      A job file says what to make; 'avjob run jobs/podcast.yaml' makes it. The commands clip, \
      concat and compress do one thing without a job file.
      """,
    version: "0.1.0",
    subcommands: [
      Run.self, Check.self, Plan.self, Probe.self, Clip.self, Concat.self, Compress.self,
    ])

  static func main() {
    do {
      try ExportEngine.Engine.start()
      var command = try parseAsRoot()
      try command.run()
    } catch {
      end(with: error)
    }
  }

  /// Ends the process as ArgumentParser would, but for wrong arguments: their status is 2.
  private static func end(with error: any Error) -> Never {
    let status = exitCode(for: error)
    guard status == .validationFailure else { exit(withError: error) }
    StandardStream.error.write(fullMessage(for: error) + "\n")
    endProcess(2)
  }
}

/// Glibc's `exit`, which the protocol's own hides.
private func endProcess(_ status: Int32) -> Never { Glibc.exit(status) }
