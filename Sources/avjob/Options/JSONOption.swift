import ArgumentParser
import ExportEngine
import JSON
import Terminal

/// `--json`, for every command that prints one JSON document (`docs/json.md`).
struct JSONOption: ParsableArguments {
  @Flag(help: "Print JSON; docs/json.md describes it.")
  var json = false

  /// Prints the document whose other members are `members`.
  func print(version: Int64, _ members: JSONValue) {
    let head: JSONValue = ["version": .integer(version), "avjob": .text(Engine.version)]
    StandardStream.output.write(json: head.with(members).document())
  }
}
