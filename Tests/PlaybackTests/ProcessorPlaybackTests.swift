import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Playback

/// The mean of each frame and the seven before it, 3 frames late.
private struct Mean: AudioProcessor {
  var memory: ProcessorMemory

  func latency(atRate sampleRate: Int) -> Int { 3 }

  func makeInstance(
    sampleRate: Int, channelLayout: ChannelLayout
  ) throws -> any AudioProcessorInstance { Instance(channelLayout.count) }

  private final class Instance: AudioProcessorInstance {
    private var before: [[Float]]

    init(_ channels: Int) {
      before = Array(repeating: Array(repeating: 0, count: 8), count: channels)
    }

    func process(_ buffer: ProcessingBuffer) {
      for channel in 0..<buffer.channelCount {
        let samples = buffer[channel]
        let all = before[channel] + samples
        for index in samples.indices {
          var sum: Float = 0
          for place in index + 1...index + 8 { sum += all[place] }
          samples[index] = sum / 8
        }
        before[channel] = Array(all.suffix(8))
      }
    }
  }
}

@Suite struct ProcessorPlaybackTests {
  private func item(_ effects: [Effect]) throws -> PlayerItem {
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    let range = TimeRange(
      start: Time(value: 5, timescale: 1), duration: Time(value: 5, timescale: 2))
    var segment = Segment(.asset(asset), source: range, at: .zero)
    segment.effects = effects
    return try PlayerItem(
      Composition(tracks: [Track(segments: [segment])]), library: library)
  }

  /// What is heard from a moment on.
  private func heard(_ item: PlayerItem, from start: Time) throws -> [Float] {
    let device = MemoryDevice(rate: item.sampleRate)
    let player = try Player(item, opening: device.opener)
    player.seek(to: start)
    player.play()
    try player.waitUntilPaused()
    return device.floats
  }

  @Test(
    "a processor is heard as it is exported, also after a seek",
    arguments: [ProcessorMemory.time(Time(value: 1, timescale: 1000)), .unbounded])
  func heardAsExported(memory: ProcessorMemory) throws {
    let item = try item([.processor(Mean(memory: memory))])
    let whole = try item.exported()
    #expect(try item.heard() == whole)
    #expect(whole != (try self.item([]).exported()))
    var dice = Dice(12)
    for _ in 0..<5 {
      let frame = dice.number(0..<Int64(whole.count / 2))
      // Unbounded, it begins 0.3 s before: more than this one remembers.
      let heard = try heard(item, from: Time(frames: frame, rate: item.sampleRate))
      #expect(heard == Array(whole[Int(frame * 2)...]))
    }
  }

  @Test("a tap sees what is heard, with its moments, from the block of a seek's target on")
  func tap() throws {
    let seen = Mutex<[PCMBuffer]>([])
    let item = try item([.tap { buffer in seen.withLock { $0.append(buffer) } }])
    let whole = try item.exported()
    seen.withLock { $0 = [] }
    let start = Time(frames: 50_000, rate: item.sampleRate)
    #expect(try heard(item, from: start) == Array(whole[100_000...]))
    for buffer in seen.withLock({ $0 }) {
      let first = Int(buffer.presentationTime.frames(atRate: item.sampleRate))
      let left = buffer.channel(0)
      #expect(left.indices.allSatisfy { left[$0] == whole[2 * (first + $0)] })
    }
    let times = seen.withLock { $0.map(\.presentationTime) }
    let first = try #require(times.first)
    #expect(first <= start && start - first < Time(frames: 4096, rate: item.sampleRate))
  }
}
