import Foundation
import Loudness
import MediaComposition
import TestSupport
import Testing

@Suite("Measuring in chunks") struct ChunkMeterTests {
  @Test(
    "tones of EBU Tech 3341 have their loudness",
    arguments: [
      (1, [(-23.0, 20.0)], -23.0), (2, [(-33, 20)], -33),
      (3, [(-36, 10), (-23, 60), (-36, 10)], -23),
      (4, [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], -23),
      (5, [(-26, 20), (-20, 20.1), (-26, 20)], -23),
    ] as [(Int, [(Double, Double)], Double)])
  func integrated(number: Int, tones: [(Double, Double)], expected: Double) throws {
    let tone = tone(tones)
    let found = measured([tone, tone])
    #expect(abs(try #require(found.integrated) - expected) <= 0.05)
    if tones.count == 1 {
      #expect(abs(try #require(found.maximumMomentary) - expected) <= 0.05)
      #expect(abs(try #require(found.maximumShortTerm) - expected) <= 0.05)
    }
  }

  @Test("surrounds count 1.5 dB more, as in case 6 of EBU Tech 3341, and low frequencies not")
  func surround() throws {
    let (front, centre, back) = (tone([(-28, 20)]), tone([(-24, 20)]), tone([(-30, 20)]))
    let positions: [LoudnessMeter.Position] = [.front, .front, .front, .surround, .surround]
    let found = measured([front, front, centre, back, back], positions)
    #expect(abs(try #require(found.integrated) + 23) <= 0.05)
    let low = tone([(0, 20)])
    let with = measured([front, front, centre, low, back, back], positions + [.ignored])
    // The order does not matter to the sum, but the low frequencies' place does.
    #expect(with.integrated != found.integrated)
    let placed = measured(
      [front, front, centre, low, back, back],
      [.front, .front, .front, .ignored, .surround, .surround])
    #expect(placed.integrated == found.integrated)
    #expect(try #require(placed.samplePeak) > -0.001)
  }

  @Test("a short-term loudness that only looks uneven is even (EBU Tech 3341, case 9)")
  func shortTerm() throws {
    let tone = tone((0..<5).flatMap { _ in [(-20, 1.34), (-30, 1.66)] })
    let found = measured([tone, tone])
    #expect(abs(try #require(found.maximumShortTerm) + 23) <= 0.1)
  }

  @Test("three seconds of a tone are found wherever they begin (EBU Tech 3341, case 10)")
  func shortTermOffsets() throws {
    for delay in stride(from: 0, to: 3, by: 0.45) {
      let tone = tone([(-200, delay), (-23, 3), (-200, 1)])
      let found = measured([tone, tone])
      #expect(abs(try #require(found.maximumShortTerm) + 23) <= 0.1, "\(delay)")
    }
  }

  @Test("400 ms of a tone are found wherever they begin (EBU Tech 3341, case 13)")
  func momentaryOffsets() throws {
    for delay in Array(stride(from: 0, to: 0.4, by: 0.02)) + [0.0037, 0.1051, 0.2749] {
      let tone = tone([(-200, delay), (-23, 0.4), (-200, 1)])
      let found = measured([tone, tone])
      #expect(abs(try #require(found.maximumMomentary) + 23) <= 0.1, "\(delay)")
    }
  }

  @Test(
    "tones of EBU Tech 3342 have their loudness range",
    arguments: [
      ([(-20.0, 20.0), (-30, 20)], 10.0), ([(-20, 20), (-15, 20)], 5),
      ([(-40, 20), (-20, 20)], 20), ([(-50, 20), (-35, 20), (-20, 20), (-35, 20), (-50, 20)], 15),
    ] as [([(Double, Double)], Double)])
  func range(tones: [(Double, Double)], expected: Double) {
    let tone = tone(tones)
    #expect(abs(measured([tone, tone]).range - expected) <= 0.2)
  }

  @Test(
    "chunks add up to what libebur128 measures of the whole",
    arguments: [8000, 11_025, 22_050, 44_100, 48_000, 96_000])
  func agreesWithTheWhole(rate: Int) throws {
    // Loud and quiet, with a constant part and clicks, across the chunks' borders.
    let count = 23 * rate + 123
    var sound = Signal.noise(seed: UInt64(rate), count: count, amplitude: 0.3)
    for index in sound.indices {
      let second = index / rate
      sound[index] = sound[index] * (second % 7 < 3 ? 0.05 : 1) + 0.2
      if index % (10 * rate) < 2 { sound[index] = 0.99 }
    }
    let other = Signal.noise(seed: 7, count: count, amplitude: 0.1)
    let found = measured([sound, other], rate: rate)
    let whole = try Tool.libebur128([sound, other], rate: rate)
    #expect(abs(try #require(found.integrated) - whole.integrated) < 0.02)
    #expect(abs(try #require(found.maximumMomentary) - (whole.momentary ?? 0)) < 0.01)
    #expect(abs(try #require(found.maximumShortTerm) - (whole.shortTerm ?? 0)) < 0.01)
    #expect(abs(try #require(found.samplePeak) - (whole.samplePeak ?? 0)) < 1e-5)
    #expect(abs(try #require(found.truePeak) - whole.truePeak) < 1e-3)
  }

  @Test("the lengths of chunks leave no trace beside the last bits")
  func lengths() throws {
    let sound = Signal.noise(seed: 3, count: 48_000 * 9 + 777, amplitude: 0.4).map { $0 + 0.3 }
    let whole = measured([sound], chunk: 20)
    for chunk in [1, 2, 5] {
      let found = measured([sound], chunk: chunk)
      #expect(abs(try #require(found.integrated) - (whole.integrated ?? 0)) < 1e-9)
      #expect(abs(try #require(found.maximumMomentary) - (whole.maximumMomentary ?? 0)) < 1e-9)
      #expect(found.truePeak == whole.truePeak)
      #expect(abs(try #require(found.rms) - (whole.rms ?? 0)) < 1e-9)
    }
  }

  @Test("a peak behind a sound's last sample counts")
  func tail() throws {
    // A quarter of the rate at 45 degrees: the highest peak lies between the last two samples.
    var sound = [Float](repeating: 0, count: 48_000)
    sound[47_998] = 0.7
    sound[47_999] = 0.7
    let found = measured([sound])
    let padded = measured([sound + [Float](repeating: 0, count: 480)])
    #expect(found.truePeak == padded.truePeak)
    #expect(try #require(found.truePeak) > (found.samplePeak ?? 0) + 1)
  }

  // MARK: RMS and noise floor

  @Test("RMS counts all channels, and the noise floor is that of the quietest half second")
  func powers() throws {
    let found = measured([tone([(-20, 4), (-60, 0.5), (-20, 4)]), tone([(-200, 8.5)])])
    // A sine's mean square is half of its peak's; of two channels one is silent.
    #expect(abs(try #require(found.rms) + 26.283) < 0.01)
    #expect(abs(try #require(found.noiseFloor) + 66.02) < 0.02)
  }

  @Test("half a second of digital silence has no level")
  func digitalSilence() {
    let pause = tone([(-20, 2)]) + [Float](repeating: 0, count: 24_000) + tone([(-20, 2)])
    #expect(measured([pause]).noiseFloor == nil)
    let short = tone([(-20, 2)]) + [Float](repeating: 0, count: 23_000) + tone([(-20, 2)])
    #expect(measured([short]).noiseFloor != nil)
  }

  // MARK: Odd sounds

  @Test("silence has no figures, and neither has a sound without frames")
  func silence() {
    for count in [0, 1, 4800, 480_000] {
      var found = measured([[Float](repeating: 0, count: count)])
      found.statistics = .init()
      #expect(found == .none, "\(count)")
    }
  }

  @Test("a sound that is shorter than a block is one block")
  func short() throws {
    for seconds in [0.3, 0.011, 0.005] {
      let tone = tone([(-20, seconds)])
      let found = measured([tone, tone])
      // The filter has not settled in a few milliseconds.
      #expect(abs(try #require(found.integrated) + 20) < (seconds < 0.1 ? 3 : 0.1), "\(seconds)")
      #expect(found.maximumMomentary == nil && found.maximumShortTerm == nil && found.range == 0)
      #expect(abs(try #require(found.noiseFloor) - (found.rms ?? 0)) < 1e-9)
    }
  }

  @Test("a constant has a level and hardly any loudness")
  func constant() throws {
    let found = measured([[Float](repeating: 0.5, count: 48_000 * 12)])
    #expect(abs(try #require(found.rms) + 6.02) < 0.01)
    #expect(abs(try #require(found.noiseFloor) + 6.02) < 0.01)
    // Its beginning is a step, which the filter hears; from the next block on there is nothing.
    #expect(try #require(found.integrated) < -15)
    #expect(found.statistics.blocks.counts.reduce(0, +) < 8)
  }

  @Test("full-scale squares have true peaks above their samples")
  func squares() throws {
    let square = (0..<480_000).map { Float($0 / 24 % 2 == 0 ? 1 : -1) }
    let found = measured([square])
    #expect(found.samplePeak == 0 && found.rms == 0)
    #expect((1.0...3).contains(try #require(found.truePeak)))
    let whole = try Tool.libebur128([square], rate: 48_000)
    #expect(abs(try #require(found.integrated) - whole.integrated) < 0.02)
  }

  @Test("one sample is a peak")
  func impulse() throws {
    var sound = [Float](repeating: 0, count: 48_000)
    sound[31_337] = -1
    let found = measured([sound])
    #expect(found.samplePeak == 0)
    #expect(try #require(found.truePeak) >= 0)
    #expect(abs(try #require(found.rms) + 10 * log10(48_000)) < 1e-9)
    #expect(found.noiseFloor == nil)
  }

  @Test("a rate too low for the K-weighting has levels, and no loudness")
  func lowRate() throws {
    let found = measured([Signal.noise(seed: 1, count: 40_000)], rate: 2000)
    #expect(found.integrated == nil && found.maximumMomentary == nil && found.range == 0)
    #expect(found.rms != nil && found.truePeak != nil)
  }

  @Test("more channels than libebur128 has are measured, too")
  func manyChannels() throws {
    let quiet = tone([(-40, 3)])
    let found = measured(Array(repeating: quiet, count: 100), rate: 48_000)
    #expect(abs(try #require(found.integrated) - (-43 + 20)) < 0.05)
  }

  @Test("samples that are no numbers are found", arguments: [Float.nan, .infinity])
  func notFinite(sample: Float) throws {
    let meter = try ChunkMeter(sampleRate: 48_000, positions: [.front])
    var sound = Signal.noise(seed: 1, count: 4800)
    sound[1234] = sample
    sound.withUnsafeMutableBufferPointer { sound in
      var planes = sound.baseAddress.map { [$0] } ?? []
      meter.add(&planes, count: sound.count)
    }
    #expect(!meter.finish(isLast: true).isFinite)
  }
}

/// A sine of 1 kHz at 48 kHz, with levels in dBFS and lengths in seconds.
private func tone(_ parts: [(Double, Double)]) -> [Float] {
  let frames = parts.map { Int(($0.1 * 48_000).rounded()) }
  var sound = Signal.sine(
    frequency: 1000, sampleRate: 48_000, count: frames.reduce(0, +), amplitude: 1)
  var start = 0
  for (part, count) in zip(parts, frames) {
    let factor = part.0 <= -200 ? 0 : Float(pow(10, part.0 / 20))
    sound.withUnsafeMutableBufferPointer { samples in
      var index = start
      while index < start + count {
        samples[index] *= factor
        index += 1
      }
    }
    start += count
  }
  return sound
}

/// Measures planar sound in chunks of some seconds, in blocks as a renderer gives them.
private func measured(
  _ channels: [[Float]], _ positions: [LoudnessMeter.Position]? = nil, rate: Int = 48_000,
  chunk seconds: Int = 10
) -> LoudnessMeasurement {
  var levels = LevelAccumulator(sampleRate: rate, channelCount: channels.count)
  var storage = channels
  let starts = storage.indices.compactMap { channel in
    storage[channel].withUnsafeMutableBufferPointer(\.baseAddress)
  }
  let count = channels[0].count
  func planes(at frame: Int) -> [UnsafeMutablePointer<Float>] { starts.map { $0 + frame } }
  withExtendedLifetime(storage) {
    for start in stride(from: 0, to: count, by: seconds * rate) {
      guard
        let meter = try? ChunkMeter(
          sampleRate: rate, positions: positions ?? channels.map { _ in .front })
      else { continue }
      let before = min(start, rate * ChunkMeter.warmUp / 1000)
      var earlier = planes(at: start - before)
      meter.warmUp(&earlier, count: before)
      let end = min(start + seconds * rate, count)
      for place in stride(from: start, to: end, by: 4096) {
        var block = planes(at: place)
        meter.add(&block, count: min(4096, end - place))
      }
      levels.add(meter.finish(isLast: end == count))
    }
  }
  return levels.measurement
}

extension LoudnessMeasurement {
  /// Of silence.
  fileprivate static let none = LoudnessMeasurement(
    integrated: nil, maximumMomentary: nil, maximumShortTerm: nil, range: 0, truePeak: nil,
    samplePeak: nil, rms: nil, noiseFloor: nil)
}
