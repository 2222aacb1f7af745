import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import ExportEngine

/// `filter: "name=arguments"`: each allowed filter keeps its promise, and mistakes are found early.
@Suite("Filters that a job describes")
struct DescribedFilterTests {
  let stage = Stage()

  /// Allowed filters that need arguments, and those with options that might move a sound.
  static let described: [String: [String]] = [
    "acompressor": ["acompressor=attack=2000:mode=upward"], "afftdn": ["afftdn=nr=0.01:nt=v:gs=20"],
    "adeclip": ["adeclip", "adeclip=m=s:w=100:o=95"], "acrusher": ["acrusher=bits=12:samples=3"],
    "aphaser": ["aphaser", "aphaser=delay=5:decay=0.9"],
    "apulsator": ["apulsator", "apulsator=timing=hz:hz=2:amount=0.5"],
    "asubboost": ["asubboost", "asubboost=delay=100"],
    "asupercut": ["asupercut=cutoff=20000:order=20"],
    "biquad": ["biquad=b0=1:b1=0.2:a0=1:a1=0.1"],
    "chorus": ["chorus=0.5:0.9:50:0.4:0.25:2"],
    "compand": ["compand", "compand=attacks=0.3:delay=0.5", "compand=delay=0.1:gain=2"],
    "equalizer": ["equalizer=f=1000:g=3"],
    "flanger": ["flanger", "flanger=delay=30:depth=10:regen=50"],
    "pan": ["pan=stereo|c0=c0|c1=0.9*c1", "pan=stereo|c0=c1|c1=c0"],
    "stereowiden": ["stereowiden", "stereowiden=delay=100"],
    "tremolo": ["tremolo", "tremolo=f=100:d=0.9"],
    "volume": ["volume=-3dB", "volume=eval=frame:volume='0.5+0.1*sin(t)'"],
  ]

  @Test(
    "every allowed filter leaves a click where it is, whatever its options",
    arguments: [8000, 48_000])
  func lag(rate: Int) throws {
    let (count, place) = (rate + 55, rate / 2 + 17)
    var click = [Float](repeating: 0, count: count)
    click[place] = 0.9
    let asset = try stage.sound([click, click], rate: rate)
    for name in FilterTable.allowed.sorted() {
      for text in Self.described[name] ?? [name] {
        let effect = Effect.filter(try FilterDescription(parsing: text))
        let sound: [Float]
        do {
          sound = try stage.render(composition(filtered(asset, effect)))[0]
        } catch let failure as Failure {
          Issue.record("\(text) at \(rate): \(failure.message)")
          continue
        }
        #expect(sound.count == count)
        guard name != "afftdn" else {
          #expect(sound.indices.max { abs(sound[$0]) < abs(sound[$1]) } == place)
          continue
        }
        let first = sound.indices.first { abs(sound[$0]) > 1e-7 }
        #expect(first == place, "\(text) at \(rate)")
      }
    }
  }

  @Test("times of a filter count in the item's own time, from any start, also behind a lag")
  func times() throws {
    let rate = 48_000
    let sound = Signal.noise(seed: 3, count: 3 * rate)
    let asset = try stage.sound([sound], rate: rate)
    // A deesser is a chain of libavfilter's apart from those before and behind it.
    let gentle = Effect.deesser(Effect.Deesser(intensity: 0.05, reduction: 1))
    for effects in [
      [], [Effect.denoise(reduction: 0.01)], [gentle], [.denoise(reduction: 0.01), gentle],
    ] {
      var segment = clip(asset, at: Time(value: 1, timescale: 2))
      segment.effects =
        effects + [.filter(try FilterDescription(parsing: "volume=0:enable='between(t,1,2)'"))]
      let whole = try stage.render(composition(segment))[0].dropFirst(rate / 2)
      let silent = whole.indices.filter { whole[$0] == 0 }.map { $0 - rate / 2 }
      // In steps of 64 frames.
      let (first, last) = (try #require(silent.first), try #require(silent.last))
      #expect(abs(first - rate) <= 64 && abs(last - 2 * rate) <= 64, "\(first) to \(last)")
      #expect(silent.count == last - first + 1)
      let part = try stage.render(composition(segment), from: Time(value: 1, timescale: 1))[0]
      #expect(part.elementsEqual(whole.dropFirst(rate / 2)))
    }
  }

  @Test("mistakes are found when a session is made, with the place of the item")
  func mistakes() throws {
    let asset = try stage.sound([Signal.noise(seed: 1, count: 480)], rate: 48_000)
    let ending = "'ffmpeg -h filter=treble' lists those that it takes"
    for (text, message) in [
      ("treble=gian=2", "FFmpeg does not take these arguments (Option not found); " + ending),
      (
        "treble=g=1e9",
        "FFmpeg does not take these arguments (Numerical result out of range); " + ending
      ),
      (
        "crossfeed",
        "takes other channels, or another rate, than the 48 kHz mono of this mix; leave it out, or "
          + "give the job other 'channels'"
      ),
      (
        "pan=stereo|c0=c0|c1=c0",
        "takes other channels, or another rate, than the 48 kHz mono of this mix; leave it out, or "
          + "give the job other 'channels'"
      ),
    ] {
      var segment = filtered(asset, .filter(try FilterDescription(parsing: text)))
      segment.origin = Origin(rawValue: 5)
      let export = Export(
        name: "x", composition: composition(segment),
        outputs: [Output(path: "x.wav", format: .wav(.float32))])
      let failure = #expect(throws: Failure.self) {
        try ExportSession(export, library: stage.library).graph()
      }
      #expect(
        failure
          == Failure(.mendJob, "filter \"\(text)\": \(message)", origin: Origin(rawValue: 5)))
    }
  }

  @Test("a row of filters gives what ffmpeg gives")
  func equalsFFmpeg() throws {
    let text = "crystalizer=i=1.5, treble=g=3:f=2000 ,volume='0.5'"
    let oracle = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path("voice-8k.wav"), "-af",
      "aformat=sample_fmts=fltp,\(text),aformat=sample_fmts=flt", "-f", "f32le", "-"
    ).floats
    let effect = Effect.filter(try FilterDescription(parsing: text))
    let sound = try stage.render(
      composition(filtered(try stage.fixture("voice-8k.wav"), effect)))[0]
    #expect(sound.count == oracle.count)
    #expect(sound.largestDifference(from: oracle) < 1e-6)
  }

  private func filtered(_ asset: Asset, _ effect: Effect) -> Segment {
    var segment = clip(asset)
    segment.effects = [effect]
    return segment
  }
}
