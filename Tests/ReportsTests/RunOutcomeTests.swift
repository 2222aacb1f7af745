import Diagnosis
import MediaComposition
import RunPlan
import Testing

@testable import Reports

@Suite struct RunOutcomeTests {
  private func refusal(_ remedy: Failure.Remedy, blockedBy: String? = nil) -> Refusal {
    Refusal(
      name: "x", origin: .unknown, messages: [.init(Failure(remedy, "no"))], blockedBy: blockedBy)
  }

  private func outcome(
    _ refusals: [Refusal] = [], _ events: [PoolEvent.Kind?] = [], signalStatus: Int32? = nil
  ) -> RunOutcome {
    let work = events.indices.map { Work.sample("\($0)") }
    var tally = RunTally(work, refusals: refusals, in: SourceMap())
    for (job, kind) in events.enumerated() {
      guard let kind else { continue }
      tally.apply(RunEvent(job: job, .started, at: .now))
      tally.apply(RunEvent(job: job, kind, at: .now, of: work))
    }
    return RunOutcome(tally, signalStatus: signalStatus, command: "avjob run a.yaml")
  }

  @Test("what was refused counts by what it needs, and what waits for it does not count as failed")
  func refusals() {
    let both = outcome([refusal(.mendInput), refusal(.mendJob, blockedBy: "x")])
    #expect(both.status == 1)
    #expect(both.text == "1 of 2 jobs failed, 1 blocked by them")
    #expect(outcome([refusal(.tryAgain), refusal(.mendJob, blockedBy: "x")]).status == 75)
    #expect(outcome([refusal(.tryAgain), refusal(.mendInput)]).status == 1)
  }

  @Test("failures that may all pass by themselves make the status temporary")
  func temporary() {
    let busy = PoolEvent.Kind.failed(Failure(.tryAgain, "in use"))
    #expect(outcome([], [busy, .upToDate]).status == 75)
    #expect(outcome([], [busy, .upToDate]).text == "1 of 2 jobs failed")
    #expect(outcome([], [busy, .failed(Failure(.mendJob, "no")), nil]).status == 1)
    #expect(outcome([], [.upToDate, .finished([], reason: nil)]).text == nil)
  }

  @Test("of several statuses what lasts counts more than what may pass, and a signal most")
  func worst() {
    let remedies = Failure.Remedy.allCases.map { ExitStatus.failed($0) }
    #expect(Set(remedies) == [1, 2, 75] && ExitStatus.worst(remedies) == 2)
    #expect(ExitStatus.worst([]) == 0 && ExitStatus.worst([0, 75]) == 75)
    #expect(ExitStatus.worst([75, 1]) == 1 && ExitStatus.failed(0, mayPass: true) == 0)
    #expect(ExitStatus.worst([2, 130, 75]) == 130)
  }

  @Test("a job that two machines have done counts once, and one that starts again counts anew")
  func repeated() {
    var tally = RunTally(["a", "b"])
    let failed = RunReport.Message(Diagnostic(Failure(.tryAgain, "no")), in: SourceMap())
    for kind in [RunEvent.Kind.started, .finished([], reason: nil), .started, .upToDate] {
      tally.apply(RunEvent(job: 0, kind, at: .now))
    }
    for kind in [RunEvent.Kind.started, .failed(failed), .requeued] {
      tally.apply(RunEvent(job: 1, kind, at: .now))
    }
    #expect(tally.count(.done) == 1 && tally.count(.upToDate) == 0 && tally.running.isEmpty)
    #expect(tally.count(.failed) == 0 && tally.passingFailures == 0)
    #expect(tally.count(.notStarted) == 1 && tally.job(1).messages.isEmpty)
  }

  @Test("a run that is stopped says how it goes on, unless nothing is left")
  func stopped() {
    let some = outcome([], [.upToDate, nil, .cancelled], signalStatus: 130)
    #expect(some.status == 130)
    #expect(some.text == "stopped: 1 of 3 jobs are done, and kept; to resume: avjob run a.yaml")
    let all = outcome([], [.finished([], reason: nil)], signalStatus: 143)
    #expect(all.status == 143 && all.text == "stopped: 1 of 1 job is done, and kept")
  }
}
