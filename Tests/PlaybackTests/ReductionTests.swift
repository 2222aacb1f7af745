import Diagnosis
import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine
@testable import Playback

/// A tone of 8 kHz that is loud from frame 40,000 to frame 60,000 of 100,000, and there lowered by
/// 4 dB.
@Suite("Gain reduction beside the meters") struct ReductionTests {
  private let folder = TestFolder()
  private let library = MediaLibrary()
  private static let count: Int64 = 100_000
  private static let loud = Int64(40_000)..<60_000

  private func tone(_ effects: [Effect] = []) throws -> Segment {
    let path = folder.path("tone.wav")
    // What was read must not be written again.
    if (try? readFile(path)) == nil {
      try Tool.succeed(
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
        "aevalsrc=exprs='(0.1+0.7*between(n,40000,59999))*sin(PI*n/8)':s=8000:d=12.5",
        "-c:a", "pcm_f32le", path)
    }
    let asset = try library.asset(at: FilePath(path))
    #expect(asset.frameCount == Self.count)
    var segment = Segment(
      .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero)
    segment.effects = effects
    return segment
  }

  private var limiter: Effect {
    var limiter = Effect.Limiter(ceiling: -6)
    limiter.release = Time(value: 20, timescale: 1000)
    return .limiter(limiter)
  }

  private func seconds(_ value: Int64) -> Time { Time(value: value, timescale: 1000) }

  /// A composition that is played as a part of another one.
  private func group(_ segment: Segment) -> Segment {
    let inner = Composition(tracks: [Track(segments: [segment])])
    return Segment(
      .composition(inner), source: TimeRange(start: .zero, duration: inner.duration), at: .zero)
  }

  private func item(_ segments: Segment...) throws -> PlayerItem {
    try PlayerItem(
      Composition(tracks: [Track(name: "tone", segments: segments, timePitchAlgorithm: .varispeed)]
      ),
      library: library)
  }

  /// What is shown while blocks of an item are heard at a rate: of the whole, or of so many frames
  /// from each of some places on.
  private func shown(
    _ item: PlayerItem, at rate: Int? = nil, from places: [Int64] = [0], count: Int64 = .max
  ) throws -> [(frames: Range<Int64>, reductions: [GainReduction])] {
    let format = rate.map {
      SinkFormat(
        sampleRate: $0, channelCount: 1, encoding: .float32, periodFrames: 480, bufferFrames: 960)
    }
    let renderer = try ItemRenderer(item, for: format, CancellationFlag())
    var shown: [(Range<Int64>, [GainReduction])] = []
    for place in places {
      try renderer.seek(to: place)
      let end = min(renderer.frameCount, place + min(count, Self.count))
      while renderer.position < end {
        let first = renderer.position
        try renderer.read(renderer.block.capacity, before: end)
        let meters = renderer.meters(endingAt: 0)
        shown.append((first..<renderer.position, meters.reductions))
      }
    }
    return shown
  }

  /// Whether the only reduction is that of the loud frames, in blocks that are well within them, or
  /// well without.
  private func expect(
    _ shown: [(frames: Range<Int64>, reductions: [GainReduction])], loud: Range<Int64>,
    _ name: String, margin: Int64 = 1600
  ) {
    var (inside, outside) = (0, 0)
    for (frames, reductions) in shown {
      guard let gain = reductions.first?.gain, reductions.count == 1 else {
        Issue.record("\(name): \(reductions)")
        return
      }
      let isLoud = loud.contains(frames.lowerBound) && loud.contains(frames.upperBound - 1)
      let near = loud.lowerBound - margin..<loud.upperBound + margin
      if isLoud { inside += 1 }
      if !near.overlaps(frames) { outside += 1 }
      guard isLoud ? abs(gain + 4.15) > 0.2 : !near.overlaps(frames) && gain != 0 else { continue }
      Issue.record("\(name): \(gain) dB at \(frames)")
      return
    }
    #expect(inside > 5 && outside > 5, "\(name)")
  }

  @Test("a limiter is shown while the sound that it lowers is heard, wherever that is placed")
  func placed() throws {
    let limited = try tone([limiter])
    expect(try shown(item(limited)), loud: Self.loud, "whole")
    expect(try shown(item(limited), at: 16_000), loud: 80_000..<120_000, "other device")
    // From 3.75 s on, at 1 s.
    var cut = limited
    cut.source = TimeRange(start: seconds(3750), end: seconds(10_000))
    cut.target = TimeRange(start: seconds(1000), duration: seconds(6250))
    expect(try shown(item(cut)), loud: 18_000..<38_000, "cut")
    var reversed = group(limited)
    reversed.isReversed = true
    expect(try shown(item(reversed)), loud: 40_000..<60_000, "reversed whole")
    reversed.source = TimeRange(start: seconds(5000), end: seconds(12_500))
    reversed.target = TimeRange(start: .zero, duration: seconds(7500))
    expect(try shown(item(reversed)), loud: 40_000..<60_000, "reversed")
    var fast = group(limited)
    fast.target = TimeRange(start: .zero, duration: seconds(6250))
    expect(try shown(item(fast)), loud: 20_000..<30_000, "fast")
    let part = Export(
      name: "part", composition: Composition(tracks: [Track(segments: [limited])]),
      timeRange: TimeRange(start: seconds(2000), end: seconds(12_000)),
      outputs: [Output(path: "x.wav", format: .wav(.float32), sampleRate: 16_000)])
    expect(
      try shown(PlayerItem(part, library: library)), loud: 48_000..<88_000, "part", margin: 3200)
  }

  @Test("a jump, and a short loop, show what is heard there")
  func jumps() throws {
    let item = try item(tone([limiter]))
    let places = [50_000, 10_000, 45_000, 44_000, 70_000, 59_000, 58_500, 20_000] as [Int64]
    expect(try shown(item, from: places, count: 1024), loud: Self.loud, "jumps")
    let loop = Array(repeating: Int64(50_000), count: 10)
    for (_, reductions) in try shown(item, from: loop, count: 300) {
      #expect(abs(reductions[0].gain + 4.15) < 0.2)
    }
  }

  @Test("sound that is rendered ahead for a duck is shown when it is heard, and so is the duck")
  func ahead() throws {
    var ducking = AudioDucking(under: ["voice"], by: 12, attack: seconds(1500))
    (ducking.hold, ducking.release) = (seconds(200), seconds(400))
    ducking.threshold = Gain(decibels: -15)
    let item = try PlayerItem(
      Composition(tracks: [
        Track(name: "music", segments: [tone()], ducking: ducking),
        Track(name: "voice", segments: [tone([limiter])]),
      ]), library: library)
    #expect(item.reductions == [GainReduction(.duck, track: 0), GainReduction(.limiter, track: 1)])
    let shown = try shown(item)
    expect(
      shown.map { ($0.frames, $0.reductions.filter { $0.reducer == .limiter }) },
      loud: Self.loud, "voice")
    // It falls straight in decibels, from 1.5 s before the voice on.
    for (frames, reductions) in shown {
      guard frames.lowerBound < 60_000 else { break }
      let last = Double(frames.upperBound - 1 - 28_000) / 12_000
      let expected = -12 * max(0, min(1, last))
      // It begins one or two steps of 10 ms early; a block has pieces of 64 ms.
      try #require(reductions[0].gain <= expected + 0.01 && reductions[0].gain > expected - 0.8)
    }
    #expect(shown.last?.reductions == item.reductions)
  }

  @Test("the limiter of a loudness is shown as it lowers a real voice")
  func loudness() throws {
    let asset = try library.asset(at: FilePath(Fixture.path("voice-8k.wav")))
    let segment = Segment(
      .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero)
    var export = Export(
      name: "voice", composition: Composition(tracks: [Track(segments: [segment])]),
      outputs: [Output(path: "x.wav", format: .wav(.float32))])
    let plain = try PlayerItem(export, library: library)
    #expect(plain.reductions.isEmpty)
    export.loudness = LoudnessTarget(.integrated(-12), truePeak: -1)
    let item = try PlayerItem(ExportSession(export, library: library).measured())
    #expect(item.reductions == [GainReduction(.limiter)])
    let gain = try #require(item.graph.normalizations.first?.normalization.solution?.gain)
    let (before, after) = (try plain.exported(), try item.exported())
    let factor = Float(gain.factor)
    func least(_ frames: Range<Int64>) -> Double {
      let gains = frames.clamped(to: 0..<Int64(before.count)).map { frame -> Float in
        let sample = before[Int(frame)] * factor
        return abs(sample) < 0.01 ? 1 : after[Int(frame)] / sample
      }
      return LevelReading.decibels(Double(gains.min() ?? 1))
    }
    var lowest = 0.0
    for (frames, reductions) in try shown(item) {
      let near = frames.lowerBound - 512..<frames.upperBound + 512
      try #require(reductions[0].gain <= least(frames) + 0.01)
      // Where a loud frame is near whose sample is small.
      try #require(reductions[0].gain >= least(near) - 0.5)
      lowest = min(lowest, reductions[0].gain)
    }
    #expect(lowest < -3)
  }

  @Test("one figure for each kind of each track, tracks first; an entry of one track has no name")
  func kinds() throws {
    let compressor = Effect.compressor(Effect.Compressor(threshold: -40, ratio: 4))
    let both = try tone([compressor, limiter])
    var later = try tone([limiter])
    later.target = TimeRange(start: seconds(12_500), duration: later.source.duration)
    #expect(
      try item(both, later).reductions == [GainReduction(.compressor), GainReduction(.limiter)])
    #expect(try item(tone()).reductions.isEmpty)
    #expect(
      try item(tone([.gate(Effect.Gate()), .leveler(Effect.Leveler())])).reductions.isEmpty)
    let item = try PlayerItem(
      Composition(tracks: [
        Track(name: "a", segments: [try tone(), later]), Track(name: "b", segments: [both]),
        Track(name: "off", segments: [both], isEnabled: false),
      ]), library: library)
    #expect(
      item.reductions == [
        GainReduction(.limiter, track: 0), GainReduction(.compressor, track: 1),
        GainReduction(.limiter, track: 1),
      ])
    // Of a tone of -23 and -4.9 dB, whose level is measured up to 2 dB higher between its waves.
    let shown = try shown(item)
    let soft = shown.first { $0.frames.contains(30_000) }?.reductions.map(\.gain) ?? []
    let loud = shown.first { $0.frames.contains(55_000) }?.reductions.map(\.gain) ?? []
    #expect((-14.5 ... -12.7).contains(soft[1]) && (-28 ... -26.3).contains(loud[1]))
    #expect(soft[0] == 0 && soft[2] == 0 && loud[0] == 0 && loud[2] == 0)
  }

  @Test("a player shows the reduction of what it plays, and none without meters")
  func player() throws {
    let item = try item(tone([limiter]))
    for isMetered in [true, false] {
      let device = MemoryDevice(rate: 8000, holdingAt: 50_000)
      let player = try Player(item, opening: device.opener)
      player.isMeteringEnabled = isMetered
      #expect(player.meters.reductions.isEmpty)
      player.play()
      try device.waitUntilPlayed(50_000)
      var place = Player.MeterPlace()
      var found: PlayerMeters?
      try wait(until: "something was heard") {
        found = player.meters(since: &place)
        return found != nil
      }
      #expect(found?.reductions.count == (isMetered ? 1 : 0))
      if isMetered { #expect(abs((found?.reductions[0].gain ?? 0) + 4.15) < 0.2) }
    }
  }
}
