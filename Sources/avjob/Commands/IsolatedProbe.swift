import ArgumentParser
import RunExecution
import Terminal

/// `avjob isolated-probe`: what `--isolate` and `--root` start to probe media, and nobody else.
struct IsolatedProbe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "isolated-probe", abstract: "A process that probes media for another avjob.",
    shouldDisplay: false)

  @OptionGroup var confinement: RootOptions

  func run() throws {
    try confinement.enter()
    Isolation.inheritNetwork()
    ProbeProcesses.answer({ readLine() }) {
      StandardStream.output.write($0, verbatim: true)
    }
  }
}
