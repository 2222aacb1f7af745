import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import TestSupport
import Testing

@Suite struct RemoteAssetTests {
  @Test("an asset of a server is loaded as that of a file, by several tasks at once")
  func loads() async throws {
    let server = try HoldingServer(seconds: 3)
    let (url, library) = (MediaLocation.remote(try server.url("plain")), server.library)
    let local = try await library.loadAsset(at: server.file)
    let remote = try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await library.loadAsset(at: url) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(remote.count == 8)
    for asset in remote {
      #expect(asset.location == url && asset.duration == local.duration)
      #expect(asset.sampleRate == 48_000 && asset.codec == local.codec)
    }
    #expect(try await library.loadedRanges(of: remote[0]).first?.lowerBound == 0)
  }

  @Test("an asset that a server does not give fails with what to do")
  func fails() async throws {
    let server = try HoldingServer(seconds: 1)
    let url = MediaLocation.remote(try server.url("status=404"))
    let failure = await #expect(throws: Failure.self) {
      try await server.library.loadAsset(at: url)
    }
    #expect(
      failure?.message
        == "the server answered 404 (Not Found); check the path of the address")
    #expect(failure?.remedy == .mendJob && failure?.location == url)
  }

  @Test(
    "what comes while nobody looks is loaded at the next look, though the medium is closed by then")
  func looksUpAgain() async throws {
    let server = try HoldingServer(seconds: 6)
    let item = try server.item("plain")
    let url = try server.url("plain")
    try wait(until: "the medium is closed") { RemoteMedium(at: url) == nil }
    #expect(item.loadedTimeRanges != [TimeRange(start: .zero, end: item.duration)])
    for try await _ in server.library.download(.remote(url)) {}
    try wait(until: "the medium is closed again") { RemoteMedium(at: url) == nil }
    #expect(item.loadedTimeRanges == [TimeRange(start: .zero, end: item.duration)])
  }
}
