import ArgumentParser
import Terminal

/// `avjob check`
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Find everything that can be known before work starts; write nothing.",
    discussion: """
      Reads the job files, opens every medium that they name, and compiles every job. Exit \
      status: 0 nothing is wrong, 1 a medium cannot be used, 2 a job file is wrong.
      """)

  @Argument(help: "Job files (YAML), or folders of them.")
  var files: [String]

  @OptionGroup var choice: ChoiceOptions
  @OptionGroup var variables: VariableOptions

  @OptionGroup var annotations: AnnotationOption

  func run() throws {
    let door = Door(annotations: annotations.annotate)
    let rules = Preparation.Rules(only: choice.names(in: door.map), keepsWork: false)
    let preparation = try door.prepare(door.load(files, options: variables), rules)
    if preparation.refusedJobs > 0 { throw Door.Status.jobFailed }
    let (jobs, parts) = (preparation.readyJobs, preparation.readyParts)
    let subject = jobs == 1 ? "1 job" : "\(jobs) jobs"
    let detail = parts == 0 ? "" : parts == 1 ? " with 1 part" : " with \(parts) parts"
    StandardStream.output.write("\(subject)\(detail) \(jobs == 1 ? "is" : "are") fine\n")
  }
}
