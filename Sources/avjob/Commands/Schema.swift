import ArgumentParser
import Diagnosis
import JobFile
import Terminal

/// `avjob schema`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of job files, or the keys of one map.",
    discussion: """
      'avjob schema item' lists the keys of an item, 'avjob schema job' those of a job, \
      'avjob schema all' those of every map, as Markdown. Without a name, it prints the JSON Schema.

      Editors with a YAML language server use the schema (JSON Schema, draft 7) by this line at the \
      top of a job file:

      # yaml-language-server: $schema=avjob.schema.json
      """)

  @Argument(
    help: "List the keys of this map, or of 'all'.",
    completion: .list(
      JobFile.referenceNames.filter { $0.utf8.allSatisfy { $0 != UInt8(ascii: " ") } } + ["all"]))
  var map: [String] = []

  func run() throws {
    guard !map.isEmpty else { return StandardStream.output.write(JobFile.schema) }
    let name = map.joined(separator: " ")
    guard let keys = name == "all" ? JobFile.reference : JobFile.reference(of: name) else {
      throw ValidationError(
        "there is no map '\(name)'; "
          + (Spelling.help(for: name, among: JobFile.referenceNames + ["all"])
            ?? "'avjob schema all' prints all of them"))
    }
    StandardStream.output.write(keys)
  }
}
