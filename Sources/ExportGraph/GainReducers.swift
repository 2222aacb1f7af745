import MediaComposition

/// What lowers a sound by a gain that depends on sound.
package enum GainReducer: String, Sendable, Hashable {
  /// A compressor among the effects of an item.
  case compressor
  /// A limiter among the effects of an item, or the one that keeps the ceiling of a loudness.
  case limiter
  /// The ducking of a track.
  case duck
}

/// Where the frames of a graph's nodes are heard in an output.
package struct HeardPlaces: Sendable {
  private let graph: Graph
  private let sink: Sink
  /// Of each node, the one that it is heard through.
  private var parents: [Node.ID?]

  /// The places of all nodes that are heard in one of the graph's outputs. O(nodes).
  package init(in sink: Sink, of graph: Graph) {
    self.graph = graph
    self.sink = sink
    parents = Array(repeating: nil, count: graph.nodes.count)
    // Parents stand after their children.
    for id in graph.nodes.indices.reversed() where id == sink.node || parents[id] != nil {
      switch graph.nodes[id].kind {
      // A duck's keys are heard through their own mix.
      case .duck(let child, keys: _, _): parents[child] = id
      case let kind: for child in kind.children { parents[child] = id }
      }
    }
  }

  /// The nodes that lower what is heard, children before parents, each with the track of the
  /// composition whose sound it lowers; nil: that of the mix. O(nodes x depth).
  package var reducers: [(node: Node.ID, reducer: GainReducer, track: Int?)] {
    let tracks = graph.heardTracks.enumerated().flatMap { track, heard in
      heard.nodes.map { ($0, track) }
    }
    let trackOfNode = Dictionary(tracks) { first, _ in first }
    return graph.nodes.indices.compactMap { id in
      guard id == sink.node || parents[id] != nil, let reducer = graph.nodes[id].reducer else {
        return nil
      }
      let path = sequence(first: id) { parents[$0] }
      return (id, reducer, path.lazy.compactMap { trackOfNode[$0] }.first)
    }
  }

  /// The frames of the output, counted from its first, in which some frames of a node are heard:
  /// an empty range for frames that are not. O(depth).
  package func frames(_ frames: Range<Int64>, of node: Node.ID) -> Range<Int64> {
    var heard = frames
    var child = node
    while let id = parents[child] {
      let (input, parent) = (graph.nodes[child], graph.nodes[id])
      switch parent.kind {
      case .convert:
        let ratio = FrameRatio(from: input.format.sampleRate, to: parent.format.sampleRate)
        heard = heard.mapped(ratio.target(ofSource:))
      case .process(.varispeed(let ratio), _), .process(.stretch(let ratio, _), _):
        heard = heard.mapped(ratio.target(ofSource:))
      case .process(.reverse, _):
        let end = input.frames.upperBound
        heard = end - heard.upperBound..<end - heard.lowerBound
      case .excerpt(_, let start):
        heard = heard.mapped { $0 + parent.frames.lowerBound - start }
      case .source, .mix, .process, .duck: break
      }
      heard = heard.clamped(to: parent.frames)
      child = id
    }
    return heard.clamped(to: sink.frames).mapped { $0 - sink.frames.lowerBound }
  }
}

extension Range<Int64> {
  /// The range between what its bounds become by a function that keeps their order.
  package func mapped(_ place: (Int64) -> Int64) -> Self { place(lowerBound)..<place(upperBound) }
}

extension Node {
  fileprivate var reducer: GainReducer? {
    switch kind {
    case .duck: .duck
    case .process(.limiter, _): .limiter
    case .process(.normalize(let normalization), _):
      normalization.solution?.ceiling == nil ? nil : .limiter
    case .process(.filter(let effects), _):
      effects.contains { $0.compressor != nil } ? .compressor : nil
    case .source, .mix, .convert, .process, .excerpt: nil
    }
  }
}

extension Effect {
  /// A compressor that can lower a sound.
  package var compressor: Compressor? {
    guard case .compressor(let settings) = self, settings.ratio > 1, settings.mix > 0 else {
      return nil
    }
    return settings
  }
}
