import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import Testing

@testable import ExportGraph

@Suite("What an output with pictures lacks of its sources") struct PictureLossTests {
  /// A film of ten seconds whose own sound is stream 1, with others behind it; each has its roles.
  private func film(_ name: String, _ roles: [[String]]) -> Asset {
    var asset = Asset(
      location: .file(FilePath(name)), streamIndex: 1, container: MovieContainer.mkv.demuxer,
      codec: "aac", sampleRate: 48_000, channelLayout: .stereo, frameCount: 480_000,
      metadata: Metadata(),
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    asset.tracks = [AssetTrack(index: 0, mediaType: .video, codec: "h264")]
    for (place, roles) in roles.enumerated() {
      var track = AssetTrack(
        index: place + 1, mediaType: .audio, codec: "aac", language: place == 0 ? "eng" : "fre")
      track.roles = roles.isEmpty ? nil : roles
      asset.tracks.append(track)
    }
    return asset
  }

  private func notes(_ films: [Asset], to path: FilePath) throws -> [String] {
    let output = Output(
      path: path, format: path.extension == "mkv" ? .flac(bitDepth: 16) : .m4a(bitRate: 128_000))
    let length = Time(value: 10, timescale: 1)
    let segments = films.enumerated().map { place, film in
      Segment(
        .asset(film), source: TimeRange(start: .zero, duration: length),
        at: Time(value: 10 * Int64(place), timescale: 1))
    }
    let export = Export(
      name: "x", composition: Composition(tracks: [Track(segments: segments)]), outputs: [output])
    let sink = try #require(try Graph(compiling: export).sinks.first)
    return try #require(sink.picture).lossNotes(in: sink.output).map(\.message)
  }

  @Test("a joined track has the roles of its first source, and those of others are named")
  func joinedRoles() throws {
    let first = film("a.mkv", [["dub"], ["comment", "hearing_impaired"]])
    #expect(try notes([first, first], to: "out.mkv").isEmpty)
    #expect(try notes([first, film("b.mkv", [[], ["comment"]])], to: "out.mkv").isEmpty)
    let others = [
      film("b.mkv", [["original"], ["comment", "visual_impaired"]]),
      film("c.mkv", [["original", "dub"], []]),
    ]
    #expect(
      try notes([first] + others, to: "out.mkv") == [
        "'out.mkv': the role 'original' of stream 1, the role 'visual impaired' of stream 2 of "
          + "3 sources left out, since a joined track has the roles of its first source"
      ])
    let moved = try notes([film("a.mkv", [[], []]), film("b.mkv", [["dub"]])], to: "out.mov")
    #expect(
      moved == [
        "'out.mov': the role 'dub' of stream 1 of 2 sources left out, since a joined track has "
          + "the roles of its first source"
      ])
  }
}
