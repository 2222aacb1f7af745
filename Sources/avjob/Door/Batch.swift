import ArgumentParser
import ExportEngine
import ExportGraph
import JobFile
import MediaComposition
import MediaTime
import Threads
import WorkerPool

/// A run of exports: the pool, the screen, the closing table and the exit status.
struct Batch {
  let door: Door
  /// nil: one for each core.
  var workers: Int?
  var isQuiet = false

  /// Runs what is ready; `refusedJobs` were refused before and count as failed. Throws an
  /// `ExitCode` where anything failed or a signal came.
  func run(_ work: [Work], refusedJobs: Int) throws {
    let (cancellation, caught) = Signals.catchAll()
    let start = ContinuousClock.now
    var screen = ProgressScreen(
      names: work.map(\.export.name), terminal: { StandardStream.error.terminal },
      write: { text in if !isQuiet { StandardStream.error.write(text) } })
    let pool = Pool(budget: door.budget, workers: workers, limits: door.limits)
    let reports: [JobReport<WorkResult>]
    do throws(Failure) {
      reports = try pool.run(
        work.map(\.poolJob), with: ExportRunner(library: door.library), cancellation: cancellation
      ) { event in
        let now = ContinuousClock.now
        if let diagnostic = diagnostic(of: event, among: work) {
          let text = door.render(Diagnostics(diagnostic))
          if isQuiet {
            StandardStream.error.write(text + "\n")
          } else {
            screen.print(text, at: now)
          }
        }
        screen.show(event, at: now)
      }
    } catch {
      screen.close()
      door.report(Diagnostics(Diagnostic(error)))
      throw Door.Status.temporary
    }
    screen.close()
    let table = OutputTable.text(
      finishedOutputs(work, reports), elapsed: start.duration(to: .now),
      columns: StandardStream.output.terminal?.columns)
    StandardStream.output.write(table)
    try conclude(reports, refusedJobs: refusedJobs, caught)
  }

  private func diagnostic(
    of event: JobEvent<WorkResult>, among work: [Work]
  ) -> Diagnostic? {
    switch event.kind {
    case .failed(let failure):
      return Diagnostic(failure, at: work[event.job].export.origin)
    case .warning(let warning):
      return Diagnostic(warning)
    case .started, .progress, .retrying, .postponed, .finished, .cancelled, .blocked:
      return nil
    }
  }

  private func finishedOutputs(
    _ work: [Work], _ reports: [JobReport<WorkResult>]
  ) -> [FinishedOutput] {
    zip(work, reports).flatMap { work, report -> [FinishedOutput] in
      guard case .finished(.written(let result, reason: _)) = report.outcome else { return [] }
      return zip(work.export.outputs, result.outputs).flatMap { output, written in
        [
          FinishedOutput(
            path: written.path.string,
            duration: Time(frames: written.frameCount, rate: written.sampleRate),
            bytes: written.size,
            description: output.format.description(
              sampleRate: written.sampleRate, channelCount: written.channelCount),
            elapsed: report.elapsed)
        ]
          + written.sidecars.map { sidecar in
            FinishedOutput(
              path: sidecar.path.string, duration: nil, bytes: sidecar.size,
              description: sidecar.kind.name, elapsed: report.elapsed)
          }
      }
    }
  }

  /// Says how it ended, and throws the exit status where that is not success.
  private func conclude(
    _ reports: [JobReport<WorkResult>], refusedJobs: Int, _ caught: CaughtSignal
  ) throws {
    if let status = caught.exitStatus {
      StandardStream.error.write("stopped; finished outputs are kept, run again for the rest\n")
      throw ExitCode(status)
    }
    var failed = refusedJobs
    var mayPass = 0
    for report in reports {
      guard case .failed(let failure) = report.outcome else { continue }
      failed += 1
      if failure.remedy == .tryAgain { mayPass += 1 }
    }
    guard failed > 0 else { return }
    let total = reports.count + refusedJobs
    if total > 1 { StandardStream.error.write("\(failed) of \(total) jobs failed\n") }
    throw mayPass == failed ? Door.Status.temporary : Door.Status.jobFailed
  }
}
