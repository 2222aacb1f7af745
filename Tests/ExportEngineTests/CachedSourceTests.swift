import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Sources that are read through the cache") struct CachedSourceTests {
  @Test("what is kept of a source is not read again, by whatever object, until its content changes")
  func keeps() throws {
    let stage = try SourceStage()
    let path = try stage.file("kept.flac", [])
    let bytes = try readFile(path)
    func source(_ validator: String, _ gap: Range<Int64>?) -> TestSource {
      TestSource(
        bytes, name: "kept.flac", cacheIdentifier: "kept 1/ü", validator: validator, gap: gap)
    }
    let first = source("a", nil)
    let sound = try stage.sound(at: .source(first))
    let read = first.reads.reduce(0) { $0 + $1.count }
    #expect(read >= bytes.count && read < bytes.count + 65_536)
    let other = MediaLibrary()
    let second = source("a", 0..<Int64(bytes.count))
    #expect(try stage.sound(at: .source(second), in: other) == sound)
    #expect(second.reads.isEmpty)
    let ranges = try other.loadedRanges(of: .source(second))
    #expect(ranges == [0..<Int64(bytes.count)])
    let third = source("b", 0..<Int64(bytes.count))
    let failure = #expect(throws: Failure.self) {
      try stage.sound(at: .source(third), in: MediaLibrary())
    }
    #expect("\(try #require(failure))" == "kept.flac: cannot be read at byte 0: the key is missing")
  }

  @Test("of a range no more is read than its bytes, the ends, and what is read ahead")
  func ranges() throws {
    let stage = try SourceStage()
    let path = try stage.file("ranges.wav", seconds: 40, [])
    let bytes = try readFile(path)
    let source = TestSource(bytes, name: "r.wav", cacheIdentifier: "ranges", validator: "1")
    let (start, duration) = (Time(value: 20, timescale: 1), Time(value: 1, timescale: 1))
    let part = try stage.sound(at: .source(source), from: start, duration: duration)
    #expect(
      part == (try stage.sound(at: .file(FilePath(path)), from: start, duration: duration)))
    #expect(source.reads.reduce(0) { $0 + $1.count } < bytes.count / 4)
  }

  @Test("a source that fails in the middle goes on there when it is read again")
  func goesOn() throws {
    let stage = try SourceStage()
    let path = try stage.file("mended.wav", [])
    let bytes = try readFile(path)
    let source = TestSource(
      bytes, name: "mended.wav", cacheIdentifier: "mended", validator: "1", gap: 200_000..<900_000)
    #expect(throws: Failure.self) { try stage.sound(at: .source(source)) }
    source.setGap(nil)
    #expect(try stage.sound(at: .source(source)) == stage.sound(at: .file(FilePath(path))))
    // What came before the gap was kept, but for the block that it cuts.
    #expect(source.reads.filter { $0.lowerBound < 180_000 }.reduce(0) { $0 + $1.count } < 210_000)
  }

  @Test("a medium in the cache is handed out as a file")
  func handsOut() async throws {
    let stage = try SourceStage()
    let bytes = try readFile(try stage.file("handed.mp3", ["-b:a", "64k"]))
    let source = TestSource(bytes, name: "handed.mp3", cacheIdentifier: "handed", validator: "1")
    let path = FilePath(stage.folder.path("copy/handed.mp3"))
    var last: DownloadProgress?
    for try await progress in stage.library.download(.source(source), to: path) { last = progress }
    #expect(last?.fractionCompleted == 1)
    #expect(try readFile(path.string) == bytes)
    let file = FilePath(stage.folder.path("again.mp3"))
    for try await _ in stage.library.download(.file(path), to: file) {}
    #expect(try readFile(file.string) == bytes)
    source.setGap(10..<20)
    let broken = TestSource(bytes, name: "b.mp3", gap: 9000..<20_000)
    let other = FilePath(stage.folder.path("broken.mp3"))
    await #expect(throws: Failure.self) {
      for try await _ in stage.library.download(.source(broken), to: other) {}
    }
    #expect(throws: (any Error).self) { try readFile(other.string) }
  }
}
