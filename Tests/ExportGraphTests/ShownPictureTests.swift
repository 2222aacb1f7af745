import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import Testing

@testable import ExportGraph

/// What is shown of the pictures of a composition, and how fades change it. Every source lasts 60 s.
@Suite("Shown pictures")
struct ShownPictureTests {
  /// A move of a picture, in seconds.
  private typealias Move = (PictureTransition?, isIn: Bool, start: Double, end: Double)

  private func time(_ seconds: Double) -> Time {
    Time(value: Int64((seconds * 1000).rounded()), timescale: 1000)
  }

  private func range(_ start: Double, _ end: Double) -> TimeRange {
    TimeRange(start: time(start), end: time(end))
  }

  private func movie(_ name: String) -> Asset {
    var asset = Asset(
      location: .file(FilePath(name)), streamIndex: 0, container: "mov,mp4,m4a,3gp,3g2,mj2",
      codec: "aac", sampleRate: 48_000, channelLayout: .stereo, frameCount: 60 * 48_000,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    asset.tracks = [
      AssetTrack(index: 0, mediaType: .audio, codec: "aac"),
      AssetTrack(index: 1, mediaType: .video, codec: "h264"),
    ]
    return asset
  }

  /// A range of a source from a moment on, with moves of its picture in its own time.
  private func segment(
    _ name: String, _ start: Double, _ end: Double, at moment: Double,
    _ moves: [Move] = []
  ) -> Segment {
    Segment(
      .asset(movie(name)), source: range(start, end), at: time(moment), mix: mix(moves))
  }

  private func mix(
    _ moves: [Move]
  ) -> AudioMix {
    AudioMix(
      envelopes: moves.map { picture, isIn, start, end in
        VolumeEnvelope([
          VolumeRamp(
            from: isIn ? .silence : .unity, to: isIn ? .unity : .silence, over: range(start, end),
            picture: picture)
        ])
      })
  }

  private func text(_ range: TimeRange) -> String { "\(range.start)..\(range.end)" }

  private func text(_ fades: [PictureFade]) -> String {
    fades.map { " \($0.isIn ? "in" : "out") \(text($0.range))" }.joined()
  }

  private func text(_ segment: ShownSegment) -> String {
    "\(segment.asset.location) \(text(segment.source)) @ \(text(segment.target))"
      + text(segment.fades)
      + segment.entering.map { " [\(text($0.segment)) by\(text([$0.fade]))]" }.joined()
  }

  private func shown(
    _ tracks: [[Segment]], in part: TimeRange? = nil, under mix: AudioMix = .unity
  ) throws -> [String] {
    let composition = Composition(tracks: tracks.map { Track(segments: $0) })
    let whole = TimeRange(start: .zero, duration: composition.duration)
    return try composition.shownSegments(in: part ?? whole, under: mix).map(text)
  }

  private let leaves: Move = (.blend, isIn: false, start: 8, end: 10)
  private let comes: Move = (.blend, isIn: true, start: 0, end: 2)
  /// The same where pictures are cut.
  private let leavesByCut: Move = (.cut, isIn: false, start: 8, end: 10)
  private let comesByCut: Move = (.cut, isIn: true, start: 0, end: 2)

  @Test("a fade of a clip, of a list and of the whole are moves of what is shown then")
  func fades() throws {
    let inner = Composition(tracks: [
      Track(segments: [
        segment(
          "a", 0, 4, at: 0,
          [(.black, isIn: true, start: 0, end: 1), (nil, isIn: false, start: 3, end: 4)]),
        segment("b", 0, 4, at: 4),
      ])
    ])
    // At twice the speed, from its second second on.
    let list = Segment(
      .composition(inner), TimeMapping(source: range(0, 8), target: range(1, 5)),
      mix: mix([(.black, isIn: false, start: 1, end: 4)]))
    #expect(
      try shown(
        [[segment("c", 0, 1, at: 0), list]], under: mix([(.black, isIn: true, start: 0, end: 0.5)]))
        == [
          "c 0s..1s @ 0s..1s in 0s..0.5s", "a 0s..4s @ 1s..3s in 1s..1.5s out 2s..5s",
          "b 0s..4s @ 3s..5s out 2s..5s",
        ])
  }

  @Test(
    "a cross-fade is shown with both pictures, and one of the sound alone changes in the middle")
  func crossfades() throws {
    let tracks = [
      [segment("a", 0, 10, at: 0, [leaves])], [segment("b", 0, 10, at: 8, [comes])],
    ]
    #expect(
      try shown(tracks) == [
        "a 0s..10s @ 0s..10s [b 0s..2s @ 8s..10s by in 8s..10s]", "b 2s..10s @ 10s..18s",
      ])
    let cut = [
      [segment("a", 0, 10, at: 0, [leavesByCut])], [segment("b", 0, 10, at: 8, [comesByCut])],
    ]
    #expect(try shown(cut) == ["a 0s..9s @ 0s..9s", "b 1s..10s @ 9s..18s"])
    // Parts of a split job that divide it.
    #expect(
      try shown(tracks, in: range(5, 9)) == [
        "a 5s..9s @ 0s..4s [b 0s..1s @ 3s..4s by in 3s..5s]"
      ])
    #expect(
      try shown(tracks, in: range(9, 12)) == [
        "a 9s..10s @ 0s..1s [b 1s..2s @ 0s..1s by in -1s..1s]", "b 2s..4s @ 1s..3s",
      ])
    #expect(
      try shown(cut, in: range(8.5, 9.5)) == ["a 8.5s..9s @ 0s..0.5s", "b 1s..1.5s @ 0.5s..1s"])
    #expect(try shown(cut, in: range(9.5, 10)) == ["b 1.5s..2s @ 0s..0.5s"])
  }

  @Test("lists cross-fade whatever items lie in the time of it")
  func lists() throws {
    func list(
      _ segments: [Segment], at moment: Double, _ moves: [Move]
    ) -> Segment {
      let inner = Composition(tracks: [Track(segments: segments)])
      return Segment(
        .composition(inner), source: TimeRange(start: .zero, duration: inner.duration),
        at: time(moment), mix: mix(moves))
    }
    let leaving = list(
      [segment("a", 0, 9, at: 0), segment("b", 0, 1, at: 9)], at: 0, [leaves])
    let entering = list(
      [segment("c", 0, 1, at: 0), segment("d", 0, 9, at: 1)], at: 8, [comes])
    #expect(
      try shown([[leaving], [segment("c", 0, 10, at: 8, [comes])]]) == [
        "a 0s..9s @ 0s..9s [c 0s..1s @ 8s..9s by in 8s..10s]",
        "b 0s..1s @ 9s..10s [c 1s..2s @ 9s..10s by in 8s..10s]", "c 2s..10s @ 10s..18s",
      ])
    #expect(
      try shown([[segment("a", 0, 10, at: 0, [leaves])], [entering]]) == [
        "a 0s..10s @ 0s..10s [c 0s..1s @ 8s..9s by in 8s..10s] [d 0s..1s @ 9s..10s by in 8s..10s]",
        "d 1s..9s @ 10s..18s",
      ])
    // Where pictures are cut, one replaces the other in the middle of the fade, whichever items lie there.
    let cutLeaving = list(
      [segment("a", 0, 9.5, at: 0), segment("b", 0, 0.5, at: 9.5)], at: 0, [leavesByCut])
    let cutEntering = list(
      [segment("c", 0, 0.5, at: 0), segment("d", 0, 9.5, at: 0.5)], at: 8, [comesByCut])
    #expect(
      try shown([[cutLeaving], [cutEntering]]) == ["a 0s..9s @ 0s..9s", "d 0.5s..9.5s @ 9s..18s"])
  }

  @Test("two at one moment that no cross-fade joins are refused, whichever begins and ends first")
  func overlaps() throws {
    func refusal(
      _ a: (Double, Double), _ b: (Double, Double), _ moves: ([Move], [Move]) = ([], [])
    ) throws -> String? {
      do {
        _ = try shown([
          [
            segment("x", 0, 1, at: 0),
            segment("a", 0, a.1 - a.0, at: a.0, moves.0),
          ], [segment("b", 0, b.1 - b.0, at: b.0, moves.1)],
        ])
        return nil
      } catch let problem as PictureProblem {
        return problem.message
      }
    }
    let times = stride(from: 1.0, through: 5.0, by: 1)
    for (start, end) in times.flatMap({ start in times.map { (start, $0) } }) where start < end {
      let isApart = end <= 2 || start >= 4
      let message = try refusal((2, 4), (start, end))
      #expect((message == nil) == isApart, "\(start)..\(end)")
      let from = max(2, start)
      #expect(isApart || message?.hasPrefix("from \(Int(from))s on two pictures") == true)
    }
    // Fades of the sound alone, and such as those of a list on one side only, join nothing.
    let out: Move = (nil, isIn: false, start: 1, end: 2)
    let into: Move = (nil, isIn: true, start: 0, end: 1)
    let cutOut: Move = (.cut, isIn: false, start: 1, end: 2)
    let cutIn: Move = (.cut, isIn: true, start: 0, end: 1)
    for moves in [([out], [into]), ([cutOut], [into]), ([out], [cutIn]), ([cutIn], [cutOut])] {
      #expect(try refusal((2, 4), (3, 5), moves) != nil)
    }
    #expect(try refusal((2, 4), (3, 5), ([cutOut], [cutIn])) == nil)
  }

  @Test("one that ends where the next begins, and three pictures at once are refused")
  func severalCrossfades() throws {
    let both: [Move] = [
      comes, (.blend, isIn: false, start: 2, end: 4),
    ]
    #expect(
      try shown([
        [segment("a", 0, 10, at: 0, [leaves]), segment("c", 0, 5, at: 10, [comes])],
        [segment("b", 0, 4, at: 8, both)],
      ]) == [
        "a 0s..10s @ 0s..10s [b 0s..2s @ 8s..10s by in 8s..10s]",
        "b 2s..4s @ 10s..12s [c 0s..2s @ 10s..12s by in 10s..12s]", "c 2s..5s @ 12s..15s",
      ])
    let problem = #expect(throws: PictureProblem.self) {
      try shown([
        [segment("a", 0, 10, at: 0, [leaves])], [segment("b", 0, 10, at: 8, [comes])],
        [segment("c", 0, 10, at: 9, [comes])],
      ])
    }
    #expect(
      problem?.message == "from 9s on two pictures would be shown at once: of 'b' and of 'c'")
  }

  @Test("a share is straight over the fade, and holds beyond it")
  func shares() {
    let fade = PictureFade(range(1, 3), isIn: true)
    #expect([0, 1, 1.5, 2, 3, 4].map { fade.share(at: time($0)) } == [0, 0, 0.25, 0.5, 1, 1])
    let out = PictureFade(range(1, 3), isIn: false)
    #expect([0, 1.5, 4].map { out.share(at: time($0)) } == [1, 0.75, 0])
  }

  @Test("the plan names fades, each once, and where a picture is cut it is as before")
  func plan() throws {
    func text(_ picture: PictureTransition?) throws -> [Substring] {
      let move: Move = (picture, isIn: false, start: 1, end: 4)
      let blend: PictureTransition = picture == nil ? .cut : .blend
      let composition = Composition(tracks: [
        Track(segments: [segment("a.mp4", 0, 3, at: 0, [(blend, isIn: false, start: 2, end: 3)])]),
        Track(segments: [segment("b.mp4", 0, 3, at: 2, [(blend, isIn: true, start: 0, end: 1)])]),
      ])
      var output = Output(path: "out.mp4", format: .m4a(bitRate: 128_000))
      output.video = .copy
      let export = Export(
        name: "fades", composition: composition, mix: mix([move]), outputs: [output])
      let plan = try Graph(compiling: export).planText(
        name: "fades", duration: composition.duration)
      return Array(plan.split(separator: "\n").drop { !$0.contains("beside it") })
    }
    #expect(
      try text(.black) == [
        "      beside it: h264 of 2 sources in 2 parts, copied but for what cuts break and fades change",
        "        0:01.000 – 0:04.000  to black", "        0:02.000 – 0:03.000  into 'b.mp4'",
        "        0:00.000 – 0:03.000  a.mp4 0:00.000 – 0:03.000: not looked at",
        "        0:03.000 – 0:05.000  b.mp4 0:01.000 – 0:03.000: not looked at",
      ])
    #expect(
      try text(nil) == [
        "      beside it: h264 of 2 sources in 2 parts, copied but for what cuts break",
        "        0:00.000 – 0:02.500  a.mp4 0:00.000 – 0:02.500: not looked at",
        "        0:02.500 – 0:05.000  b.mp4 0:00.500 – 0:03.000: not looked at",
      ])
  }
}
