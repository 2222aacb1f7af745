import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

private let seeds: ClosedRange<UInt64> = 1...4

/// A segment that was split sounds as the whole: the frames of the parts are those of the whole.
@Suite("Seams of split segments")
struct SeamTests {
  private var random = Dice(1)
  private let rates = [1000, 8000, 11_025]

  @Test(
    "the parts of a segment take the frames of the whole, wherever it is split", arguments: seeds)
  mutating func splitSegments(seed: UInt64) throws {
    random = Dice(seed)
    for _ in 0..<25 {
      let rate = rates.randomElement(using: &random) ?? 1000
      var segment = Segment(
        .asset(sound(rate: rate, seconds: 1)),
        source: TimeRange(start: time(upTo: 4, rate), duration: time(upTo: 4, rate)),
        at: time(upTo: 4, rate))
      segment.isReversed = .random(using: &random)
      let track = Track(segments: [segment])
      let whole = try heard(track)
      for cuts in [1, 2, 5] {
        #expect(
          try heard(try split(track, cuts)) == whole,
          "\(rate): \(segment.timeMapping) reversed: \(segment.isReversed)")
      }
    }
  }

  @Test("a speed that moves the pitch is parted without a seam", arguments: seeds)
  mutating func variedSpeed(seed: UInt64) throws {
    random = Dice(seed)
    for _ in 0..<15 {
      let rate = rates.randomElement(using: &random) ?? 1000
      let source = TimeRange(start: time(upTo: 4, rate), duration: time(upTo: 4, rate))
      let target = TimeRange(start: time(upTo: 4, rate), duration: time(upTo: 4, rate))
      let segment = Segment(
        .asset(sound(rate: rate, seconds: 1)), TimeMapping(source: source, target: target),
        isReversed: .random(using: &random))
      let track = Track(segments: [segment], timePitchAlgorithm: .varispeed)
      #expect(
        try heard(try split(track, 3)) == heard(track),
        "\(rate): \(segment.timeMapping) reversed: \(segment.isReversed)")
    }
  }

  @Test(
    "the parts of a group, played backwards or not, take the frames of the whole", arguments: seeds)
  mutating func groups(seed: UInt64) throws {
    random = Dice(seed)
    for _ in 0..<15 {
      let rate = rates.randomElement(using: &random) ?? 1000
      var inner = Track()
      for _ in 0..<4 {
        var clip = Segment(
          .asset(sound(rate: rate, seconds: 1)),
          source: TimeRange(start: time(upTo: 4, rate), duration: time(upTo: 2, rate)),
          at: inner.end + time(upTo: 1, rate))
        clip.isReversed = .random(using: &random)
        inner.segments.append(clip)
      }
      let parts = Track(segments: try split(inner, 3).segments)
      for inner in [inner, parts] {
        let group = Composition(tracks: [inner])
        var segment = Segment(
          .composition(group), source: TimeRange(start: .zero, duration: group.duration),
          at: time(upTo: 3, rate))
        segment.isReversed = .random(using: &random)
        let track = Track(segments: [segment])
        #expect(
          try heard(try split(track, 4)) == heard(track),
          "\(rate): \(segment.timeMapping) reversed: \(segment.isReversed)")
      }
    }
  }

  @Test("removed and reinserted ranges compile to the original", arguments: seeds)
  mutating func cutAndInsert(seed: UInt64) throws {
    random = Dice(seed)
    for _ in 0..<15 {
      let rate = rates.randomElement(using: &random) ?? 1000
      var track = Track()
      for index in 0..<5 {
        let asset = sound(rate: rate, seconds: 1)
        track.segments.append(
          Segment(
            .asset(asset),
            source: TimeRange(start: time(upTo: 5, rate), duration: time(upTo: 3, rate)),
            at: track.end, origin: Origin(rawValue: UInt32(index))))
      }
      let length = track.end.seconds
      let (a, b) = (time(upTo: 25 * length, rate), time(upTo: 25 * length, rate))
      let range = TimeRange(start: a, duration: b)
      var edited = track
      try edited.removeTimeRange(range)
      try edited.insertTimeRange(range, of: track, at: a)
      #expect(try heard(edited) == heard(track))
      try edited.insertEmptyTimeRange(range)
      try edited.removeTimeRange(range)
      #expect(
        try heard(edited) == heard(track), "\(rate): \(range)")
    }
  }

  @Test("a frame before the zero of a group is the frame that it is after it")
  func framesBeforeZero() throws {
    let half = Time(value: 1, timescale: 2000)
    let asset = sound(rate: 1000, seconds: 1)
    let clip = Segment(
      .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: half)
    let group = Composition(tracks: [Track(segments: [clip])])
    let whole = TimeRange(start: .zero, duration: group.duration)
    let late = TimeRange(
      start: Time(value: 7, timescale: 1000), end: Time(value: 9, timescale: 1000))
    let all = try heard(Track(segments: [Segment(.composition(group), source: whole, at: .zero)]))
    let part = try heard(Track(segments: [Segment(.composition(group), source: late, at: .zero)]))
    #expect(part == Array(all[7..<9]))
  }

  // MARK: What is heard

  /// For each frame of the mix, which frame of the asset is heard; nil where none is.
  private func heard(_ track: Track) throws -> [Int64?] {
    let graph = try Graph(
      compiling: Export(
        name: "test", composition: Composition(tracks: [track]),
        outputs: [Output(path: "out.wav", format: .wav(.float32))]))
    let frames = graph.sinks[0].frames
    return try frames.map { try heard(graph.sinks[0].node, at: $0, graph) }
  }

  private func heard(_ id: Node.ID, at frame: Int64, _ graph: Graph) throws -> Int64? {
    let node = graph.nodes[id]
    guard node.frames.contains(frame) else { return nil }
    switch node.kind {
    case .source(_, let start): return start + frame - node.frames.lowerBound
    case .excerpt(let child, let start):
      return try heard(child, at: start + frame - node.frames.lowerBound, graph)
    case .process(.reverse, let child):
      return try heard(child, at: Int64(node.frames.count) - 1 - frame, graph)
    case .mix(let children):
      let sounding = try children.compactMap { try heard($0, at: frame, graph) }
      try #require(sounding.count <= 1)
      return sounding.first
    case .convert, .process, .duck:
      throw Failure(.reportBug, "is not expected here")
    }
  }

  // MARK: Makers

  /// A time on a frame, between two, or anywhere, no later than so many fiftieths of a second.
  private mutating func time(upTo fiftieths: Double, _ rate: Int) -> Time {
    let scale = Int32([rate, 2 * rate, 1001, 997, 1777, 30_000].randomElement(using: &random) ?? 1)
    let most = Int64(fiftieths * Double(scale) / 50)
    return Time(value: .random(in: 1...max(1, most), using: &random), timescale: scale)
  }

  /// The same track in parts that no edit joins again.
  private mutating func split(_ track: Track, _ cuts: Int) throws -> Track {
    var parts = track
    for _ in 0..<cuts {
      let scale = Int32([1000, 997, 991, 44_100, 16_000].randomElement(using: &random) ?? 1)
      let end = parts.end.frames(atRate: Int(scale), rounding: .towardZero)
      guard end > 1 else { continue }
      let at = Time(value: .random(in: 1..<end, using: &random), timescale: scale)
      let silence = TimeRange(start: at, duration: Time(value: 1, timescale: scale))
      try parts.insertEmptyTimeRange(silence)
      for index in parts.segments.indices {
        parts.segments[index].origin = Origin(rawValue: .random(in: 1...9999, using: &random))
      }
      try parts.removeTimeRange(silence)
    }
    return parts
  }
}

private func sound(rate: Int, seconds: Int64) -> Asset {
  Asset(
    location: .file("sound.wav"), streamIndex: 0, container: "wav", codec: "pcm", sampleRate: rate,
    channelLayout: .stereo, bitDepth: 16, frameCount: seconds * Int64(rate),
    identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
}
