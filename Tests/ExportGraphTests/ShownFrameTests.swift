import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import Testing

/// Which picture an output shows at a moment, and the numbers of its neighbours.
@Suite("Pictures of an output by their numbers")
struct ShownFrameTests {
  private func hundredths(_ value: Int64) -> Time { Time(value: value, timescale: 100) }

  /// Two ranges of a video of 25 pictures a second, the second of which begins at 0.99 s.
  private func plan(lasting duration: Time? = Time(value: 1, timescale: 25)) throws -> PicturePlan {
    var asset = Asset(
      location: .file("talk.mp4"), streamIndex: 0, container: "mov,mp4,m4a,3gp,3g2,mj2",
      codec: "aac", sampleRate: 48_000, channelLayout: .stereo, frameCount: 48_000 * 60,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    var track = AssetTrack(index: 1, mediaType: .video, codec: "h264")
    (track.frameDuration, track.firstPicture) = (duration, duration.map { _ in .zero })
    asset.tracks = [AssetTrack(index: 0, mediaType: .audio, codec: "aac"), track]
    func segment(_ from: Int64, _ to: Int64, at start: Int64) -> Segment {
      Segment(
        .asset(asset), source: TimeRange(start: hundredths(from), end: hundredths(to)),
        at: hundredths(start))
    }
    let composition = Composition(
      tracks: [Track(segments: [segment(101, 200, at: 0), segment(500, 600, at: 99)])])
    let output = Output(path: "out.mp4", format: .m4a(bitRate: 128_000))
    let export = Export(name: "talk", composition: composition, outputs: [output])
    return try #require(try Graph(compiling: export).sinks.first?.picture)
  }

  @Test("the first picture of a part is shown from its start, and others where they begin")
  func shown() throws {
    let plan = try plan()
    let first = try #require(plan.frame(at: .zero))
    #expect(first.number == 25)
    #expect(first.start == .zero)
    let second = try #require(plan.frame(at: hundredths(5)))
    #expect(second.number == 26)
    #expect(second.start == hundredths(3))
    // A frame of the sound stands up to a millisecond before the picture.
    #expect(plan.frame(at: Time(value: 295, timescale: 10_000)) == second)
    #expect(plan.frame(at: Time(value: 28, timescale: 1000)) == first)
    #expect(plan.frame(at: hundredths(99))?.number == 125)
    #expect(plan.frame(at: hundredths(500))?.number == 149)
  }

  @Test("pictures follow one another through the parts, and end with them")
  func neighbours() throws {
    let plan = try plan()
    var frame = try #require(plan.frame(at: .zero))
    #expect(plan.neighbour(of: frame, isNext: false) == nil)
    var numbers = [frame.number]
    while let next = plan.neighbour(of: frame, isNext: true) {
      #expect(next.start > frame.start)
      #expect(plan.neighbour(of: next, isNext: false) == frame)
      #expect(plan.frame(at: next.start) == next)
      numbers.append(next.number)
      frame = next
    }
    #expect(numbers == Array(25...49) + Array(125...149))
  }

  @Test("pictures that do not last equally long have no numbers")
  func uneven() throws {
    #expect(try plan(lasting: nil).frame(at: .zero) == nil)
  }
}
