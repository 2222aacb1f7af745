import ArgumentParser
import RunExecution
import RunPlan

/// The job files of a command that writes nothing, and how it prints what it finds.
struct JobFileOptions: ParsableArguments {
  @Argument(help: "Read these job files, or folders of them.", completion: .jobFiles)
  var files: [String]

  @OptionGroup var output: JSONOption
  @OptionGroup var choice: ChoiceOptions
  @OptionGroup var variables: VariableOptions

  @OptionGroup var annotations: AnnotationOption

  func validate() throws {
    guard output.json, annotations.annotate != nil else { return }
    throw ValidationError(
      "--annotate writes to standard output, where the JSON goes; leave out one of them")
  }

  /// The context of the command.
  var context: CommandContext {
    CommandContext(
      annotations: annotations.annotate,
      probingIn: variables.confinement.root == nil ? nil : .confined)
  }

  /// Settles the jobs that are wanted, dealt out among `shards` machines; see
  /// `CommandContext.prepare`. Bags that cannot be made are refused.
  func prepare(
    for purpose: RunPurpose, _ context: CommandContext, shards: Int? = nil,
    refused: (Preparation) -> Void = { _ in }
  ) throws -> Preparation {
    var rules = RunRules(purpose, only: choice.names(in: context.map))
    rules.shards = shards
    let loaded = try context.load(files, options: variables)
    let bags = PlannedBag.all(loaded, of: nil)
    let preparation = try context.prepare(loaded, rules, refused: refused)
    // Those of 'run'.
    let found = PlannedBag.refusals(of: bags, among: preparation.work)
    if !found.isEmpty { refused(preparation) }
    try context.refuse(found)
    return preparation
  }
}
