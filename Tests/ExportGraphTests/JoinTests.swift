import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Testing

@Suite("Joins of graphs") struct JoinTests {
  private let format = AudioFormat(sampleRate: 48_000, channelLayout: .stereo)

  private func node(
    _ kind: Node.Kind, _ frames: Range<Int64>, level: Level = .unity, line: UInt32 = 0
  ) -> Node {
    Node(kind, format: format, frames: frames, level: level, origin: Origin(rawValue: line))
  }

  /// The joins of a sink that writes some frames of the last node.
  private func joins(
    _ nodes: [Node], writing frames: Range<Int64>, as format: AudioFormat? = nil
  ) -> [Graph.JoinedItems] {
    var nodes = nodes
    if let format {
      nodes.append(Node(.convert(nodes.count - 1), format: format, frames: frames))
    }
    let sink = Sink(
      node: nodes.count - 1, frames: frames,
      output: Output(path: "a.flac", format: .flac(bitDepth: 16)), format: .flac(bitDepth: 16),
      metadata: Metadata(), chapters: [], isDithered: false)
    return Graph(nodes: nodes, sinks: [sink]).joins(of: sink)
  }

  @Test("items in a row join where one ends; what sounds alone, or apart, does not")
  func sequences() {
    let items = [
      node(.mix([]), 0..<100_000), node(.mix([]), 100_000..<150_000, line: 2),
      node(.mix([]), 160_000..<300_000, line: 3),
    ]
    let mix = node(.mix([0, 1, 2]), 0..<300_000)
    let found = Graph.JoinedItems(
      frames: 100_000..<100_000, isSteady: true, origin: Origin(rawValue: 2))
    #expect(joins(items + [mix], writing: 0..<300_000) == [found])
    // A part begins at its own zero, and has what lies within it.
    #expect(joins(items + [mix], writing: 90_000..<300_000).map(\.frames) == [10_000..<10_000])
    #expect(joins(items + [mix], writing: 100_000..<300_000) == [])
    // At another rate.
    let halved = AudioFormat(sampleRate: 24_000, channelLayout: .stereo)
    #expect(
      joins(items + [mix], writing: 0..<150_000, as: halved).map(\.frames) == [50_000..<50_000])
  }

  private func fade(_ frames: Range<Int64>, _ start: Float, _ end: Float) -> Level {
    Level(envelopes: [
      Level.Envelope(start, [Level.Ramp(frames: frames, start: start, end: end, curve: .linear)])
    ])
  }

  @Test("a crossfade is one join, and no level is expected to go on in it")
  func crossfades() {
    let items = [
      node(.mix([]), 0..<100_000, level: fade(90_000..<100_000, 1, 0)),
      node(.mix([]), 90_000..<200_000, level: fade(90_000..<100_000, 0, 1), line: 2),
    ]
    let found = joins(items + [node(.mix([0, 1]), 0..<200_000)], writing: 0..<200_000)
    #expect(
      found == [
        Graph.JoinedItems(frames: 90_000..<100_000, isSteady: false, origin: Origin(rawValue: 2))
      ])
  }

  @Test("items join out of and into a mix that only gathers them, as for a track that ducks others")
  func gathered() {
    let items = [
      node(.mix([]), 0..<50_000),
      node(.mix([]), 50_000..<100_000, level: fade(90_000..<100_000, 1, 0)),
      node(.mix([]), 90_000..<200_000, level: fade(90_000..<100_000, 0, 1)),
    ]
    func frames(_ level: Level) -> [Range<Int64>] {
      joins(
        items + [node(.mix([0, 1]), 0..<100_000, level: level), node(.mix([3, 2]), 0..<200_000)],
        writing: 0..<200_000
      ).map(\.frames)
    }
    #expect(frames(.unity) == [50_000..<50_000, 90_000..<100_000])
    #expect(frames(Level(gain: 0.25)) == [50_000..<50_000])
  }

  @Test("neither is it where the job fades for long, or gives another gain")
  func levels() {
    func isSteady(_ before: Level, _ behind: Level) -> Bool? {
      let items = [
        node(.mix([]), 0..<100_000, level: before),
        node(.mix([]), 100_000..<200_000, level: behind),
      ]
      return joins(items + [node(.mix([0, 1]), 0..<200_000)], writing: 0..<200_000).first?.isSteady
    }
    #expect(isSteady(.unity, .unity) == true)
    #expect(isSteady(.unity, fade(100_000..<100_480, 0, 1)) == true)
    #expect(isSteady(.unity, fade(100_000..<110_000, 0, 1)) == false)
    #expect(isSteady(fade(50_000..<100_000, 1, 0), .unity) == false)
    #expect(isSteady(.unity, Level(gain: 0.25)) == false)
    #expect(isSteady(Level(gain: -1), .unity) == true)
  }

  @Test("items within groups and filtered groups join, those of reversed sound are not known")
  func groups() {
    func nested(_ process: SoundProcess) -> [Range<Int64>] {
      joins(
        [
          node(.mix([]), 0..<100), node(.mix([]), 100..<300), node(.mix([0, 1]), 0..<300),
          node(.process(process, 2), 0..<300), node(.excerpt(3, start: 50), 1000..<1200),
          node(.mix([4]), 0..<2000),
        ], writing: 0..<2000
      ).map(\.frames)
    }
    #expect(nested(.filter([])) == [1050..<1050])
    #expect(nested(.reverse) == [])
  }
}
