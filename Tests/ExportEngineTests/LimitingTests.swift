import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Limiting")
struct LimitingTests {
  let stage = Stage()
  private var limiter: Effect.Limiter {
    var limiter = Effect.Limiter(ceiling: -6)
    limiter.release = Time(value: 20, timescale: 1000)
    return limiter
  }

  /// A graph of a clip, raised by 24 dB and limited.
  private func graph(_ segment: Segment, _ limiter: Effect.Limiter) throws -> Graph {
    var graph = try Graph(
      compiling: Export(
        name: "test", composition: composition(segment), mix: AudioMix(gain: Gain(decibels: 24)),
        outputs: [Output(path: "mix.wav", format: .wav(.float32))]))
    let root = graph.sinks[0].node
    let mix = graph.nodes[root]
    graph.nodes.append(
      Node(.process(.limiter(limiter), root), format: mix.format, frames: mix.frames))
    graph.sinks[0].node = graph.nodes.count - 1
    return graph
  }

  @Test("A limited sound is the same from any start, and for any size of blocks")
  func anywhere() throws {
    let graph = try graph(clip(try stage.fixture("feelings.ogg"), 10_000..<300_000), limiter)
    let whole = try stage.render(graph)
    #expect(whole[0].count == 290_000)
    let peak = whole.joined().map(abs).max() ?? 0
    #expect(abs(20 * log10(Double(peak)) + 6.1) < 0.3)
    #expect(try stage.render(graph, block: 333) == whole)
    for (numerator, denominator) in [(1, 1000), (5, 3), (6, 1)] as [(Int64, Int32)] {
      let start = Time(value: numerator, timescale: denominator)
      let part = try stage.render(graph, from: start)
      let first = Int(start.frames(atRate: 44_100))
      for (part, whole) in zip(part, whole) { #expect(part.elementsEqual(whole.dropFirst(first))) }
    }
    // There and back.
    let renderer = try Renderer(graph, library: stage.library)
    let (master, buffer) = (graph.sinks[0].node, AudioBuffer(channelCount: 2, capacity: 500))
    for frame in [200_000, 0, 120_000, 119_000, 119_900, 289_900] {
      try renderer.read(Int64(frame)..<Int64(frame) + 500, of: master, into: buffer)
      #expect(buffer.samples(1).elementsEqual(whole[1].dropFirst(frame).prefix(500)))
    }
  }

  @Test("Watchers hear of every reduction")
  func watchers() throws {
    var sound = [Float](repeating: 0.01, count: 40_000)
    sound[20_000] = 1
    let graph = try graph(clip(try stage.sound([sound], rate: 48_000)), limiter)
    let watcher = Rides()
    let renderer = try Renderer(
      graph, library: stage.library, watchers: [graph.sinks[0].node: watcher])
    #expect(try renderer.samples(of: graph.sinks[0].node)[0].count == 40_000)
    #expect(watcher.end == 40_000)
    #expect(abs(20 * log10(Double(watcher.least)) + 24 + 6.1) < 0.01)
    #expect(watcher.leastFrames?.contains(20_000) == true)
  }

  @Test("What it needs around a part counts as work")
  func work() throws {
    let graph = try graph(clip(try stage.fixture("feelings.ogg"), 0..<441_000), limiter)
    #expect(graph.nodes.last?.memory == .frames(limiter.limiter(atRate: 44_100).reach))
  }
}

/// Keeps the least gain.
private final class Rides: NodeWatcher {
  var least: Float = 1
  var leastFrames: Range<Int64>?
  var end: Int64 = 0

  func pass(_ buffer: AudioBuffer, from offset: Int, at frames: Range<Int64>) {}

  func lowered(by gain: Float, at frames: Range<Int64>) {
    if gain < least { (least, leastFrames) = (gain, frames) }
    #expect(frames.lowerBound == end)
    end = frames.upperBound
  }
}
