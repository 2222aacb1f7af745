import ArgumentParser
import Diagnosis
import ExportEngine
import ExportGraph
import JobFile
import MediaComposition
import MediaTime
import Terminal
import Threads
import WorkerPool

/// A run of exports: the pool, the closing table and the exit status.
struct Batch {
  let door: Door
  /// Who is told of it.
  let teller: RunTeller
  /// nil: one for each core.
  var workers: Int?
  /// Whether each job runs in a process of its own.
  var isIsolated = false
  /// Whether jobs are still started when one has failed.
  var startsAfterFailure = true
  /// What stops it.
  var signals: Signals
  /// How it goes on that was stopped.
  var continuation = Continuation.sameCommand

  /// Runs what is ready; `refusals` were refused before. Throws an `ExitCode` where anything failed or
  /// a signal came.
  func run(_ work: [Work], refusals: [Refusal]) throws {
    let start = ContinuousClock.now
    teller.open(work, refusals: refusals)
    let pool = Pool(
      budget: door.budget, workers: workers, keepGoing: startsAfterFailure, limits: door.limits)
    let reports: [JobReport<WorkResult>]
    do throws(Failure) {
      reports = try pool.run(
        work.map(\.poolJob),
        with: ExportRunner(
          library: door.library, memory: door.memory,
          isolation: isIsolated ? door.isolation(workers: workers) : nil),
        cancellation: signals.cancellation
      ) { event in
        teller.tell(RunEvent(event, of: work[event.job].export))
      }
    } catch {
      teller.endProgress()
      door.report(Diagnostics(Diagnostic(error)))
      throw ExitCode(teller.close(status: Door.Status.temporary.rawValue))
    }
    teller.endProgress()
    if teller.showsTable {
      let finished = finishedOutputs(work, reports)
      StandardStream.output.write(
        OutputTable.text(
          finished, upToDate: reports.count { $0.wasUpToDate },
          elapsed: start.duration(to: .now), columns: StandardStream.output.terminal?.columns))
    }
    let outcome = Outcome(reports, refusals: refusals, signalStatus: signals.exitStatus) { isDone in
      continuation.text(
        of: CommandLine.arguments,
        done: Set(zip(work, isDone).filter(\.1).map(\.0.export.name)))
    }
    if let text = outcome.text { StandardStream.error.write(text + "\n") }
    let status = teller.close(status: outcome.status, attempts: reports.map(\.attempts))
    if status != 0 { throw ExitCode(status) }
  }

  private func finishedOutputs(
    _ work: [Work], _ reports: [JobReport<WorkResult>]
  ) -> [FinishedOutput] {
    zip(work, reports).flatMap { work, report -> [FinishedOutput] in
      guard case .finished(.written(let result, reason: _)) = report.outcome else { return [] }
      return RunReport.Output.written(work.export, result).map { output in
        let sound = output.sound.map {
          ", \(AudioFormat.text(sampleRate: $0.sampleRate, channelCount: $0.channelCount))"
        }
        return FinishedOutput(
          path: output.path.string, duration: output.sound?.duration, bytes: output.bytes ?? 0,
          description: output.format + (sound ?? ""), elapsed: report.elapsed)
      }
    }
  }
}

/// How a run ended.
struct Outcome {
  /// As a shell sees it.
  private(set) var status: Int32 = 0
  /// What there is to say about it; nil where all is well.
  private(set) var text: String?

  /// - Parameters:
  ///   - reports: Of all jobs that were ready to run.
  ///   - refusals: Those that were not.
  ///   - signalStatus: The status by the signal that stopped the run; nil: none did.
  ///   - command: By which it goes on, given of each report whether its job is done.
  init(
    _ reports: [JobReport<WorkResult>], refusals: [Refusal], signalStatus: Int32?,
    command: ([Bool]) -> String
  ) {
    var counts = (done: 0, failed: 0, mayPass: 0, blocked: 0, notStarted: 0)
    for refusal in refusals {
      guard refusal.blockedBy == nil else {
        counts.blocked += 1
        continue
      }
      counts.failed += 1
      if refusal.mayPass { counts.mayPass += 1 }
    }
    for report in reports {
      switch report.outcome {
      case .finished: counts.done += 1
      case .failed(let failure):
        counts.failed += 1
        if failure.remedy == .tryAgain { counts.mayPass += 1 }
      case .blocked: counts.blocked += 1
      case .cancelled, .notStarted: counts.notStarted += 1
      }
    }
    let total = reports.count + refusals.count
    if let signalStatus {
      status = signalStatus
      text =
        "stopped: \(counts.done) of \(total) \(total == 1 ? "job is" : "jobs are") done, and kept"
      if counts.done < total { text? += "; to go on: " + command(reports.map(\.isDone)) }
      return
    }
    guard counts.failed > 0 else { return }
    status =
      (counts.mayPass == counts.failed ? Door.Status.temporary : Door.Status.jobFailed).rawValue
    guard total > 1 else { return }
    var parts = ["\(counts.failed) of \(total) jobs failed"]
    if counts.blocked > 0 { parts.append("\(counts.blocked) blocked by them") }
    if counts.notStarted > 0 { parts.append("\(counts.notStarted) not started") }
    text = parts.joined(separator: ", ")
  }
}

extension JobReport<WorkResult> {
  fileprivate var isDone: Bool { if case .finished = outcome { true } else { false } }

  fileprivate var wasUpToDate: Bool {
    if case .finished(.upToDate) = outcome { true } else { false }
  }
}

extension RunEvent {
  /// What happened to `export` in the pool.
  fileprivate init(_ event: JobEvent<WorkResult>, of export: Export) {
    let kind: Kind =
      switch event.kind {
      case .started: .started
      case .progress(let progress): .progress(progress)
      case .warning(let warning): .warning(Diagnostic(warning))
      case .retrying(let failure, let pause):
        .retrying(failure.placed(at: export.origin), after: pause)
      case .postponed: .postponed
      case .finished(.upToDate): .upToDate
      case .finished(.written(let report, let reason)):
        .finished(RunReport.Output.written(export, report), reason: reason)
      case .failed(let failure): .failed(failure.placed(at: export.origin))
      case .cancelled: .cancelled
      case .blocked(let other): .blocked(by: other)
      }
    self.init(job: event.job, kind: kind, instant: event.instant)
  }
}
