import Diagnosis
import ExportEngine
import JobFile
import LiveScreens
import MediaComposition
import RunPlan
import SystemPackage
import TestSupport
import Testing
import Threads
import WorkerPool

@testable import RunExecution

@Suite("How often an export is compiled")
struct CompilationTests {
  private let folder = TestFolder()
  private let library = MediaLibrary()
  private let budget = CPUBudget(total: 2)

  /// Three jobs, of which the last one is split in two: four exports.
  private func loaded() throws -> LoadedJobs {
    try Tool.succeed("sox", "-R", "-n", "-r", "8000", folder.path("a.wav"), "synth", "1", "sine")
    try writeFile(
      folder.path("job.yaml"),
      """
      jobs:
        one: { clip: a.wav, output: one.wav }
        two: { clip: a.wav, output: [two.wav, two.flac] }
        parts: { clip: a.wav, split: { every: 500ms }, output: "${part.n}.wav" }
      """.utf8)
    return try load()
  }

  private func load() throws -> LoadedJobs {
    var loaded = LoadedJobs()
    loaded.append(
      try JobFile.loadAllowingMistakes(FilePath(folder.path("job.yaml")), into: SourceMap()))
    return loaded
  }

  private func preparation(
    _ purpose: RunPurpose, _ loaded: LoadedJobs
  ) -> Preparation {
    Preparation(loaded, .init(purpose), library: library, budget: budget)
  }

  private var compilations: Int { library.compilations.load(ordering: .relaxed) }

  @Test("check, plan, preview and run compile an export once")
  func once() throws {
    let loaded = try loaded()
    #expect(preparation(.check, loaded).readyJobs == 3)
    #expect(compilations == 4)

    let plan = preparation(.run, loaded)
    for work in plan.work {
      let (graph, export) = (try work.session.graph(), work.export)
      _ = graph.planText(name: export.name, duration: export.duration)
      _ = work.session.losses
    }
    #expect(compilations == 8)

    let heard = preparation(.preview, loaded).work
    let items = PreviewItems(
      heard.map { PreviewEntry(.job($0.session)) }, library: library)
    for index in items.entries.indices { _ = try items.make(index) }
    #expect(compilations == 12)

    let memory = RunMemory(RunMemory.Options())
    memory.open(for: loaded.jobs)
    for expected in [false, true] {
      let work = preparation(.run, loaded).work
      let reports = try Pool(budget: budget).run(
        work.map(\.poolJob), with: ExportRunner(memory: memory))
      #expect(reports.map(\.wasUpToDate) == [expected, expected, expected, expected])
    }
    #expect(compilations == 20)
  }

  @Test("A job that reads what another one writes is compiled once more, from what was written")
  func draft() throws {
    _ = try loaded()
    try writeFile(
      folder.path("job.yaml"),
      """
      jobs:
        last: { clip: first.wav, output: last.wav }
        first: { clip: a.wav, output: first.wav }
      """.utf8)
    let work = preparation(.run, try load()).work
    #expect(compilations == 2)
    _ = try Pool(budget: budget).run(work.map(\.poolJob), with: ExportRunner())
    #expect(compilations == 3)
  }

  @Test("Parts that read what another job writes are lowered together, and again to retry")
  func sharedDraft() throws {
    _ = try loaded()
    try writeFile(
      folder.path("job.yaml"),
      """
      jobs:
        first: { clip: a.wav, output: first.wav }
        parts: { clip: first.wav, split: { every: 500ms }, output: "${part.n}.wav" }
      """.utf8)
    let work = preparation(.run, try load()).work
    #expect(work.map(\.job) == ["first", "parts", "parts"])
    _ = try Pool(budget: budget).run([work[0].poolJob], with: ExportRunner())
    _ = try work[1].settled()
    try Tool.succeed("rm", folder.path("first.wav"))
    #expect(try work[2].settled().export.name == work[2].export.name)
    #expect(throws: Failure.self) { try work[2].settled() }
  }
}

extension JobReport<WorkResult> {
  fileprivate var wasUpToDate: Bool {
    if case .finished(.upToDate) = outcome { true } else { false }
  }
}
