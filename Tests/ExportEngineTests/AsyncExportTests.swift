import Diagnosis
import ExportEngine
import LibAV
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Exporting from a task", .ownThreads, .timeLimit(.minutes(10)))
struct AsyncExportTests {
  /// The voice, over and over: longer than any test waits.
  private func session(_ output: String, copies: Int) throws -> ExportSession {
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(Fixture.path("voice-8k.wav")))
    var track = Track()
    for _ in 0..<copies {
      try track.insertTimeRange(
        TimeRange(start: .zero, duration: asset.duration), of: asset, at: .invalid)
    }
    return ExportSession(
      Export(
        name: "voice", composition: Composition(tracks: [track]),
        outputs: [Output(path: FilePath(output), format: .wav(.int16))]), library: library)
  }

  @Test("the states are progress, and then the report")
  func states() async throws {
    let folder = TestFolder()
    let session = try session(folder.path("out.wav"), copies: 1)
    var states: [ExportSession.State] = []
    for try await state in session.states() { states.append(state) }
    guard case .finished(let report) = states.last else {
      Issue.record("the report comes last")
      return
    }
    #expect(report.duration == session.export.duration)
    for state in states.dropLast() {
      guard case .exporting(let progress) = state else {
        Issue.record("it ends once")
        return
      }
      #expect(progress.completed <= progress.total)
    }
  }

  @Test("a failure is thrown by both")
  func failing() async throws {
    let session = try session(Fixture.path("voice-8k.wav") + "/out.wav", copies: 1)
    await #expect(throws: Failure.self) { try await session.export() }
    await #expect(throws: Failure.self) { for try await _ in session.states() {} }
  }

  @Test("a cancelled task removes all files")
  func cancelling() async throws {
    let folder = TestFolder()
    let session = try session(folder.path("out.wav"), copies: 20_000)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task { try await session.export { _ in start.yield() } }
    for await _ in started { break }
    task.cancel()
    let failure = await #expect(throws: Failure.self) { try await task.value }
    #expect(failure?.code == .cancelled)
    try await waitUntilEmpty(folder)
  }

  @Test("releasing the states ends the export")
  func lettingGo() async throws {
    let folder = TestFolder()
    let session = try session(folder.path("out.wav"), copies: 20_000)
    for try await _ in session.states() { break }
    try await waitUntilEmpty(folder)
  }

  @Test("a reader of states whose task is cancelled gets a failure, not the end")
  func cancelledReader() async throws {
    let folder = TestFolder()
    let session = try session(folder.path("out.wav"), copies: 20_000)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task { for try await _ in session.states() { start.yield() } }
    for await _ in started { break }
    task.cancel()
    let failure = await #expect(throws: Failure.self) { try await task.value }
    #expect(failure?.code == .cancelled)
    try await waitUntilEmpty(folder)
  }

  /// What a cancelled export has written, it removes behind the call.
  private func waitUntilEmpty(_ folder: TestFolder) async throws {
    for _ in 0..<12_000 {
      if folder.names.isEmpty { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(folder.names == [])
  }

  @Test("the states come at the requested interval, and show the progress")
  func updateInterval() async throws {
    let folder = TestFolder()
    let session = try session(folder.path("out.wav"), copies: 20)
    var fractions: [Double] = []
    for try await state in session.states(updateInterval: .seconds(3600)) {
      if case .exporting(let progress) = state { fractions.append(progress.fractionCompleted) }
    }
    // The first only, where this task is not too late for it.
    #expect(fractions.count <= 1)
    #expect(fractions.allSatisfy { 0 < $0 && $0 < 0.1 })

    let all = Mutex<[Double]>([])
    try await session.export { progress in all.withLock { $0.append(progress.fractionCompleted) } }
    #expect(all.withLock { $0 == $0.sorted() && $0.last == 1 && $0.count > 20 })
  }

  @Test("an export without outputs is refused")
  func noOutputs() async throws {
    var export = try session("", copies: 1).export
    export.outputs = []
    let session = ExportSession(export, library: MediaLibrary())
    let failure = await #expect(throws: Failure.self) { try await session.export() }
    #expect(failure?.remedy == .mendJob)
    #expect(
      failure?.message == "no outputs: the export would write nothing; give it one or more")
    #expect(try await session.review().problems == [failure])
  }

  @Test("a library silences FFmpeg, with nothing to be called before")
  func silence() {
    _ = MediaLibrary()
    #expect(Library.isSilent)
  }
}
