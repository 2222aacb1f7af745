import Foundation
import MediaComposition
import TestSupport
import Testing

@Suite("Loudness of blocks") struct LoudnessHistogramTests {
  /// Energies of blocks with these loudnesses.
  private func energies(_ loudnesses: [Double]) -> [Double] {
    loudnesses.map(LoudnessHistogram.energy)
  }

  private func histogram(_ energies: [Double]) -> LoudnessHistogram {
    var counter = LoudnessHistogram.Counter()
    for energy in energies { counter.add(energy: energy) }
    return counter.histogram
  }

  /// Both gates by their definition, with every block for itself.
  private func gated(_ energies: [Double], below distance: Double) -> [Double] {
    let loud = energies.filter { $0 >= LoudnessHistogram.energy(ofLoudness: -70) }
    let mean = loud.reduce(0, +) / Double(loud.count)
    return loud.filter { $0 >= mean * pow(10, -distance / 10) }
  }

  private func random(_ seed: UInt64, count: Int = 500) -> [Double] {
    var dice = Dice(seed)
    return energies((0..<count).map { _ in -95 + 90 * Double(dice.number(0..<100_000)) / 100_000 })
  }

  @Test("gates by bins are those by blocks, but for the blocks of one bin")
  func gates() throws {
    for seed in 0..<50 {
      let energies = random(UInt64(seed))
      let blocks = gated(energies, below: 10)
      let expected = LoudnessHistogram.loudness(
        ofEnergy: blocks.reduce(0, +) / Double(blocks.count))
      #expect(abs(try #require(histogram(energies).integrated) - expected) < 0.05)
    }
  }

  @Test("the range is that between percentiles of sorted blocks")
  func ranges() {
    for seed in 0..<50 {
      let energies = random(UInt64(seed), count: 5000)
      let blocks = gated(energies, below: 20).sorted()
      func percentile(_ share: Double) -> Double {
        blocks[Int((Double(blocks.count - 1) * share).rounded())]
      }
      let expected = 10 * log10(percentile(0.95) / percentile(0.1))
      #expect(abs(histogram(energies).range - expected) < 0.2)
    }
  }

  @Test("nothing above -70 LUFS has neither loudness nor range")
  func silence() {
    for energies in [[], [0], energies([-70.05, -75, -90])] {
      #expect(histogram(energies).integrated == nil)
      #expect(histogram(energies).range == 0)
    }
  }

  @Test("blocks beyond the last bin count with their energy")
  func loudest() throws {
    #expect(abs(try #require(histogram(energies([90, 90])).integrated) - 90) < 1e-9)
  }

  private func measurement(_ energies: [Double], frames: Int64, rate: Int) -> LoudnessMeasurement {
    var statistics = LoudnessMeasurement.Statistics()
    statistics.blocks = histogram(energies)
    statistics.windows = histogram(energies)
    statistics.frames = frames
    statistics.sampleRate = rate
    statistics.power = energies.reduce(0, +) / Double(energies.count)
    return LoudnessMeasurement(
      statistics, maximumMomentary: -10, maximumShortTerm: -12, truePeak: -1, samplePeak: -2,
      noiseFloor: -50)
  }

  @Test("sounds together have the loudness of one sound of all their blocks")
  func merging() throws {
    let (a, b) = (random(1), random(2, count: 1000))
    let together = try #require(
      LoudnessMeasurement.merged([
        measurement(a, frames: 500, rate: 10), measurement(b, frames: 2000, rate: 20),
      ]))
    let whole = measurement(a + b, frames: 1500, rate: 10)
    #expect(abs(try #require(together.integrated) - (whole.integrated ?? 0)) < 1e-9)
    #expect(abs(together.range - whole.range) < 1e-9)
    #expect(abs(try #require(together.rms) - (whole.rms ?? 0)) < 1e-9)
    #expect(together.statistics.frames == 1500)
    #expect(together.truePeak == -1 && together.noiseFloor == -50)
    #expect(LoudnessMeasurement.merged([]) == nil)
  }

  @Test("silence in one of several sounds is the noise floor of all")
  func mergedFloor() throws {
    var silent = measurement([1], frames: 1, rate: 1)
    silent.noiseFloor = nil
    let all = [measurement([1], frames: 1, rate: 1), silent]
    #expect(try #require(LoudnessMeasurement.merged(all)).noiseFloor == nil)
  }

  @Test("a sound counted twice passes the gate 3 LU earlier")
  func dualMono() throws {
    // The quiet half is below the gate at -70 LUFS, and above it when it is counted twice.
    let mono = measurement(energies([-69, -69, -72, -72]), frames: 4, rate: 10)
    let dual = mono.asDualMono
    #expect(abs(try #require(mono.integrated) + 69) < 1e-9)
    let expected = 10 * log10((2 * pow(10, -6.9) + 2 * pow(10, -7.2)) / 4) + 10 * log10(2)
    #expect(abs(try #require(dual.integrated) - expected) < 1e-9)
    #expect(try #require(dual.maximumMomentary) == -10 + 10 * log10(2))
    #expect(dual.rms == mono.rms && dual.truePeak == mono.truePeak)
  }

  @Test("a gain moves all figures, and blocks across the gate")
  func gain() throws {
    let sound = measurement(energies([-60, -75]), frames: 2, rate: 10)
    #expect(abs(try #require(sound.integrated) + 60) < 1e-9)
    let louder = sound.amplified(by: 6)
    #expect(abs(try #require(louder.integrated) + 54) < 1e-9)
    #expect(louder.statistics.blocks.integrated == louder.integrated)
    #expect(abs(try #require(louder.rms) - (sound.rms ?? 0) - 6) < 1e-9)
    #expect(louder.truePeak == 5 && louder.noiseFloor == -44)
    #expect(sound.amplified(by: -10.1).integrated == nil)
  }

  @Test("a measurement is the same from JSON, and a damaged one is not believed")
  func coding() throws {
    let sound = measurement(random(9), frames: 77, rate: 48_000)
    let json = try JSONEncoder().encode(sound)
    #expect(try JSONDecoder().decode(LoudnessMeasurement.self, from: json) == sound)
    #expect(sound.isPlausible)
    for (key, value) in [("bins", "-1"), ("counts", "0"), ("energies", "-2.5")] {
      let text = String(decoding: json, as: UTF8.self)
      let place = try #require(text.range(of: "\"\(key)\":["))
      let end = try #require(text[place.upperBound...].firstIndex(of: ","))
      let damaged = text.replacingCharacters(in: place.upperBound..<end, with: value)
      let read = try JSONDecoder().decode(LoudnessMeasurement.self, from: Data(damaged.utf8))
      #expect(!read.isPlausible, "\(key)")
    }
  }
}
