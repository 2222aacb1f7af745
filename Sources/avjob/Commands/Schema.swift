import ArgumentParser
import JobFile

/// `avjob schema`
struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the JSON Schema of job files, for editors.",
    discussion: """
      It is JSON Schema 2020-12. Editors with a YAML language server take it by this line at the \
      top of a job file:

      # yaml-language-server: $schema=avjob.schema.json
      """)

  func run() throws {
    StandardStream.output.write(JobFile.schema)
  }
}
