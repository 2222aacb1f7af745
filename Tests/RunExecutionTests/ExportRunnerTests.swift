import Diagnosis
import ExportEngine
import JobFile
import MediaComposition
import RunPlan
import SystemPackage
import TestSupport
import Testing
import Threads
import WorkerPool

@testable import RunExecution

@Suite("Exports that other processes make, too")
struct ExportRunnerTests {
  private let folder = TestFolder()

  /// Runs the job file, `meanwhile` being called when its work is settled and before it starts; tells what
  /// became of its one export, and the loop that the receipt has.
  private func run(_ job: String, _ meanwhile: () throws -> Void = {}) throws -> (
    isUpToDate: Bool, loop: UInt64?, ownLoop: UInt64?
  ) {
    let budget = CPUBudget(total: 2)
    try writeFile(folder.path("job.yaml"), job.utf8)
    var loaded = LoadedJobs()
    loaded.append(
      try JobFile.loadAllowingMistakes(FilePath(folder.path("job.yaml")), into: SourceMap()))
    let memory = RunMemory(RunMemory.Options())
    memory.open(for: loaded.jobs)
    let work = Preparation(loaded, library: MediaLibrary(), budget: budget).work
    try meanwhile()
    let reports = try Pool(budget: budget).run(
      work.map(\.poolJob), with: ExportRunner(memory: memory))
    let report = try #require(reports.first)
    guard case .finished(let result) = report.outcome else { throw Errno.badAddress }
    let isUpToDate = if case .upToDate = result { true } else { false }
    let loop = memory.loop(
      thatMade: FilePath(folder.path("out/a.wav")), besideJobsIn: FilePath(folder.root))
    return (isUpToDate, loop, work.first?.loop)
  }

  @Test("an output that was made while its lock was awaited becomes the waiting job's loop's")
  func loop() throws {
    try Tool.succeed("mkdir", folder.path("in"), folder.path("out"))
    try Tool.succeed(
      "sox", "-R", "-n", "-r", "8000", folder.path("in/a.wav"), "synth", "0.1", "sine")
    let first = try run("{ clip: in/a.wav, output: out/a.wav }")
    #expect(!first.isUpToDate && first.loop == nil)
    let looped = """
      for_each: in/*.wav
      output: "out/${input.stem}.wav"
      """
    // A path through the folder of locks leads to the receipt: it is not there when the run looks at it
    // first, and is when the run has the lock.
    let second = try run(looped) {
      try Tool.succeed(
        "sh", "-c",
        """
        cd '\(folder.root)/.avjob' && mkdir kept && mv receipts/* kept && rm -r locks
        for name in kept/*; do ln -s "../locks/../$name" receipts; done
        """)
    }
    #expect(second.isUpToDate)
    #expect(second.loop != nil && second.loop == second.ownLoop)
  }
}
