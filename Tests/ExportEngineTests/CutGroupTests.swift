import ExportGraph
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import ExportEngine

/// Parts of a group whose tracks have effects that remember all of their sound.
@Suite("Cuts in a group with effects")
struct CutGroupTests {
  private let stage = Stage()
  private let rate = 8000

  /// Two microphones, each with a denoiser and a compressor.
  private func group(seed: UInt64, seconds: Int = 20) throws -> Composition {
    Composition(
      tracks: try (0..<2 as Range<UInt64>).map { number in
        let noise = Signal.noise(seed: 10 * seed + number, count: seconds * rate)
        let asset = try stage.sound([noise], rate: rate, name: "\(number).wav")
        var segment = clip(asset)
        segment.effects = [.denoise(reduction: 6), .compressor(Effect.Compressor())]
        return Track(segments: [segment])
      })
  }

  /// Frames `range` of a composition, from frame `start` on.
  private func part(_ whole: Composition, _ range: Range<Int64>, at start: Int64) -> Segment {
    let range = TimeRange(
      start: Time(frames: range.lowerBound, rate: rate),
      end: Time(frames: range.upperBound, rate: rate))
    return Segment(.composition(whole), source: range, at: Time(frames: start, rate: rate))
  }

  /// Random parts in order, with gaps between them.
  private func ranges(_ count: Int, seed: UInt64, upTo end: Int64) -> [Range<Int64>] {
    var dice = Dice(seed)
    let places = Set((0..<2 * count).map { _ in dice.number(0..<end) }).sorted()
    return stride(from: 0, to: places.count - 1, by: 2).map { places[$0]..<places[$0 + 1] }
  }

  /// The sound, and how many frames of files were read for it.
  private func render(_ composition: Composition) throws -> (sound: [Float], readCount: Int) {
    let export = Export(
      name: "test", composition: composition,
      outputs: [Output(path: "mix.wav", format: .wav(.float32))])
    let graph = try Graph(compiling: export)
    let renderer = try Renderer(graph, library: stage.library)
    let sound = try renderer.samples(of: graph.sinks[0].node)[0]
    return (sound, renderer.pool.damage.values.reduce(0) { $0 + $1.readCount })
  }

  @Test(
    "parts are slices of the whole, and the whole is processed once",
    arguments: [1, 2, 3] as [UInt64])
  func parts(seed: UInt64) throws {
    let whole = try group(seed: seed)
    let uncut = try render(
      Composition(tracks: [Track(segments: [part(whole, 0..<160_000, at: 0)])]))
    var track = Track()
    var expected: [Float] = []
    for range in ranges(20, seed: seed, upTo: 160_000) {
      track.segments.append(part(whole, range, at: Int64(expected.count)))
      expected += uncut.sound[Int(range.lowerBound)..<Int(range.upperBound)]
    }
    let cut = try render(Composition(tracks: [track]))
    #expect(cut.sound == expected)
    #expect(uncut.readCount >= 2 * 160_000)
    #expect(cut.readCount <= uncut.readCount)
  }

  @Test("parts that overlap, as of a cross-fade, process the whole twice")
  func overlapping() throws {
    let whole = try group(seed: 4)
    let uncut = try render(
      Composition(tracks: [Track(segments: [part(whole, 0..<160_000, at: 0)])]))
    var tracks = [Track(), Track()]
    var start: Int64 = 0
    for (number, range) in ranges(20, seed: 4, upTo: 160_000).enumerated() where range.count > 400 {
      tracks[number % 2].segments.append(part(whole, range, at: start))
      start += Int64(range.count) - 400
    }
    let cut = try render(Composition(tracks: tracks))
    #expect(cut.readCount <= 2 * uncut.readCount)
    // Each part for itself, as slow as that is.
    for track in tracks {
      let alone = try render(Composition(tracks: [track]))
      let others = try track.segments.map { segment in
        try render(Composition(tracks: [Track(segments: [segment])])).sound
      }
      let sum = others.reduce(into: [Float](repeating: 0, count: alone.sound.count)) { sum, other in
        for (index, sample) in other.enumerated() { sum[index] += sample }
      }
      #expect(alone.sound == sum)
    }
  }

  @Test("parts in no order are slices of the whole")
  func disorder() throws {
    let whole = try group(seed: 5, seconds: 5)
    let uncut = try render(Composition(tracks: [Track(segments: [part(whole, 0..<40_000, at: 0)])]))
    var track = Track()
    var expected: [Float] = []
    var dice = Dice(5)
    for range in ranges(10, seed: 5, upTo: 40_000).shuffled(using: &dice) {
      track.segments.append(part(whole, range, at: Int64(expected.count)))
      expected += uncut.sound[Int(range.lowerBound)..<Int(range.upperBound)]
    }
    #expect(try render(Composition(tracks: [track])).sound == expected)
  }
}
