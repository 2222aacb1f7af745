import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Effects")
struct EffectTests {
  let stage = Stage()

  @Test(
    "filters without a lag give what ffmpeg gives",
    arguments: [
      ([Effect.highpass(frequency: 80)], "highpass=f=80:precision=f64"),
      (
        [.lowpass(frequency: 2500), .highpass(frequency: 200)],
        "lowpass=f=2500:precision=f64,highpass=f=200:precision=f64"
      ),
    ])
  func equalsFFmpeg(effects: [Effect], spelled: String) throws {
    let oracle = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path("voice-8k.wav"), "-af",
      "aformat=sample_fmts=fltp,\(spelled),aformat=sample_fmts=flt", "-f", "f32le", "-"
    ).floats
    var filtered = clip(try stage.fixture("voice-8k.wav"))
    filtered.effects = effects
    let sound = try stage.render(composition(filtered))[0]
    #expect(sound.count == oracle.count)
    #expect(sound.largestDifference(from: oracle) < 1e-6)
  }

  @Test(
    "denoising takes the noise and moves nothing, at any rate",
    arguments: [8000, 11_025, 22_050, 44_100, 48_000, 96_000])
  func denoise(rate: Int) throws {
    let count = rate + 333
    let noise = Signal.noise(seed: 4, count: count, amplitude: 0.001)
    let tone = Signal.glide(sampleRate: rate, count: count)
    let sound = zip(noise, tone).map { $0 + $1 }
    var filtered = clip(try stage.sound([sound], rate: rate))
    filtered.effects = [.denoise(reduction: 0.01)]
    let same = try stage.render(composition(filtered))[0]
    #expect(same.count == count)
    // So little is taken away that every frame, the last ones too, is what it was.
    let ends = rate / 20..<count
    #expect(Signal.correlation(same[ends], sound[ends]) > 0.99999)
    #expect(Signal.correlation(same[(count - 500)...], sound[(count - 500)...]) > 0.999)

    var quiet = clip(try stage.sound([noise], rate: rate, name: "noise.wav"))
    quiet.effects = [.denoise(reduction: 12)]
    let reduced = try stage.render(composition(quiet))[0]
    let gain = Signal.gain(of: reduced[(rate / 2)...], over: noise[(rate / 2)...])
    #expect(abs(gain + 12) < 0.5)
  }

  @Test("filtered sound is the same from any start, and for any size of blocks")
  func anywhere() throws {
    var filtered = clip(try stage.fixture("feelings.ogg"), 10_000..<300_000)
    filtered.effects = [
      .highpass(frequency: 80), .denoise(reduction: 9), .lowpass(frequency: 9000),
    ]
    let whole = try stage.render(composition(filtered))
    #expect(whole[0].count == 290_000)
    #expect(try stage.render(composition(filtered), block: 333) == whole)
    let part = try stage.render(composition(filtered), from: Time(value: 5, timescale: 3))
    #expect(part[1].elementsEqual(whole[1].dropFirst(73_500)))
  }

  @Test("a lowpass above half of the mix's rate changes nothing")
  func lowpassAboveAll() throws {
    let asset = try stage.fixture("voice-8k.wav")
    var filtered = clip(asset)
    filtered.effects = [.lowpass(frequency: 4000)]
    #expect(try stage.render(composition(filtered)) == stage.render(composition(clip(asset))))
  }
}
