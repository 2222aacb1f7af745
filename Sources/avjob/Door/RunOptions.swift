import ArgumentParser
import Diagnosis
import JobFile
import MediaComposition
import RunPlan

/// `--only`, which every command that reads job files takes.
struct ChoiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only jobs of this name, or of this group: the name under 'jobs'. '*' stands for any "
        + "characters. What they need comes along.", valueName: "name"))
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

  @Flag(help: "Run the other jobs, too, where one is found to be wrong before work starts.")
  var keepGoing = false

  @Flag(help: "Start no further job once one has failed.")
  var failFast = false

  @Option(
    help: ArgumentHelp(
      "Tries after the first, where a failure may pass by itself; unless the job says 'retries'.",
      valueName: "number"))
  var retry = WorkLimits().retries

  @Option(
    help: ArgumentHelp(
      "Do one share of the work, as 1/4: shares are disjoint and about alike, on every machine.",
      valueName: "i/n"),
    transform: Shard.init)
  var shard: Shard?

  func validate() throws {
    if keepGoing, failFast {
      throw ValidationError(
        "--keep-going and --fail-fast exclude each other; give one of them")
    }
    guard 0...1000 ~= retry else { throw ValidationError("--retry is 0 to 1000") }
  }
}
