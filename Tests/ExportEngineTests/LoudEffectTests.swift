import Diagnosis
import ExportGraph
import MediaComposition
import TestSupport
import Testing

@testable import ExportEngine

/// Effects of sound above full scale, which a mix of floats holds between two effects.
@Suite("Effects of sound above full scale")
struct LoudEffectTests {
  let stage = Stage()

  private static let usual = Effect.deesser(Effect.Deesser(intensity: 0.8, reduction: 24))

  private static func described(_ text: String) throws -> Effect {
    .filter(try FilterDescription(parsing: text))
  }

  @Test(
    "a deesser makes no peak higher, whatever the level in front of it",
    arguments: [8000, 44_100, 96_000], [Float(1), 1.3, 2, 60])
  func deesserAmplifiesNothing(rate: Int, amplitude: Float) throws {
    let count = rate / 2
    let tone = Signal.sine(
      frequency: Double(rate) / 7, sampleRate: rate, count: count, amplitude: amplitude)
    let square = (0..<count).map { $0 / 5 % 2 == 0 ? amplitude : -amplitude }
    let noise = Signal.noise(seed: 11, count: count, amplitude: amplitude)
    for (name, before) in [("tone", tone), ("square", square), ("noise", noise)] {
      let highest = max(1, before.map(abs).max() ?? 0)
      let asset = try stage.sound([before], rate: rate, name: "\(name).wav")
      for effect in [Self.usual, try Self.described("deesser=i=1"), try Self.described("deesser")] {
        let sound = try stage.render(composition(filtered(asset, effect)))[0]
        #expect(sound.count == count)
        #expect(sound.allSatisfy { abs($0) <= highest * 1.000_01 }, "\(effect) of \(name)")
      }
    }
  }

  @Test(
    "a deesser gets a sound within full scale, and what is beyond passes beside it",
    arguments: [
      "deesser=i=0.8:m=0.5", "deesser=0.8:0.5:0.5:o", "deesser=s=i", "deesser=i=0.8:s=e",
      "deesser=0.8:0.5:0.5:e", "deesser=i=0.8:s=2",
    ])
  func deesserOfFFmpeg(text: String) throws {
    let rate = 48_000
    let sound = Signal.noise(seed: 12, count: rate, amplitude: 3)
    let clipped = sound.map { min(max($0, -1), 1) }
    let within = try stage.sound([clipped], rate: rate, name: "clipped.wav")
    let oracle = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", stage.folder.path("clipped.wav"), "-af",
      "aformat=sample_fmts=fltp,\(text),aformat=sample_fmts=flt", "-f", "f32le", "-"
    ).floats
    // What it takes from a sound is nothing of the part that it does not get.
    let isDifference = text.hasSuffix("e") || text.hasSuffix("2")
    let expected = isDifference ? oracle : zip(oracle, zip(sound, clipped)).map { $0 + $1.0 - $1.1 }
    let asset = try stage.sound([sound], rate: rate)
    let effect = try Self.described(text)
    let whole = try stage.render(composition(filtered(asset, effect)))[0]
    #expect(whole.count == rate)
    #expect(whole.largestDifference(from: expected) < 1e-5)
    if text.hasSuffix("s=i") { #expect(whole == sound) }
    #expect(try stage.render(composition(filtered(asset, effect)), block: 333)[0] == whole)
    let soft = try stage.render(composition(filtered(within, effect)))[0]
    #expect(soft.largestDifference(from: oracle) < 1e-6)
  }

  @Test("a deesser among other filters is where the row has it")
  func deesserInARow() throws {
    let rate = 48_000
    let asset = try stage.sound([Signal.noise(seed: 13, count: rate, amplitude: 0.9)], rate: rate)
    var alone = filtered(asset, Self.usual)
    alone.effects += [try Self.described("volume=0.25"), try Self.described("volume=8")]
    let rows = [
      "deesser=i=0.8:m=0.5,volume=0.25,volume=8", "volume=1,deesser=i=0.8:m=0.5,volume=2",
    ]
    let expected = try stage.render(composition(alone))[0]
    for row in rows {
      let sound = try stage.render(composition(filtered(asset, try Self.described(row))))[0]
      #expect(sound.largestDifference(from: expected) < 1e-6, "\(row)")
    }
  }

  @Test("an effect whose samples are no numbers is named, with its item's place and a remedy")
  func numbers() throws {
    let asset = try stage.sound([Signal.noise(seed: 14, count: 48_000)], rate: 48_000)
    let text = "volume=1e30,volume=1e30"
    let alone = filtered(asset, try Self.described(text))
    var among = filtered(asset, .highpass(frequency: 80))
    among.effects += [try Self.described(text), .lowpass(frequency: 9000)]
    for (segment, subject) in [
      (alone, "the effect filter \"\(text)\""),
      (among, "one of the effects 'highpass', filter \"\(text)\", 'lowpass'"),
    ] {
      var placed = segment
      placed.origin = Origin(rawValue: 5)
      let failure = #expect(throws: Failure.self) { try stage.render(composition(placed)) }
      #expect(failure?.remedy == .mendJob)
      #expect(failure?.origin == Origin(rawValue: 5))
      let message = failure?.message ?? ""
      #expect(
        message.hasPrefix("\(subject) gives samples that are no numbers (NaN or infinity) after "),
        "\(message)")
      #expect(
        message.hasSuffix(
          "lower the sound in front of it, as with 'gain: -12 dB', or leave it out"), "\(message)")
    }
  }

  @Test("samples that were no numbers in front of an effect are not said to come from it")
  func numbersBefore() throws {
    let setup = FilteredSource.Setup.effects([.highpass(frequency: 80)], sampleRate: 48_000)
    let source = FilteredSource(Overflow(), setup, sampleRate: 48_000, frameCount: 9000)
    let buffer = AudioBuffer(channelCount: 1, capacity: 9000)
    let failure = #expect(throws: Failure.self) { try source.read(0..<9000, into: buffer, at: 0) }
    #expect(
      failure?.message.hasPrefix("the effect 'highpass' gets samples that are no numbers") == true)
  }

  /// Silence, and infinity from frame 5000 on.
  private final class Overflow: Sound {
    let channelCount = 1

    func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) -> Int {
      for (index, frame) in frames.enumerated() {
        buffer.planes[0][offset + index] = frame < 5000 ? 0 : .infinity
      }
      return frames.count
    }
  }

  private func filtered(_ asset: Asset, _ effect: Effect) -> Segment {
    var segment = clip(asset)
    segment.effects = [effect]
    return segment
  }
}
