import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Levels")
struct LevelTests {
  private let count = 10_000

  @Test("a pan keeps the power at every position, is exact in the centre, and silences a side")
  func constantPower() {
    for step in -1000...1000 {
      let position = Float(step) / 1000
      let sides = apply(Level(pan: .init(position)), to: ones(2, 1))
      let power = Double(sides[0][0] * sides[0][0]) + Double(sides[1][0] * sides[1][0])
      #expect(abs(power - 2) < 1e-6)
    }
    #expect(apply(Level(pan: .init(0)), to: ones(2, 1)) == [[1], [1]])
    #expect(apply(Level(pan: .init(-1)), to: ones(2, 1)) == [[Float(2).squareRoot()], [0]])
    #expect(apply(Level(pan: .init(1)), to: ones(2, 1)) == [[0], [Float(2).squareRoot()]])
  }

  @Test("a pan leaves the middle alone and moves every pair")
  func surround() {
    let panned = apply(
      Level(pan: .init(-1)), to: ones(6, 1), layout: ChannelLayout(mask: 0x3F))
    let root = Float(2).squareRoot()
    #expect(panned == [[root], [0], [1], [1], [root], [0]])
    let heights = apply(
      Level(pan: .init(-1)), to: ones(4, 1), layout: ChannelLayout(mask: 0x1_3800))
    #expect(heights == [[1], [root], [1], [1]])
  }

  @Test(
    "what a level does to a frame is what the slow twin says, however blocks are cut",
    arguments: 0..<24)
  func equalsTheTwin(seed: UInt64) {
    var random = Dice(seed)
    let level = randomLevel(&random)
    let sound = (0..<2).map { Signal.noise(seed: seed + UInt64($0), count: count) }
    let whole = apply(level, to: sound)
    let cut = apply(level, to: sound, blocks: [1, 4096, 77, 3, 1000])
    #expect(cut == whole)
    for frame in 0..<count {
      let gain = level.envelopes.reduce(Double(level.gain)) { $0 * slow($1, Int64(frame)) }
      let angle = (level.pan.map { slow($0, Int64(frame)) } ?? 0) * .pi / 4 + .pi / 4
      let sides = [cos(angle) * 2.0.squareRoot(), sin(angle) * 2.0.squareRoot()]
      for channel in 0..<2 {
        let wanted = Double(sound[channel][frame]) * gain * sides[channel]
        #expect(abs(Double(whole[channel][frame]) - wanted) < 2e-6 * max(1, abs(gain)))
      }
    }
  }

  @Test("an inverted polarity changes the sign and nothing else")
  func polarity() {
    let sound = [Signal.noise(seed: 1, count: 100)]
    #expect(apply(Level(gain: -1), to: sound, layout: .mono) == sound.map { $0.map { -$0 } })
  }

  @Test("silence stays silence on every curve that begins and ends there")
  func silence() {
    for curve in VolumeCurve.allCases {
      let ramp = Level.Ramp(frames: 10..<90, start: 0, end: 0, curve: curve)
      let level = Level(envelopes: [.init(0, [ramp])])
      #expect(apply(level, to: ones(2, 100))[0].allSatisfy { $0 == 0 })
    }
  }

  @Test("a matrix weighs before anything else")
  func matrix() {
    let swapped = Level(
      matrix: ChannelMatrix(from: .stereo, to: .mono), gain: 2)
    // Mono's one row weighs both channels into the first.
    let result = apply(swapped, to: [[0.5, 1], [0.25, 0]])
    #expect(result[0] == [0.75, 1])
  }

  @Test("a linear cross-fade of a file with itself is the file, to 2 parts in 2²⁴")
  func crossfade() throws {
    let stage = Stage()
    let asset = try stage.fixture("feelings.ogg")
    let range = TimeRange(start: .zero, duration: Time(frames: 441_001, rate: 44_100))
    var down = clip(asset, 0..<441_001)
    down.mix.envelopes = [VolumeEnvelope([VolumeRamp(from: .unity, to: .silence, over: range)])]
    var up = down
    up.mix.envelopes = [VolumeEnvelope([VolumeRamp(from: .silence, to: .unity, over: range)])]
    let crossed = try stage.render(
      Composition(tracks: [Track(segments: [down]), Track(segments: [up])]))
    let plain = try stage.render(composition(clip(asset, 0..<441_001)))
    var (worst, differing) = (Float(0), 0)
    for (a, b) in zip(crossed.joined(), plain.joined()) {
      worst = max(worst, abs(a - b) / max(abs(b), 1e-9))
      if (a * 32_768).rounded() != (b * 32_768).rounded() { differing += 1 }
    }
    #expect(worst <= 2.5 / 16_777_216)
    // Only samples that lie on the border of two 16-bit values.
    #expect(differing <= 3)
  }

  // MARK: Support

  private func ones(_ channels: Int, _ count: Int) -> [[Float]] {
    Array(repeating: Array(repeating: 1, count: count), count: channels)
  }

  private func apply(
    _ level: Level, to sound: [[Float]], layout: ChannelLayout = .stereo, blocks: [Int] = []
  ) -> [[Float]] {
    let applier = LevelApplier(level, layout)
    var result = sound
    var (start, index) = (0, 0)
    while start < sound[0].count {
      let size = blocks.isEmpty ? sound[0].count : blocks[index % blocks.count]
      let frames = start..<min(start + size, sound[0].count)
      let buffer = AudioBuffer(channelCount: sound.count, capacity: frames.count)
      buffer.frameCount = frames.count
      for channel in sound.indices {
        for frame in frames { buffer.planes[channel][frame - start] = sound[channel][frame] }
      }
      applier.apply(to: buffer, at: 0, frames: Int64(frames.lowerBound)..<Int64(frames.upperBound))
      for channel in sound.indices {
        result[channel].replaceSubrange(frames, with: buffer.samples(channel))
      }
      (start, index) = (frames.upperBound, index + 1)
    }
    return result
  }

  private func randomLevel(_ random: inout Dice) -> Level {
    func envelope(_ values: ClosedRange<Float>, _ curves: [VolumeCurve]) -> Level.Envelope {
      let borders = (0..<Int.random(in: 0...5, using: &random) * 2)
        .map { _ in Int64.random(in: -500...Int64(count) + 500, using: &random) }.sorted()
      let ramps = stride(from: 0, to: borders.count, by: 2).map { index in
        Level.Ramp(
          frames: borders[
            index]..<(Bool.random(using: &random) ? borders[index + 1] : borders[index]),
          start: Float.random(in: values, using: &random),
          end: Float.random(in: values, using: &random),
          curve: curves.randomElement(using: &random) ?? .linear)
      }
      return Level.Envelope(Float.random(in: values, using: &random), ramps)
    }
    return Level(
      gain: Float.random(in: -2...2, using: &random),
      envelopes: (0..<Int.random(in: 0...3, using: &random)).map { _ in
        envelope(0...1, VolumeCurve.allCases)
      },
      pan: Bool.random(using: &random) ? envelope(-1...1, [.linear]) : nil)
  }

  private func slow(_ envelope: Level.Envelope, _ frame: Int64) -> Double {
    guard let ramp = envelope.ramps.last(where: { $0.frames.lowerBound <= frame }) else {
      return Double(envelope.initial)
    }
    guard ramp.frames.contains(frame) else { return Double(ramp.end) }
    let x = Double(frame - ramp.frames.lowerBound) / Double(ramp.frames.count)
    let (start, end) = (Double(ramp.start), Double(ramp.end))
    switch ramp.curve {
    case .linear: return start + (end - start) * x
    case .equalPower:
      return end >= start
        ? start + (end - start) * sin(x * .pi / 2) : end + (start - end) * cos(x * .pi / 2)
    case .exponential:
      return max(start, 1e-5) * pow(max(end, 1e-5) / max(start, 1e-5), x)
    }
  }
}
