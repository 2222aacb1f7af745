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

/// Where sounds are silent.
@Suite("Silence")
struct SilenceTests {
  private let stage = Stage()

  private func find(
    _ asset: Asset, below decibels: Double = -50, lasting least: Time? = nil, cores: Int = 2
  ) throws -> SilenceFindings {
    try find(composition(clip(asset)), below: decibels, lasting: least, cores: cores)
  }

  private func find(
    _ composition: Composition, below decibels: Double = -50, lasting least: Time? = nil,
    cores: Int = 2
  ) throws -> SilenceFindings {
    try SoundAnalyst(library: stage.library, budget: CPUBudget(total: cores)).silences(
      SilenceSearch(in: composition, below: Gain(decibels: decibels), lasting: least))
  }

  private func texts(_ findings: SilenceFindings) -> [String] {
    findings.silences.map { "\($0)" }
  }

  /// The definition, over all of a sound at once: whether each step is silent.
  private func silentSteps(_ channels: [[Float]], rate: Int, below decibels: Double) -> [Bool] {
    var isSilent = [Bool](repeating: true, count: (channels[0].count * 100 + rate - 1) / rate)
    for channel in channels {
      for step in isSilent.indices {
        var index = step * rate / 100
        let end = min(channel.count, (step + 1) * rate / 100)
        let count = Double(end - index)
        var energy = 0.0
        while index < end {
          energy += Double(channel[index]) * Double(channel[index])
          index += 1
        }
        if 10 * log10(energy / count) >= decibels { isSilent[step] = false }
      }
    }
    return isSilent
  }

  /// The silences among steps, in time.
  private func silences(_ isSilent: [Bool], least: Int, end: Time) -> [TimeRange] {
    var found: [TimeRange] = []
    var start = 0
    for step in 0...isSilent.count {
      if step < isSilent.count, isSilent[step] { continue }
      if step > start, start == 0 || step == isSilent.count || step - start >= least {
        found.append(
          TimeRange(
            start: Time(value: Int64(start), timescale: 100),
            end: step == isSilent.count ? end : Time(value: Int64(step), timescale: 100)))
      }
      start = step + 1
    }
    return found
  }

  /// Bursts of noise between silences of many lengths, quieter and louder than -50 dB.
  private func bursts(rate: Int, count: Int, seed: UInt64) -> [Float] {
    var dice = Dice(seed)
    var samples = Signal.noise(seed: seed, count: count, amplitude: 1)
    var index = 0
    while index < count {
      let length = Int(dice.next() % UInt64(rate / 4)) + 1
      let level = [0, 1e-4, 0.004, 0.01, 0.3][Int(dice.next() % 5)] as Float
      for place in index..<min(count, index + length) { samples[place] *= level }
      index += length
    }
    return samples
  }

  @Test(
    "silences are those of the definition, at every rate, on any number of cores",
    arguments: [8000, 11_025, 22_050])
  func definition(rate: Int) throws {
    let channels = (0..<2).map {
      bursts(rate: rate, count: rate * 35 + 77, seed: UInt64(rate + $0))
    }
    let asset = try stage.sound(channels, rate: rate)
    let isSilent = silentSteps(channels, rate: rate, below: -50)
    for least in [1, 7, 20] {
      let expected = silences(isSilent, least: least, end: asset.duration)
      let found = try find(asset, lasting: Time(value: Int64(least), timescale: 100))
      #expect(found.silences == expected && expected.count > 3)
      let alone = try find(asset, lasting: Time(value: Int64(least), timescale: 100), cores: 1)
      #expect(alone == found)
    }
  }

  @Test("the ends of a sound are those of a search through all of it, however long they are")
  func ends() throws {
    let rate = 8000
    for (head, sound, tail) in [(0, 1, 0), (0.05, 0.01, 90), (70, 0.5, 0.02), (3, 40, 9)] {
      let silence = { (seconds: Double) in [Float](repeating: 0, count: Int(seconds * 8000)) }
      let noise = Signal.noise(seed: 3, count: Int(sound * Double(rate)))
      let asset = try stage.sound(
        [silence(head) + noise + silence(tail)], rate: rate, name: "\(tail).wav")
      let whole = try find(asset, lasting: Time(value: 1000, timescale: 1))
      let ends = try find(asset)
      #expect(ends.silences == whole.silences)
      #expect(ends.silences.count == (head > 0 ? 1 : 0) + (tail > 0 ? 1 : 0))
    }
  }

  @Test("a sound that is silent throughout is one silence, with its loudest level")
  func silent() throws {
    let asset = try stage.sound(
      [Signal.sine(frequency: 440, sampleRate: 44_100, count: 99_999, amplitude: 0.001)],
      rate: 44_100)
    let found = try find(asset)
    #expect(found.silences == [TimeRange(start: .zero, duration: asset.duration)])
    #expect(found.sounding(in: asset.duration) == nil)
    #expect(abs(found.loudest.decibels + 63.01) < 0.1)
    let nothing = try find(
      composition(
        Segment(
          .silence, source: TimeRange(start: .zero, duration: Time(value: 1, timescale: 1)),
          at: .zero)))
    #expect(nothing.loudest == .silence && nothing.silences.count == 1)
  }

  @Test("the loudest channel counts, at the level of the documented RMS")
  func level() throws {
    let loud = Signal.sine(frequency: 400, sampleRate: 48_000, count: 48_000, amplitude: 0.01)
    let asset = try stage.sound([[Float](repeating: 0, count: 48_000), loud], rate: 48_000)
    // -43.01 dB.
    #expect(texts(try find(asset, below: -43.1)) == [])
    #expect(texts(try find(asset, below: -42.9)) == ["0s..1s"])
  }

  @Test("codecs and filters that are rendered in order give what their whole sound has")
  func inOrder() throws {
    var segment = clip(try stage.fixture("voice-8k.wav"))
    segment.effects = [.highpass(frequency: 200)]
    let filtered = composition(segment)
    let sound = try stage.render(filtered)
    let isSilent = silentSteps(sound, rate: 8000, below: -30)
    let expected = silences(isSilent, least: .max, end: filtered.duration)
    #expect(try find(filtered, below: -30).silences == expected && !expected.isEmpty)
  }

  @Test("ffmpeg's silencedetect and SoX's silence find the same ends within 30 ms")
  func otherPrograms() throws {
    let path = stage.folder.path("talk.wav")
    try Tool.succeed(
      "sox", Fixture.path("voice-8k.wav"), path, "pad", "1.234", "0.777", "gain", "-6")
    let asset = try stage.library.asset(at: FilePath(path))
    let found = try #require(try find(asset, below: -45).sounding(in: asset.duration))
    let detected = try Tool.run(
      [
        "ffmpeg", "-hide_banner", "-i", path, "-af", "silencedetect=n=-45dB:d=0.2", "-f", "null",
        "-",
      ])
    func times(_ word: String) -> [Double] {
      detected.errors.split(separator: "\n").compactMap { line in
        guard let range = line.firstRange(of: word) else { return nil }
        return Double(line[range.upperBound...].prefix { $0 != " " && $0 != "|" })
      }
    }
    let (starts, ends) = (times("silence_start: "), times("silence_end: "))
    #expect(abs((ends.first ?? 0) - found.start.seconds) < 0.03)
    #expect(abs((starts.last ?? 0) - found.end.seconds) < 0.03)
    let trimmed = stage.folder.path("trimmed.wav")
    try Tool.succeed(
      "sox", path, trimmed, "silence", "1", "0.01", "-45d", "reverse", "silence", "1", "0.01",
      "-45d", "reverse")
    let other = try stage.library.asset(at: FilePath(trimmed))
    #expect(abs(other.duration.seconds - found.duration.seconds) < 0.06)
  }
}
