import Glibc
import TestSupport
import Testing

@testable import Dynamics

@Suite("The leveler") struct LevelerTests {
  private func leveled(
    _ sound: [[Float]], target: Double = -23, range: Double = 12, rate: Int, from start: Int? = nil,
    seed: UInt64 = 1
  ) -> [[Float]] {
    let rider = Leveler(target: target, range: range, sampleRate: rate)
      .rider(weights: sound.map { _ in 1 })
    return ride(rider, sound, from: start ?? -rider.grid, seed: seed)
  }

  private func voice(_ name: String, rate: Int) throws -> [Float] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path(name), "-f", "f32le", "-ac", "1", "-ar",
      "\(rate)", "-"
    ).floats
  }

  private func loudness(_ sound: some Collection<Float>, rate: Int) throws -> Double {
    try Tool.libebur128([Array(sound)], rate: rate).integrated
  }

  @Test(
    "A voice whose middle is 15 dB quieter comes out at one loudness",
    arguments: ["voice-8k.wav", "librivox-sonnet.mp3"])
  func uneven(name: String) throws {
    let rate = 16_000
    var sound = try voice(name, rate: rate)
    let third = sound.count / 3
    for index in third..<2 * third { sound[index] *= 0.1778 }
    let output = leveled([sound], rate: rate)[0]
    #expect(output.count == sound.count)
    let parts = try (0..<3).map { part in
      try loudness(output[(part * third)..<((part + 1) * third)], rate: rate)
    }
    #expect(parts.allSatisfy { abs($0 + 23) < 3 }, "\(parts)")
    // Nothing moves.
    #expect(Signal.correlation(output[..<third], sound[..<third]) > 0.9)
    // A gain that is slow: at most 12 dB and a half in a second.
    let gains = zip(output, sound).map { $1 == 0 ? nil : Double($0 / $1) }
    for start in stride(from: 0, to: sound.count - rate, by: rate / 4) {
      guard let first = gains[start], let last = gains[start + rate] else { continue }
      #expect(abs(20 * log10(last / first)) < 12.5)
    }
  }

  @Test("Steady noise, a tone and silence stay as they are")
  func noVoices() {
    let rate = 8000
    let noise = Signal.noise(seed: 1, count: 12 * rate, amplitude: 0.01)
    let tone = Signal.sine(frequency: 440, sampleRate: rate, count: 12 * rate)
    for sound in [noise, tone, [Float](repeating: 0, count: 12 * rate)] {
      #expect(leveled([sound], rate: rate) == [sound])
    }
  }

  @Test("In a pause the gain goes from one voice's to the next's, and to 0 dB where none is near")
  func pauses() throws {
    let rate = 8000
    let voice = try voice("voice-8k.wav", rate: rate).prefix(5 * rate).map { $0 * 0.15 }
    let noise = Signal.noise(seed: 1, count: 25 * rate, amplitude: 0.0005)
    var sound = noise
    for index in voice.indices {
      sound[index] += voice[index]
      sound[7 * rate + index] += voice[index]
    }
    let output = leveled([sound], rate: rate)[0]
    func gain(at second: Double) -> Double {
      let range = Int(second * Double(rate))..<Int((second + 0.1) * Double(rate))
      return Signal.gain(of: output[range], over: sound[range])
    }
    let (first, pause, second) = (gain(at: 4), gain(at: 6), gain(at: 8))
    #expect(first > 8 && second > 8 && abs(pause - (first + second) / 2) < 2)
    // Behind the last word.
    #expect(gain(at: 13) < second && gain(at: 16) < second / 2)
    #expect(output.suffix(6 * rate).elementsEqual(sound.suffix(6 * rate)))
  }

  @Test("The range is the most that it changes, and channels keep their balance")
  func range() throws {
    let rate = 8000
    let voice = try voice("voice-8k.wav", rate: rate).prefix(10 * rate).map { $0 * 0.1 }
    let output = leveled([voice, voice.map { $0 / 4 }], range: 5, rate: rate)
    let gains = zip(output[0], voice).compactMap { $1 == 0 ? nil : 20 * log10($0 / $1) }
    #expect(gains.allSatisfy { $0 > 0 && $0 <= 5 } && gains.contains { $0 > 4.5 })
    #expect(output[1] == output[0].map { $0 / 4 })
  }

  @Test("A pass from anywhere gives the slice of the whole", arguments: [8000, 11_025])
  func slices(rate: Int) throws {
    let voice = try voice("voice-8k.wav", rate: rate)
    let sound = [voice.indices.map { voice[$0] * ($0 / (4 * rate) % 2 == 0 ? 1 : 0.2) }]
    let whole = leveled(sound, rate: rate)[0]
    let leveler = Leveler(target: -23, range: 12, sampleRate: rate)
    let grid = rate / 10 * 10
    for (step, seed) in [(1, 2), (7, 3), (13, 4)] as [(Int, UInt64)] {
      let part = leveled(sound, rate: rate, from: step * grid, seed: seed)[0]
      #expect(
        part.dropFirst(leveler.reach).elementsEqual(whole.dropFirst(step * grid + leveler.reach)))
    }
    let end = 20 * rate
    let cut = leveled([Array(sound[0][..<(end + leveler.lookAhead)])], rate: rate)[0]
    #expect(cut[..<end] == whole[..<end])
  }

  @Test("Low and high rates have a leveler", arguments: [1000, 192_000])
  func rates(rate: Int) {
    let noise = Signal.noise(seed: 1, count: 9 * rate / 4, amplitude: 0.3)
    let sound = noise.indices.map { noise[$0] * ($0 * 2 / rate % 2 == 0 ? 1 : 0.01) }
    let gains = zip(leveled([sound], rate: rate)[0], sound).map { $1 == 0 ? 0.3 : $0 / $1 }
    #expect(gains.allSatisfy { (0.2...1.0001).contains($0) } && gains.contains { $0 < 0.7 })
  }

  @Test("Its loudness is that of the meters", arguments: [8000, 44_100, 96_000])
  func weighting(rate: Int) throws {
    for frequency in [40.0, 997, 3500] {
      let tone = Signal.sine(frequency: frequency, sampleRate: rate, count: 2 * rate)
      var filter = KWeighting(sampleRate: rate)
      let energy = tone.withUnsafeBufferPointer { samples in
        samples.baseAddress.map { filter.energy($0, count: samples.count) } ?? 0
      }
      let own = 10 * log10(energy / Double(tone.count)) - 0.691
      #expect(abs(own - (try loudness(tone, rate: rate))) < 0.1)
    }
  }
}
