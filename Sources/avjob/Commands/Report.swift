import ArgumentParser
import Diagnosis
import Files
import Reports
import SystemPackage

/// `avjob report`
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Put the reports of shards together.",
    subcommands: [Merge.self])

  /// `avjob report merge`
  struct Merge: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "merge", abstract: "Put the reports of all shards of a run together.",
      discussion: """
        Takes what 'avjob run --shard 1/4 --report 1.json' writes on each machine. Prints what a run \
        of all jobs prints at its end, writes its report, and ends with its status. The report of a \
        shard that is missing is an error, with status 75.
        """)

    @Argument(help: "Read these reports.", completion: .file(extensions: ["json"]))
    var files: [String]

    @Flag(name: .shortAndLong, help: "Print warnings and errors only.")
    var quiet = false

    @OptionGroup var reports: ReportOptions

    func run() throws {
      var merging: ReportMerging
      do throws(Failure) {
        merging = try ReportMerging(of: files.map { FilePath($0) })
      } catch {
        CommandContext().report(Diagnostics(Diagnostic(error)))
        throw ExitCode(error.remedy)
      }
      let status = merging.finish(reports.targets, isQuiet: quiet)
      guard status == 0 else { throw ExitCode(status) }
    }
  }
}
