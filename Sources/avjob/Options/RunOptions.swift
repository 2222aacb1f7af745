import ArgumentParser
import Diagnosis
import Glibc
import JobFile
import MediaComposition
import RunPlan

/// `--only`, which every command that reads job files takes.
struct ChoiceOptions: ParsableArguments {
  @Option(
    help: .value("name", "Take only jobs of this name or group, and their needs."),
    completion: .jobNames)
  var only: [String] = []

  /// The names with their places; nil where all jobs are meant.
  func names(in map: SourceMap) -> [Located<String>]? {
    guard !only.isEmpty else { return nil }
    return only.map { Located($0, at: map.add(arguments: ["--only", $0]).last ?? .unknown) }
  }
}

/// What `run` does where something fails, and which share of the work it does.
struct RunOptions: ParsableArguments {
  @OptionGroup var choice: ChoiceOptions

  @Flag(help: "Run the other jobs if one is refused.")
  var keepGoing = false

  @Flag(help: "Start no further job once one has failed.")
  var failFast = false

  @Option(help: .value("number", "Retry temporary failures this often."))
  var retry = RunRules().retries

  @Option(
    help: .value("i/n", "Run one shard of the jobs, such as 1/4, or that of an array: auto."),
    transform: { text in
      try Shard(text) { name in getenv(name).map { String(cString: $0) } }
    })
  var shard: Shard?

  func validate() throws {
    if keepGoing, failFast {
      throw ValidationError(
        "--keep-going and --fail-fast exclude each other; give one of them")
    }
    guard 0...1000 ~= retry else { throw ValidationError("--retry is 0 to 1000") }
  }
}
