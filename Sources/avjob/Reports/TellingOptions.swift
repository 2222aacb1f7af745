import ArgumentParser
import Glibc

/// What a run tells, and whom.
struct Telling {
  /// What is told while the run goes on.
  enum Progress: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  /// Nothing of what goes well but the table.
  var isQuiet = false
  /// Each job, and what is decided about it.
  var isVerbose = false
  var progress = Progress.text
  var targets: [ReportTarget] = []
}

/// `--quiet`, `--verbose`, `--progress`, `--report`.
struct TellingOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Show no progress, only what went wrong and the table.")
  var quiet = false

  @Flag(
    name: .shortAndLong,
    help: "Tell each job's start and end, what is up to date, and what is resampled or left out.")
  var verbose = false

  @Option(
    help: "text, or json: an event a line on standard output, in place of progress and table.")
  var progress = Telling.Progress.text

  @Option(
    name: .customLong("report"),
    help: ArgumentHelp(
      """
      Write what was done to a .json, .xml (JUnit) or .md file; 'github' adds Markdown to \
      the step's summary, or prints it in place of the table. May be repeated.
      """, valueName: "file"))
  var reports: [String] = []

  /// The options, and what the environment says to them.
  var telling: Telling {
    let summary = getenv("GITHUB_STEP_SUMMARY").map { String(cString: $0) } ?? ""
    return Telling(
      isQuiet: quiet, isVerbose: verbose, progress: progress,
      targets: reports.compactMap { ReportTarget($0, stepSummary: summary) })
  }

  func validate() throws {
    if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    for word in reports where ReportTarget(word, stepSummary: "") == nil {
      throw ValidationError(
        "--report \(word): a report ends in .json, .xml or .md, or is the word 'github'")
    }
    if progress == .json {
      if quiet || verbose {
        throw ValidationError(
          "--progress json tells everything; leave out --\(quiet ? "quiet" : "verbose")")
      }
      if telling.targets.contains(.output) {
        throw ValidationError(
          "--report github would print to standard output, where --progress json has all lines to "
            + "itself; set GITHUB_STEP_SUMMARY or name a .md file")
      }
    }
  }
}
