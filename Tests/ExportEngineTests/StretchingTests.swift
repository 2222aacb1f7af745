import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Speed")
struct StretchingTests {
  let stage = Stage()

  /// Speeds as fractions.
  static let speeds: [(Int64, Int32)] = [(1, 2), (4, 5), (21, 20), (3, 2), (2, 1)]

  @Test(
    "clicks land where they belong at any speed, and the length is exact",
    arguments: [8000, 44_100, 48_000], speeds)
  func clicks(rate: Int, speed: (Int64, Int32)) throws {
    let moments = (0..<8).map { rate / 2 + $0 * rate * 37 / 100 + $0 * $0 * 331 % (rate / 20) }
    var samples = [Float](repeating: 0, count: rate * 4 + 77)
    for moment in moments { samples[moment] = 0.9 }
    let asset = try stage.sound([samples], rate: rate)
    for (algorithm, tolerance) in [(TimePitchAlgorithm.spectral, 0.006), (.timeDomain, 0.045)] {
      let played = composition(clip(asset, speed: speed), by: algorithm)
      let sound = try stage.render(played)[0]
      #expect(Int64(sound.count) == played.duration.frames(atRate: rate))
      for moment in moments {
        let expected = moment * Int(speed.1) / Int(speed.0)
        let found = loudest(of: sound, around: expected, reach: rate / 12)
        // Of atempo's windows of a 24th to a 12th of a second, any may hold the click.
        let most = algorithm == .timeDomain && rate == 8000 ? 0.07 : tolerance
        #expect(abs(Double(found - expected)) / Double(rate) < most, "\(algorithm)")
      }
    }
  }

  @Test("ten minutes later nothing has drifted", arguments: TimePitchAlgorithm.allCases)
  func drift(algorithm: TimePitchAlgorithm) throws {
    let path = stage.folder.path("clicks.wav")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
      "aevalsrc='if(eq(mod(n,8000),4000),0.9,0)':s=8000:d=600", path)
    let asset = try stage.library.asset(at: FilePath(path))
    let sound = try stage.render(composition(clip(asset, speed: (21, 20)), by: algorithm))[0]
    #expect(sound.count == 600 * 8000 * 20 / 21 + 1)
    for second in [0, 1, 300, 598, 599] {
      let expected = (second * 8000 + 4000) * 20 / 21
      let found = loudest(of: sound, around: expected, reach: 1000)
      #expect(abs(found - expected) < (algorithm == .timeDomain ? 560 : 32))
    }
  }

  @Test(
    "pitch stays, but for varispeed, where it moves along",
    arguments: TimePitchAlgorithm.allCases, [(4, 5), (3, 2)] as [(Int64, Int32)])
  func pitch(algorithm: TimePitchAlgorithm, speed: (Int64, Int32)) throws {
    let tone = Signal.sine(frequency: 997, sampleRate: 44_100, count: 4 * 44_100)
    let sound = try stage.render(
      composition(
        clip(try stage.sound([tone], rate: 44_100), speed: speed), by: algorithm))[0]
    let middle = Array(sound[sound.count / 4..<sound.count * 3 / 4])
    let factor = algorithm == .varispeed ? Double(speed.0) / Double(speed.1) : 1
    #expect(abs(frequency(of: middle, rate: 44_100) - 997 * factor) < 1)
    // As loud as it was, too: what overlaps and phases cost is little.
    #expect(abs(Signal.gain(of: middle, over: tone[..<middle.count])) < 1)
  }

  @Test(
    "speech and music stay as loud as they are",
    arguments: ["librivox-sonnet.mp3", "feelings.ogg"],
    [(4, 5), (5, 4), (3, 2)]
      as [(Int64, Int32)])
  func level(name: String, speed: (Int64, Int32)) throws {
    let asset = try stage.fixture(name)
    let rate = asset.sampleRate
    let plain = try stage.render(composition(clip(asset, 0..<Int64(20 * rate))), rate: rate)[0]
    for algorithm in [TimePitchAlgorithm.spectral, .timeDomain] {
      let played = composition(clip(asset, 0..<Int64(20 * rate), speed: speed), by: algorithm)
      let sound = try stage.render(played, rate: rate)[0]
      func power(_ samples: [Float]) -> Double {
        samples.reduce(0) { $0 + Double($1 * $1) } / Double(samples.count)
      }
      let loss = 10 * log10(power(sound) / power(plain))
      #expect(abs(loss) < 0.5, "\(algorithm) \(loss) dB")
    }
  }

  @Test(
    "every channel is stretched alike, and blocks and starts change no bit",
    arguments: [TimePitchAlgorithm.spectral, .timeDomain], [1, 2, 6])
  func anywhere(algorithm: TimePitchAlgorithm, channelCount: Int) throws {
    let noise = Signal.noise(seed: 9, count: 60_000)
    let asset = try stage.sound(Array(repeating: noise, count: channelCount), rate: 44_100)
    let played = composition(clip(asset, 111..<59_000, speed: (9, 10)), by: algorithm)
    let layout = asset.channelLayout
    let whole = try stage.render(played, layout: layout)
    #expect(whole.count == channelCount)
    #expect(whole.allSatisfy { $0 == whole[0] })
    #expect(try stage.render(played, layout: layout, block: 501) == whole)
    var dice = Dice(14)
    for _ in 0..<3 {
      let start = Time(value: dice.number(0..<1400), timescale: 1000)
      let part = try stage.render(played, layout: layout, from: start)
      #expect(part[0].elementsEqual(whole[0].dropFirst(Int(start.frames(atRate: 44_100)))))
    }
  }

  @Test("with the same number of frames, the sound stays the same", arguments: [1, 2, 3])
  func bypass(variant: Int) throws {
    let asset = try stage.fixture("lame-testcase.wav")
    let plain = try stage.render(composition(clip(asset)))
    var inner = group(composition(clip(asset)))
    // Longer by less than a ratio can tell.
    inner.target.duration = inner.target.duration + Time(value: 1, timescale: 2_000_000_000)
    let algorithm = TimePitchAlgorithm.allCases[variant - 1]
    #expect(try stage.render(composition(inner, by: algorithm)) == plain)
  }

  @Test("slower than half, atempo is applied twice")
  func verySlow() throws {
    let tone = Signal.sine(frequency: 440, sampleRate: 8000, count: 8000)
    let asset = try stage.sound([tone], rate: 8000)
    for algorithm in [TimePitchAlgorithm.spectral, .timeDomain] {
      let sound = try stage.render(composition(clip(asset, speed: (1, 5)), by: algorithm))[0]
      #expect(sound.count == 40_000)
      #expect(abs(frequency(of: Array(sound[10_000..<30_000]), rate: 8000) - 440) < 2)
    }
  }

  // MARK: Varispeed

  @Test("a group of one clip is varied as the clip itself")
  func varispeedOfGroups() throws {
    let asset = try stage.fixture("feelings.ogg")
    for speed in [(21, 20), (7, 5), (1, 2), (1001, 1000)] as [(Int64, Int32)] {
      let alone = composition(clip(asset, speed: speed), by: .varispeed)
      var inner = group(composition(clip(asset)))
      inner.target.duration = alone.duration
      let nested = composition(inner, by: .varispeed)
      #expect(try stage.render(nested) == stage.render(alone))
    }
  }

  @Test(
    "a range of a varied sound equals the slice of the whole",
    arguments: [(21, 20), (1001, 1000), (7, 5), (1, 20), (20, 1), (44_101, 44_100)]
      as [(Int64, Int32)])
  func varispeedSlices(speed: (Int64, Int32)) throws {
    let asset = try stage.fixture("voice-8k.wav")
    let frames = 0..<asset.frameCount / 3
    let played = composition(clip(asset, frames, speed: speed), by: .varispeed)
    let whole = try stage.render(played, rate: 44_100)
    let length = Double(whole[0].count) / 44_100
    var dice = Dice(15)
    for _ in 0..<4 {
      let start = Time(value: dice.number(0..<Int64(length * 1000)), timescale: 1000)
      let part = try stage.render(played, rate: 44_100, from: start)
      #expect(part[0].elementsEqual(whole[0].dropFirst(Int(start.frames(atRate: 44_100)))))
    }
  }

  @Test("a faster and reversed clip is the faster one, reversed")
  func reversedAndVaried() throws {
    let asset = try stage.fixture("lame-testcase.wav")
    var played = clip(asset, speed: (5, 4))
    let forwards = try stage.render(composition(played, by: .varispeed))
    played.isReversed = true
    #expect(
      try stage.render(composition(played, by: .varispeed)) == forwards.map { $0.reversed() })
  }

  private func loudest(of sound: [Float], around frame: Int, reach: Int) -> Int {
    let range = max(0, frame - reach)..<min(sound.count, frame + reach)
    return range.max { abs(sound[$0]) < abs(sound[$1]) } ?? frame
  }

  /// The median of all spans of twenty cycles: rubberband now and then takes a tone's phase anew.
  private func frequency(of sound: [Float], rate: Int) -> Double {
    var rises: [Double] = []
    for index in 1..<sound.count where sound[index - 1] < 0 && sound[index] >= 0 {
      let part = Double(sound[index - 1] / (sound[index - 1] - sound[index]))
      rises.append(Double(index - 1) + part)
    }
    let spans = zip(rises, rises.dropFirst(20)).map { $1 - $0 }.sorted()
    return spans.isEmpty ? 0 : 20 / spans[spans.count / 2] * Double(rate)
  }
}
