import ArgumentParser
import Diagnosis
import Glibc
import JobFile
import MediaComposition
import Terminal

/// `--set`, `--env`, `--root`, `--max-jobs` and the network's, which every command that reads job files
/// takes.
struct VariableOptions: ParsableArguments {
  @Option(
    name: .customLong("set"),
    help: .value("name=value", "Give a variable a value, over the file's own."),
    transform: Assignment.parse("--set"))
  var assignments: [Assignment] = []

  @Option(
    name: .customLong("env"),
    help: .value("name", "Let job files read an environment variable as ${env.NAME}."))
  var environment: [String] = []

  @Flag(help: "Refuse damaged and doubtful sources.")
  var strict = false

  @OptionGroup var confinement: RootOptions
  @OptionGroup var network: NetworkOptions

  func validate() throws {
    try Assignment.refuseRepeated(assignments)
    guard confinement.root == nil || environment.isEmpty else {
      throw ValidationError(
        "--root and --env exclude each other: job files below --root are not trusted with the "
          + "environment")
    }
  }

  /// The options as `JobFile` takes them.
  func read(into map: SourceMap) -> JobFile.Options {
    let variables = assignments.map { assignment in
      JobFile.Variable(
        assignment.name, assignment.value,
        origin: map.add(arguments: ["--set", "\(assignment.name)=\(assignment.value)"]).last
          ?? .unknown)
    }
    let allowed = environment.map { name in (name, getenv(name).map { String(cString: $0) }) }
    var options = JobFile.Options(
      variables: variables, environment: Dictionary(allowed, uniquingKeysWith: { $1 }))
    options.jobLimit = min(options.jobLimit, confinement.jobLimit ?? options.jobLimit)
    return options
  }
}
