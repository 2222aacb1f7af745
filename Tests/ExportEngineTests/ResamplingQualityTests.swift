import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("The resampler's quality")
struct ResamplingQualityTests {
  static let rates = [(44_100, 48_000), (48_000, 44_100), (8000, 44_100), (192_000, 48_000)]

  @Test("the passband is flat to 0.1 dB, up to 20 kHz or 0.45 of the lower rate", arguments: rates)
  func passband(source: Int, target: Int) throws {
    let top = min(20_000, 0.45 * Double(min(source, target)))
    for share in [0.01, 0.1, 0.5, 0.9, 0.97, 1] {
      let frequency = top * share
      let tone = Signal.sine(frequency: frequency, sampleRate: source, count: source / 2)
      let output = middle(of: try resample(tone, from: source, to: target))
      let level = fit(output, to: frequency, rate: target).amplitude
      #expect(abs(20 * log10(level / 0.5)) <= 0.1, "\(frequency) Hz")
    }
  }

  @Test("full-scale tones over the whole band leave no alias above −120 dB", arguments: rates)
  func aliases(source: Int, target: Int) throws {
    // Within what both rates hold, all that is not the tone itself; beyond, all that is left.
    for step in 1...40 {
      let frequency = 0.49 * Double(source) * Double(step) / 40
      if abs(frequency / Double(target) - 0.48) < 0.023 { continue }
      let tone = Signal.sine(
        frequency: frequency, sampleRate: source, count: source / 4, amplitude: 1)
      let output = middle(of: try resample(tone, from: source, to: target))
      let rest =
        2 * frequency < Double(target)
        ? fit(output, to: frequency, rate: target).rest : output.reduce(0) { max($0, abs($1)) }
      #expect(20 * log10f(max(rest, 1e-12)) <= -120, "\(frequency) Hz")
    }
  }

  @Test("a clip that is resampled alone is the slice of the whole", arguments: rates)
  func slices(source: Int, target: Int) throws {
    let stage = Stage()
    let path = stage.folder.path("noise.wav")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anoisesrc=r=\(source):d=5:a=0.3:seed=3",
      "-c:a", "pcm_s16le", path)
    let asset = try stage.library.asset(at: FilePath(path))
    let whole = try stage.render(composition(clip(asset)), rate: target)[0]
    var dice = Dice(11)
    for _ in 0..<4 {
      let first = dice.number(0..<Int64(target) * 4)
      let source = TimeRange(
        start: Time(frames: first, rate: target), duration: Time(frames: 9999, rate: target))
      let alone = Segment(.asset(asset), source: source, at: .zero)
      let sound = try stage.render(composition(alone), rate: target)[0]
      #expect(sound.elementsEqual(whole[Int(first)..<Int(first) + 9999]))
    }
  }

  // MARK: Support

  private func resample(_ samples: [Float], from source: Int, to target: Int) throws -> [Float] {
    let ratio = FrameRatio(from: source, to: target)
    let count = ratio.target(ofSource: Int64(samples.count))
    let resampled = ResampledSource(
      ArraySource(samples), ratio, sampleRate: source, frameCount: Int64(samples.count),
      targetCount: count)
    return try resampled.samples(0..<count, inBlocksOf: Int(count))[0]
  }

  /// Away from both ends, where the sound starts and stops abruptly.
  private func middle(of sound: [Float]) -> ArraySlice<Float> {
    sound[sound.count / 5..<sound.count * 4 / 5]
  }

  /// The tone that is nearest to a sound, by least squares, and the peak of what is left without it.
  private func fit(
    _ sound: ArraySlice<Float>, to frequency: Double, rate: Int
  ) -> (amplitude: Double, rest: Float) {
    let turn = 2 * .pi * frequency / Double(rate)
    let waves = sound.indices.map { (cos(turn * Double($0)), sin(turn * Double($0))) }
    var (cc, cs, ss, xc, xs) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (wave, sample) in zip(waves, sound) {
      cc += wave.0 * wave.0
      cs += wave.0 * wave.1
      ss += wave.1 * wave.1
      xc += wave.0 * Double(sample)
      xs += wave.1 * Double(sample)
    }
    let determinant = cc * ss - cs * cs
    let (a, b) = ((xc * ss - xs * cs) / determinant, (xs * cc - xc * cs) / determinant)
    let rest = zip(waves, sound).reduce(0) {
      max($0, abs(Double($1.1) - a * $1.0.0 - b * $1.0.1))
    }
    return ((a * a + b * b).squareRoot(), Float(rest))
  }
}

/// Samples in memory, as a source.
private final class ArraySource: Sound {
  let channelCount = 1
  private let samples: [Float]

  init(_ samples: [Float]) { self.samples = samples }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) -> Int {
    let there = frames.clamped(to: 0..<Int64(samples.count))
    for (index, frame) in there.enumerated() {
      buffer.planes[0][offset + index] = samples[Int(frame)]
    }
    return there.count
  }
}
