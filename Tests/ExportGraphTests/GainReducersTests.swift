import MediaComposition
import MediaTime
import Testing

@testable import ExportGraph

@Suite("What lowers a sound, and where it is heard") struct GainReducersTests {
  private let format = AudioFormat(sampleRate: 1000, channelLayout: .mono)

  private func node(_ kind: Node.Kind, _ frames: Range<Int64>, rate: Int = 1000) -> Node {
    Node(kind, format: AudioFormat(sampleRate: rate, channelLayout: .mono), frames: frames)
  }

  /// A graph of these, whose last node feeds an output from frame `start` on.
  private func graph(_ nodes: [Node], from start: Int64 = 0, tracks: [[Node.ID]] = []) -> Graph {
    let frames = start..<(nodes.last?.frames.upperBound ?? start)
    let sink = Sink(
      node: nodes.count - 1, frames: frames, output: Output(path: "x.wav", format: .wav(.int16)),
      format: .wav(.int16), metadata: Metadata(), chapters: [], isDithered: false)
    return Graph(nodes: nodes, sinks: [sink], tracks: tracks)
  }

  private func places(_ graph: Graph) -> HeardPlaces {
    HeardPlaces(in: graph.sinks[0], of: graph)
  }

  private func heard(_ frames: Range<Int64>, of id: Node.ID, in graph: Graph) -> Range<Int64>? {
    let found = places(graph).frames(frames, of: id)
    return found.isEmpty ? nil : found
  }

  @Test("frames are heard where excerpts, speeds, rates and the output's own start put them")
  func placed() {
    let half = FrameRatio(from: 2, to: 1)
    let graph = graph(
      [
        node(.mix([]), 0..<1000),
        node(.process(.limiter(Effect.Limiter()), 0), 0..<1000),
        node(.process(.reverse, 1), 0..<1000),
        node(.process(.varispeed(half), 2), 0..<500),
        // Frames 100 to 400 from frame 2000 on.
        node(.excerpt(3, start: 100), 2000..<2300),
        node(.mix([4]), 0..<4000),
        node(.convert(5), 0..<8000, rate: 2000),
      ], from: 1000)
    // 300 ..< 340 is reversed 660 ..< 700, at twice the speed 330 ..< 350, and in its place
    // 2230 ..< 2250.
    #expect(heard(300..<340, of: 0, in: graph) == 3460..<3500)
    #expect(heard(300..<340, of: 1, in: graph) == 3460..<3500)
    #expect(heard(660..<700, of: 2, in: graph) == 3460..<3500)
    #expect(heard(2230..<2250, of: 5, in: graph) == 3460..<3500)
    #expect(heard(3460..<3500, of: 6, in: graph) == 2460..<2500)
    // What is left out is heard nowhere, and what is cut at the part that is left.
    #expect(heard(900..<940, of: 1, in: graph) == nil)
    #expect(heard(790..<840, of: 1, in: graph) == 3000..<3010)
    #expect(heard(0..<1000, of: 5, in: graph) == 0..<1000)
    #expect(heard(0..<500, of: 5, in: graph) == nil)
  }

  @Test("each node that can lower what is heard is found, with its track")
  func reducers() {
    let ducking = Ducking(AudioDucking(under: ["voice"], by: 12), at: .zero, rate: 1000)
    var solved = Normalization(LoudnessTarget(.integrated(-16), truePeak: -1))
    solved.solution = .init(gain: .unity, ceiling: -1)
    var free = solved
    free.solution = .init(gain: .unity)
    let compressor = Effect.compressor(Effect.Compressor())
    var parallel = Effect.Compressor()
    (parallel.ratio, parallel.makeup) = (1, 3)
    let all = 0..<Int64(100)
    func process(_ process: SoundProcess, _ child: Node.ID) -> Node {
      node(.process(process, child), all)
    }
    let graph = graph(
      [
        node(.mix([]), all), process(.filter([.highpass(frequency: 80), compressor]), 0),
        process(.filter([.compressor(parallel), .gate(Effect.Gate())]), 1),
        process(.leveler(Effect.Leveler()), 2), process(.normalize(free), 3),
        // The music, and a voice, which is its key.
        node(.mix([]), all), process(.limiter(Effect.Limiter()), 5),
        node(.duck(4, keys: [6], ducking), all), node(.mix([7, 6]), all),
        process(.normalize(solved), 8),
        // Of another output.
        process(.limiter(Effect.Limiter()), 8), process(.normalize(solved), 8),
      ], tracks: [[7], [6]])
    func found(in sink: Node.ID) -> [String] {
      var graph = graph
      graph.sinks[0].node = sink
      return places(graph).reducers.map { node, reducer, track in
        "\(node) \(reducer) \(track.map { "of \($0)" } ?? "of the mix")"
      }
    }
    let both = ["1 compressor of 0", "6 limiter of 1", "7 duck of 0"]
    #expect(found(in: 8) == both)
    #expect(found(in: 9) == both + ["9 limiter of the mix"])
    #expect(found(in: 11) == both + ["11 limiter of the mix"])
    #expect(found(in: 0).isEmpty)
  }
}
