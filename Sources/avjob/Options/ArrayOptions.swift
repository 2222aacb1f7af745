import ArgumentParser
import Clusters
import Diagnosis
import RunPlan

/// `--shards` and `--cores`: among which machines a run is dealt out.
struct MachineOptions: ParsableArguments {
  @Option(help: .value("number", "Deal the jobs out among this many machines."))
  var shards: Int?

  @Option(help: .value("number", "Count on this many cores of each machine."))
  var cores: Int?

  func validate() throws {
    if let shards, !(1...Shard.largestCount ~= shards) {
      throw ValidationError("--shards is 1 to \(Shard.largestCount)")
    }
    if let cores, !(1...100_000 ~= cores) { throw ValidationError("--cores is 1 to 100000") }
  }
}

/// Where a run's jobs are done, if not here.
struct ArrayOptions: ParsableArguments {
  /// An engine that runs job arrays.
  enum Engine: String, ExpressibleByArgument, CaseIterable {
    case slurm
  }

  @Option(name: .customLong("on"), help: .value("engine", "Run the jobs as a job array of slurm."))
  var engine: Engine?

  @OptionGroup var machines: MachineOptions

  @Option(help: .value("name", "With --on: the machines to use; default: the engine's own choice."))
  var partition: String?

  @Option(
    name: .customLong("sbatch"), parsing: .unconditionalSingleValue,
    help: .value("option", "With --on slurm: give sbatch an option, such as --time=1:00:00."))
  var submission: [String] = []

  @Flag(help: "With --on: print the array's number and leave; 'avjob attach' follows it.")
  var detach = false

  /// Options of sbatch that avjob sets itself, or that would hide the array from it.
  private static let refused = [
    "--wait", "-W", "--wrap", "--parsable", "--array", "-a", "--chdir", "-D", "--clusters", "-M",
    "--output", "-o", "--test-only", "--no-requeue",
  ]

  func validate() throws {
    if let option = submission.first(where: { word in
      Self.refused.contains { word == $0 || word.startsWithScalars($0 + "=") }
    }) {
      throw ValidationError(
        "--sbatch \(option): avjob itself asks for that, or could not follow the run; leave it out")
    }
    guard engine == nil else { return }
    let given = [
      ("--shards", machines.shards != nil), ("--cores", machines.cores != nil),
      ("--partition", partition != nil), ("--sbatch", !submission.isEmpty), ("--detach", detach),
    ]
    guard let option = given.first(where: \.1)?.0 else { return }
    throw ValidationError("\(option) is for --on slurm; leave it out")
  }

  /// The options of the engine's own command.
  var engineOptions: [String] { (partition.map { ["--partition=\($0)"] } ?? []) + submission }

  /// The words of a command line that are for the run's shards.
  static func words(_ arguments: [String]) -> [String] {
    arguments.without(
      options: [
        "--on", "--shards", "--cores", "--partition", "--sbatch", "--report", "--progress",
      ], flags: ["--detach", "-q", "--quiet", "-v", "--verbose"])
  }
}
