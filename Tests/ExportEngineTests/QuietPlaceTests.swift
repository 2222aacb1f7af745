import ExportGraph
import MediaComposition
import MediaTime
import TestSupport
import Testing
import Threads
import Transcripts

@testable import ExportEngine

/// Where edges of words are moved to.
@Suite struct QuietPlaceTests {
  private let stage = Stage()

  private func ms(_ value: Int64) -> Time { Time(value: value, timescale: 1000) }

  /// The definition, over all of a sound at once.
  private func place(of edge: SpokenEdge, in channels: [[Float]], rate: Int) -> Time {
    var best: (distance: Time, time: Time, level: Double)?
    let count = channels[0].count
    for step in 0...(count * 200 + rate - 1) / rate {
      let time = Time(value: Int64(step), timescale: 200)
      guard edge.earliest <= time, time <= edge.latest else { continue }
      let frames = max(0, step - 2) * rate / 200..<min(count, (step + 2) * rate / 200)
      let energy = channels.reduce(0.0) { sum, samples in
        frames.reduce(sum) { $0 + Double(samples[$1]) * Double(samples[$1]) }
      }
      let level = energy / Double(frames.count)
      let distance = time < edge.time ? edge.time - time : time - edge.time
      if let best {
        guard
          level < best.level * (1 - 1e-9)
            || level < best.level * (1 + 1e-9) && distance < best.distance
        else { continue }
      }
      best = (distance, time, level)
    }
    return best?.time ?? edge.time
  }

  @Test(
    "places are those of the definition, at every rate, on any number of cores",
    arguments: [8000, 11_025, 44_100])
  func definition(rate: Int) throws {
    let channels = (0..<2).map {
      Signal.noise(seed: UInt64(rate + $0), count: rate * 12 + 77, amplitude: 0.5)
    }
    let asset = try stage.sound(channels, rate: rate)
    var edges = stride(from: Int64(13), to: 12_000, by: 397).map {
      SpokenEdge(ms($0), from: ms(max(0, $0 - 80)), to: ms(min(12_000, $0 + 40)))
    }
    // One that lies before another one, and ones with nowhere to go.
    edges.append(SpokenEdge(ms(5000), from: ms(4920), to: ms(5040)))
    edges.append(SpokenEdge(ms(7001), from: ms(7001), to: ms(7001)))
    edges.append(SpokenEdge(ms(0), from: ms(0), to: ms(0)))
    let search = SilenceSearch(in: composition(clip(asset)), near: edges)
    let expected = edges.map { place(of: $0, in: channels, rate: rate) }
    for cores in [1, 2] {
      let found = try SoundAnalyst(library: stage.library, budget: CPUBudget(total: cores))
        .silences(search)
      #expect(found.edges == expected)
    }
  }

  @Test("of places that are as quiet, the nearest is taken")
  func ties() throws {
    var samples = [Float](repeating: 0.5, count: 16_000)
    for frame in 3200..<4800 { samples[frame] = 0 }
    let asset = try stage.sound([samples], rate: 16_000)
    // Silence is from 200 to 300 ms.
    let search = SilenceSearch(
      in: composition(clip(asset)),
      near: [
        SpokenEdge(ms(180), from: ms(100), to: ms(260)),
        SpokenEdge(ms(251), from: ms(200), to: ms(300)),
        SpokenEdge(ms(340), from: ms(220), to: ms(400)),
      ])
    #expect(try stage.library.silences(search).edges == [ms(210), ms(250), ms(290)])
  }
}
