import MediaComposition
import MediaTime

extension Graph {
  /// A language of diagrams.
  package enum DiagramLanguage: Sendable {
    /// A flowchart of Mermaid (https://mermaid.js.org/syntax/flowchart.html), as forges draw it.
    case mermaid
    /// A cluster of Graphviz (https://graphviz.org/doc/info/lang.html).
    case dot
  }

  /// The graph of a job as a part of a diagram: its nodes, whose names begin with `prefix`, and its
  /// outputs. O(nodes)
  package func diagram(
    in language: DiagramLanguage, name: String, prefix: String
  ) -> String {
    var writer = DiagramWriter(language: language, prefix: prefix)
    writer.open(name)
    for (id, node) in nodes.enumerated() {
      writer.add("n\(id)", node.diagramLines, isOutput: false)
    }
    for (index, sink) in sinks.enumerated() {
      writer.add("o\(index)", [sink.output.path.string, sink.formatName], isOutput: true)
    }
    for (id, node) in nodes.enumerated() {
      for child in node.kind.children { writer.join("n\(child)", "n\(id)") }
    }
    for (index, sink) in sinks.enumerated() { writer.join("n\(sink.node)", "o\(index)") }
    writer.close()
    return writer.text
  }

  /// Diagrams of several jobs as one. O(length)
  package static func diagram(of parts: [String], in language: DiagramLanguage) -> String {
    switch language {
    case .mermaid: "flowchart LR\n" + parts.joined()
    case .dot:
      "digraph plan {\n  rankdir=LR\n  node [shape=box]\n" + parts.joined() + "}\n"
    }
  }
}

extension Node {
  /// What it is, what it does, and when it sounds.
  fileprivate var diagramLines: [String] {
    let rate = format.sampleRate
    func time(_ frame: Int64) -> String { Time(frames: frame, rate: rate).clockText(decimals: 3) }
    let what =
      switch kind {
      case .source(let source, _): "\(source.asset.location)"
      case .process(let process, _): process.description
      case .duck(_, keys: _, let ducking): ducking.text(rate: rate)
      case .convert: "\(format)"
      case .mix, .excerpt: ""
      }
    let when = time(frames.lowerBound) + " – " + time(frames.upperBound)
    return ([kindName, name.map { "track \($0)" } ?? "", what, when]).filter { !$0.isEmpty }
      + level.notes(rate: rate)
  }
}

/// Writes nodes and arrows in a language of diagrams.
private struct DiagramWriter {
  let language: Graph.DiagramLanguage
  let prefix: String
  private(set) var text = ""

  init(language: Graph.DiagramLanguage, prefix: String) {
    (self.language, self.prefix) = (language, prefix)
  }

  mutating func open(_ name: String) {
    switch language {
    case .mermaid: text += "  subgraph \(prefix)job[\(quoted([name]))]\n"
    case .dot: text += "  subgraph \"cluster_\(prefix)job\" {\n    label=\(quoted([name]))\n"
    }
  }

  mutating func add(_ id: String, _ lines: [String], isOutput: Bool) {
    switch language {
    case .mermaid:
      let (start, end) = isOutput ? ("([", "])") : ("[", "]")
      text += "    \(prefix)\(id)\(start)\(quoted(lines))\(end)\n"
    case .dot:
      text += "    \(prefix)\(id) [label=\(quoted(lines))\(isOutput ? " style=rounded" : "")]\n"
    }
  }

  mutating func join(_ from: String, _ to: String) {
    let arrow = language == .mermaid ? "-->" : "->"
    text += "    \(prefix)\(from) \(arrow) \(prefix)\(to)\n"
  }

  mutating func close() { text += language == .mermaid ? "  end\n" : "  }\n" }

  /// A label of these lines, in which no character has a meaning.
  private func quoted(_ lines: [String]) -> String {
    let escaped = lines.map { line in
      line.printable.unicodeScalars.reduce(into: "") { text, scalar in
        switch (language, scalar) {
        // Mermaid has entities with # for &, and reads Markdown and HTML in labels.
        case (.mermaid, "\""), (.mermaid, "#"), (.mermaid, "&"), (.mermaid, "<"), (.mermaid, ">"),
          (.mermaid, "`"), (.mermaid, "*"), (.mermaid, "_"), (.mermaid, "\\"), (.mermaid, "["),
          (.mermaid, "]"):
          text += "#\(scalar.value);"
        case (.dot, "\""), (.dot, "\\"):
          text += "\\"
          text.unicodeScalars.append(scalar)
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    return "\"" + escaped.joined(separator: language == .mermaid ? "<br>" : "\\n") + "\""
  }
}
