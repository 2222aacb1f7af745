import ArgumentParser
import Glibc
import RunExecution
import Terminal
import Threads

/// `avjob isolated-job`: what `--isolate` starts for each job, and nobody else.
struct IsolatedJob: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "isolated-job", abstract: "The process of one job of 'avjob run --isolate'.",
    shouldDisplay: false)

  @Option(help: "The process to end with.")
  var parent: Int32

  @OptionGroup var confinement: RootOptions

  func run() throws {
    ChildProcess.dieWith(parent: parent)
    try confinement.enter()
    Isolation.inheritNetwork()
    guard let order = Isolation.Order(StandardStream.readInput()) else {
      throw ValidationError("this command is started by 'avjob run --isolate' only")
    }
    order.applyLimits()
    order.perform(Signals.catchAll().cancellation) {
      StandardStream.output.write($0, verbatim: true)
    }
  }
}
