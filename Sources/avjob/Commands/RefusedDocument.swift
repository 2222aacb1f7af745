import ArgumentParser
import Diagnosis
import JSON
import MediaComposition
import Receipts
import Reports

/// A command that prints one JSON document, which has a place for messages.
protocol DocumentingCommand: ParsableCommand {
  /// The version of the document's form.
  static var documentVersion: Int64 { get }
  /// The options that ask for the document, each as its words.
  static var documentWords: [[String]] { get }
  /// The members of the document beside its head, where nothing was done.
  static func refusedMembers(status: ExitCode, messages: JSONValue) -> JSONValue
}

extension DocumentingCommand {
  static var documentWords: [[String]] { [["--json"]] }
}

extension Check: DocumentingCommand {
  static func refusedMembers(status: ExitCode, messages: JSONValue) -> JSONValue {
    members(files: [], status: status, messages: messages)
  }
}

extension Plan: DocumentingCommand {
  static var documentWords: [[String]] { [["--json"], ["--format", "json"]] }

  static func refusedMembers(status: ExitCode, messages: JSONValue) -> JSONValue {
    members(jobs: [], status: status, messages: messages)
  }
}

extension Probe: DocumentingCommand {
  static func refusedMembers(status: ExitCode, messages: JSONValue) -> JSONValue {
    members(media: [], messages: messages)
  }
}

extension Verify: DocumentingCommand {
  static func refusedMembers(status: ExitCode, messages: JSONValue) -> JSONValue {
    FixityTally(FixityInventory(), listsAll: false, keepsResults: true)
      .json(exitStatus: status, messages: messages)
  }
}

extension Cache.List: DocumentingCommand {
  static func refusedMembers(status: ExitCode, messages: JSONValue) -> JSONValue {
    ["media": .list([]), "messages": messages]
  }
}

extension WrongArguments {
  /// Prints the document or the events that the words ask for, with `refusal` as the only message: a
  /// program that reads standard output is given the reason there, too. Prints nothing where the words
  /// ask for none, or the document has no place for messages.
  func printDocument(of refusal: Diagnostic, status: Int32) {
    guard let call else { return }
    if asks(for: ["--progress", "json"]), Self.options(of: call.command)["--progress"] != nil {
      return printEvents(of: refusal, status: status)
    }
    guard let command = call.command as? any DocumentingCommand.Type,
      command.documentWords.contains(where: asks)
    else { return }
    JSONOption().print(
      version: command.documentVersion,
      command.refusedMembers(
        status: ExitCode(status), messages: .messages([refusal], in: SourceMap())))
  }

  /// Whether these words are among the options, with a value beside its name or after `=`.
  private func asks(for option: [String]) -> Bool {
    let options = words.prefix { $0 != "--" }
    return options.contains(option.joined(separator: "="))
      || options.indices.contains { options[$0...].starts(with: option) }
  }

  private func printEvents(of refusal: Diagnostic, status: Int32) {
    var options = RunReporter.Options()
    options.streamsEvents = true
    let diagnostics = ReportedDiagnostics(isPrinting: false)
    diagnostics.report(Diagnostics(refusal))
    let reporter = RunReporter(options, cores: 1, resumedBy: "", diagnostics: diagnostics)
    _ = reporter.close(status: status)
  }
}
