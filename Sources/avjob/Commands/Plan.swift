import ArgumentParser
import Diagnosis
import ExportGraph
import JobFile
import JobModel
import Terminal

/// `avjob plan`
struct Plan: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what a run would do: what sounds when, what is converted, what is written.",
    discussion: "Opens the media to learn their lengths; writes nothing.")

  /// How a plan is printed.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Argument(help: "Job files (YAML), or folders of them.")
  var files: [String]

  @Option(help: "How to print it: text or json.")
  var format = Format.text

  @OptionGroup var choice: ChoiceOptions
  @OptionGroup var variables: VariableOptions

  @OptionGroup var annotations: AnnotationOption

  func validate() throws {
    guard format == .json, annotations.annotate != nil else { return }
    throw ValidationError(
      "--annotate writes to standard output, where the JSON goes; annotate 'avjob check'")
  }

  func run() throws {
    let door = Door(annotations: annotations.annotate)
    let preparation = try door.prepare(
      door.load(files, options: variables), Preparation.Rules(only: choice.names(in: door.map)))
    var documents: [PlanDocument] = []
    for export in preparation.exports {
      let graph = try door.graph(of: export)
      // Wishes that are not met were told in preparing.
      door.report(Diagnostics(door.session(export).review().losses.map(Diagnostic.init)))
      switch format {
      case .text:
        let text = graph.planText(name: export.name, duration: export.duration)
        // Titles come from media files: nothing in them may reach the terminal as a command.
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
          StandardStream.output.write(String(line).printable + "\n")
        }
      case .json:
        documents.append(
          PlanDocument(graph, name: export.name, duration: export.duration))
      }
    }
    if format == .json { StandardStream.output.write(try JSONText.of(documents)) }
    if preparation.refusedJobs > 0 { throw Door.Status.jobFailed }
  }
}
