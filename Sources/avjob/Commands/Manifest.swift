import ArgumentParser
import Clusters
import Diagnosis
import ExportEngine
import Reports
import RunPlan
import Terminal
import Threads

extension ClusterManifest: ExpressibleByArgument {}

/// `avjob manifest`
struct Manifest: MediaCommand {
  static let configuration = CommandConfiguration(
    commandName: "manifest",
    abstract: "Print the file by which a cluster or a CI runs jobs on many machines.",
    discussion: """
      Checks the jobs as 'run' does, and deals them out among --shards machines. Prints a script for \
      sbatch, a Job of Kubernetes, a workflow of GitHub or jobs of GitLab, to be submitted by you. \
      Those of GitHub and GitLab check the jobs of pull and merge requests, and run them on the \
      default branch. The other options go into the file.
      """)

  @Argument(help: "The engine.")
  var engine: ClusterManifest

  @Argument(help: "Read these job files, or folders of them.", completion: .jobFiles)
  var files: [String]

  @OptionGroup var machines: MachineOptions

  @Option(help: .value("name", "Run in this container; not for slurm."))
  var image = "avjob:\(Engine.version)"

  @OptionGroup var options: RunOptions
  @OptionGroup var variables: VariableOptions

  var network: NetworkOptions { variables.network }
  var isConfined: Bool { variables.confinement.root != nil }

  func validate() throws {
    guard options.shard == nil else {
      throw ValidationError("--shard is each machine's own; give --shards, the number of machines")
    }
    guard let limit = engine.largestCount, let shards = machines.shards, shards > limit else {
      return
    }
    throw ValidationError(
      "\(engine.rawValue) runs up to \(limit) copies of a job: --shards \(limit)")
  }

  func run() throws {
    let context = CommandContext()
    var rules = RunRules(
      .run, only: options.choice.names(in: context.map), keepsGoing: options.keepGoing)
    rules.shards = machines.shards ?? 4
    let work = try context.prepare(context.load(files, options: variables), rules).work
    guard let count = work.map(\.shard).max() else { throw ExitCode.jobFailed }
    let words = Array(ProcessArguments.words.dropFirst(2))
      .without(options: ["--shards", "--cores", "--image"]).withoutFirstArgument()
    let run = ShardedRun(
      work, of: files.first ?? "", words: words, shards: count, cores: machines.cores ?? 4)
    if let unkept = engine.unkept(run) {
      try context.refuse([
        Diagnostic(
          "outputs in '\(unkept.path)' would be no artifacts: \(unkept.reason)", at: .unknown,
          help: "let the jobs write below the folder that 'avjob manifest' is run in")
      ])
    }
    StandardStream.output.write(engine.text(run, image: image), verbatim: true)
  }
}

extension [String] {
  /// The words of a command line without the first one that is no option or an option's value.
  fileprivate func withoutFirstArgument() -> [String] {
    let flags = ["--keep-going", "--fail-fast", "--offline"]
    var isValue = false
    for (index, word) in enumerated() {
      if !isValue, !word.startsWithScalars("-") {
        return Array(self[..<index] + self[(index + 1)...])
      }
      isValue =
        !isValue && word.startsWithScalars("--") && !word.containsScalars("=")
        && !flags.contains(word)
    }
    return self
  }
}
