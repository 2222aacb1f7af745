import Diagnosis
import JSON
import Reports
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import Clusters

/// An engine whose answers are a list; the last one stays. `nil`: it does not answer.
private final class FakeScheduler: ArrayScheduler {
  let name = "fake"
  private let state: Mutex<(answers: [[Int: TaskState]?], cancellations: Int)>
  private let failures: Int
  private let asked: @Sendable (Int) -> Void

  init(
    _ answers: [[Int: TaskState]?], failingToCancel failures: Int = 0,
    asked: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    state = Mutex((answers, 0))
    (self.failures, self.asked) = (failures, asked)
  }

  func submit(_ script: String, _ options: [String]) -> String { "1" }

  func tasks(of array: String) -> [Int: TaskState]? {
    let (answer, left) = state.withLock { state in
      (
        state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0],
        state.answers.count
      )
    }
    asked(left)
    return answer
  }

  func cancel(_ array: String) throws(Failure) {
    let count = state.withLock { state in
      state.cancellations += 1
      return state.cancellations
    }
    if count <= failures { throw Failure(.mendMachine, "no controller") }
  }

  var cancellations: Int { state.withLock { $0.cancellations } }
}

/// The folder of a run of three jobs in one shard: `a`, `b` with a warning, and `c`.
private struct Stage {
  let folder = TestFolder()
  let plan: PlannedRun
  let run: RunFolder

  init() throws {
    let warning = #"{"severity":"warning","message":"odd"}"#
    let jobs = ["a", "b", "c"].enumerated().map { number, name in
      """
      {"name":"\(name)","number":\(number + 1),"status":"not_started","attempts":0,"inputs":[],
       "outputs":[{"path":"\(name).wav","format":"WAV"}],
       "messages":[\(name == "b" ? warning : "")]}
      """
    }
    let text = """
      {"estimates":[1,1,1],"shards":[1,1,1],"deal":"d","report":{"version":2,"versions":{"avjob":"1"},
       "machine":{"system":"x","cores":2},"files":["j.yaml"],"started":"2026-01-02T03:04:05.007Z",
       "elapsed":0,"exit_status":75,"shards":{"count":1,"missing":[]},"messages":[],
       "jobs":[\(jobs.joined(separator: ","))]}}
      """
    plan = try #require(PlannedRun(json: JSONValue(reading: text.utf8)))
    run = RunFolder(array: "1", token: "t", below: FilePath(folder.root))
    try Tool.succeed("mkdir", folder.path("slurm-1"))
  }

  /// Appends lines to the events of a start of the task.
  func write(_ text: String, start: Int, token: String = "t") throws {
    let path = folder.path("slurm-1/1.\(start).\(token).events")
    let old = (try? readFile(path)) ?? []
    try writeFile(path, old + text.utf8)
  }

  func opening(_ deal: String = "d") -> String {
    #"{"event":"run","time":0,"started":"2026-01-02T03:04:06.000Z","shard":{"number":1,"count":1,"deal":"\#(deal)"}}"#
      + "\n"
  }

  func event(_ name: String, _ job: Int, _ more: String = "") -> String {
    let letter = ["a", "b", "c"][job - 1]
    return
      #"{"event":"\#(name)","time":\#(job),"job":\#(job),"name":"\#(letter)","number":\#(job),"#
      + #""part":1\#(more)}"# + "\n"
  }

  func finished(_ job: Int) -> String {
    event("start", job)
      + event("finished", job, #","outputs":[{"path":"x","format":"WAV","bytes":\#(job)}]"#)
  }

  func summary(_ status: Int, _ more: String = "") -> String {
    #"{"event":"summary","time":9,"exit_status":\#(status)\#(more)}"# + "\n"
  }

  /// A list of three files, as a shard knows it.
  func list(missing: Int) -> String {
    #"{"path":"x.jsonl","form":"nemo","files":3,"missing":\#(missing),"whole":\#(missing == 0)}"#
  }

  struct Result {
    var status: Int32?
    var jobs: [String]
    var messages: [String]
    var manifests: JSONValue?
  }

  /// Follows the run to its end, and reads its report.
  func follow(
    _ scheduler: FakeScheduler, _ cancellation: CancellationFlag = CancellationFlag(),
    isHungUp: Bool = false
  ) throws -> Result {
    var options = RunReporter.Options()
    options.isQuiet = true
    let path = folder.path("report.json")
    options.targets = [.json(FilePath(path))]
    let reporter = RunReporter(
      options, cores: 1, resumedBy: "", diagnostics: ReportedDiagnostics(isQuiet: true))
    #expect(reporter.acceptsReports(beside: plan.registry, isWhole: true))
    reporter.open(plan)
    var array = ArrayRun(plan, in: run, of: scheduler, reporter, grace: .zero)
    let status = array.follow(cancellation) { isHungUp }
    _ = reporter.close(status: reporter.conclude(signalStatus: nil))
    let report = try JSONValue(reading: readFile(path))
    let jobs = try #require(report["jobs"]?.elements)
    return Result(
      status: status,
      jobs: jobs.map { job in
        let bytes = job["outputs"]?.elements?.first?["bytes"]?.integer.map { " \($0)" } ?? ""
        return (job["status"]?.text ?? "") + bytes
      },
      messages: ((report["messages"]?.elements ?? [])
        + jobs.flatMap { $0["messages"]?.elements ?? [] })
        .compactMap { $0["message"]?.text },
      manifests: report["manifests"])
  }
}

@Suite("Following a job array")
struct ArrayRunTests {
  private let gone = [1: TaskState.ended("COMPLETED")]

  @Test("what each start has made counts, also for who comes when all is over")
  func starts() throws {
    let stage = try Stage()
    try stage.write(stage.opening() + stage.finished(1) + stage.event("start", 2), start: 0)
    try stage.write(
      stage.opening() + stage.event("start", 1) + stage.event("up_to_date", 1) + stage.finished(2)
        + stage.finished(3) + stage.summary(0), start: 1)
    let result = try stage.follow(FakeScheduler([gone]))
    #expect(result.status == 0 && result.jobs == ["done 1", "done 2", "done 3"])
    #expect(result.messages == ["odd"])
  }

  @Test("a line counts once it is whole, and the engine need not answer")
  func halfLines() throws {
    let stage = try Stage()
    let text = stage.opening() + stage.finished(1) + stage.finished(2) + stage.finished(3)
    let half = text.index(text.startIndex, offsetBy: text.count - 40)
    try stage.write(String(text[..<half]), start: 0)
    let result = try stage.follow(
      FakeScheduler([nil, nil]) { left in
        guard left == 1, (try? readFile(stage.folder.path("rest"))) == nil else { return }
        try? writeFile(stage.folder.path("rest"), [])
        try? stage.write(String(text[half...]) + stage.summary(0), start: 0)
      })
    #expect(result.status == 0 && result.jobs == ["done 1", "done 2", "done 3"])
  }

  @Test("a list of files is named once, as the start knows it that found the most of them")
  func manifests() throws {
    let stage = try Stage()
    let jobs = stage.finished(1) + stage.finished(2) + stage.finished(3)
    func lists(_ missing: Int) -> String { #","manifests":[\#(stage.list(missing: missing))]"# }
    try stage.write(
      stage.opening() + stage.event("start", 1) + stage.summary(143, lists(3)), start: 0)
    try stage.write(stage.opening() + jobs + stage.summary(0, lists(0)), start: 1)
    let manifests = try stage.follow(FakeScheduler([gone])).manifests
    #expect(try manifests == JSONValue(reading: "[\(stage.list(missing: 0))]".utf8))
  }

  @Test("lists of files that cannot be read cost the run nothing but their names")
  func foreignManifests() throws {
    let stage = try Stage()
    let jobs = stage.finished(1) + stage.finished(2) + stage.finished(3)
    try stage.write(
      stage.opening() + jobs + stage.summary(0, #","manifests":[{"path":7}]"#), start: 0)
    let result = try stage.follow(FakeScheduler([gone]))
    #expect(result.status == 0 && result.manifests == nil)
  }

  @Test("a task that is gone fails the job that it was at, and no other")
  func killed() throws {
    let stage = try Stage()
    try stage.write(
      stage.opening() + stage.event("warning", 2, #","severity":"warning","message":"odd""#)
        + stage.finished(1) + stage.event("start", 3), start: 0)
    let result = try stage.follow(FakeScheduler([[1: .ended("OUT_OF_MEMORY")]]))
    #expect(result.status == 75 && result.jobs == ["done 1", "not_started", "failed"])
    let end =
      "the task of shard 1 has ended without a report (OUT_OF_MEMORY); run again, and what is done "
      + "is left as it is"
    #expect(result.messages == [end, "odd", end])
  }

  @Test("a task that a signal has stopped may start again, and is over where it does not")
  func stopped() throws {
    let stage = try Stage()
    try stage.write(
      stage.opening() + stage.finished(1) + stage.event("start", 2) + stage.event("cancelled", 2)
        + stage.summary(143), start: 0)
    let waiting = [1: TaskState.waiting("BeginTime")]
    let again = try stage.follow(
      FakeScheduler([waiting, gone]) { left in
        guard left == 1 else { return }
        try? stage.write(
          stage.opening() + stage.finished(2) + stage.finished(3) + stage.summary(0), start: 1)
      })
    #expect(again.status == 0 && again.jobs == ["done 1", "done 2", "done 3"])
    try Tool.succeed("rm", stage.folder.path("slurm-1/1.1.t.events"))
    let over = try stage.follow(FakeScheduler([[1: .ended("TIMEOUT")]]))
    #expect(over.status == 143 && over.jobs == ["done 1", "cancelled", "not_started"])
    #expect(over.messages.contains { $0.contains("--sbatch --time=2:00:00") })
  }

  @Test("files of another submission with the same number are none of this run")
  func tokens() throws {
    let stage = try Stage()
    try stage.write(stage.opening() + stage.finished(1) + stage.summary(0), start: 0, token: "old")
    let result = try stage.follow(FakeScheduler([gone]))
    #expect(result.status == 75 && result.jobs == Array(repeating: "not_started", count: 3))
    #expect(result.messages.first?.contains("its machine must share this folder") == true)
  }

  @Test("a shard that has dealt out other work makes the run one to repeat")
  func foreign() throws {
    let stage = try Stage()
    try stage.write(stage.opening("e") + stage.finished(1) + stage.summary(0), start: 0)
    let result = try stage.follow(FakeScheduler([gone]))
    #expect(result.status == 75)
    #expect(
      result.messages.contains { $0.hasPrefix("shard 1 has dealt out the jobs in another way") })
  }

  @Test("a first signal stops the tasks, again until the engine has heard it")
  func cancelled() throws {
    let stage = try Stage()
    try stage.write(stage.opening() + stage.event("start", 1), start: 0)
    let scheduler = FakeScheduler([[1: .running], gone], failingToCancel: 1) { left in
      if left == 1 { try? stage.write(stage.event("cancelled", 1) + stage.summary(143), start: 0) }
    }
    let flag = CancellationFlag()
    flag.cancel()
    let result = try stage.follow(scheduler, flag)
    #expect(result.jobs == ["cancelled", "not_started", "not_started"])
    #expect(scheduler.cancellations == 2 && result.messages == ["no controller", "odd"])
  }

  @Test("a terminal that is closed leaves the run alone")
  func hangUp() throws {
    let stage = try Stage()
    let (flag, scheduler) = (CancellationFlag(), FakeScheduler([[1: .running]]))
    flag.cancel()
    #expect(try stage.follow(scheduler, flag, isHungUp: true).status == nil)
    #expect(scheduler.cancellations == 0)
  }
}
