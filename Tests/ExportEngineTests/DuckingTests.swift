import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine
@testable import ExportGraph

/// 8 kHz: steps of 80 frames, an attack of 640, a hold of 2400, a release of 4800.
@Suite("Tracks that are lowered under others")
struct DuckingTests {
  let stage = Stage()
  private let depth = Float(pow(10, -0.6))
  private let names = Names()

  /// A file that was read must not be written again.
  private final class Names {
    private var count = 0

    func next(_ stem: String) -> String {
      count += 1
      return "\(stem)-\(count).wav"
    }
  }

  /// Music of ones, and a voice of ±0.5 in these frames of its track.
  private func composition(
    _ voiced: [Range<Int>], lasting count: Int = 80_000,
    _ change: (inout AudioDucking) -> Void = { _ in
    }
  ) throws -> Composition {
    let music = try stage.sound(
      [Array(repeating: 1, count: count)], rate: 8000, name: names.next("music"))
    let voice = try stage.sound([voice(voiced, count)], rate: 8000, name: names.next("voice"))
    var ducking = AudioDucking(under: ["voice"], by: 12)
    change(&ducking)
    return Composition(tracks: [
      Track(name: "music", segments: [clip(music)], ducking: ducking),
      Track(name: "voice", segments: [clip(voice)]),
    ])
  }

  private func voice(_ voiced: [Range<Int>], _ count: Int, _ level: Float = 0.5) -> [Float] {
    var samples = [Float](repeating: 0, count: count)
    for index in voiced.joined() { samples[index] = index % 2 == 0 ? level : -level }
    return samples
  }

  /// What is heard of the music: the mix without the voice.
  private func music(_ composition: Composition) throws -> [Float] {
    let mix = try stage.render(composition, block: 1000)[0]
    var voice = composition
    voice.tracks[0].segments[0].mix.gain = .silence
    return zip(mix, try stage.render(voice)[0]).map { $0 - $1 }
  }

  // MARK: Depth and time

  @Test("the depth is exact, and attained 10 to 20 ms before the key begins, wherever it does")
  func onset() throws {
    for onset in [24_000, 24_001, 24_079, 30_033] {
      let heard = try music(composition([onset..<40_000]))
      let first = try #require(heard.firstIndex { abs($0 - depth) < 1e-6 })
      #expect((80...160).contains(onset - first), "\(onset): \(first)")
      #expect(heard[first..<42_400].allSatisfy { abs($0 - depth) < 1e-6 })
      #expect(heard[..<(first - 640)].allSatisfy { $0 == 1 })
      // Half way down in decibels.
      #expect(abs(20 * log10(heard[first - 320]) + 6) < 0.01)
      // Up again: a step, the hold, and the release.
      let end = 40_000 + 2400 + 4800 + 160
      #expect(heard[end...].allSatisfy { $0 == 1 } && heard[end - 240] < 1)
    }
  }

  @Test("pauses within the hold do not pump, a longer one begins to rise")
  func pauses() throws {
    let words = stride(from: 16_000, to: 48_000, by: 3200).map { $0..<$0 + 800 }
    let heard = try music(composition(words))
    #expect(heard[16_000..<47_000].allSatisfy { abs($0 - depth) < 1e-6 })
    let two = try music(composition([16_000..<17_000, 22_000..<23_000]))
    let peak = try #require(two[17_000..<22_000].max())
    #expect(peak > depth * 1.05 && peak < 0.9)
  }

  @Test("sound below the threshold is none, and above it some, in any channel")
  func threshold() throws {
    for (level, isDucked) in [(-40.5, false), (-39.5, true)] as [(Double, Bool)] {
      let samples = voice([20_000..<40_000], 80_000, Float(pow(10, level / 20)))
      var ducked = try composition([])
      ducked.tracks[1].segments = [
        clip(
          try stage.sound(
            [Array(repeating: 0, count: 80_000), samples], rate: 8000, name: "\(level).wav"))
      ]
      ducked.tracks[1].mix.pan = .centre
      let heard = try stage.render(ducked)[0]
      #expect((heard[30_000] == 1) == !isDucked, "\(level)")
    }
  }

  @Test("a duck without times switches at steps, and lasts as long as the key")
  func zeroTimes() throws {
    let heard = try music(
      composition([16_040..<20_000]) { ($0.attack, $0.hold, $0.release) = (.zero, .zero, .zero) })
    #expect(heard.indices.filter { heard[$0] != 1 } == Array(15_920..<20_080))
    #expect(heard[16_040..<20_000].allSatisfy { abs($0 - depth) < 1e-6 })
  }

  @Test(
    "a key that starts later, or ends earlier, or is longer than the track, counts as it sounds")
  func edges() throws {
    var late = try composition([0..<8000], lasting: 24_000)
    late.tracks[1].segments[0].target.start = Time(value: 2, timescale: 1)
    #expect(late.duration.seconds == 5)
    let heard = try stage.render(late)[0]
    #expect(heard[..<15_000].allSatisfy { $0 == 1 })
    #expect(abs(abs(heard[23_999]) - depth) < 0.500_01)
    let whole = try music(composition([0..<80_000]))
    #expect(whole.allSatisfy { abs($0 - depth) < 1e-6 })
    // The track begins when the key has ended, and is still held down.
    var early = try composition([0..<80_000])
    early.tracks[1].segments = [
      clip(try stage.sound([voice([0..<8000], 8000)], rate: 8000, name: "short.wav"))
    ]
    early.tracks[0].segments[0].target.start = Time(value: 11, timescale: 10)
    let after = try stage.render(early)[0]
    #expect(after[8800..<10_400].allSatisfy { abs($0 - depth) < 1e-6 })
    #expect(after[10_500] > depth && after[16_000] == 1)
  }

  @Test("of several keys, each one counts")
  func severalKeys() throws {
    var both = try composition([16_000..<20_000])
    both.tracks[0].ducking?.keyTracks = ["voice", "fx"]
    let fx = try stage.sound([voice([40_000..<44_000], 80_000)], rate: 8000, name: "fx.wav")
    both.tracks.append(Track(name: "fx", segments: [clip(fx)]))
    let heard = try stage.render(both)[0]
    #expect(abs(heard[20_500] - depth) < 1e-6 && abs(heard[44_500] - depth) < 1e-6)
    #expect(heard[30_000] == 1)
  }

  @Test("a track under one that is itself lowered hears it as it is in the mix")
  func chains() throws {
    // The effect is lowered below the threshold while the voice lasts.
    var row = try composition([0..<40_000])
    let fx = try stage.sound([voice([0..<80_000], 80_000, 0.02)], rate: 8000, name: "fx.wav")
    row.tracks[0].ducking?.keyTracks = ["fx"]
    row.tracks.append(
      Track(name: "fx", segments: [clip(fx)], ducking: AudioDucking(under: ["voice"], by: 20)))
    let gains = try music(row)
    #expect(abs(gains[20_000] - 1) < 0.003)
    #expect(abs(gains[70_000] - depth) < 1e-5)
  }

  // MARK: What it equals

  @Test("a duck is what volume points would be that are written by hand")
  func volumePoints() throws {
    let song = try stage.fixture("feelings.ogg")
    let silence = [Float](repeating: 0, count: 44_100 * 10)
    var samples = silence
    for index in 44_100 * 3..<44_100 * 5 { samples[index] = sin(Float(index) * 0.05) }
    let voice = try stage.sound([samples], rate: 44_100, name: "key.wav")
    let music = clip(song, 0..<44_100 * 10)
    let ducked = Composition(tracks: [
      Track(name: "music", segments: [music], ducking: AudioDucking(under: ["voice"], by: 9)),
      Track(name: "voice", segments: [clip(voice)]),
    ])
    func seconds(_ thousandths: Int64) -> Time { Time(value: thousandths, timescale: 1000) }
    var byHand = music
    let low = Gain(decibels: -9)
    byHand.mix.volume = VolumeEnvelope([
      VolumeRamp(
        from: .unity, to: low, over: TimeRange(start: seconds(2910), end: seconds(2990)),
        curve: .exponential),
      VolumeRamp(
        from: low, to: .unity, over: TimeRange(start: seconds(5310), end: seconds(5910)),
        curve: .exponential),
    ])
    let written = Composition(tracks: [
      Track(segments: [byHand]), Track(segments: [clip(voice)]),
    ])
    let (a, b) = (try stage.render(ducked), try stage.render(written))
    #expect(a.count == 2)
    for channel in a.indices {
      let worst = a[channel].largestDifference(from: b[channel])
      #expect(worst < 2e-6, "\(worst)")
    }
  }

  @Test("a ducking by 0 dB, or under a silent key, leaves every bit as it is")
  func nothing() throws {
    let song = try stage.fixture("feelings.ogg")
    let voice = try stage.fixture("voice-8k.wav")
    func tracks(_ ducking: AudioDucking?, _ mix: AudioMix = .unity) -> Composition {
      Composition(tracks: [
        Track(name: "music", segments: [clip(song, 0..<200_000)], ducking: ducking),
        Track(name: "voice", segments: [clip(voice)], mix: mix),
      ])
    }
    let plain = try stage.render(tracks(nil))
    #expect(try stage.render(tracks(AudioDucking(under: ["voice"], by: 0))) == plain)
    let quiet = AudioMix(gain: Gain(decibels: -70))
    #expect(
      try stage.render(tracks(AudioDucking(under: ["voice"], by: 9), quiet))
        == stage.render(tracks(nil, quiet)))
  }

  // MARK: Reading and listening

  @Test("a key is read once, for the mix and for ducks of several looks ahead")
  func readsOnce() throws {
    let reads = Mutex<[String: Int]>([:])
    let library = MediaLibrary(recalling: nil, probing: nil, verifiesAssets: false) { path in
      guard let name = path?.lastName else { return }
      reads.withLock { $0[name, default: 0] += 1 }
    }
    var composition = try composition([10_000..<20_000, 50_000..<60_000])
    var bed = composition.tracks[0]
    bed.name = "bed"
    bed.ducking?.attack = Time(value: 2, timescale: 1)
    bed.segments[0].target.start = Time(value: 3, timescale: 1)
    composition.tracks.append(bed)
    func counts(_ composition: Composition) throws -> [String: Int] {
      reads.withLock { $0 = [:] }
      let graph = try Graph(
        compiling: Export(
          name: "test", composition: composition,
          outputs: [Output(path: "mix.wav", format: .wav(.float32))]))
      let renderer = try Renderer(graph, library: library)
      _ = try renderer.samples(of: graph.sinks[0].node, inBlocksOf: 4096)
      return reads.withLock { $0 }
    }
    let ducked = try counts(composition)
    for index in composition.tracks.indices { composition.tracks[index].ducking = nil }
    // It is opened once; each block takes a read.
    #expect(try ducked["voice-2.wav"] == counts(composition)["voice-2.wav"])
    #expect(ducked["voice-2.wav"] == 1 + 20)
  }

  @Test("the gain can be watched, and muting a track in a player does not raise the others")
  func watching() throws {
    let composition = try composition([30_000..<50_000])
    let graph = try Graph(
      compiling: Export(
        name: "test", composition: composition,
        outputs: [Output(path: "mix.wav", format: .wav(.float32))]))
    let (watcher, muting) = (GainWatcher(), Muting())
    let renderer = try Renderer(
      graph, library: stage.library,
      watchers: [graph.tracks[0][0]: watcher, graph.tracks[1][0]: muting])
    let heard = try renderer.samples(of: graph.sinks[0].node, inBlocksOf: 4096)[0]
    #expect(heard == (try music(composition)))
    #expect(watcher.end == 80_000 && watcher.gains.first == 1)
    // A gain that moves is reported in short pieces.
    #expect(watcher.gains.filter { $0 != 1 && abs($0 - depth) > 1e-6 }.count >= 10)
    #expect(abs((watcher.gains.min() ?? 0) - depth) < 1e-6)
    // What is heard is not read ahead.
    #expect(muting.starts == stride(from: 0, to: 80_000, by: 4096).map { Int64($0) })
  }

  private final class GainWatcher: NodeWatcher {
    var gains: [Float] = []
    var end: Int64 = 0
    func pass(_ buffer: AudioBuffer, from offset: Int, at frames: Range<Int64>) {}
    func lowered(by gain: Float, at frames: Range<Int64>) {
      gains.append(gain)
      #expect(frames.lowerBound == end)
      end = frames.upperBound
    }
  }

  private final class Muting: NodeWatcher {
    var starts: [Int64] = []
    func pass(_ buffer: AudioBuffer, from offset: Int, at frames: Range<Int64>) {
      starts.append(frames.lowerBound)
      for index in 0..<frames.count { buffer.planes[0][offset + index] = 0 }
    }
  }
}
