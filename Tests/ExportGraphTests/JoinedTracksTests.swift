import MediaComposition
import MediaTime
import SystemPackage
import Testing

@testable import ExportGraph

@Suite("Tracks beside a picture that is cut and joined") struct JoinedTracksTests {
  /// A film whose own sound is stream 1, with others behind it.
  private func film(
    _ name: String, in container: String = "mov,mp4", picture: String = "h264",
    _ others: [AssetTrack] = []
  ) -> Asset {
    var asset = Asset(
      location: .file(FilePath(name)), streamIndex: 1, container: container, codec: "aac",
      sampleRate: 48_000, channelLayout: .stereo, frameCount: 48_000, metadata: Metadata(),
      identity: .predicted)
    asset.tracks =
      [
        AssetTrack(index: 0, mediaType: .video, codec: picture),
        AssetTrack(index: 1, mediaType: .audio, codec: "aac", language: "eng"),
      ] + others
    return asset
  }

  private func track(
    _ index: Int, _ mediaType: AssetTrack.MediaType, _ codec: String, _ language: String? = nil,
    styles: String? = nil
  ) -> AssetTrack {
    var track = AssetTrack(index: index, mediaType: mediaType, codec: codec, language: language)
    track.styles = styles
    return track
  }

  /// The streams' indexes.
  private func indexes(_ tracks: [JoinedTrack]) -> [[Int?]] {
    tracks.map { $0.streams.map { $0?.index } }
  }

  @Test("other sounds and texts are joined by their languages, and by their places among several")
  func languages() {
    let films = [
      film("a", [track(2, .audio, "aac", "fre"), track(3, .audio, "ac3", "fre")]),
      film("b", [track(2, .subtitle, "mov_text", "ger")]),
      film(
        "c",
        [
          track(2, .audio, "aac", "ger"), track(3, .audio, "aac", "fre"),
          track(4, .subtitle, "dvd"),
        ]
      ),
    ]
    #expect(
      indexes(PicturePlan.sounds(of: films)) == [[2, nil, 3], [3, nil, nil], [nil, nil, 2]])
    #expect(
      indexes(PicturePlan.texts(of: films, without: films.map { _ in [] })) == [[nil, 2, nil]])
  }

  @Test("Matroska has texts as they are, where all are alike; other containers have one form")
  func forms() {
    let (srt, ass) = (track(2, .subtitle, "subrip"), track(2, .subtitle, "ass", styles: "1"))
    let other = track(2, .subtitle, "ass", styles: "2")
    let cases: [([AssetTrack?], TextForm)] = [
      ([srt, nil, srt], .subRip), ([ass, nil, ass], .ass), ([ass, other], .subRip),
      ([ass, srt], .subRip), ([track(2, .subtitle, "webvtt")], .webVTT),
      ([track(2, .subtitle, "text")], .subRip), ([track(2, .subtitle, "mov_text")], .subRip),
    ]
    for (streams, form) in cases {
      let text = JoinedTrack(streams: streams)
      #expect(text.form(in: .mkv) == form)
      #expect(text.form(in: .mp4) == .timedText && text.form(in: .mov) == .timedText)
      #expect(text.form(in: .webm) == .webVTT)
    }
  }

  /// A span of seconds.
  private func span(_ asset: Int, _ source: Int64, _ target: Range<Int64>) -> PictureSpan {
    func time(_ seconds: Int64) -> Time { Time(value: seconds, timescale: 1) }
    let length = time(target.upperBound - target.lowerBound)
    return PictureSpan(
      asset: asset, source: TimeRange(start: time(source), duration: length),
      target: TimeRange(start: time(target.lowerBound), duration: length))
  }

  @Test("what comes in over a picture is heard from the middle of its fade on")
  func heard() {
    var first = span(0, 10, 0..<10)
    #expect(first.heard == [first])
    let coming = span(1, 50, 4..<10)
    let fade = TimeRange(start: coming.target.start, duration: Time(value: 4, timescale: 1))
    first.entering = [EnteringPicture(span: coming, fade: PictureFade(fade, isIn: true))]
    #expect(first.heard == [span(0, 10, 0..<6), span(1, 52, 6..<10)])
    #expect(!first.isScaled)
    first.entering[0].span.source.duration = Time(value: 3, timescale: 1)
    #expect(first.isScaled)
  }

  @Test("pictures whose times are not known are refused")
  func sources() throws {
    for (container, codec) in [
      ("matroska,webm", "h264"), ("avi", "mpeg4"), ("avi", "mjpeg"), ("avi", "cinepak"),
      ("mpeg", "mpeg2video"),
      ("mpegts", "h264"), ("ogg", "theora"), ("flv", "h264"),
    ] {
      try film("a", in: container, picture: codec).requirePictureTimes()
    }
    for (container, codec) in [
      ("avi", "h264"), ("avi", "hevc"), ("mpeg", "h264"), ("ogg", "dirac"), ("asf", "wmv3"),
    ] {
      let problem = #expect(throws: PictureProblem.self) {
        try film("a", in: container, picture: codec).requirePictureTimes()
      }
      #expect(
        problem?.message.hasPrefix(
          "the picture of 'a' is not copied from \(container), where the times of \(codec) are not known"
        ) == true)
    }
  }
}
