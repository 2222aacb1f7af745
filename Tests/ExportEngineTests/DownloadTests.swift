import Diagnosis
import ExportEngine
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@Suite("Downloads into files", .timeLimit(.minutes(10)))
struct DownloadTests {
  private func download(
    _ server: StallingServer, _ fault: String, to path: FilePath,
    replacing replaced: ExportSession.ReplacedFiles = .all
  ) async throws -> [DownloadProgress] {
    var all: [DownloadProgress] = []
    let location = try server.location(fault)
    for try await progress in server.library.download(location, to: path, replacing: replaced) {
      all.append(progress)
    }
    return all
  }

  @Test(
    "the file is the server's, also of one that sends no parts or no length",
    arguments: ["plain", "noranges", "chunked", "drop=100000,times=2"])
  func copies(fault: String) async throws {
    let server = try StallingServer(seconds: 4)
    let path = FilePath(server.outputs.path("folder/copy.wav"))
    let progress = try await download(server, fault, to: path)
    #expect(try readFile(path.string) == server.bytes)
    #expect(progress.last?.completedBytes == Int64(server.bytes.count))
    #expect(progress.last?.fractionCompleted == 1)
    // No server is asked for what is there, and a file of one's own is copied likewise.
    let other = FilePath(server.outputs.path("other.wav"))
    for try await _ in server.library.download(.file(path), to: other) {}
    #expect(try readFile(other.string) == server.bytes)
  }

  @Test("bytes that the cache's disk has changed are fetched again before they are handed out")
  func damage() async throws {
    let server = try StallingServer(seconds: 3)
    for try await _ in server.library.download(try server.location("plain")) {}
    var damaged = 0
    // Other tests begin and end entries meanwhile, of which find complains.
    let found = try Tool.run(["find", server.cache.root, "-name", "*.data"]).text
    for entry in found.split(separator: "\n").map(String.init) {
      guard let bytes = try? readFile(entry), bytes == server.bytes else { continue }
      try overwrite(entry, ~bytes[200_000], at: 200_000)
      damaged += 1
    }
    #expect(damaged > 0)
    let path = FilePath(server.outputs.path("copy.wav"))
    _ = try await download(server, "plain", to: path)
    #expect(try readFile(path.string) == server.bytes)
  }

  private func overwrite(_ path: String, _ byte: UInt8, at offset: Int64) throws {
    let file = try FileDescriptor.open(FilePath(path), .writeOnly)
    try file.closeAfter { _ = try file.writeAll(toAbsoluteOffset: offset, [byte]) }
  }

  @Test("a file that must not be replaced stays, and so does one where the download fails")
  func existing() async throws {
    let server = try StallingServer(seconds: 1)
    let path = FilePath(server.outputs.path("copy.wav"))
    try writeFile(path.string, [1])
    let exists = await #expect(throws: Failure.self) {
      try await download(server, "plain", to: path, replacing: .none)
    }
    #expect(exists?.code == .outputExists)
    let missing = await #expect(throws: Failure.self) {
      try await download(server, "status=404", to: path)
    }
    #expect(missing?.code == .networkNotFound)
    let own = await #expect(throws: Failure.self) {
      for try await _ in server.library.download(.file(path), to: path) {}
    }
    #expect(own?.code == .outputConflict)
    #expect(try readFile(path.string) == [1])
    #expect(server.outputs.names == ["copy.wav"])
  }

  @Test("the cache is cleared of all that is not in use")
  func clearing() async {
    // In a process of its own: other tests use the cache of this one.
    await #expect(processExitsWith: .success) {
      let folder = TestFolder()
      let server = try StallingServer(seconds: 1)
      var options = MediaNetwork.options
      options.cacheFolder = .file(FilePath(folder.path("media")))
      try MediaNetwork.configure(options)
      let location = try server.location("plain")
      for try await _ in server.library.download(location) {}
      try #require(try await MediaNetwork.clearCache().media == 1)
      try #require(try await MediaNetwork.clearCache() == (0, 0))
      options.isOffline = true
      try MediaNetwork.configure(options)
      let failure = await #expect(throws: Failure.self) {
        _ = try await server.library.loadAsset(at: location)
      }
      try #require(failure?.code == .networkOffline)
    }
  }
}
