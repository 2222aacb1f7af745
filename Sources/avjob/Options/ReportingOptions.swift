import ArgumentParser
import Glibc
import Reports

/// `--report`
struct ReportOptions: ParsableArguments {
  @Option(
    name: .customLong("report"),
    help: .value("file", "Write a report to .json, .xml (JUnit), .md or 'github'."),
    completion: .file(extensions: ["json", "xml", "md", "html"]))
  var reports: [String] = []

  /// The reports, and what the environment says to them.
  var targets: [ReportTarget] {
    let summary = getenv("GITHUB_STEP_SUMMARY").map { String(cString: $0) } ?? ""
    return reports.compactMap { ReportTarget($0, stepSummary: summary) }
  }

  func validate() throws {
    for word in reports where ReportTarget(word, stepSummary: "") == nil {
      throw ValidationError(
        "--report \(word): a report ends in .json, .xml or .md, or is the word 'github'")
    }
  }
}

/// `--quiet`, `--verbose`, `--progress`, `--report`.
struct ReportingOptions: ParsableArguments {
  /// What goes to standard output while a run goes on.
  enum Progress: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Flag(name: .shortAndLong, help: "Print warnings and errors only.")
  var quiet = false

  @Flag(
    name: .shortAndLong,
    help: "Print each job's start, end and decisions.")
  var verbose = false

  @Option(help: .value("format", "Print progress as text or as json events."))
  var progress = Progress.text

  @OptionGroup var reports: ReportOptions

  /// The options, and what the environment says to them.
  var options: RunReporter.Options {
    var options = RunReporter.Options()
    (options.isQuiet, options.isVerbose) = (quiet, verbose)
    options.streamsEvents = progress == .json
    options.targets = reports.targets
    return options
  }

  func validate() throws {
    if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    guard progress == .json else { return }
    if quiet || verbose {
      throw ValidationError(
        "--progress json has all events; leave out --\(quiet ? "quiet" : "verbose")")
    }
    if options.targets.contains(.output) {
      throw ValidationError(
        "--report github would print to standard output, where --progress json has all lines to "
          + "itself; set GITHUB_STEP_SUMMARY or name a .md file")
    }
  }
}
