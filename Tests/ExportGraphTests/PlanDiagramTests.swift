import ExportGraph
import MediaComposition
import Testing

@Suite("Diagrams of plans") struct PlanDiagramTests {
  private func diagram(_ language: Graph.DiagramLanguage, name: String) -> String {
    let format = AudioFormat(sampleRate: 48_000, channelLayout: .mono)
    let nodes = [
      Node(.mix([]), format: format, frames: 0..<48_000),
      Node(.process(.reverse, 0), format: format, frames: 0..<48_000),
    ]
    let sink = Sink(
      node: 1, frames: 0..<48_000,
      output: Output(path: "a \"b\" [c].flac", format: .flac(bitDepth: 16)),
      format: .flac(bitDepth: 16),
      metadata: Metadata(), chapters: [], isDithered: false)
    let part = Graph(nodes: nodes, sinks: [sink]).diagram(in: language, name: name, prefix: "j1")
    return Graph.diagram(of: [part], in: language)
  }

  @Test("Mermaid gets a flowchart, in whose labels no character has a meaning")
  func mermaid() {
    #expect(
      diagram(.mermaid, name: "<b>#1</b>") == """
        flowchart LR
          subgraph j1job["#60;b#62;#35;1#60;/b#62;"]
            j1n0["mix<br>0:00.000 – 0:01.000"]
            j1n1["process<br>reversed<br>0:00.000 – 0:01.000"]
            j1o0(["a #34;b#34; #91;c#93;.flac<br>FLAC 16 bit"])
            j1n0 --> j1n1
            j1n1 --> j1o0
          end

        """)
  }

  @Test("Graphviz gets a graph")
  func dot() {
    #expect(
      diagram(.dot, name: "a\\") == """
        digraph plan {
          rankdir=LR
          node [shape=box]
          subgraph "cluster_j1job" {
            label="a\\\\"
            j1n0 [label="mix\\n0:00.000 – 0:01.000"]
            j1n1 [label="process\\nreversed\\n0:00.000 – 0:01.000"]
            j1o0 [label="a \\"b\\" [c].flac\\nFLAC 16 bit" style=rounded]
            j1n0 -> j1n1
            j1n1 -> j1o0
          }
        }

        """)
  }
}
