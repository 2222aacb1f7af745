import Diagnosis
import ExportGraph
import MediaComposition

/// The nodes of a graph at work. Nodes with several readers are shared.
struct NodeTree {
  private var nodes: [any Sound] = []
  private var shared: [Node.ID: SharedNode] = [:]
  private let watchers: [Node.ID: any NodeWatcher]

  /// All nodes of `graph`, of which `masters` are read from outside.
  ///
  /// - Throws: Where the library cannot say how a reversed file is read.
  init(
    _ graph: Graph, masters: [Node.ID], _ pool: SourcePool, _ library: MediaLibrary,
    watchers: [Node.ID: any NodeWatcher], jumps: Jumps
  ) throws(Failure) {
    self.watchers = watchers
    // The blocks of a mix lie on one grid, wherever its readers begin.
    let mixes = Set(masters.map(graph.mixNode))
    let readers = graph.readers(from: masters)
    var keys: [Node.ID: Ducking] = [:]
    for case .duck(_, keys: let ids, let ducking) in graph.nodes.lazy.map(\.kind) {
      for id in ids { keys[id] = ducking }
    }
    let startsAnew = try graph.nodesThatStartAnew(library)
    let twins = graph.twins()
    let lastTwins = Dictionary(twins.map { ($1, $0) }, uniquingKeysWith: max)
    let processes = ProcessPool()
    // What a watcher sees is of one node.
    let isWatched = graph.nodesThatHold(Set(watchers.keys))
    for (id, node) in graph.nodes.enumerated() {
      let sound: any Sound
      switch node.kind {
      case .source(let source, let first):
        sound = SourceNode(node, source, start: first, pool)
      case .mix(let children):
        sound = MixNode(node, children.map { (graph.nodes[$0].frames, heard($0)) })
      case .convert(let child):
        let input = graph.nodes[child]
        sound = convert(
          heard(child),
          by: ChannelMatrix(from: input.format.channelLayout, to: node.format.channelLayout),
          FrameRatio(from: input.format.sampleRate, to: node.format.sampleRate),
          sampleRate: input.format.sampleRate, frameCount: input.frames.upperBound,
          targetCount: node.frames.upperBound)
      case .process(let process, let child):
        let input = ExcerptSound(heard(child), 0..<graph.nodes[child].frames.upperBound)
        let first = isWatched[id] ? nil : twins[id]
        let twins = first.map {
          ProcessPool.Place(pool: processes, first: $0, isLast: lastTwins[$0] == id)
        }
        sound = ProcessNode(node, twins: twins) { () throws(Failure) in
          try graph.source(
            of: process, over: input, child, in: node, startsAnew: startsAnew[child], pool, jumps,
            watchers[id])
        }
      case .excerpt(let child, let start):
        sound = ExcerptSound(
          heard(child), start..<start + Int64(node.frames.count), at: node.frames.lowerBound)
      case .duck(let child, let keys, let ducking):
        let keys = keys.compactMap { shared[$0]?.reader() }
        sound = DuckNode(heard(child), keys: keys, ducking, watchers[id])
      }
      nodes.append(
        node.level.isUnity
          ? sound : LevelNode(sound, at: node.level, node.format.channelLayout))
      if mixes.contains(id) || keys[id] != nil || readers[id].count > 1 {
        shared[id] = SharedNode(nodes[id], node, readers[id].reach, key: keys[id])
      }
    }
  }

  /// The sound of a node.
  func sound(of id: Node.ID) -> any Sound { shared[id]?.reader() ?? nodes[id] }

  /// A reader of a node's sound on its way to the masters, which its watcher sees. What a duck
  /// reads of its keys, no watcher sees: it is ahead of what is heard.
  private func heard(_ id: Node.ID) -> any Sound {
    let sound = sound(of: id)
    return watchers[id].map { WatchedNode(sound, $0) } ?? sound
  }
}

extension Graph {
  /// For each node, whether it is one of some, or is made of one. O(nodes).
  fileprivate func nodesThatHold(_ some: Set<Node.ID>) -> [Bool] {
    var found: [Bool] = []
    for (id, node) in nodes.enumerated() {
      found.append(some.contains(id) || node.kind.children.contains { found[$0] })
    }
    return found
  }

  /// For each node, how many readers it has on the way to `masters`, and how far these may be apart, in
  /// frames. O(nodes).
  ///
  /// A duck reads its keys before and after the frames that it renders, in whole blocks, and is
  /// itself rendered as far ahead as the duck that it is a key of.
  fileprivate func readers(
    from masters: [Node.ID]
  ) -> [(count: Int, reach: SharedNode.ReaderReach)] {
    let block = Int64(Renderer.blockSize)
    typealias Reach = SharedNode.ReaderReach
    var counts = Array(repeating: 0, count: nodes.count)
    for id in masters { counts[id] += 1 }
    // How far from the masters' frames a node is rendered, and those that read it.
    var most = Array(repeating: Reach(), count: nodes.count)
    var least = Array(repeating: nil as Reach?, count: nodes.count)
    // Parents stand after their children.
    for id in nodes.indices.reversed() where counts[id] > 0 {
      let own = most[id]
      func read(_ child: Node.ID, behind: Int64 = 0, ahead: Int64 = 0) {
        counts[child] += 1
        most[child].behind = max(most[child].behind, own.behind + behind)
        most[child].ahead = max(most[child].ahead, own.ahead + ahead)
        let known = least[child] ?? own
        least[child] = Reach(
          behind: min(known.behind, own.behind), ahead: min(known.ahead, own.ahead))
      }
      guard case .duck(let child, let keys, let ducking) = nodes[id].kind else {
        for child in nodes[id].kind.children { read(child) }
        continue
      }
      read(child)
      for key in keys { read(key, behind: ducking.behind, ahead: ducking.ahead + 2 * block) }
    }
    return nodes.indices.map { id in
      let (most, least) = (most[id], least[id] ?? Reach())
      return (
        counts[id], Reach(behind: most.behind - least.behind, ahead: most.ahead - least.ahead)
      )
    }
  }
}
