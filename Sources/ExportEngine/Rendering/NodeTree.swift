import Diagnosis
import ExportGraph
import MediaComposition

/// The nodes of a graph at work. Nodes with several readers are shared: those that masters are made
/// of, and keys of ducks.
struct NodeTree {
  private var nodes: [any RenderNode] = []
  private var shared: [Node.ID: SharedNode] = [:]
  private let watchers: [Node.ID: any NodeWatcher]

  /// All nodes of `graph`; of those in `masters`, several readers may be had.
  ///
  /// - Throws: Where the library cannot say how a reversed file is read.
  init(
    _ graph: Graph, masters: Set<Node.ID>, _ pool: SourcePool, _ library: MediaLibrary,
    watchers: [Node.ID: any NodeWatcher], jumps: Jumps
  ) throws(Failure) {
    self.watchers = watchers
    let spreads = graph.spreads()
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
      switch node.kind {
      case .source(let source, let first):
        nodes.append(SourceNode(node, source, start: first, pool))
      case .mix(let children):
        let children = children.map { (graph.nodes[$0].frames, heard($0)) }
        nodes.append(MixNode(node, children, capacity: Renderer.blockSize))
      case .convert(let child):
        // Its child's place in the list keeps the numbering; it is read through its tap.
        nodes.append(nodes[child])
      case .process(let process, let child):
        let source = graph.source(
          of: process, over: child, in: node, startsAnew: startsAnew[child], pool, jumps,
          watchers[id])
        let first = isWatched[id] ? nil : twins[id]
        nodes.append(
          ProcessNode(
            node, heard(child), frameCount: graph.nodes[child].frames.upperBound,
            twins: first.map {
              ProcessPool.Place(pool: processes, first: $0, isLast: lastTwins[$0] == id)
            }, source))
      case .excerpt(let child, let start):
        nodes.append(ExcerptNode(node, heard(child), start: start))
      case .duck(let child, let keys, let ducking):
        let keys = keys.compactMap { shared[$0]?.reader() }
        nodes.append(DuckNode(node, heard(child), keys: keys, ducking, watchers[id]))
      }
      if masters.contains(id) || keys[id] != nil {
        shared[id] = SharedNode(nodes[id], node, spreads[id], key: keys[id])
      }
    }
  }

  /// A reader of a master.
  func master(_ id: Node.ID) -> (any FrameSource)? { shared[id]?.reader() }

  /// A reader of a node's sound on its way to the masters, which its watcher sees. What a duck
  /// reads of its keys, no watcher sees: it is ahead of what is heard.
  private func heard(_ id: Node.ID) -> any RenderNode {
    let node: any RenderNode = shared[id]?.reader() ?? nodes[id]
    return watchers[id].map { WatchedNode(node, $0) } ?? node
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

  /// For each node, how far its readers may be apart, in frames. O(nodes).
  ///
  /// A duck reads its keys before and after the frames that it renders, in whole blocks, and is
  /// itself rendered as far ahead as the duck that it is a key of.
  fileprivate func spreads() -> [SharedNode.Spread] {
    let block = Int64(Renderer.blockSize)
    typealias Spread = SharedNode.Spread
    // How far from the masters' frames a node is rendered, and those that read it.
    var most = Array(repeating: Spread(), count: nodes.count)
    var least = Array(repeating: nil as Spread?, count: nodes.count)
    // Parents stand after their children.
    for id in nodes.indices.reversed() {
      let own = most[id]
      func read(_ child: Node.ID, behind: Int64 = 0, ahead: Int64 = 0) {
        most[child].behind = max(most[child].behind, own.behind + behind)
        most[child].ahead = max(most[child].ahead, own.ahead + ahead)
        let known = least[child] ?? own
        least[child] = Spread(
          behind: min(known.behind, own.behind), ahead: min(known.ahead, own.ahead))
      }
      guard case .duck(let child, let keys, let ducking) = nodes[id].kind else {
        for child in nodes[id].kind.children { read(child) }
        continue
      }
      read(child)
      for key in keys { read(key, behind: ducking.behind, ahead: ducking.ahead + 2 * block) }
    }
    return zip(most, least).map { most, least in
      Spread(behind: most.behind - (least?.behind ?? 0), ahead: most.ahead - (least?.ahead ?? 0))
    }
  }
}
