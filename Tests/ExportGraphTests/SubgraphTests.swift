import ExportGraph
import MediaComposition
import Testing

@Suite("Parts of graphs") struct SubgraphTests {
  private let format = AudioFormat(sampleRate: 48_000, channelLayout: .stereo)

  private func node(_ kind: Node.Kind, _ frames: Range<Int64> = 0..<100) -> Node {
    Node(kind, format: format, frames: frames)
  }

  @Test("a subgraph has what a node is made of, numbered anew, and nothing else")
  func numbers() {
    let graph = Graph(
      nodes: [
        node(.mix([])), node(.mix([]), 0..<50), node(.process(.reverse, 1)), node(.mix([0])),
        node(.excerpt(2, start: 7)), node(.mix([4, 1, 4])), node(.convert(5)), node(.mix([6, 3])),
      ], sinks: [], tracks: [[4], [1]])
    #expect(
      graph.subgraph(of: 6)
        == Graph(
          nodes: [
            node(.mix([]), 0..<50), node(.process(.reverse, 0)), node(.excerpt(1, start: 7)),
            node(.mix([2, 0, 2])), node(.convert(3)),
          ], sinks: []))
    #expect(graph.subgraph(of: 0) == Graph(nodes: [node(.mix([]))], sinks: []))
  }
}
