import Diagnosis
import ExportGraph
import FoundationEssentials
import MediaComposition
import MediaTime
import SystemPackage
import Testing

@Suite("Tracks of pictures in a graph")
struct ShownTrackTests {
  private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: seconds(start), end: seconds(end))
  }

  private func film(_ name: String, picture: String? = "h264") -> Asset {
    var asset = Asset(
      location: .file(FilePath(name)), streamIndex: 1, container: MovieContainer.mp4.demuxer,
      codec: "aac", sampleRate: 48_000, channelLayout: .stereo, frameCount: 48_000 * 60,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    if let picture {
      asset.tracks = [
        AssetTrack(index: 0, mediaType: .video, codec: picture),
        AssetTrack(index: 1, mediaType: .audio, codec: "aac"),
      ]
    }
    return asset
  }

  private func clip(_ asset: Asset, _ source: TimeRange, at start: Int64) -> Segment {
    Segment(.asset(asset), source: source, at: seconds(start))
  }

  private func graph(_ tracks: [Track], of part: TimeRange? = nil) throws -> Graph {
    try Graph(
      compiling: Export(
        name: "movie", composition: Composition(tracks: tracks), timeRange: part,
        outputs: [Output(path: "out.mp4", format: .m4a(bitRate: 128_000))]))
  }

  private func refusal(_ tracks: [Track]) throws -> String? {
    let failure = #expect(throws: Failure.self) { try graph(tracks) }
    return failure?.message
  }

  @Test("the text has each track with what it shows, below what sounds")
  func text() throws {
    var slow = clip(film("b.mp4"), range(1, 3), at: 5)
    slow.target.duration = seconds(4)
    let tracks = [
      Track(segments: [clip(film("a.mp4"), range(0, 9), at: 0)]),
      Track(
        name: "slides", mediaType: .video, segments: [clip(film("a.mp4"), range(10, 12), at: 0)]),
      Track(mediaType: .video, segments: [slow]),
    ]
    #expect(
      try graph(tracks).planText(name: "movie", duration: seconds(9)) == """
        movie: 0:09.000, mixed at 48 kHz stereo
          timeline
            0:00.000 – 0:09.000  a.mp4 from 0:00.000
          pictures 'slides'
            0:00.000 – 0:02.000  a.mp4 from 0:10.000
          pictures
            0:05.000 – 0:09.000  b.mp4 from 0:01.000, speed × 0.5
          outputs
            out.mp4  AAC 128 kbps, 48 kHz stereo
              beside it: h264 of 2 sources in 2 parts, copied but for what cuts break
                0:00.000 – 0:02.000  a.mp4 0:10.000 – 0:12.000: not looked at
                0:05.000 – 0:09.000  b.mp4 0:01.000 – 0:03.000: not looked at

        """)
    let part = try graph(tracks, of: range(1, 4))
    #expect(part.planText(name: "movie", duration: seconds(9)).contains("pictures\n  outputs, of"))
  }

  @Test("the graph as JSON has the tracks of pictures where there are some")
  func json() throws {
    struct Document: Decodable {
      struct Track: Decodable {
        struct Span: Decodable { var target: TimeRange }
        var name: String?
        var spans: [Span]
      }
      var shownTracks: [Track]?
    }
    func document(_ tracks: [Track]) throws -> Document {
      try JSONDecoder().decode(Document.self, from: try JSONEncoder().encode(try graph(tracks)))
    }
    let heard = Track(segments: [clip(film("a.mp4"), range(0, 9), at: 0)])
    #expect(try document([heard]).shownTracks == nil)
    let picture = Track(
      name: "slides", mediaType: .video, segments: [clip(film("b.mp4"), range(2, 9), at: 0)])
    let found = try document([heard, picture])
    #expect(found.shownTracks?.map(\.name) == ["slides"])
    #expect(found.shownTracks?.first?.spans.map(\.target) == [range(0, 7)])
  }

  @Test("a track of pictures is not heard, and no track of a listener")
  func unheard() throws {
    let heard = Track(name: "voice", segments: [clip(film("a.mp4"), range(0, 9), at: 0)])
    let picture = Track(
      name: "slides", mediaType: .video, segments: [clip(film("b.mp4"), range(2, 9), at: 0)])
    let graph = try graph([picture, heard])
    #expect(graph.heardTracks.map(\.name) == ["voice"])
    #expect(graph.tracks.map(\.count) == [0, 1])
    #expect(graph.sinks[0].picture?.assets == [film("b.mp4")])
    #expect(graph.sinks[0].picture?.spans.map(\.target) == [range(0, 7)])
  }

  @Test("all of a source is copied with what stands beside its picture, whatever is heard")
  func whole() throws {
    let all = range(0, 60)
    let graph = try graph([
      Track(segments: [clip(film("voice.m4a", picture: nil), all, at: 0)]),
      Track(mediaType: .video, segments: [clip(film("a.mp4"), all, at: 0)]),
    ])
    #expect(graph.sinks[0].picture?.spans == [])
    #expect(graph.sinks[0].picture?.assets == [film("a.mp4")])
  }

  @Test("two tracks that show pictures at one moment are refused, with both sources")
  func overlap() throws {
    func tracks(_ start: Int64) -> [Track] {
      [
        Track(mediaType: .video, segments: [clip(film("a.mp4"), range(0, 9), at: 0)]),
        Track(mediaType: .video, segments: [clip(film("b.mp4"), range(0, 9), at: start)]),
      ]
    }
    #expect(
      try refusal(tracks(8))
        == "from 8s on two pictures would be shown at once: of 'a.mp4' and of 'b.mp4'; "
        + "take that time out of one of the two tracks, or disable one")
    #expect(try graph(tracks(9)).sinks[0].picture?.spans.count == 2)
    var disabled = tracks(8)
    disabled[1].isEnabled = false
    #expect(try graph(disabled).sinks[0].picture?.spans.map(\.target) == [range(0, 9)])
    // So are two within one track, whose nested composition plays both.
    let both = Composition(tracks: [
      Track(segments: [clip(film("a.mp4"), range(0, 9), at: 0)]),
      Track(segments: [clip(film("b.mp4"), range(0, 9), at: 7)]),
    ])
    let nested = Track(
      mediaType: .video, segments: [Segment(.composition(both), source: range(0, 16), at: .zero)])
    #expect(
      try refusal([nested])
        == "from 7s on two pictures would be shown at once: of 'a.mp4' and of 'b.mp4'; "
        + "take that time out of one of the two tracks, or disable one")
    #expect(
      try refusal(both.tracks)
        == "from 7s on two pictures would be shown at once: of 'a.mp4' and of 'b.mp4'; "
        + "write the sound of one of them into a file of its own first, and take that")
  }

  @Test("a track of pictures without one at the start, or with a sound alone, is refused")
  func refusals() throws {
    let late = Track(mediaType: .video, segments: [clip(film("a.mp4"), range(0, 9), at: 2)])
    #expect(
      try refusal([late])?.hasPrefix("no picture is shown before 2s, where that of 'a.mp4' begins")
        == true)
    let voice = Track(
      mediaType: .video, segments: [clip(film("voice.m4a", picture: nil), range(0, 9), at: 0)])
    #expect(
      try refusal([voice])
        == "'voice.m4a' has no moving picture, and is in a track of pictures; insert it into a "
        + "track of sound")
    var reversed = late
    reversed.segments[0].target.start = .zero
    reversed.segments[0].isReversed = true
    #expect(try refusal([reversed])?.contains("would be reversed") == true)
    reversed.segments[0].target.duration = .indefinite
    #expect(throws: Failure.self) { try graph([reversed]) }
  }
}
