import ArgumentParser
import Diagnosis
import JSON
import MediaComposition
import Reports

extension WrongArguments {
  /// Prints the document or the events that the words ask for, with `refusal` as the only message: a
  /// program that reads standard output is given the reason there, too. Prints nothing where the words
  /// ask for none, or the document has no place for messages.
  func printDocument(of refusal: Diagnostic, status: Int32) {
    guard let call else { return }
    if asks(for: ["--progress", "json"]), Self.options(of: call.command)["--progress"] != nil {
      return printEvents(of: refusal, status: status)
    }
    let messages = JSONValue.messages([refusal], in: SourceMap())
    let document = JSONOption()
    if call.command == Check.self, asks(for: ["--json"]) {
      document.print(
        version: Check.documentVersion,
        Check.members(files: [], status: ExitCode(status), messages: messages))
    } else if call.command == Plan.self, asks(for: ["--json"]) || asks(for: ["--format", "json"]) {
      document.print(
        version: Plan.documentVersion,
        Plan.members(jobs: [], status: ExitCode(status), messages: messages))
    } else if call.command == Probe.self, asks(for: ["--json"]) {
      document.print(version: Probe.documentVersion, Probe.members(media: [], messages: messages))
    }
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
