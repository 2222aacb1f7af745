import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads
import Transcripts

@testable import ExportEngine

/// No test compares times: what is waited for never comes, so that nothing but a cancellation ends a
/// call.
@Suite("Cancelled tasks", .ownThreads, .timeLimit(.minutes(10)))
struct CancellationTests {
  /// A call that waits for a server.
  struct Call: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: @Sendable (StallingServer, _ fault: String) async throws(Failure) -> Void

    init(
      _ name: String,
      _ body: @escaping @Sendable (StallingServer, String) async throws(Failure) -> Void
    ) {
      (testDescription, self.body) = (name, body)
    }

    /// Needs no byte behind the head.
    static let loadedRanges = Call("loadedRanges") { server, fault async throws(Failure) in
      _ = try await server.library.loadedRanges(of: server.location(fault))
    }

    /// Calls that read a medium.
    static let opening = [
      Call("loadAsset") { server, fault async throws(Failure) in
        _ = try await server.library.loadAsset(at: server.location(fault))
      },
      Call("currentAsset") { server, fault async throws(Failure) in
        _ = try await server.library.currentAsset(at: server.location(fault))
      },
      Call("warnings") { server, fault async throws(Failure) in
        _ = try await server.library.warnings(for: server.location(fault))
      },
      Call("streams") { server, fault async throws(Failure) in
        _ = try await server.library.streams(at: server.location(fault))
      },
      Call("contents") { server, fault async throws(Failure) in
        _ = try await MediaNetwork.contents(of: server.url(fault), limit: 1 << 30)
      },
      Call("download") { server, fault async throws(Failure) in
        for try await _ in try server.library.download(server.location(fault)) {}
      },
      Call("download into a file") { server, fault async throws(Failure) in
        let path = FilePath(server.outputs.path("copy.wav"))
        for try await _ in try server.library.download(server.location(fault), to: path) {}
      },
    ]
  }

  /// A call that reads the sound of a session.
  struct Reading: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: @Sendable (ExportSession) async throws(Failure) -> Void

    init(
      _ name: String, _ body: @escaping @Sendable (ExportSession) async throws(Failure) -> Void
    ) {
      (testDescription, self.body) = (name, body)
    }

    static let all = [
      Reading("export") { session async throws(Failure) in try await session.export() },
      Reading("export with waveforms") { session async throws(Failure) in
        try await session.export(examining: .levels)
      },
      Reading("states") { session async throws(Failure) in
        for try await _ in session.states() {}
      },
      Reading("measured") { session async throws(Failure) in _ = try await session.measured() },
    ]
  }

  private func requireCancelled(_ call: Call, at server: StallingServer, _ fault: String)
    async throws
  {
    let task = Task { try await call.body(server, fault) }
    try await server.waitForRequest(fault)
    task.cancel()
    let failure = await #expect(throws: Failure.self) { try await task.value }
    #expect(failure?.code == .cancelled)
    // What was written goes, here or behind the call.
    while !server.outputs.names.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test(
    "a server that does not answer, or does not end, keeps no call, and its request is given up",
    arguments: Call.opening + [Call.loadedRanges], ["delay=3600000", "endless"])
  func opening(_ call: Call, fault: String) async throws {
    let server = try StallingServer(seconds: 1)
    try await requireCancelled(call, at: server, fault)
    // As long as the request goes on, nobody else can open the medium.
    try server.heal(fault)
    let asset = try await server.library.loadAsset(at: server.location(fault))
    #expect(asset.frameCount == 48_000)
  }

  @Test("a server that sends nothing behind its head keeps no call", arguments: Call.opening)
  func sendingNothing(_ call: Call) async throws {
    try await requireCancelled(call, at: try StallingServer(seconds: 1), "stall=0")
  }

  @Test("a file of words is read with its warnings, and not in a cancelled task")
  func words() async throws {
    let folder = TestFolder()
    let path = FilePath(folder.path("words.vtt"))
    try writeFile(path.string, "WEBVTT\n".utf8)
    var warnings: [Warning] = []
    let transcript = try await Transcript(contentsOf: path) { warnings.append($0) }
    #expect(transcript.cues.isEmpty && warnings.count == 1)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = try await Transcript(contentsOf: path)
    }
    task.cancel()
    let failure = await #expect(throws: Failure.self) { try await task.value }
    #expect(failure?.code == .cancelled)
  }

  @Test("a server that stops in the middle keeps no call", arguments: Reading.all)
  func reading(_ call: Reading) async throws {
    let (server, fault) = (try StallingServer(), "hold=200000-1000000")
    let session = try await server.session(fault, loudness: LoudnessTarget(.integrated(-16)))
    let before = try server.requestCount(fault)
    let task = Task { try await call.body(session) }
    // Best where it waits in the middle; it never gets farther.
    for _ in 0..<1000 where try server.requestCount(fault) == before {
      try await Task.sleep(for: .milliseconds(2))
    }
    task.cancel()
    let failure = await #expect(throws: Failure.self) { try await task.value }
    #expect(failure?.code == .cancelled)
    while !server.outputs.names.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test(
    "a task that was cancelled before begins nothing, and never seems to be done",
    arguments: Call.opening)
  func cancelledBefore(_ call: Call) async throws {
    let server = try StallingServer(seconds: 1)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await call.body(server, "plain")
    }
    task.cancel()
    let failure = await #expect(throws: Failure.self) { try await task.value }
    #expect(failure?.code == .cancelled)
  }

  @Test("a disk that does not answer keeps no call")
  func disk() async throws {
    let (isReleased, isAsked) = (Monitor(false), Monitor(false))
    defer { isReleased.withLock { $0 = true } }
    let library = MediaLibrary(
      recalling: nil,
      probing: { _, _ throws(Failure) in
        isAsked.withLock { $0 = true }
        isReleased.wait { $0 ? () : nil }
        throw Failure(.mendInput, "the disk answers")
      }, verifiesAssets: false)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await library.loadAsset(at: FilePath("a.wav")) },
      { _ = try await library.currentAsset(at: .file("a.wav")) },
      { _ = try await library.warnings(for: .file("a.wav")) },
    ]
    for call in calls {
      isAsked.withLock { $0 = false }
      let task = Task { try await call() }
      while !isAsked.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
      task.cancel()
      let failure = await #expect(throws: Failure.self) { try await task.value }
      #expect(failure?.code == .cancelled)
    }
  }

  @Test("a scan of a local file ends with its task, which has the thread's reads fail")
  func localReads() throws {
    let flag = CancellationFlag()
    let path = FilePath(Fixture.path("voice-8k.wav"))
    let library = MediaLibrary()
    let failure = #expect(throws: Failure.self) {
      try flag.endingReads { () throws(Failure) in
        flag.cancel()
        _ = try library.asset(at: path)
      }
    }
    #expect(failure?.code == .cancelled)
    // It is no fact of the file.
    #expect(try library.asset(at: path).sampleRate == 8000)
  }

  @Test("an export whose files take their places is not cancelled any more")
  func settled() async throws {
    let operation = Operation<Never, Int>()
    operation.start { operation throws(Failure) in
      #expect(operation.settle())
      operation.cancel()
      #expect(!operation.cancellation.isCancelled)
      return 1
    }
    guard case .end(.success(1)) = await operation.next() else {
      Issue.record("the work is done")
      return
    }
  }

  @Test("a cancelled operation must not become final, and gives its end to each who asks")
  func notSettled() async throws {
    let operation = Operation<Never, Int>()
    operation.cancel()
    #expect(!operation.settle())
    for _ in 0..<2 {
      guard case .end(.failure(let failure)) = await operation.next() else {
        Issue.record("the operation is cancelled")
        return
      }
      #expect(failure.code == .cancelled)
    }
  }

  @Test("an export that is cancelled as its last block comes leaves no file, now or later")
  func lastBlock() async throws {
    let folder = TestFolder()
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: FilePath(Fixture.path("voice-8k.wav")))
    let path = FilePath(folder.path("out.wav"))
    let session = try ExportSession(asset, to: path, library: library)
    let task = Mutex<Task<ExportSession.Report, any Error>?>(nil)
    let hasEnded = Monitor(false)
    let made = Task {
      try await session.export { progress in
        guard progress.fractionCompleted == 1 else { return }
        // The task is there as soon as this one has been stored.
        while task.withLock({ $0 == nil }) {}
        task.withLock { $0?.cancel() }
        hasEnded.withLock { $0 = true }
      }
    }
    task.withLock { $0 = made }
    let failure = await #expect(throws: Failure.self) { try await made.value }
    #expect(failure?.code == .cancelled)
    while !folder.names.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    #expect(hasEnded.withLock { $0 })
  }

  @Test("a reader of states gets the last one however late, and each reader the failure")
  func lateReaders() async throws {
    let done = Operation<Int, Int>()
    done.start { operation throws(Failure) in
      for number in 0..<100 { operation.report(number) }
      return 100
    }
    let updates = Updates(done)
    for _ in 0..<2 {
      var numbers: [Int] = []
      for try await number in updates { numbers.append(number) }
      #expect(numbers.last == 100 && numbers == numbers.sorted())
    }
    let failing = Operation<Int, Int>()
    failing.start { _ throws(Failure) in throw Failure(.mendInput, "no") }
    let failures = Updates(failing)
    for _ in 0..<2 {
      let failure = await #expect(throws: Failure.self) { for try await _ in failures {} }
      #expect(failure?.message == "no")
    }
  }

  @Test("a late reader gets how far failed work came, and nothing of cancelled work")
  func lateReaderOfFailure() async throws {
    for isCancelled in [false, true] {
      let operation = Operation<Int, Int>()
      operation.report(7)
      if isCancelled { operation.cancel() }
      operation.start { _ throws(Failure) in throw Failure(.mendInput, "no") }
      // Time for the thread to end; without it both orders are right.
      try await Task.sleep(for: .milliseconds(20))
      var numbers: [Int] = []
      let failure = await #expect(throws: Failure.self) {
        for try await number in Updates(operation) { numbers.append(number) }
      }
      #expect(numbers == (isCancelled ? [] : [7]))
      #expect((failure?.code == .cancelled) == isCancelled)
    }
  }
}
