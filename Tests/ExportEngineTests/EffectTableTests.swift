import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import ExportEngine

/// The rows of the table of effects: nothing moves, and the sound is what its formula gives.
@Suite("The table of effects")
struct EffectTableTests {
  let stage = Stage()

  /// Each effect with nearly no change of a sound.
  static let gentle: [Effect] = [
    .highpass(frequency: 5), .lowpass(frequency: 3999),
    .equalizer([
      Effect.Band(frequency: 1000, gain: 0.1), Effect.Band(.lowShelf, frequency: 100, gain: -0.1),
      Effect.Band(.highShelf, frequency: 3000, gain: 0.1),
    ]),
    .compressor(Effect.Compressor(threshold: -20, ratio: 1.01)),
    .gate(Effect.Gate(threshold: -120, range: 10)),
    .deesser(Effect.Deesser(intensity: 0.05, reduction: 1)),
    .dehum(Effect.Dehum(frequency: 50)), .denoise(reduction: 0.01), .declick(rarely),
    .delay(softly),
    .limiter(Effect.Limiter(ceiling: -1)), .leveler(Effect.Leveler(target: -10)),
  ]

  private static var softly: Effect.Delay {
    var delay = Effect.Delay()
    delay.mix = 0.01
    return delay
  }

  private static var rarely: Effect.Declick {
    var declick = Effect.Declick()
    declick.threshold = 100
    return declick
  }

  @Test(
    "every effect leaves a sound where it is, to its last frame",
    arguments: [8000, 44_100, 48_000, 96_000])
  func lag(rate: Int) throws {
    let count = rate + 333
    var click = [Float](repeating: 0, count: count)
    let place = rate * 2 / 3 + 7
    click[place] = 0.9
    let noise = Signal.noise(seed: 8, count: count, amplitude: 0.3)
    let asset = try stage.sound([noise, click], rate: rate)
    for effect in Self.gentle {
      // What a lowpass takes of noise is no lag.
      if case .lowpass = effect, rate > 8000 { continue }
      let sound = try stage.render(composition(filtered(asset, effect)))
      #expect(sound[0].count == count)
      let (start, end) = (rate / 20, count - 300)
      #expect(Signal.correlation(sound[0][start...], noise[start...]) > 0.98, "\(effect)")
      #expect(Signal.correlation(sound[0][end...], noise[end...]) > 0.95, "\(effect)")
      let loudest = sound[1].indices.max { abs(sound[1][$0]) < abs(sound[1][$1]) }
      #expect(loudest == place, "\(effect)")
    }
  }

  @Test("each of six channels is filtered as it would be alone")
  func channels() throws {
    let channels = (0..<6).map {
      Signal.noise(seed: UInt64($0) + 20, count: 20_000, amplitude: 0.2)
    }
    let asset = try stage.sound(channels, rate: 48_000)
    for effect in Self.gentle {
      switch effect {
      // One gain for all channels, or the noise of all.
      case .compressor, .gate, .denoise: continue
      default: break
      }
      let all = try stage.render(composition(filtered(asset, effect)))
      #expect(all.count == 6)
      for channel in [0, 3, 5] {
        let alone = try stage.sound(
          [channels[channel]], rate: 48_000, name: "\(effect.hashValue) \(channel).wav")
        #expect(
          try stage.render(composition(filtered(alone, effect)))[0] == all[channel], "\(effect)")
      }
    }
  }

  @Test("effects without a lag give what ffmpeg gives, at any rate and in any block")
  func equalsFFmpeg() throws {
    var (compressor, gate) = (Effect.Compressor(threshold: -30, ratio: 4), Effect.Gate())
    (compressor.makeup, compressor.mix, compressor.knee) = (6, 0.75, 12)
    (gate.threshold, gate.range) = (-30, 40)
    let cases: [(Effect, String)] = [
      (
        .compressor(compressor),
        "acompressor=threshold=0.0316227766:ratio=4:attack=10:release=100:knee=3.98107170553:"
          + "makeup=1.99526231497:mix=0.75:link=maximum"
      ),
      (
        .gate(gate),
        "agate=threshold=0.0316227766:range=0.01:ratio=2.5:attack=5:release=200:"
          + "knee=1.99526231497:link=maximum"
      ),
      (.deesser(Effect.Deesser(intensity: 0.8, reduction: 24)), "deesser=i=0.8:m=0.5"),
      (
        .dehum(Effect.Dehum(frequency: 1000)),
        [1000, 2000, 3000].map { "bandreject=f=\($0):t=h:w=2:precision=f64" }
          .joined(separator: ",")
      ),
    ]
    for (effect, spelled) in cases {
      let oracle = try Tool.succeed(
        "ffmpeg", "-v", "error", "-i", Fixture.path("voice-8k.wav"), "-af",
        "aformat=sample_fmts=fltp,\(spelled),aformat=sample_fmts=flt", "-f", "f32le", "-"
      ).floats
      let sound = try stage.render(
        composition(filtered(try stage.fixture("voice-8k.wav"), effect)))[0]
      #expect(sound.count == oracle.count)
      #expect(sound.largestDifference(from: oracle) < 1e-5, "\(effect)")
    }
  }

  @Test("bands have the response of the cookbook's biquads", arguments: [8000, 44_100, 96_000])
  func bands(rate: Int) throws {
    var click = [Float](repeating: 0, count: 2 * rate)
    click[0] = 1
    let asset = try stage.sound([click], rate: rate)
    let bands = [
      Effect.Band(frequency: 3000, gain: 4, q: 1.4), Effect.Band(frequency: 250, gain: -12, q: 8),
      Effect.Band(.lowShelf, frequency: 120, gain: -6),
      Effect.Band(.highShelf, frequency: 2500, gain: 9, q: 0.5),
    ]
    for band in bands.map({ [$0] }) + [bands] {
      let response = try stage.render(composition(filtered(asset, .equalizer(band))))[0]
      for frequency in [31.0, 120, 200, 250, 300, 1000, 2500, 3000, 3700] {
        let formula = band.map { $0.decibels(at: frequency, rate: rate) }.reduce(0, +)
        #expect(
          abs(level(of: response, at: frequency, rate: rate) - formula) < 0.05,
          "\(band) at \(frequency) Hz")
      }
    }
  }

  @Test("a compressor's curve is straight on both sides of its knee, and one for all channels")
  func compressor() throws {
    var compressor = Effect.Compressor(threshold: -20, ratio: 4)
    (compressor.knee, compressor.makeup) = (6, 3)
    for (level, expected) in [(-40.0, -37.0), (-24, -21), (-16, -16), (-8, -14), (0, -12)] {
      let (loud, quiet) = (square(level), square(level - 30))
      let asset = try stage.sound([quiet, loud], rate: 48_000, name: "\(level).wav")
      let sound = try stage.render(composition(filtered(asset, .compressor(compressor))))
      let rest = 40_000..<48_000
      #expect(abs(decibels(sound[1][rest]) - expected) < 0.05, "\(level) dB")
      #expect(abs(decibels(sound[0][rest]) - (expected - 30)) < 0.05, "\(level) dB")
    }
  }

  @Test("a gate lowers what is below its threshold, by its range at most")
  func gate() throws {
    var gate = Effect.Gate(threshold: -40, range: 30)
    (gate.ratio, gate.knee) = (3, 0)
    for (level, expected) in [(-10.0, -10.0), (-39, -39), (-45, -55), (-50, -70), (-60, -90)] {
      let asset = try stage.sound([square(level)], rate: 48_000, name: "\(level).wav")
      let sound = try stage.render(composition(filtered(asset, .gate(gate))))[0]
      #expect(abs(decibels(sound[90_000..<96_000]) - expected) < 0.1, "\(level) dB")
    }
  }

  @Test("a deesser lowers 6 to 9 kHz while it is strong, and nothing else")
  func deesser() throws {
    let rate = 48_000
    let effect = Effect.deesser(Effect.Deesser(intensity: 0.6, reduction: 12))
    for (frequency, amplitude, range) in [
      (300.0, Float(0.3), -0.05...0.05), (1000, 0.3, -0.2...0.05), (6000, 0.3, -14 ... -6),
      (7500, 0.3, -14 ... -6), (9000, 0.3, -14 ... -6), (7500, 0.003, -0.05...0.05),
    ] as [(Double, Float, ClosedRange<Double>)] {
      let tone = Signal.sine(
        frequency: frequency, sampleRate: rate, count: 2 * rate, amplitude: amplitude)
      let asset = try stage.sound([tone], rate: rate, name: "\(frequency) \(amplitude).wav")
      let sound = try stage.render(composition(filtered(asset, effect)))[0]
      let gain = Signal.gain(of: sound[rate...], over: tone[rate...])
      #expect(range.contains(gain), "\(frequency) Hz: \(gain) dB")
    }
  }

  @Test("a hum goes with its harmonics, and a tone between them stays", arguments: [8000, 48_000])
  func dehum(rate: Int) throws {
    for hum in [50.0, 60] {
      let effect = Effect.dehum(Effect.Dehum(frequency: hum))
      for (factor, range) in [
        (1.0, -300 ... -30.0), (2, -300 ... -30), (7, -300 ... -30), (10, -300 ... -30),
        (1.5, -0.1...0.1), (9.5, -0.1...0.1), (11, -0.1...0.1),
      ] {
        let tone = Signal.sine(frequency: factor * hum, sampleRate: rate, count: 3 * rate)
        let asset = try stage.sound([tone], rate: rate, name: "\(factor * hum).wav")
        let sound = try stage.render(composition(filtered(asset, effect)))[0]
        let gain = Signal.gain(of: sound[(2 * rate)...], over: tone[(2 * rate)...])
        #expect(range.contains(gain), "\(factor * hum) Hz: \(gain) dB")
      }
    }
  }

  @Test("clicks go, and what has none is copied", arguments: [44_100, 48_000])
  func declick(rate: Int) throws {
    // Its start would be a click.
    let clean = Signal.glide(sampleRate: rate, count: 3 * rate).enumerated().map {
      $1 * Float(min($0, 9000)) / 36_000
    }
    var clicks = clean
    for place in stride(from: rate / 3, to: 3 * rate - 400, by: rate / 7) {
      for frame in place..<place + 5 { clicks[frame] += frame % 2 == 0 ? 0.3 : -0.2 }
    }
    let asset = try stage.sound([clean, clicks], rate: rate)
    let sound = try stage.render(composition(filtered(asset, .declick(Effect.Declick()))))
    #expect(sound[0] == clean)
    func error(_ samples: [Float]) -> [Float] { zip(samples, clean).map { $0 - $1 } }
    #expect(Signal.gain(of: error(sound[1]), over: error(clicks)) < -25)
  }

  @Test("every effect gives the same from any start, and for any size of blocks")
  func anywhere() throws {
    let asset = try stage.fixture("feelings.ogg")
    for effect in Self.gentle {
      var segment = filtered(asset, effect)
      segment = Segment(
        segment.content,
        source: TimeRange(
          start: Time(value: 1, timescale: 3), duration: Time(value: 2, timescale: 1)), at: .zero)
      segment.effects = [effect]
      let whole = try stage.render(composition(segment))
      #expect(try stage.render(composition(segment), block: 333) == whole, "\(effect)")
      let part = try stage.render(composition(segment), from: Time(value: 2, timescale: 3))
      #expect(part[1].elementsEqual(whole[1].dropFirst(29_400)), "\(effect)")
    }
  }

  private func filtered(_ asset: Asset, _ effect: Effect) -> Segment {
    var segment = clip(asset)
    segment.effects = [effect]
    return segment
  }

  /// Two seconds of a square wave at 48 kHz: its level is the same at every frame.
  private func square(_ decibels: Double) -> [Float] {
    let level = Float(pow(10, decibels / 20))
    return (0..<96_000).map { $0 / 24 % 2 == 0 ? level : -level }
  }

  private func decibels(_ samples: ArraySlice<Float>) -> Double {
    let energy = samples.reduce(0) { $0 + Double($1) * Double($1) }
    return 10 * log10(energy / Double(samples.count))
  }

  /// The gain of an impulse response at a frequency, by the definition of Fourier's transform.
  private func level(of response: [Float], at frequency: Double, rate: Int) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in response.enumerated() {
      let angle = 2 * Double.pi * frequency * Double(index) / Double(rate)
      real += Double(sample) * cos(angle)
      imaginary += Double(sample) * sin(angle)
    }
    return 10 * log10(real * real + imaginary * imaginary)
  }
}

extension Effect.Band {
  /// Its gain at a frequency by the Audio EQ Cookbook's formulas.
  fileprivate func decibels(at place: Double, rate: Int) -> Double {
    let w = 2 * Double.pi * frequency / Double(rate)
    let (a, c, alpha) = (pow(10, gain / 40), cos(w), sin(w) / (2 * q))
    let numerator: [Double]
    let denominator: [Double]
    let sign = shape == .highShelf ? -1.0 : 1
    if shape == .peak {
      numerator = [1 + alpha * a, -2 * c, 1 - alpha * a]
      denominator = [1 + alpha / a, -2 * c, 1 - alpha / a]
    } else {
      let root = 2 * a.squareRoot() * alpha
      let (plus, minus) = (a + 1, a - 1)
      numerator = [
        a * (plus - sign * minus * c + root), sign * 2 * a * (minus - sign * plus * c),
        a * (plus - sign * minus * c - root),
      ]
      denominator = [
        plus + sign * minus * c + root, -sign * 2 * (minus + sign * plus * c),
        plus + sign * minus * c - root,
      ]
    }
    func power(_ coefficients: [Double]) -> Double {
      let angle = 2 * Double.pi * place / Double(rate)
      var (real, imaginary) = (0.0, 0.0)
      for (index, coefficient) in coefficients.enumerated() {
        real += coefficient * cos(angle * Double(index))
        imaginary -= coefficient * sin(angle * Double(index))
      }
      return real * real + imaginary * imaginary
    }
    return 10 * log10(power(numerator) / power(denominator))
  }
}
