import Diagnosis
import ExportGraph
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Sounds")
struct SoundTests {
  /// Every sample is its frame's index, of 100.
  private final class Counting: Sound {
    let channelCount = 1
    var closings = 0

    func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) -> Int {
      let there = frames.clamped(to: 0..<100)
      for (index, frame) in there.enumerated() {
        buffer.planes[0][offset + index] = Float(frame)
      }
      return there.count
    }

    func close() { closings += 1 }
  }

  @Test("an excerpt counts from a zero of its own, ends where its frames do, and closes its input")
  func excerpt() throws {
    let counting = Counting()
    let excerpt = ExcerptSound(counting, 20..<50)
    #expect(try excerpt.samples(0..<100, inBlocksOf: 7)[0] == (20..<50).map { Float($0) })
    #expect(try excerpt.samples(28..<40)[0] == [48, 49])
    #expect(try excerpt.samples(30..<40)[0].isEmpty)
    let placed = ExcerptSound(counting, 20..<50, at: -5)
    #expect(try placed.samples(-5 ..< -2)[0] == [20, 21, 22])
    #expect(counting.closings == 0)
    excerpt.close()
    #expect(counting.closings == 1)
  }

  @Test("a level is applied where the sound stands in the buffer")
  func level() throws {
    let ramp = Level.Ramp(frames: 10..<20, start: 0, end: 1, curve: .linear)
    let level = Level(gain: 2, envelopes: [Level.Envelope(0, [ramp])])
    let buffer = AudioBuffer(channelCount: 1, capacity: 30)
    let node = LevelNode(Counting(), at: level, .mono)
    #expect(try node.read(8..<30, into: buffer, at: 4) == 22)
    buffer.frameCount = 30
    let factors = (8..<30).map { frame in 2 * Float(min(max(frame - 10, 0), 10)) / 10 }
    for (index, factor) in factors.enumerated() {
      #expect(abs(buffer.planes[0][4 + index] - factor * Float(8 + index)) < 1e-4)
    }
    #expect(buffer.samples(0).prefix(4).allSatisfy { $0 == 0 })
    #expect(buffer.samples(0).suffix(4).allSatisfy { $0 == 0 })
  }

  @Test("a task gives its pieces in order, and then its failure")
  func task() throws {
    var next = 0
    let task = SpanTask<Int>(pace: 2) { () throws(Failure) in
      next += 1
      guard next < 6 else { throw Failure(.tryAgain, "is over") }
      return next
    }
    #expect(!task.advance())
    #expect(!task.advance())
    #expect(task.advance())
    var pieces: [Int] = []
    let failure = #expect(throws: Failure.self) { try task.give { pieces.append($0) } }
    #expect(failure?.message == "is over")
    #expect(pieces == [1, 2, 3, 4, 5])
    let short = SpanTask<Int>(pace: 2) { nil }
    #expect(short.advance())
    try short.give { _ in Issue.record("it has no pieces") }
  }

  @Test("outputs of one rate at several levels are each the same as alone")
  func levels() throws {
    let stage = Stage()
    var outputs = (0..<3).map {
      Output(path: FilePath("\($0).wav"), format: .wav(.float32), sampleRate: 48_000)
    }
    outputs[1].loudness = LoudnessTarget(.integrated(-20), truePeak: nil)
    outputs[2].loudness = LoudnessTarget(.integrated(-16), truePeak: -1)
    var graph = try Graph(
      compiling: Export(
        name: "test", composition: composition(clip(try stage.fixture("feelings.ogg"), 0..<99_999)),
        sampleRate: 44_100, outputs: outputs))
    for (id, normalization, _) in graph.normalizations {
      graph.solve(id, by: .init(gain: Gain(decibels: 6), ceiling: normalization.ceiling))
    }
    let masters = graph.sinks.map(\.node)
    #expect(Set(masters).count == 3)
    let renderer = try Renderer(graph, library: stage.library)
    var sounds = [[Float]](repeating: [], count: 3)
    let buffer = AudioBuffer(channelCount: 2, capacity: 4096)
    for start in stride(from: 0 as Int64, to: 110_000, by: 4096) {
      for (index, master) in masters.enumerated() {
        try renderer.read(start..<start + 4096, of: master, into: buffer)
        sounds[index] += buffer.samples(1)
      }
    }
    for (index, master) in masters.enumerated() {
      let alone = try Renderer(graph, library: stage.library, masters: [master])
      #expect(try alone.samples(of: master)[1] == sounds[index])
    }
    #expect(sounds[1] == sounds[0].map { $0 * Float(Gain(decibels: 6).factor) })
  }
}
