import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Playback
import SystemPackage
import TestNetwork
import TestSupport
import Testing

/// What a resource loader's samples do by hand: a medium of a server, stored by ranges.
@Suite(.timeLimit(.minutes(5))) struct CachePorting {
  private let folder = TestFolder()
  private let library = MediaLibrary()

  /// The samples of a part of an asset, in seconds.
  private func read(_ asset: Asset, from start: Int, to end: Int) async throws -> [Float] {
    let range = TimeRange(start: .seconds(start), end: .seconds(end))
    var samples: [Float] = []
    for try await buffer in try AssetReader(asset, timeRange: range, library: library) {
      samples += buffer.channel(0)
    }
    return samples
  }

  @Test("ranges that were read stay, are given without a request, and become the whole file")
  func ranges() async throws {
    try TestNetwork.prepare()
    // A minute of noise, 96 kB a second.
    let sound = Signal.noise(seed: 46, count: 60 * 48_000)
    let writer = try AssetWriter(
      Output(path: FilePath(folder.path("talk.wav")), format: .wav(.int16)), sampleRate: 48_000,
      channelLayout: .mono)
    try await writer.append(planes: [sound])
    try await writer.finish()
    let file = try await library.loadAsset(at: FilePath(folder.path("talk.wav")))
    let server = try FaultServer(of: folder)
    let url = try MediaURL("http://127.0.0.1:\(server.port)/rate=150000/talk.wav")
    let asset = try await library.loadAsset(at: .remote(url))
    func byte(_ second: Int64) -> Int64 { 96_000 * second }
    func isHere(_ second: Int64) async throws -> Bool {
      try await library.loadedRanges(of: asset).contains {
        $0.contains(byte(second)) && $0.contains(byte(second + 1) - 1)
      }
    }
    // No request yet: from the start. Behind what is here: from there, and the gap stays one.
    let first = try await read(asset, from: 1, to: 2)
    let last = try await read(asset, from: 50, to: 51)
    #expect(try await read(file, from: 1, to: 2) == first && first.count == 48_000)
    #expect(try await read(file, from: 50, to: 51) == last)
    for (second, here) in [(1, true), (25, false), (50, true)] as [(Int64, Bool)] {
      #expect(try await isHere(second) == here, "second \(second)")
    }
    // Within what is here: none of it is asked for again, though reading runs ahead.
    let count = try server.requests(for: "talk.wav").count
    #expect(try await read(asset, from: 1, to: 2) == first)
    #expect(try await read(asset, from: 50, to: 51) == last)
    for request in try server.requests(for: "talk.wav").dropFirst(count) {
      let start = request["range"]?.split(separator: "=").last?.split(separator: "-").first
      let offset = try #require(start.flatMap { Int64($0) }, "\(request)")
      #expect(!(byte(1)..<byte(2)).contains(offset) && !(byte(50)..<byte(51)).contains(offset))
    }
    // The gap is filled, and the file is whole.
    try server.heal("/rate=150000/talk.wav")
    #expect(try await read(asset, from: 0, to: 60) == read(file, from: 0, to: 60))
    let size = Int64(try readFile(folder.path("talk.wav")).count)
    #expect(try await library.loadedRanges(of: asset) == [0..<size])
  }

  @Test("a medium of an address without an extension is known by its bytes, from the cache too")
  func nameless() async throws {
    try TestNetwork.prepare()
    try writeFile(folder.path("7"), readFile(Fixture.path("librivox-sonnet.mp3")))
    let server = try FaultServer(of: folder)
    let url = try MediaURL("http://127.0.0.1:\(server.port)/plain/7")
    let file = try await library.loadAsset(at: FilePath(Fixture.path("librivox-sonnet.mp3")))
    for library in [library, MediaLibrary()] {
      let asset = try await library.loadAsset(at: .remote(url))
      #expect(asset.codec == "mp3" && asset.duration == file.duration)
    }
  }
}
