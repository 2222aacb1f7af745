import Foundation
import JSON
import Loudness
import MediaComposition
import TestSupport
import Testing

@Suite("Overviews") struct OverviewTests {
  private let rate = 8000

  /// The overview of a sound, measured in chunks of ten seconds.
  private func overview(_ sound: [Float]) throws -> SoundOverview {
    var levels = LevelAccumulator(sampleRate: rate, channelCount: 1, drawing: sound.count)
    for start in stride(from: 0, to: sound.count, by: 10 * rate) {
      let meter = try ChunkMeter(sampleRate: rate, positions: [.front])
      var chunk = Array(sound[start..<min(sound.count, start + 10 * rate)])
      chunk.withUnsafeMutableBufferPointer { chunk in
        guard var plane = chunk.baseAddress else { return }
        meter.add(&plane, count: chunk.count)
      }
      levels.add(meter.finish(isLast: start + 10 * rate >= sound.count))
    }
    return try #require(levels.overview)
  }

  @Test("each column has the largest sample of its part, with those over full scale apart")
  func peaks() throws {
    var sound = [Float](repeating: 0, count: 60 * rate)
    // 600 columns of 800 frames.
    sound[0] = 0.5
    sound[799] = -0.4
    sound[800] = -1
    sound[2399] = 1.001
    sound[59 * rate + 7999] = 0.1
    let peaks = try overview(sound).peaks
    #expect(peaks.count == 600)
    #expect(peaks[0] == 125)
    #expect(peaks[1] == 250)
    #expect(peaks[2] == 251)
    #expect(peaks[599] == 25)
    #expect(peaks.filter { $0 == 0 }.count == 596)
  }

  @Test("short-term loudness begins with the third second, and is what the meter says")
  func loudness() throws {
    let sound = Signal.sine(frequency: 997, sampleRate: rate, count: 30 * rate, amplitude: 0.1)
    let loudness = try overview(sound).loudness
    #expect(loudness.count == 300)
    #expect(loudness[..<29].allSatisfy { $0 == 0 })
    // A tone of −23 dB RMS in one channel has −23.0 LUFS.
    let expected = SoundOverview.column(ofLoudness: -23.01)
    #expect(loudness[30...].allSatisfy { abs(Int($0) - Int(expected)) <= 1 })
  }

  @Test("sounds of a few samples, or none, have columns too")
  func shortSounds() throws {
    #expect(try overview([0.5, 0.2]).peaks == [125])
    #expect(try overview(Array(repeating: 0.5, count: 241)).peaks == [125, 125, 125])
    let empty = LevelAccumulator(sampleRate: rate, channelCount: 1, drawing: 0)
    #expect(empty.overview == SoundOverview(peaks: [0], loudness: [0]))
  }

  @Test("fewer columns have the largest of theirs, and documents lead back")
  func thinning() {
    let overview = SoundOverview(peaks: [1, 9, 3, 4, 250], loudness: [0, 7])
    #expect(overview.thinned(by: 2) == SoundOverview(peaks: [9, 4, 250], loudness: [7]))
    #expect(SoundOverview(overview.json) == overview)
    #expect(SoundOverview("none") == nil)
  }
}
