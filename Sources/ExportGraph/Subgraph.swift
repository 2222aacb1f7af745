import MediaComposition

extension Node.Kind {
  /// The nodes that it reads.
  package var children: [Node.ID] {
    switch self {
    case .source: []
    case .mix(let children): children
    case .convert(let child), .process(_, let child), .excerpt(let child, _): [child]
    case .duck(let child, let keys, _): [child] + keys
    }
  }

  /// The same kind, reading other nodes.
  fileprivate func renumbered(_ number: (Node.ID) -> Node.ID) -> Node.Kind {
    switch self {
    case .source: self
    case .mix(let children): .mix(children.map(number))
    case .convert(let child): .convert(number(child))
    case .process(let process, let child): .process(process, number(child))
    case .excerpt(let child, let start): .excerpt(number(child), start: start)
    case .duck(let child, let keys, let ducking):
      .duck(number(child), keys: keys.map(number), ducking)
    }
  }
}

extension Node {
  /// The asset that it reads itself: a source's, or an impulse response.
  package var asset: Asset? {
    switch kind {
    case .source(let source, _): source.asset
    case .process(.reverb(let reverb), _): reverb.impulse
    case .mix, .convert, .process, .excerpt, .duck: nil
    }
  }
}

extension Graph {
  /// A node, the last one, and all that it is made of, numbered anew in the same order; without
  /// sinks and tracks. Equal sounds of two graphs give equal ones. O(nodes).
  package func subgraph(of node: Node.ID) -> Graph {
    var isNeeded = [Bool](repeating: false, count: node + 1)
    isNeeded[node] = true
    for id in isNeeded.indices.reversed() where isNeeded[id] {
      for child in nodes[id].kind.children { isNeeded[child] = true }
    }
    var numbers = [Node.ID](repeating: 0, count: node + 1)
    var found: [Node] = []
    for id in isNeeded.indices where isNeeded[id] {
      numbers[id] = found.count
      var copy = nodes[id]
      copy.kind = copy.kind.renumbered { numbers[$0] }
      found.append(copy)
    }
    return Graph(nodes: found, sinks: [])
  }

  /// For each node whose sound is a whole one that is changed, and that others have as well, the first
  /// of these: cuts in a composition leave each of its parts with such nodes of its own.
  ///
  /// - Complexity: O(nodes)
  package func twins() -> [Node.ID: Node.ID] {
    /// What tells most of them apart without a look at what they are made of.
    struct Sign: Hashable {
      let process: SoundProcess
      let frames: Range<Int64>
    }
    var candidates: [Sign: [Node.ID]] = [:]
    for (id, node) in nodes.enumerated() {
      guard case .process(let process, _) = node.kind else { continue }
      candidates[Sign(process: process, frames: node.frames), default: []].append(id)
    }
    var isAsked = [Bool](repeating: false, count: nodes.count)
    for ids in candidates.values where ids.count > 1 {
      for id in ids { isAsked[id] = true }
    }
    for id in nodes.indices.reversed() where isAsked[id] {
      for child in nodes[id].kind.children { isAsked[child] = true }
    }
    // The first node with the same sound, by what it is made of.
    var firsts: [Node: Node.ID] = [:]
    var numbers = Array(nodes.indices)
    for id in nodes.indices where isAsked[id] {
      var node = nodes[id]
      (node.origin, node.name) = (.unknown, nil)
      node.kind = node.kind.renumbered { numbers[$0] }
      numbers[id] = firsts[node, default: id]
      firsts[node] = numbers[id]
    }
    var found: [Node.ID: Node.ID] = [:]
    for ids in candidates.values {
      let groups = Dictionary(grouping: ids) { numbers[$0] }
      for (first, ids) in groups where ids.count > 1 {
        for id in ids { found[id] = first }
      }
    }
    return found
  }

  /// How many sources sound at once in the last node, at most. O(nodes log nodes).
  package var sourcesAtOnce: Int {
    var found: [Int] = []
    for node in nodes {
      guard case .mix(let children) = node.kind else {
        let children = node.kind.children
        found.append(children.isEmpty ? 1 : children.reduce(0) { $0 + found[$1] })
        continue
      }
      // At one frame, ends come before starts.
      let changes = children.flatMap { child in
        let frames = nodes[child].frames
        return [(frames.lowerBound, found[child]), (frames.upperBound, -found[child])]
      }
      var (now, most) = (0, 0)
      for change in changes.sorted(by: <) {
        now += change.1
        most = max(most, now)
      }
      found.append(most)
    }
    return found.last ?? 0
  }

  /// The sound of one asset, as it is.
  package init(of asset: Asset) {
    let layout = asset.channelLayout
    let source = Source(asset, matrix: ChannelMatrix(from: layout, to: layout), ratio: .one)
    self.init(
      nodes: [
        Node(
          .source(source, start: 0),
          format: AudioFormat(sampleRate: asset.sampleRate, channelLayout: layout),
          frames: 0..<source.frameCount)
      ], sinks: [])
  }
}
