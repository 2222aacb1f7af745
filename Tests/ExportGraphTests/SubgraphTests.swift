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

  @Test("sources at once are those that overlap, whatever is made of them")
  func sourcesAtOnce() {
    let asset = Asset(
      location: .file("a.wav"), streamIndex: 0, container: "wav", codec: "pcm_s16le",
      sampleRate: 48_000,
      channelLayout: .stereo, frameCount: 1000,
      identity: FileIdentity(device: 0, inode: 0, size: 0, modificationTime: 0))
    func source(_ frames: Range<Int64>) -> Node {
      Node(Graph(of: asset).nodes[0].kind, format: format, frames: frames)
    }
    let sources = [source(0..<50), source(50..<90), source(40..<60), source(0..<9)]
    func count(_ others: Node...) -> Int {
      Graph(nodes: sources + others, sinks: []).sourcesAtOnce
    }
    #expect(count() == 1)
    #expect(count(node(.mix([]))) == 0)
    #expect(count(node(.mix([0, 1]))) == 1)
    #expect(count(node(.mix([0, 1, 2, 3]))) == 2)
    #expect(count(node(.process(.reverse, 0)), node(.mix([0, 4]))) == 2)
    #expect(
      count(
        node(.mix([0, 3]), 0..<50), node(.excerpt(4, start: 0), 0..<50), node(.mix([1, 2, 5]))) == 3
    )
  }
}
