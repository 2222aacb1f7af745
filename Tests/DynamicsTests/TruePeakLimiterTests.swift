import Glibc
import TestSupport
import Testing

@testable import Dynamics

@Suite("The true-peak limiter") struct TruePeakLimiterTests {
  private func limited(
    _ sound: [[Float]], ceiling: Double = -1, release: Double = 60, rate: Int = 48_000,
    from start: Int = -1024, seed: UInt64 = 1
  ) -> [[Float]] {
    let limiter = TruePeakLimiter(ceiling: ceiling, release: release, sampleRate: rate)
    return ride(limiter.rider(channelCount: sound.count), sound, from: start, seed: seed)
  }

  // MARK: Peaks

  @Test(
    "no meter finds a peak above the ceiling",
    arguments: Material.names.flatMap { [($0, 8000), ($0, 44_100)] }
      + [("sweep", 96_000), ("clipped noise", 96_000)])
  func ceiling(name: String, rate: Int) throws {
    let sound = Material.sound(name, rate: rate, count: 16_000)
    for (drive, ceiling) in [(Float(1), -1.0), (7, -3)] {
      let driven = sound.map { $0.map { $0 * drive } }
      let output = limited(driven, ceiling: ceiling, rate: rate)
      let peak = try peaks(output, rate: rate)
      #expect(peak.library <= ceiling && peak.ffmpeg <= ceiling, "\(drive): \(peak)")
      // Not far below it, either: the highest peak is taken down as far as it must be.
      #expect(max(peak.library, peak.ffmpeg) > ceiling - 0.3, "\(drive): \(peak)")
    }
  }

  @Test(
    "of real sounds neither", arguments: ["feelings.ogg", "librivox-sonnet.mp3", "voice-8k.wav"],
    [(44_100, 1), (48_000, 2), (192_000, 1)])
  func recordings(name: String, format: (rate: Int, channels: Int)) throws {
    let sound = try recording(name, rate: format.rate, channels: format.channels, seconds: 2)
    for (drive, ceiling) in [(Float(2), -1.0), (8, -2)] {
      let driven = sound.map { $0.map { $0 * drive } }
      let peak = try peaks(
        limited(driven, ceiling: ceiling, rate: format.rate), rate: format.rate)
      #expect(peak.library <= ceiling && peak.ffmpeg <= ceiling, "\(drive): \(peak)")
    }
  }

  @Test("the loudest samples that there are come out at the ceiling")
  func loudest() {
    var sound = [[Float](repeating: 0.001, count: 20_000)]
    for (index, sample) in [(3000, Float(1e30)), (9000, .greatestFiniteMagnitude), (9001, -3e38)] {
      sound[0][index] = sample
    }
    let output = limited(sound, release: 600)[0]
    let ceiling = Float(pow(10, -1.0 / 20))
    #expect(output.allSatisfy { abs($0) <= ceiling })
    #expect(abs(output[3000]) > ceiling * 0.97)
    #expect(output.suffix(2000) == sound[0].suffix(2000))
  }

  // MARK: What is left alone

  @Test(
    "below the ceiling every sample is as it was",
    arguments: [(8000, 1), (44_100, 2), (96_000, 6), (192_000, 8)])
  func exact(rate: Int, channels: Int) {
    let sound = (0..<channels).map { channel in
      Signal.noise(seed: UInt64(channel) << 32, count: 20_000, amplitude: 0.35)
    }
    #expect(limited(sound, rate: rate) == sound)
    let tone = [Signal.sine(frequency: 997, sampleRate: rate, count: 20_000, amplitude: 0.7)]
    #expect(limited(tone, rate: rate) == tone)
  }

  @Test("a click stays in its place, and all channels have one gain")
  func place() {
    var click = [Float](repeating: 0, count: 30_000)
    click[15_001] = 4
    let steady = [Float](repeating: 0.01, count: 30_000)
    let output = limited([click, steady])
    #expect(output[0].indices.filter { output[0][$0] != 0 } == [15_001])
    #expect(abs(20 * log10(output[0][15_001]) + 1.1) < 0.001)
    #expect(abs(output[1][15_001] / 0.01 - output[0][15_001] / 4) < 1e-6)
  }

  @Test("the gain falls over 5 ms, holds for 15 ms, and rises by the release")
  func course() {
    var sound = [Float](repeating: 0.001, count: 48_000)
    sound[9600] = 8
    let gains = limited([sound])[0].map { 20 * log10(Double($0) / 0.001) }
    let depth = -20 * log10(8.0) - 1.1
    // 240 frames, and the reach of the filter that sees it.
    #expect(gains[..<(9600 - 272)].allSatisfy { abs($0) < 1e-5 })
    #expect(gains[9500] < -1 && gains[9400] > depth / 2)
    #expect(gains[9601...(9600 + 720)].allSatisfy { abs($0 - depth) < 1e-3 })
    for milliseconds in [50, 100, 200, 300] {
      let expected = depth + 60 * (Double(milliseconds - 15) / 1000 - 0.0025)
      #expect(abs(gains[9600 + 48 * milliseconds] - expected) < 0.1)
    }
    #expect(zip(gains[9601...], gains[9602...]).allSatisfy { $0 < $1 + 1e-5 })
    #expect(gains.suffix(100).allSatisfy { abs($0) < 1e-5 })
  }

  @Test("a bass far above the ceiling keeps its form")
  func bass() {
    let sound = [Signal.sine(frequency: 41, sampleRate: 48_000, count: 96_000, amplitude: 2)]
    let output = limited(sound)[0][24_000..<72_000]
    let input = sound[0][24_000..<72_000]
    let gain = pow(10, Signal.gain(of: output, over: input) / 20)
    #expect(zip(output, input).allSatisfy { abs(Double($0) - gain * Double($1)) < 1e-4 })
  }

  // MARK: From anywhere

  @Test(
    "a pass from anywhere gives the slice of the whole",
    arguments: [(8000, 1), (44_100, 2), (48_000, 8), (192_000, 1)])
  func slices(rate: Int, channels: Int) {
    var dice = Dice(UInt64(rate))
    let limiter = TruePeakLimiter(ceiling: -2, release: 400, sampleRate: rate)
    let count = 2 * limiter.reach + 40_000
    let sound = (0..<channels).map { channel in
      let noise = Signal.noise(seed: UInt64(channel) << 40, count: count, amplitude: 1)
      return noise.indices.map { noise[$0] * Float(1.1 + sin(Double($0) / 5000)) }
    }
    let whole = limited(sound, ceiling: -2, release: 400, rate: rate)
    for seed in 0..<UInt64(3) {
      let start = Int(dice.number(1..<Int64(count - limiter.reach) / 32)) * 32
      let part = limited(
        sound, ceiling: -2, release: 400, rate: rate, from: start, seed: seed)
      for channel in sound.indices {
        #expect(
          part[channel].dropFirst(limiter.reach).elementsEqual(
            whole[channel].dropFirst(start + limiter.reach)))
      }
    }
    // The sound after a slice, and after what it takes to know it, does not count.
    let end = count - 20_000
    let cut = limited(
      sound.map { Array($0[..<(end + limiter.lookAhead)]) }, ceiling: -2, release: 400, rate: rate)
    #expect(zip(cut, whole).allSatisfy { $0[..<end] == $1[..<end] })
  }

  @Test("how much of a sound a frame depends on is known")
  func memory() {
    let limiter = TruePeakLimiter(ceiling: -1, release: 60, sampleRate: 48_000)
    // 15 ms of holding, 100 dB of release, 5 ms of attack, two blocks.
    #expect(abs(limiter.reach - (720 + 80_000 + 240 + 64)) < 20)
    #expect(limiter.lookAhead == 16 + 238 + 64)
  }

  // MARK: Twin

  @Test("it does what its definition says", arguments: [8000, 44_100, 96_000])
  func twin(rate: Int) {
    let noise = Signal.noise(seed: 5, count: 4000, amplitude: 1)
    let sound = noise.indices.map { noise[$0] * Float(0.2 + 2 * pow(sin(Double($0) / 900), 8)) }
    let output = limited([sound], ceiling: -1, release: 300, rate: rate)[0]
    let gains = SlowLimiter(ceiling: -1, release: 300, sampleRate: rate).gains(sound)
    #expect(gains.contains { $0 < 0.6 })
    for (index, gain) in gains.enumerated() {
      #expect(abs(Double(output[index]) - gain * Double(sound[index])) < 1e-4)
    }
  }

  // MARK: Meters

  private func recording(
    _ name: String, rate: Int, channels: Int, seconds: Int
  ) throws -> [[Float]] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-t", "\(seconds)", "-i", Fixture.path(name), "-f", "f32le", "-ac",
      "\(channels)", "-ar", "\(rate)", "-"
    ).floats.channels(channels)
  }

  /// dBTP by FFmpeg's meter, with three digits, and by libebur128.
  private func peaks(_ sound: [[Float]], rate: Int) throws -> (ffmpeg: Double, library: Double) {
    let folder = TestFolder()
    let silence = [Float](repeating: 0, count: rate / 5)
    let sound = sound.map { $0 + silence }
    var samples = [Float](repeating: 0, count: sound.count * sound[0].count)
    for (index, channel) in sound.enumerated() {
      for frame in channel.indices { samples[frame * sound.count + index] = channel[frame] }
    }
    try writeFile(folder.path("sound"), samples.withUnsafeBytes { Array($0) })
    let told = try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "f32le", "-ar", "\(rate)", "-ac", "\(sound.count)", "-i",
      folder.path("sound"), "-af", "ebur128=peak=true:metadata=1,ametadata=print:file=-", "-f",
      "null", "-"
    ).text
    let values = told.split(separator: "\n").compactMap { line in
      line.contains("true_peaks_ch") ? line.split(separator: "=").last.flatMap { Double($0) } : nil
    }
    return (20 * log10(values.max() ?? 0), try Tool.libebur128(sound, rate: rate).truePeak)
  }

}

/// The limiter by its definition, in double precision, and slowly.
private struct SlowLimiter {
  let level: Double
  let release: Double
  let sampleRate: Int
  /// Coefficients for 15 samples before to 16 after, of each value between two samples.
  let kernels: [[Double]]

  init(ceiling: Double, release: Double, sampleRate: Int) {
    level = pow(10, (ceiling - 0.1) / 20)
    (self.release, self.sampleRate) = (release, sampleRate)
    func bessel(_ x: Double) -> Double {
      (1...60).reduce((sum: 1.0, term: 1.0)) { now, index in
        let term = now.term * pow(x / 2 / Double(index), 2)
        return (now.sum + term, term)
      }.sum
    }
    func kernel(_ place: Double, _ window: (Double) -> Double) -> [Double] {
      (-15...16).map { tap in
        let distance = Double(tap) - place
        return sin(.pi * distance) / (.pi * distance) * window(distance)
      }
    }
    let (steps, width) = sampleRate < 96_000 ? (16, 6.0) : (4, 12)
    kernels =
      (1..<steps).map { step in
        kernel(Double(step) / Double(steps)) { distance in
          bessel(9 * max(0, 1 - distance * distance / 256).squareRoot()) / bessel(9)
        }
      }
      + [0.25, 0.5, 0.75].map { place in
        kernel(place) { abs($0) < width ? pow(cos(.pi * $0 / width / 2), 2) : 0 }
      }
  }

  func gains(_ sound: [Float]) -> [Double] {
    // Room for silence on both sides.
    let room = 4000
    let silence = [Double](repeating: 0, count: room)
    let samples = silence + sound.map(Double.init) + silence
    var demands = [Double](repeating: 0, count: samples.count)
    for frame in room - 40..<room + sound.count + 40 {
      let peak = kernels.reduce(abs(samples[frame])) { most, kernel in
        max(most, abs(zip(kernel, samples[(frame - 15)...]).reduce(0) { $0 + $1.0 * $1.1 }))
      }
      if peak > Double(Float(level)) { demands[frame] = -20 * log10(peak / level) }
    }
    let length = (sampleRate / 200 + 1) / 2
    let (before, after) = (16 + 2 * length - 2, sampleRate * 3 / 200)
    var released = [0.0]
    for frame in before..<samples.count - before {
      let least = demands[max(0, frame - after)...(frame + before)].min() ?? 0
      released.append(min(least, (released.last ?? 0) + release / Double(sampleRate)))
    }
    // `released[i]` is that of frame `before + i - 1`; the triangle lies before a frame.
    let weights = (0...(2 * length - 2)).map { Double(min($0 + 1, 2 * length - 1 - $0)) }
    return sound.indices.map { index in
      let place = index + room - before + 1
      var sum = 0.0
      for (offset, weight) in weights.enumerated() where place - offset >= 0 {
        sum += weight * released[place - offset]
      }
      return pow(10, sum / Double(length * length) / 20)
    }
  }
}
