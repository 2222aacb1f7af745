import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine
@testable import ExportGraph

@Suite("Rendering tracks that are lowered under others")
struct DuckRenderingTests {
  let stage = Stage()

  @Test("a render from any frame equals the slice of the whole, in blocks of any size")
  func slices() throws {
    let composition = try stage.busyMix()
    let graph = try Graph(
      compiling: Export(
        name: "test", composition: composition, sampleRate: 44_100,
        outputs: [Output(path: "mix.wav", format: .wav(.float32))]))
    let whole = try stage.render(graph)
    var dice = Dice(5)
    for _ in 0..<12 {
      let first = dice.number(0..<Int64(whole[0].count))
      let part = try stage.render(
        graph, from: Time(frames: first, rate: 44_100), block: Int(dice.number(1..<9000)))
      for channel in whole.indices {
        #expect(part[channel] == Array(whole[channel][Int(first)...]))
      }
    }
    // Back and forth on one renderer, as a player does.
    let renderer = try Renderer(graph, library: stage.library)
    let buffer = AudioBuffer(channelCount: 2, capacity: 3000)
    for _ in 0..<40 {
      let first = dice.number(0..<Int64(whole[0].count - 9000))
      for start in stride(from: first, to: first + 9000, by: 3000) {
        try renderer.read(start..<start + 3000, of: graph.sinks[0].node, into: buffer)
        let expected = whole[0][Int(start)..<Int(start) + 3000]
        #expect(Array(buffer.samples(0)) == Array(expected), "\(start)")
      }
    }
  }

  @Test("outputs at several rates read one mix with ducks, each the same as alone")
  func outputs() throws {
    let composition = try stage.busyMix()
    func export(_ rates: [Int]) -> Export {
      Export(
        name: "test", composition: composition, sampleRate: 44_100,
        outputs: rates.map {
          Output(path: FilePath("\($0).wav"), format: .wav(.float32), sampleRate: $0)
        })
    }
    let graph = try Graph(compiling: export([44_100, 48_000, 8000]))
    let renderer = try Renderer(graph, library: stage.library)
    let buffer = AudioBuffer(channelCount: 2, capacity: 4096)
    var sounds = graph.sinks.map { _ in [Float]() }
    var isAtEnd = false
    while !isAtEnd {
      isAtEnd = true
      for (index, sink) in graph.sinks.enumerated() {
        let first = Int64(sounds[index].count)
        try renderer.read(first..<first + 4096, of: sink.node, into: buffer)
        if buffer.frameCount > 0 { isAtEnd = false }
        sounds[index] += buffer.samples(0)
      }
    }
    for (index, rate) in [44_100, 48_000, 8000].enumerated() {
      #expect(sounds[index] == (try stage.render(try Graph(compiling: export([rate])))[0]))
    }
  }

  @Test(
    "a group with ducks in random parts equals the whole, bit for bit",
    arguments: 1...6 as ClosedRange<UInt64>)
  func randomCuts(seed: UInt64) throws {
    var dice = Dice(seed)
    let composition = try stage.busyMix()
    let whole = try stage.render(
      Composition(tracks: [Track(segments: [group(composition)])]), rate: 44_100)
    var parts = Track(segments: [group(composition)])
    for _ in 0..<6 {
      let at = Time(
        value: dice.number(1..<11_500),
        timescale: [1000, 997, 991].randomElement(using: &dice) ?? 1000)
      let gap = TimeRange(start: at, duration: Time(value: 1, timescale: 10))
      try parts.insertEmptyTimeRange(gap)
      for index in parts.segments.indices {
        parts.segments[index].origin = Origin(rawValue: UInt32(dice.number(1..<9999)))
      }
      try parts.removeTimeRange(gap)
    }
    #expect(parts.segments.count > 4)
    #expect(try stage.render(Composition(tracks: [parts]), rate: 44_100) == whole)
    // A range alone.
    let start = dice.number(0..<400_000)
    let range = TimeRange(
      start: Time(frames: start, rate: 44_100), duration: Time(frames: 60_000, rate: 44_100))
    let alone = Segment(.composition(composition), source: range, at: .zero)
    let sound = try stage.render(Composition(tracks: [Track(segments: [alone])]), rate: 44_100)
    for channel in whole.indices {
      #expect(sound[channel] == Array(whole[channel][Int(start)..<Int(start) + 60_000]))
    }
  }

  @Test("reversed, a part of a group with ducks is the reversed part, bit for bit")
  func reversed() throws {
    let composition = try stage.busyMix()
    let whole = try stage.render(composition, rate: 44_100)
    var part = Segment(
      .composition(composition),
      source: TimeRange(
        start: Time(frames: 100_000, rate: 44_100), duration: Time(frames: 300_000, rate: 44_100)),
      at: .zero)
    part.isReversed = true
    let sound = try stage.render(Composition(tracks: [Track(segments: [part])]), rate: 44_100)
    for channel in whole.indices {
      #expect(sound[channel] == Array(whole[channel][100_000..<400_000].reversed()))
    }
  }

  @Test("a filter or a speed over a group with ducks changes the sound of the group")
  func processed() throws {
    let composition = try stage.busyMix()
    let whole = try stage.render(composition, rate: 44_100)
    let folded = try stage.sound(whole, rate: 44_100, name: "whole.wav")
    for change: (inout Segment) -> Void in [
      { $0.effects = [.highpass(frequency: 120)] },
      { $0.target.duration = Time(value: 9, timescale: 1) },
    ] {
      var (of, from) = (group(composition), clip(folded))
      // The same length of the source for both.
      of.source.duration = from.source.duration
      of.target.duration = from.target.duration
      change(&of)
      change(&from)
      #expect(
        try stage.render(Composition(tracks: [Track(segments: [of])]), rate: 44_100)
          == stage.render(Composition(tracks: [Track(segments: [from])]), rate: 44_100))
    }
  }

  @Test("a shared node is rendered once and in order, however far apart its readers are")
  func sharedOnce() throws {
    let format = AudioFormat(sampleRate: 8000, channelLayout: .mono)
    let node = Node(.mix([]), format: format, frames: -5000..<400_000)
    let ducking = Ducking(
      AudioDucking(under: [""], by: 1, attack: Time(value: 5, timescale: 1)), at: .zero, rate: 8000)
    let counting = CountingNode()
    let shared = SharedNode(
      counting, node, .init(behind: ducking.behind, ahead: ducking.ahead + 8192), key: ducking)
    let (mix, duck) = (shared.reader(), shared.reader())
    let block = AudioBuffer(channelCount: 1, capacity: 4096)
    for start in stride(from: 0 as Int64, to: 398_000, by: 2000) {
      let frames = start..<start + 2000
      var steps: [Range<Int64>] = []
      try duck.forEachStep(in: ducking.reach(of: frames), around: start, withPower: 1e-4) {
        steps.append($0)
      }
      let reach = ducking.reach(of: frames)
      #expect(steps.first.map { $0.lowerBound <= max(-5000, reach.lowerBound + 80) } == true)
      #expect(steps.last.map { $0.upperBound > min(400_000, reach.upperBound) - 80 } == true)
      // The mix begins late.
      guard start >= 20_000 else { continue }
      block.frameCount = try mix.read(frames, into: block, at: 0)
      #expect(block.samples(0).elementsEqual(frames.map { Float($0) }))
    }
    #expect(
      counting.ranges.first?.lowerBound == -5000 && counting.ranges.last?.upperBound == 400_000)
    #expect(
      zip(counting.ranges, counting.ranges.dropFirst()).allSatisfy {
        $0.upperBound == $1.lowerBound
      })
    mix.close()
    #expect(counting.closings == 0)
    duck.close()
    #expect(counting.closings == 1)
    // Opened again far ahead, it begins with its warm-up.
    counting.ranges = []
    try duck.forEachStep(in: ducking.reach(of: 100_000..<101_000), around: 100_000, withPower: 1) {
      _ in
    }
    let first = try #require(counting.ranges.first?.lowerBound)
    #expect((100_000 - ducking.behind - 4096...100_000 - ducking.behind).contains(first))
  }

  @Test("readers that begin one after the other go on in step, though one is ahead")
  func readersInStep() throws {
    let format = AudioFormat(sampleRate: 8000, channelLayout: .mono)
    let node = Node(.mix([]), format: format, frames: 0..<400_000)
    let counting = CountingNode()
    let shared = SharedNode(counting, node, .init(), key: nil)
    let (ahead, behind) = (shared.reader(), shared.reader())
    let block = AudioBuffer(channelCount: 1, capacity: 12_288)
    #expect(try ahead.read(0..<12_288, into: block, at: 0) == 12_288)
    #expect(counting.ranges.count == 3)
    counting.ranges = []
    for start in stride(from: 0 as Int64, to: 100_000, by: 4096) {
      #expect(try behind.read(start..<start + 4096, into: block, at: 0) == 4096)
      #expect(block.planes[0][0] == Float(start))
      let next = start + 12_288
      #expect(try ahead.read(next..<next + 4096, into: block, at: 0) == 4096)
      #expect(block.planes[0][4095] == Float(next + 4095))
    }
    #expect(counting.ranges.first?.lowerBound == 0)
    #expect(
      zip(counting.ranges, counting.ranges.dropFirst()).allSatisfy {
        $0.upperBound == $1.lowerBound
      })
  }

  /// Every sample is its frame's index.
  private final class CountingNode: Sound {
    let channelCount = 1
    var ranges: [Range<Int64>] = []
    var closings = 0

    func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) -> Int {
      ranges.append(frames)
      for (index, frame) in frames.enumerated() { buffer.planes[0][offset + index] = Float(frame) }
      return frames.count
    }

    func close() { closings += 1 }
  }

  @Test("a player hears what is exported, after a jump too")
  func playing() throws {
    let composition = try stage.busyMix()
    let graph = try Graph(
      compiling: Export(
        name: "test", composition: composition, sampleRate: 44_100,
        outputs: [Output(path: "mix.wav", format: .wav(.float32))]))
    let whole = try stage.render(graph)
    let live = try LiveSource(graph, sink: graph.sinks[0], library: stage.library)
    let buffer = AudioBuffer(channelCount: 2, capacity: 5000)
    for frame in [0, 200_003, 60_000, 60_001, 400_000] {
      live.seek(to: Int64(frame))
      buffer.frameCount = try live.read(into: buffer, at: 0, count: 5000)
      #expect(Array(buffer.samples(1)) == Array(whole[1][frame..<frame + 5000]))
    }
  }
}

extension Stage {
  /// Real music under real speech, with an effect that is ducked and a key.
  fileprivate func busyMix() throws -> Composition {
    let song = try fixture("feelings.ogg")
    let speech = try fixture("voice-8k.wav")
    let words = try fixture("librivox-sonnet.mp3")
    func seconds(_ thousandths: Int64) -> Time { Time(value: thousandths, timescale: 1000) }
    var music = clip(song, 0..<44_100 * 12)
    music.mix.gain = Gain(decibels: -6)
    let cut = 8000 * 3
    return Composition(tracks: [
      Track(name: "music", segments: [music], ducking: AudioDucking(under: ["voice"], by: 14)),
      Track(
        name: "voice",
        segments: [
          clip(speech, 0..<Int64(cut), at: seconds(1234)),
          clip(words, 30_000..<120_001, at: seconds(6789)),
        ]),
    ])
  }
}
