import ArgumentParser
import Diagnosis
import Glibc
import JobFile
import MediaComposition
import Terminal

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

  func validate() throws {
    var texts: [String: String] = [:]
    for text in assignments {
      guard let (name, _) = Self.parts(of: text) else {
        throw ValidationError("'--set \(text.printable)' has no value; write --set VAR=VALUE")
      }
      if let other = texts.updateValue(text, forKey: name) {
        throw ValidationError(
          "'\(name.printable)' is set twice, by '--set \(other.printable)' and "
            + "'--set \(text.printable)'; give it once")
      }
    }
  }

  /// The options as `JobFile` takes them.
  func read(into map: SourceMap) -> JobFile.Options {
    let variables = assignments.compactMap { text -> JobFile.Variable? in
      guard let (name, value) = Self.parts(of: text) else { return nil }
      let origin = map.add(arguments: ["--set", text]).last ?? .unknown
      return JobFile.Variable(name, value, origin: origin)
    }
    let allowed = environment.map { name in (name, getenv(name).map { String(cString: $0) }) }
    return JobFile.Options(
      variables: variables, environment: Dictionary(allowed, uniquingKeysWith: { $1 }))
  }

  /// `VAR` and `VALUE`; nil of a text that is not both.
  private static func parts(of text: String) -> (name: String, value: String)? {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
    return (String(text[..<equals]), String(text[text.index(after: equals)...]))
  }
}
