import ArgumentParser
import Glibc
import JobFile
import MediaComposition

/// `--set` and `--env`, which every command that reads job files takes.
struct VariableOptions: ParsableArguments {
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("Give a variable a value, over the file's own.", valueName: "VAR=VALUE"))
  var assignments: [String] = []

  @Option(
    name: .customLong("env"),
    help: ArgumentHelp(
      "Let job files read an environment variable as ${env.NAME}.", valueName: "NAME"))
  var environment: [String] = []

  /// The options as `JobFile` takes them.
  ///
  /// - Throws: `ValidationError` for a `--set` without `=`.
  func read(into map: SourceMap) throws -> JobFile.Options {
    let variables = try assignments.map { text -> JobFile.Variable in
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw ValidationError("'--set \(text)' has no value; write --set VAR=VALUE")
      }
      let origin = map.add(arguments: ["--set", text]).last ?? .unknown
      return JobFile.Variable(
        String(text[..<equals]), String(text[text.index(after: equals)...]), origin: origin)
    }
    let allowed = environment.map { name in (name, getenv(name).map { String(cString: $0) }) }
    return JobFile.Options(
      variables: variables, environment: Dictionary(allowed, uniquingKeysWith: { $1 }))
  }
}
