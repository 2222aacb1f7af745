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

@Suite("What a run keeps of probing")
struct RunMemoryTests {
  private let folder = TestFolder()
  private let budget = CPUBudget(total: 2)

  init() throws {
    try Tool.succeed("sox", "-R", "-n", "-r", "8000", folder.path("a.wav"), "synth", "1", "sine")
  }

  private func write(_ job: String) throws {
    try writeFile(folder.path("job.yaml"), job.utf8)
  }

  /// Runs the job file.
  ///
  /// - Returns: What the file of probes was before work started, and at the end.
  private func run() throws -> (planned: FileIdentity.Inode, ended: FileIdentity.Inode) {
    var loaded = LoadedJobs()
    loaded.append(
      try JobFile.loadAllowingMistakes(FilePath(folder.path("job.yaml")), into: SourceMap()))
    let memory = RunMemory(RunMemory.Options())
    memory.open(for: loaded.jobs)
    let library = MediaLibrary(recalling: { memory.find($0, stream: $1, $2) })
    let work = Preparation(
      loaded, library: library, budget: budget, probed: { memory.keepProbes(of: library) }
    ).work
    let planned = try probes()
    let reports = try Pool(budget: budget).run(
      work.map(\.poolJob), with: ExportRunner(memory: memory))
    for report in reports {
      guard case .finished = report.outcome else { throw Errno.badAddress }
    }
    memory.close(library)
    return (planned, try probes())
  }

  private func probes() throws -> FileIdentity.Inode {
    try #require(SourceFile.inode(of: FilePath(folder.path(".avjob/probes"))))
  }

  @Test("it is written once, and not again by a run that finds nothing new")
  func once() throws {
    try write("{ clip: a.wav, output: out.wav }")
    let first = try run()
    #expect(first.ended == first.planned)
    #expect(try run() == (first.ended, first.ended))
    // The source is probed again, since it is read, and is as it was.
    try Tool.succeed("rm", folder.path("out.wav"))
    #expect(try run() == (first.ended, first.ended))
  }

  @Test("what others wrote meanwhile is added when the run ends")
  func written() throws {
    try write(
      """
      jobs:
        first: { clip: a.wav, output: first.wav }
        last: { clip: first.wav, output: last.wav }
      """)
    let first = try run()
    #expect(first.ended != first.planned)
    #expect(try run() == (first.ended, first.ended))
  }

  @Test(
    "findings of analyses are kept beside every job file of a run, and believed by the next one")
  func analyses() throws {
    try Tool.succeed("mkdir", folder.path("other"))
    try write("{ clip: a.wav, output: out.wav }")
    try writeFile(
      folder.path("other/job.yaml"), "{ clip: ../a.wav, output: out.wav }".utf8)
    func memory(_ options: RunMemory.Options? = .init(), of names: String...) throws -> RunMemory {
      var loaded = LoadedJobs()
      for name in names {
        loaded.append(
          try JobFile.loadAllowingMistakes(FilePath(folder.path(name)), into: SourceMap()))
      }
      let memory = RunMemory(options)
      memory.open(for: loaded.jobs)
      return memory
    }
    let digest = String(repeating: "7f", count: 32)
    let (library, finding) = (MediaLibrary(), Array("{\"a\":1}".utf8))
    let both = try memory(of: "job.yaml", "other/job.yaml")
    #expect(both.remembered.recall(digest) == nil)
    both.remembered.keep(digest, finding)
    both.close(library)
    for name in ["job.yaml", "other/job.yaml"] {
      #expect(try memory(of: name).remembered.recall(digest) == finding)
    }
    // Neither the memory of a command without receipts nor one without job files leaves anything.
    let other = String(repeating: "11", count: 32)
    let reader = try memory(nil, of: "job.yaml")
    #expect(reader.remembered.recall(digest) == finding)
    reader.remembered.keep(other, finding)
    reader.close(library)
    #expect(try memory(of: "job.yaml").remembered.recall(other) == nil)
    // As a process of one job has it.
    let kept = KeptAnalyses(besideJobsIn: FilePath(folder.path("other")))
    #expect(kept.find(digest) == finding)
  }
}
