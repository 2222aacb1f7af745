import Diagnosis
import MediaComposition
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Results of earlier runs")
struct RecallTests {
  private let folder = TestFolder()
  private var path: FilePath { FilePath(folder.path("a.mp3")) }

  init() throws {
    try Tool.succeed("cp", Fixture.path("sweep.mp3"), folder.path("a.mp3"))
  }

  @Test("a file that is recalled is not probed until it is read")
  func recalled() throws {
    let first = MediaLibrary(recalling: { _, _, _ in nil })
    let asset = try first.asset(at: path)
    let known = try #require(first.probedAsset(at: .file(path)))
    #expect(known.found.asset == asset && !known.isRecalled)

    var told = known.found
    told.asset.metadata["title"] = "told"
    told.warnings = [Warning("is odd", path: path)]
    let second = MediaLibrary(recalling: { [told] _, _, identity in
      identity == told.asset.identity ? told : nil
    })
    #expect(second.probedAsset(at: .file(path)) == nil)
    #expect(try second.asset(at: path) == told.asset)
    #expect(second.warnings(for: .file(path)) == told.warnings)
    #expect(second.probedAsset(at: .file(path))?.isRecalled == true)
  }

  @Test("the best stream is known by its number, too")
  func numbered() throws {
    let library = MediaLibrary()
    let asset = try library.asset(at: path)
    #expect(
      library.probedAsset(at: .file(path), streamIndex: asset.streamIndex)?.found.asset == asset)
    #expect(library.probedAsset(at: .file(path), streamIndex: asset.streamIndex + 1) == nil)
    try Tool.succeed("cp", Fixture.path("voice-vbr.mp3"), folder.path("a.mp3"))
    let other = try library.currentAsset(at: .file(path), streamIndex: asset.streamIndex)
    #expect(other.frameCount != asset.frameCount)
    #expect(try library.asset(at: path) == other)
  }

  @Test("a wrong result of an earlier run fails the job once, and is corrected")
  func wrong() throws {
    var told = ProbedAsset(try MediaLibrary().asset(at: path))
    told.asset.frameCount += 1
    let library = MediaLibrary(recalling: { [told] _, _, _ in told })
    let asset = try library.asset(at: path)
    #expect {
      try library.confirm(asset)
    } throws: { ($0 as? Failure)?.remedy == .tryAgain }
    #expect(try library.asset(at: path).frameCount == asset.frameCount - 1)
    #expect(library.probedAsset(at: .file(path))?.isRecalled == false)
    #expect(library.discoveries.load(ordering: .relaxed) == 1)
    #expect(throws: Failure.self) { try library.confirm(asset) }
    try library.confirm(try library.asset(at: path))
  }

  @Test("a right result of an earlier run is used")
  func right() throws {
    let told = try MediaLibrary().probed(at: .file(path))
    let library = MediaLibrary(recalling: { _, _, _ in told })
    try library.confirm(try library.asset(at: path))
    #expect(library.probedAsset(at: .file(path))?.found.asset == told.asset)
    #expect(library.discoveries.load(ordering: .relaxed) == 0)
  }
}
