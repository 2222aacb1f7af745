import Diagnosis
import MediaComposition
import Testing
import WorkerPool

@testable import avjob

@Suite("How a run ends and goes on")
struct ContinuationTests {
  @Test(
    "A run goes on by the same command, without making all anew",
    arguments: [
      ("/bin/avjob run a.yaml", "avjob run a.yaml"),
      (
        "avjob run --force 'a b.yaml'",
        "avjob run 'a b.yaml' (without --force, what was up to date before this run is left as it is)"
      ),
      ("avjob run -q -- --force", "avjob run -q -- --force"),
    ])
  func run(command: String, text: String) {
    let words =
      command == "avjob run --force 'a b.yaml'"
      ? ["avjob", "run", "--force", "a b.yaml"] : command.split(separator: " ").map(String.init)
    #expect(Continuation.sameCommand.text(of: words, done: ["a"]) == text)
  }

  @Test(
    "A command that replaces nothing goes on with the inputs that are left",
    arguments: [
      (
        ["a.wav"], "compress b.wav -o out --mp3 V4 c.wav",
        "compress a.wav b.wav -o out --mp3 V4 c.wav"
      ),
      (["V4", "out", "a"], "compress -o out --mp3 V4 -- b", "compress -o out --mp3 V4 a -- V4 b"),
      (["a"], "compress --force b -o x/", "compress --force a b -o x/"),
      (["a"], "compress --output=x/ b", "compress --output=x/ a b"),
      (["compress"], "compress -o x/ b", "compress -o x/ compress b"),
      ([], "clip a.wav -o b.mp3 --force", "clip a.wav -o b.mp3 --force"),
    ] as [([String], String, String)])
  func inputs(done: [String], left: String, command: String) {
    let words = ["avjob"] + command.split(separator: " ").map(String.init)
    #expect(Continuation.inputsLeft.text(of: words, done: Set(done)) == "avjob " + left)
  }

  private func refusal(_ remedy: Failure.Remedy, blockedBy: String? = nil) -> Refusal {
    Refusal(
      name: "x", origin: .unknown, messages: [.init(Failure(remedy, "no"))], blockedBy: blockedBy)
  }

  private func outcome(_ refusals: [Refusal], _ reports: [JobReport<WorkResult>] = []) -> Outcome {
    Outcome(reports, refusals: refusals, signalStatus: nil) { _ in "" }
  }

  @Test("What was refused counts by what it needs, and what waits for it does not count as failed")
  func refusals() {
    let both = outcome([refusal(.mendInput), refusal(.mendJob, blockedBy: "x")])
    #expect(both.status == 1)
    #expect(both.text == "1 of 2 jobs failed, 1 blocked by them")
    #expect(outcome([refusal(.tryAgain), refusal(.mendJob, blockedBy: "x")]).status == 75)
    #expect(outcome([refusal(.tryAgain), refusal(.mendInput)]).status == 1)
  }

  @Test("A run that is stopped says how it goes on, unless nothing is left")
  func stopped() {
    let done = JobReport<WorkResult>(.finished(.upToDate), elapsed: .zero)
    let idle = JobReport<WorkResult>(.notStarted, elapsed: .zero, attempts: 0)
    let some = Outcome([done, idle], refusals: [], signalStatus: 130) { "\($0)" }
    #expect(some.status == 130)
    #expect(some.text == "stopped: 1 of 2 jobs are done, and kept; to go on: [true, false]")
    let all = Outcome([done], refusals: [], signalStatus: 143) { _ in "" }
    #expect(all.status == 143 && all.text == "stopped: 1 of 1 job is done, and kept")
  }
}
