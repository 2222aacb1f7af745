import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import Testing

@testable import ExportGraph

@Suite("What a plan says of a picture")
struct PicturePartsTests {
  private func milliseconds(_ count: Int64) -> Time { Time(value: count, timescale: 1000) }

  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: milliseconds(start), end: milliseconds(end))
  }

  private func movie(_ name: String) -> Asset {
    var asset = Asset(
      location: .file(FilePath(name)), streamIndex: 1, container: "mov,mp4", codec: "aac",
      sampleRate: 48_000, channelLayout: .stereo, frameCount: 48_000 * 60, metadata: Metadata(),
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    asset.tracks = [
      AssetTrack(index: 0, mediaType: .video, codec: "h264"),
      AssetTrack(index: 1, mediaType: .audio, codec: "aac"),
    ]
    return asset
  }

  /// A plan of ranges of one movie, one after the other, in seconds.
  private func plan(_ ranges: [(Int64, Int64)], of asset: Asset) -> PicturePlan {
    var plan = PicturePlan(whole: asset, in: .mp4)
    var start: Int64 = 0
    for (from, to) in ranges {
      plan.spans.append(
        PictureSpan(asset: 0, source: range(from, to), target: range(start, start + to - from)))
      start += to - from
    }
    plan.duration = milliseconds(start)
    return plan
  }

  @Test("each span has a line with what is encoded of it and why, and a line counts all")
  func spans() {
    var plan = plan([(2000, 5000), (9000, 9500), (10_000, 11_000), (0, 1)], of: movie("talk.mp4"))
    plan.spans[0].parts = [
      PicturePart(
        target: range(0, 1200), count: 30, reason: .start, key: milliseconds(3200)),
      PicturePart(target: range(1200, 2960), count: nil),
      PicturePart(target: range(2960, 3000), count: 1, reason: .end),
    ]
    plan.spans[1].parts = [PicturePart(target: range(3000, 3500), count: 12, reason: .whole)]
    plan.spans[2].parts = []
    #expect(
      plan.spanTexts == [
        "0:00.000 – 0:03.000  talk.mp4 0:02.000 – 0:05.000: 30 pictures encoded before the key "
          + "picture at 0:03.200, copied, 1 picture encoded at the end",
        "0:03.000 – 0:03.500  talk.mp4 0:09.000 – 0:09.500: 12 pictures encoded, with no key "
          + "picture among them to copy from",
        "0:03.500 – 0:04.500  talk.mp4 0:10.000 – 0:11.000: no picture",
        "0:04.500 – 0:04.501  talk.mp4 0:00.000 – 0:00.001: not looked at",
        "in all 43 pictures encoded, and 1 part not looked at",
      ])
  }

  @Test("a plan of one span says what is done in its line alone")
  func alone() {
    var plan = plan([(2000, 5000)], of: movie("talk.mp4"))
    plan.spans[0].parts = [
      PicturePart(target: range(0, 3000), count: 2, reason: .middle, key: milliseconds(4000))
    ]
    #expect(
      plan.spanTexts == [
        "0:00.000 – 0:03.000  talk.mp4 0:02.000 – 0:05.000: 2 pictures encoded in the middle, which "
          + "cannot be copied behind a cut"
      ])
    plan.spans[0].parts = [PicturePart(target: range(0, 3000), count: 75)]
    #expect(plan.spanTexts.map { $0.hasSuffix(": copied") } == [true])
  }

  @Test("a plan of ten thousand spans is short, and counts all that was looked at")
  func many() {
    var plan = plan((0..<10_000).map { (4 * $0, 4 * $0 + 2) }, of: movie("talk.mp4"))
    for index in 0..<256 {
      plan.spans[index].parts = [
        PicturePart(target: plan.spans[index].target, count: 2, reason: .whole)
      ]
    }
    let texts = plan.spanTexts
    #expect(texts.count == 14)
    #expect(texts[12] == "and 9988 more")
    #expect(texts[13] == "in all 512 pictures encoded, and 9744 parts not looked at")
    #expect(plan.joins.count == 9999)
  }

  @Test("a range that goes on with what follows in its source is no join")
  func joins() {
    let plan = plan([(0, 1000), (1000, 2000), (3000, 4000)], of: movie("talk.mp4"))
    #expect(plan.joins == [milliseconds(2000)])
  }

  @Test("stills and a picture that is encoded throughout have their times alone")
  func others() {
    var encoded = plan([(2000, 5000), (6000, 7000)], of: movie("talk.mp4"))
    encoded.encoding = VideoSettings()
    #expect(
      encoded.spanTexts == [
        "0:00.000 – 0:03.000  talk.mp4 0:02.000 – 0:05.000",
        "0:03.000 – 0:04.000  talk.mp4 0:06.000 – 0:07.000",
      ])
    var stills = encoded
    (stills.assets, stills.spans) = ([], [])
    stills.stills = [
      StillPicture(start: .zero, picture: .file("cover.jpg")),
      StillPicture(start: milliseconds(1500), picture: .file("harbour.jpg")),
    ]
    #expect(
      stills.spanTexts == ["0:00.000 – 0:01.500  cover.jpg", "0:01.500 – 0:04.000  harbour.jpg"])
    #expect(stills.joins == [milliseconds(1500)])
  }

  @Test("for programs each part has its times, its number and its reason")
  func json() {
    var plan = plan([(2000, 5000)], of: movie("talk.mp4"))
    plan.spans[0].parts = [
      PicturePart(target: range(0, 1200), count: 30, reason: .start, key: milliseconds(3200)),
      PicturePart(target: range(1200, 3000), count: nil),
    ]
    #expect(
      plan.json.line == """
        {"method":"cut","codec":"h264","spans":[{"path":"talk.mp4","source_start":2,\
        "source_start_exact":"2s","source_end":5,"source_end_exact":"5s","start":0,\
        "start_exact":"0s","end":3,"end_exact":"3s","parts":[{"start":0,"start_exact":"0s",\
        "end":1.2,"end_exact":"1.2s","copied":false,"pictures":30,"reason":"start",\
        "key_picture":3.2,"key_picture_exact":"3.2s"},{"start":1.2,"start_exact":"1.2s","end":3,\
        "end_exact":"3s","copied":true}]}]}
        """)
  }
}
