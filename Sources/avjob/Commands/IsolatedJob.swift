import ArgumentParser
import Diagnosis
import ExportEngine
import FoundationEssentials
import Glibc
import MediaComposition
import Terminal
import Threads

/// `avjob isolated-job`: what `--isolate` starts for each job, and nobody else.
struct IsolatedJob: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "isolated-job", abstract: "The process of one job of 'avjob run --isolate'.",
    shouldDisplay: false)

  @Option(help: "The process to end with.")
  var parent: Int32

  func run() throws {
    ChildProcess.dieWith(parent: parent)
    guard
      let order = try? JSONDecoder().decode(
        Isolation.Order.self, from: Data(StandardStream.readInput()))
    else { throw ValidationError("this command is started by 'avjob run --isolate' only") }
    order.limits.apply()
    let signals = Signals.catchAll()
    var step = ProgressStep()
    do {
      let report = try ExportSession(order.export, library: MediaLibrary()).run(
        budget: CPUBudget(total: 1), cancellation: signals.cancellation
      ) { progress in
        guard step.takes(progress) else { return }
        say(.progress(completed: progress.completed, total: progress.total))
      }
      say(.finished(report))
    } catch let failure as Failure {
      say(.failed(failure))
    } catch is CancellationError {
      say(.cancelled)
    } catch {
      say(.failed(Failure(.reportBug, "the job stopped with an unexpected error: \(error)")))
    }
  }

  private func say(_ news: Isolation.News) {
    guard let line = try? JSONEncoder().encode(news) else { return }
    StandardStream.output.write(String(decoding: line, as: UTF8.self) + "\n")
  }
}
