import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Parts of a timeline")
struct TimeRangeTests {
  let stage = Stage()

  @Test(
    "parts with odd borders add up to the whole, bit for bit",
    arguments: [nil, 48_000, 8000, 44_100, 96_000])
  func partsAddUp(output: Int?) throws {
    let music = try stage.fixture("feelings.ogg")
    let voice = try stage.fixture("voice-8k.wav")
    var faded = clip(music, 1000..<400_000, at: Time(value: 1, timescale: 7))
    faded.mix.envelopes = [
      VolumeEnvelope([
        VolumeRamp(
          from: .silence, to: .unity,
          over: TimeRange(start: .zero, duration: Time(value: 20, timescale: 3)))
      ])
    ]
    var backwards = clip(voice, 5..<60_001, at: Time(value: 2, timescale: 3), speed: (10, 9))
    backwards.isReversed = true
    let mixed = Composition(tracks: [
      Track(segments: [faded]), Track(segments: [backwards], timePitchAlgorithm: .varispeed),
    ])
    let whole = try stage.render(mixed, rate: 44_100, output: output)
    #expect(
      Int64(whole[0].count) == mixed.duration.frames(atRate: output ?? 44_100))
    var borders = [Time.zero, mixed.duration]
    borders += [(1, 3), (7, 11), (1001, 997), (44_101, 44_100), (355, 113), (8, 1)]
      .map { Time(value: $0, timescale: $1) }
    borders.sort()
    var parts = whole.map { _ in [Float]() }
    for (start, end) in zip(borders, borders.dropFirst()) {
      let part = try stage.render(
        mixed, rate: 44_100, timeRange: TimeRange(start: start, end: end), output: output)
      for channel in parts.indices { parts[channel] += part[channel] }
    }
    #expect(parts == whole)
  }

  @Test("an output at another rate has all of its frames where the two rates round differently")
  func rounding() throws {
    let asset = try stage.fixture("voice-8k.wav")
    for numerator in 0..<40 {
      // Lengths between two frames of the mix.
      let duration = Time(value: 100_000 + Int64(numerator), timescale: 44_100 * 40)
      var short = clip(asset)
      short.source.duration = duration
      short.target.duration = duration
      let sound = try stage.render(composition(short), rate: 44_100, output: 48_000)
      #expect(Int64(sound[0].count) == duration.frames(atRate: 48_000))
    }
  }
}
