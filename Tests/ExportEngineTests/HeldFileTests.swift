import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("An open medium")
struct HeldFileTests {
  private static let formats = ["a.wav", "a.flac", "a.mp3", "a.m4a", "a.ogg", "a.opus"]
  private let folder = TestFolder()
  private let library = MediaLibrary()

  /// Makes a medium of eight seconds.
  private func make(_ name: String, pitch: Int = 300) throws -> FilePath {
    // Longer than what readers keep.
    let codecs = ["ogg": ["-c:a", "libvorbis"], "mp3": ["-b:a", "320k"]]
    let codec = codecs[String(name.suffix(3))] ?? []
    var words = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi"]
    words += ["-i", "sine=d=8:frequency=\(pitch)", "-ar", "48000"] + codec + [folder.path(name)]
    _ = try Tool.run(words)
    return FilePath(folder.path(name))
  }

  private func medium(_ name: String) throws -> Asset { try library.asset(at: make(name)) }

  private func read(_ source: any Sound, at frame: Int64) throws -> [Float] {
    try source.samples(frame..<frame + 1000)[0]
  }

  private static let places: [Int64] = [300_000, 0, 200_000, 100_000]

  @Test("is read at any place after it was removed", arguments: formats)
  func removed(name: String) throws {
    let asset = try medium(name)
    let source = try library.open(asset, noting: Damage())
    let expected = try Self.places.map { try read(source, at: $0) }
    unlink(folder.path(name))
    for (place, sound) in zip(Self.places, expected) {
      #expect(try read(source, at: place) == sound)
    }
    #expect(throws: Failure.self) { try library.open(asset, noting: Damage()) }
  }

  @Test(
    "is opened again after another took its place, as long as it is held",
    arguments: formats, [true, false])
  func held(name: String, wasOpened: Bool) throws {
    let asset = try medium(name)
    let export = Export(
      name: "test", composition: composition(clip(asset)),
      outputs: [Output(path: "out.wav", format: .wav(.int16))])
    let expected = try Self.places.map {
      try read(library.open(asset, noting: Damage()), at: $0)
    }
    let media = library.hold(export)
    if wasOpened { _ = try library.open(asset, noting: Damage()) }
    unlink(folder.path(name))
    let other = try MediaLibrary().asset(at: try make(name, pitch: 700))
    library.forgetChangedFiles()
    #expect(try library.asset(at: asset.location) == other)
    defer { withExtendedLifetime(media) {} }
    for (place, sound) in zip(Self.places, expected) {
      #expect(try read(library.open(asset, noting: Damage()), at: place) == sound)
      #expect(try read(library.open(other, noting: Damage()), at: place) != sound)
    }
  }

  @Test("that is cut short fails, and is no silence", arguments: formats)
  func cut(name: String) throws {
    let asset = try medium(name)
    let source = try library.open(asset, noting: Damage())
    _ = try read(source, at: 0)
    truncate(folder.path(name), 3000)
    let failure = #expect(throws: Failure.self) {
      for place in Self.places { _ = try read(source, at: place) }
    }
    #expect(failure?.remedy == .tryAgain)
    #expect(failure?.path == FilePath(folder.path(name)))
  }

  @Test("does not stay open when nobody holds it")
  func released() throws {
    let asset = try medium("a.wav")
    let export = Export(
      name: "test", composition: composition(clip(asset)),
      outputs: [Output(path: "out.wav", format: .wav(.int16))])
    for _ in 0..<3 {
      var media: HeldMedia? = library.hold(export)
      #expect(media != nil)
      #expect(library.heldFiles.withLock { $0[asset.identity]?.file } != nil)
      media = nil
      #expect(library.heldFiles.withLock { $0[asset.identity]?.file } == nil)
    }
  }
}
