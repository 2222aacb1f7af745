import Diagnosis
import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import ExportEngine

/// Echoes, and convolution with impulse responses.
@Suite("Delay and reverb")
struct SpaceTests {
  let stage = Stage()

  @Test("an echo is the sound after its time, and each one the part of that before")
  func echoes() throws {
    let rate = 48_000
    let sound = Signal.noise(seed: 4, count: rate)
    var delay = Effect.Delay(time: Time(value: 7001, timescale: 48_000))
    (delay.feedback, delay.mix) = (0.5, 0.25)
    var expected = [Float](repeating: 0, count: rate)
    var echoed = [Float](repeating: 0, count: rate)
    for frame in sound.indices {
      let echo = frame < 7001 ? 0 : echoed[frame - 7001]
      echoed[frame] = sound[frame] + 0.5 * echo
      expected[frame] = 0.75 * sound[frame] + 0.25 * echo
    }
    let asset = try stage.sound([sound, sound], rate: rate)
    let segment = effected(asset, .delay(delay))
    let whole = try stage.render(composition(segment))
    #expect(whole == [expected, expected])
    #expect(try stage.render(composition(segment), block: 777) == whole)
    let part = try stage.render(composition(segment), from: Time(value: 1, timescale: 3))
    #expect(part[0].elementsEqual(whole[0].dropFirst(16_000)))
  }

  @Test(
    "a reverberation is the convolution with its response", arguments: [1, 100, 4096, 20_000])
  func convolution(length: Int) throws {
    let rate = 44_100
    let dry = [Signal.noise(seed: 1, count: 30_000), Signal.glide(sampleRate: rate, count: 30_000)]
    let response = [
      decaying(Signal.noise(seed: 2, count: length)),
      decaying(Signal.noise(seed: 3, count: length)),
    ]
    let impulse = try stage.sound(response, rate: rate, name: "hall.wav")
    var settings = Effect.Reverb.Settings()
    (settings.mix, settings.gain) = (0.4, -3)
    let asset = try stage.sound(dry, rate: rate)
    let effect = Effect.reverb(Effect.Reverb(impulse: impulse, settings: settings))
    // Behind the sound there is a silence, in which the response rings out.
    var segment = group(
      Composition(tracks: [Track(segments: [clip(asset), silence(30_000..<50_000, rate)])]))
    segment.effects = [effect]
    let sound = try stage.render(composition(segment))
    #expect(sound[0].count == 50_000)
    let energy = response.map { $0.reduce(0) { $0 + Double($1) * Double($1) } }.max() ?? 1
    let level = 0.4 * pow(10, -3 / 20) / energy.squareRoot()
    for channel in 0..<2 {
      for frame in [0, 1, 77, 4095, 4096, 8192, 29_999, 30_000, 30_099, 33_000, 49_999] {
        let direct = (0..<length).reduce(0.0) { sum, tap in
          let place = frame - tap
          guard dry[channel].indices.contains(place) else { return sum }
          return sum + Double(response[channel][tap]) * Double(dry[channel][place])
        }
        let own = frame < 30_000 ? 0.6 * Double(dry[channel][frame]) : 0
        #expect(abs(Double(sound[channel][frame]) - own - level * direct) < 2e-6, "frame \(frame)")
      }
    }
    let part = try stage.render(composition(segment), from: Time(value: 20_000, timescale: 44_100))
    #expect(part[1].elementsEqual(sound[1].dropFirst(20_000)))
    #expect(try stage.render(composition(segment), block: 333) == sound)
  }

  @Test("a response of another rate and other channels keeps noise at its level")
  func conversion() throws {
    let noise = Signal.noise(seed: 6, count: 96_000)
    let impulse = try stage.sound(
      [decaying(Signal.noise(seed: 7, count: 12_000))], rate: 44_100, name: "room.wav")
    var settings = Effect.Reverb.Settings()
    settings.mix = 1
    let asset = try stage.sound([noise, noise], rate: 48_000)
    let sound = try stage.render(
      composition(
        effected(asset, .reverb(Effect.Reverb(impulse: impulse, settings: settings)))))
    #expect(sound.count == 2 && sound[0] == sound[1])
    #expect(abs(Signal.gain(of: sound[0][48_000...], over: noise[48_000...])) < 1)
  }

  @Test("a response of one channel is that of each, also of surround")
  func surround() throws {
    let channels = (0..<6).map { Signal.noise(seed: UInt64($0), count: 20_000) }
    let impulse = try stage.sound([[0, 0.5, 0, 0.25]], rate: 48_000, name: "mono.wav")
    let effect = Effect.reverb(Effect.Reverb(impulse: impulse))
    let sound = try stage.render(
      composition(effected(try stage.sound(channels, rate: 48_000), effect)))
    #expect(sound.count == 6)
    for channel in sound.indices {
      let alone = try stage.sound([channels[channel]], rate: 48_000, name: "\(channel).wav")
      #expect(try stage.render(composition(effected(alone, effect)))[0] == sound[channel])
    }
  }

  @Test("an impulse response is a source like any other")
  func source() throws {
    let asset = try stage.sound([Signal.noise(seed: 1, count: 4800)], rate: 48_000)
    let impulse = try stage.sound([[0.5, 0.25]], rate: 48_000, name: "hall.wav")
    let segment = effected(asset, .reverb(Effect.Reverb(impulse: impulse)))
    let export = Export(
      name: "x", composition: composition(segment),
      outputs: [Output(path: "x.wav", format: .wav(.float32))])
    #expect(export.composition.readAssets == [asset, impulse])
    #expect(export.composition.assets == [asset])
    let session = ExportSession(export, library: stage.library)
    let print = try session.fingerprint { $0.bytes }
    #expect(Set(print.sources.map(\.location)) == [asset.location, impulse.location])
    let silent = try stage.sound([[0, 0, 0]], rate: 48_000, name: "silent.wav")
    let failure = #expect(throws: Failure.self) {
      try stage.render(composition(effected(asset, .reverb(Effect.Reverb(impulse: silent)))))
    }
    #expect(failure?.message == "is silent; an impulse response has a sound")
    #expect(failure?.location == silent.location && failure?.remedy == .mendInput)
  }

  private func effected(_ asset: Asset, _ effect: Effect) -> Segment {
    var segment = clip(asset)
    segment.effects = [effect]
    return segment
  }

  private func decaying(_ noise: [Float]) -> [Float] {
    noise.enumerated().map { $1 * exp(-4 * Float($0) / Float(noise.count)) }
  }

  private func silence(_ frames: Range<Int64>, _ rate: Int) -> Segment {
    Segment(
      .silence,
      source: TimeRange(start: .zero, duration: Time(frames: Int64(frames.count), rate: rate)),
      at: Time(frames: frames.lowerBound, rate: rate))
  }
}
