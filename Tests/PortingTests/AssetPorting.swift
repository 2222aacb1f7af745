import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

/// AVURLAsset's and AVAssetTrack's samples.
@Suite(.timeLimit(.minutes(5))) struct AssetPorting {
  private let folder = TestFolder()
  private let library = MediaLibrary()

  private func path(_ name: String) -> FilePath { FilePath(folder.path(name)) }

  @Test("a text is a path or an address, as URL(fileURLWithPath:) and URL(string:) are told apart")
  func locations() throws {
    #expect(try MediaLocation(parsing: "talks/7.mp3") == .file("talks/7.mp3"))
    let address = try MediaLocation(parsing: "https://example.org/7.mp3")
    #expect(address.url?.absoluteText == "https://example.org/7.mp3" && address.file == nil)
    #expect(throws: Failure.self) { try MediaLocation(parsing: "ftp://example.org/7.mp3") }
  }

  @Test("the duration, tags, chapters, bit rate and frames of a file are those of ffprobe")
  func facts() async throws {
    let list = """
      ;FFMETADATA1
      title=A walk
      artist=Ann
      [CHAPTER]
      TIMEBASE=1/1
      START=0
      END=4
      title=Out
      [CHAPTER]
      TIMEBASE=1/1
      START=4
      END=10
      title=Back
      """
    try writeFile(folder.path("list"), Array(list.utf8))
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path("voice-8k.wav"), "-i", folder.path("list"),
      "-map_metadata", "1", "-t", "10", "-c:a", "flac", "-f", "matroska", folder.path("walk.mka"))
    let asset = try await library.loadAsset(at: path("walk.mka"))
    #expect(asset.duration == .seconds(10) && asset.frameCount == 80_000)
    #expect(asset.sampleRate == 8000 && asset.channelLayout == .mono)
    #expect(asset.metadata["title"] == "A walk" && asset.metadata["artist"] == "Ann")
    #expect(asset.chapters.map(\.title) == ["Out", "Back"])
    #expect(asset.chapters.map(\.start) == [.zero, .seconds(4)])
    try Tool.succeed(
      "lame", "--quiet", "-b", "64", Fixture.path("voice-8k.wav"), folder.path("walk.mp3"))
    let compressed = try await library.loadAsset(at: path("walk.mp3"))
    let bitRate = try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries", "stream=bit_rate", "-of",
      "default=nokey=1:noprint_wrappers=1",
      folder.path("walk.mp3")
    ).text
    #expect(compressed.bitRate.map { "\($0)\n" } == bitRate)
  }

  @Test("tracks(withMediaType:) of a file, and the sound of each")
  func tracks() async throws {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x128:rate=10", "-i",
      Fixture.path("voice-8k.wav"), "-f", "lavfi", "-i", "sine=440:r=16000", "-map", "0:v", "-map",
      "1:a", "-map", "2:a", "-t", "2", "-c:v", "mpeg4", "-c:a", "flac", folder.path("talk.mkv"))
    // asset.tracks(withMediaType: .audio)
    let asset = try await library.loadAsset(at: path("talk.mkv"))
    #expect(asset.tracks(withMediaType: .audio).map(\.index) == [1, 2])
    #expect(asset.tracks(withMediaType: .video).map(\.codec) == ["mpeg4"])
    for (index, rate) in [(1, 8000), (2, 16_000)] {
      let track = try await library.loadAsset(at: path("talk.mkv"), streamIndex: index)
      #expect(track.sampleRate == rate && track.duration == .seconds(2))
    }
    #expect(try await library.streams(at: .file(path("talk.mkv"))).map(\.kind).count == 3)
  }

  @Test("a second asset is inserted at the first one's duration, or at an invalid time: joined")
  func joins() async throws {
    let asset = try await library.loadAsset(at: FilePath(Fixture.path("voice-8k.wav")))
    let range = TimeRange(start: .zero, duration: .seconds(2))
    var written: [[UInt8]] = []
    for end in [Time.seconds(2), .invalid] {
      var composition = Composition()
      let track = composition.addTrack()
      try composition.tracks[track].insertTimeRange(range, of: asset, at: .zero)
      try composition.tracks[track].insertTimeRange(range, of: asset, at: end)
      #expect(composition.duration == .seconds(4))
      let output = Output(path: path("joined.wav"), format: .wav(.int16))
      let export = Export(name: "joined", composition: composition, outputs: [output])
      try await ExportSession(export, library: library).export()
      written.append(
        try Tool.succeed(
          "ffmpeg", "-v", "error", "-i", folder.path("joined.wav"), "-f", "s16le", "-"
        ).output)
    }
    let voice = try readFile(Fixture.path("voice-8k.wav")).suffix(2 * 242_214).prefix(32_000)
    #expect(written == [Array(voice + voice), Array(voice + voice)])
  }
}
