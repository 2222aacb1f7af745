import ExportGraph
import Glibc
import MediaComposition
import TestSupport
import Testing

@testable import ExportEngine

@Suite("The gain of compressors")
struct CompressorMeterTests {
  let stage = Stage()

  private final class Watcher: NodeWatcher {
    var gains: [(frames: Range<Int64>, gain: Float)] = []
    var isReading = true
    func pass(_ buffer: AudioBuffer, from offset: Int, at frames: Range<Int64>) {}
    func lowered(by gain: Float, at frames: Range<Int64>) { gains.append((frames, gain)) }
  }

  /// The watched sound of a clip, so often in a row.
  private func render(
    _ effects: [Effect], _ asset: Asset, _ watcher: Watcher, passes: Int = 1
  ) throws -> [[Float]] {
    var filtered = clip(asset)
    filtered.effects = effects
    let graph = try Graph(
      compiling: Export(
        name: "test", composition: composition(filtered),
        outputs: [Output(path: "mix.wav", format: .wav(.float32))]))
    let process = try #require(
      graph.nodes.firstIndex { if case .process = $0.kind { true } else { false } })
    let renderer = try Renderer(graph, library: stage.library, watchers: [process: watcher])
    var sound = Array(repeating: [Float](), count: asset.channelLayout.count)
    for _ in 0..<passes {
      let pass = try renderer.samples(of: graph.sinks[0].node)
      for channel in sound.indices { sound[channel] += pass[channel] }
    }
    return sound
  }

  private func unwatched(_ effects: [Effect], _ asset: Asset) throws -> [[Float]] {
    var filtered = clip(asset)
    filtered.effects = effects
    return try stage.render(composition(filtered))
  }

  @Test(
    "what is reported is by how much each stretch is lower behind the compressor than before it",
    arguments: [
      [], [.highpass(frequency: 100), .equalizer([Effect.Band(frequency: 900, gain: 6)])],
      // With a lag.
      [.denoise(reduction: 3)],
    ] as [[Effect]])
  func exact(before: [Effect]) throws {
    let asset = try stage.fixture("feelings.ogg")
    var compressor = Effect.Compressor(threshold: -30, ratio: 4)
    compressor.makeup = 5
    let watcher = Watcher()
    let sound = try render(before + [.compressor(compressor)], asset, watcher)
    #expect(sound == (try unwatched(before + [.compressor(compressor)], asset)))
    let input =
      before.isEmpty
      ? try stage.render(composition(clip(asset)))
      : try unwatched(before, asset)
    let makeup = Float(Gain(decibels: 5).factor)
    var (checked, least, next) = (0, Float(1), watcher.gains.first?.frames.lowerBound)
    for (frames, gain) in watcher.gains {
      #expect(frames.lowerBound == next && frames.count <= 512)
      next = frames.upperBound
      guard frames.lowerBound >= 0 else { continue }
      guard frames.upperBound <= asset.frameCount else { break }
      let expected = (0..<2).flatMap { channel in
        frames.compactMap { frame -> Float? in
          let sample = input[channel][Int(frame)]
          return abs(sample) < 1e-3 ? nil : sound[channel][Int(frame)] / sample / makeup
        }
      }.min()
      guard let expected else { continue }
      guard abs(min(1, expected) - gain) > 0.002 else {
        (checked, least) = (checked + 1, min(least, gain))
        continue
      }
      Issue.record("\(frames): \(gain), and not \(expected)")
      return
    }
    #expect(checked > 1000 && least < 0.5)
  }

  @Test("make-up gain and the part of the sound that is not compressed change no figure")
  func alone() throws {
    let square = (0..<48_000).map { $0 / 24 % 2 == 0 ? Float(0.5) : -0.5 }
    let asset = try stage.sound([square], rate: 48_000)
    for (makeup, mix) in [(0.0, 1.0), (12, 1), (12, 0.25)] {
      var compressor = Effect.Compressor(threshold: -26.02, ratio: 2)
      (compressor.makeup, compressor.mix, compressor.knee) = (makeup, mix, 0.0)
      let watcher = Watcher()
      _ = try render([.compressor(compressor)], asset, watcher)
      // The level is -6.02 dB, 20 dB over the threshold.
      let last = try #require(watcher.gains.last { $0.frames.upperBound <= 48_000 })
      #expect(abs(20 * log10(last.gain) + 10) < 0.1, "\(makeup) dB, \(mix)")
    }
  }

  @Test("a sound that begins anew is reported anew")
  func anew() throws {
    let asset = try stage.fixture("voice-8k.wav")
    let effects = [Effect.denoise(reduction: 3), .compressor(Effect.Compressor())]
    let watcher = Watcher()
    _ = try render(effects, asset, watcher, passes: 2)
    let (first, second) = watcher.gains.split(at: watcher.gains.count / 2)
    #expect(first.map(\.frames) == second.map(\.frames))
    #expect(first.map(\.gain) == second.map(\.gain))
    #expect(first.contains { $0.gain < 0.9 })
  }

  @Test("of several compressors each is reported, and one that nobody reads takes no time")
  func several() throws {
    let asset = try stage.fixture("voice-8k.wav")
    let one = Effect.compressor(Effect.Compressor(threshold: -30, ratio: 4))
    let watcher = Watcher()
    _ = try render([one, .highpass(frequency: 90), one], asset, watcher)
    let starts = watcher.gains.map(\.frames.lowerBound)
    #expect(starts.filter { $0 == 0 }.count == 2)
    #expect(Set(starts).count * 2 == starts.count)
    watcher.gains = []
    watcher.isReading = false
    _ = try render([one], asset, watcher)
    #expect(watcher.gains.isEmpty)
  }
}

extension Array {
  fileprivate func split(at index: Int) -> (ArraySlice<Element>, ArraySlice<Element>) {
    (self[..<index], self[index...])
  }
}
