import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// Renders a graph block by block: export, preview and measurement pull from here.
///
/// One thread at a time. Memory is bounded by the number of sources that sound together. A frame's
/// sound does not depend on where rendering began.
package final class Renderer {
  /// Frames in a block of the mix.
  package static let blockSize = 4096

  /// The nodes of sinks, in the graph's order.
  package let masters: [Node.ID]
  private let graph: Graph
  private var spans: [Node.ID: Range<Int64>] = [:]
  private var taps: [Node.ID: any FrameSource] = [:]
  private let pool: SourcePool

  /// Starts at this time of the sinks. Once `cancellation` is set, `pull` soon throws, wherever it
  /// is in a file; ignore that error.
  ///
  /// - Parameters:
  ///   - graph: The graph.
  ///   - start: Where the first pull begins.
  ///   - library: Opens the files.
  ///   - masters: The nodes to pull; nil: those of all sinks.
  ///   - watchers: They see, and may change, a node's sound, on the thread that pulls.
  ///   - jumps: The warm-up of nodes with unbounded memory after a jump.
  ///   - cancellation: Ends it.
  /// - Throws: The failure of a file that cannot be opened.
  package init(
    _ graph: Graph, from start: Time = .zero, library: MediaLibrary,
    masters: [Node.ID]? = nil, watchers: [Node.ID: any NodeWatcher] = [:], jumps: Jumps = Jumps(),
    cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) {
    self.graph = graph
    self.masters = masters ?? Set(graph.sinks.map(\.node)).sorted()
    pool = SourcePool(library, unless: cancellation)
    var nodes: [any RenderNode] = []
    var mixes: [Node.ID: MixTee] = [:]
    let startsAnew = try graph.nodesThatStartAnew(library)
    for (id, node) in graph.nodes.enumerated() {
      defer {
        if let watcher = watchers[id], let last = nodes.popLast() {
          nodes.append(WatchedNode(last, watcher))
        }
      }
      switch node.kind {
      case .source(let source, let first):
        nodes.append(SourceNode(node, source, start: first, pool))
      case .mix(let children):
        nodes.append(
          MixNode(
            node, children.map { (graph.nodes[$0].frames, nodes[$0]) }, capacity: Self.blockSize))
      case .convert(let child):
        // Its child's place in the list keeps the numbering; it is read through its tap.
        nodes.append(nodes[child])
      case .process(let process, let child):
        nodes.append(
          ProcessNode(
            node, nodes[child], frameCount: graph.nodes[child].frames.upperBound,
            graph.source(
              of: process, over: child, in: node, startsAnew: startsAnew[child], pool, jumps)))
      case .excerpt(let child, let start):
        nodes.append(ExcerptNode(node, nodes[child], start: start))
      }
    }
    for id in self.masters {
      let node = graph.nodes[id]
      let mixID = if case .convert(let child) = node.kind { child } else { id }
      let mix = graph.nodes[mixID]
      let tee = mixes[mixID] ?? MixTee(nodes[mixID], mix)
      mixes[mixID] = tee
      let tap = convert(
        tee.tap(),
        by: ChannelMatrix(from: mix.format.channelLayout, to: node.format.channelLayout),
        FrameRatio(from: mix.format.sampleRate, to: node.format.sampleRate),
        sampleRate: mix.format.sampleRate, frameCount: mix.frames.upperBound,
        targetCount: node.frames.upperBound)
      let span = graph.sinks.first { $0.node == id }?.frames ?? node.frames
      try tap.seek(to: span.lowerBound + start.frames(atRate: node.format.sampleRate))
      spans[id] = span
      taps[id] = tap
    }
  }

  /// A warning for each file with damage so far.
  package var damageWarnings: [Warning] {
    let damaged = pool.damage.filter { $0.value.count > 0 }
    guard !damaged.isEmpty else { return [] }
    var origins: [FilePath: Origin] = [:]
    for node in graph.nodes {
      guard let asset = node.asset, origins[asset.path] == nil else { continue }
      origins[asset.path] = node.origin
    }
    return
      damaged
      .map { path, damage in
        Warning(
          "is damaged in \(damage.count == 1 ? "one place" : "\(damage.count) places"), where "
            + "sound is missing; download it again", path: path, origin: origins[path] ?? .unknown)
      }
      .sorted { ($0.path?.string ?? "") < ($1.path?.string ?? "") }
  }

  /// The next frame of a master, on the timeline.
  package func position(of master: Node.ID) -> Int64 { taps[master]?.position ?? 0 }

  /// Moves to this frame of a master's sinks, in the master's own rate.
  package func seek(_ master: Node.ID, to frame: Int64) throws(Failure) {
    guard let tap = taps[master], let span = spans[master] else { return }
    try tap.seek(to: min(span.lowerBound + max(0, frame), span.upperBound))
  }

  /// Fills a buffer with a master's next frames, `count` or as many as fit; `frameCount` is 0 at
  /// the end of its sinks.
  package func pull(
    _ master: Node.ID, into buffer: AudioBuffer, count: Int = .max
  ) throws(Failure) {
    guard let tap = taps[master], let span = spans[master] else { return }
    let left = span.upperBound - tap.position
    let wanted = Int(max(0, min(Int64(min(count, buffer.capacity)), left)))
    let taken = try tap.read(into: buffer, at: 0, count: wanted)
    guard taken == wanted else {
      throw Failure(.reportBug, "the mix ended \(wanted - taken) frames early")
    }
    buffer.frameCount = wanted
  }
}

extension Graph {
  /// The source of a process's frames, which reads its child.
  fileprivate func source(
    of process: Process, over child: Node.ID, in node: Node, startsAnew: Bool, _ pool: SourcePool,
    _ jumps: Jumps
  ) -> (any FrameSource) throws(Failure) -> any FrameSource {
    let inputCount = nodes[child].frames.upperBound
    let (count, rate) = (node.frames.upperBound, node.format.sampleRate)
    let ratio = if case .stretch(let ratio, _) = process { ratio } else { FrameRatio.one }
    func filtered(
      _ setup: @escaping () throws(Failure) -> FilteredSource.Setup
    ) -> (any FrameSource) throws(Failure) -> any FrameSource {
      { input throws(Failure) in
        let setup = try setup()
        return setup.filters.isEmpty
          ? input
          : FilteredSource(
            input, setup, ratio, sampleRate: rate, frameCount: count,
            jumps: jumps)
      }
    }
    switch process {
    case .reverse:
      return { ReversedSource($0, frameCount: inputCount, startsAnew: startsAnew) }
    case .varispeed(.one), .stretch(.one, _):
      return { $0 }
    case .varispeed(let ratio):
      return {
        ResampledSource(
          $0, ratio, sampleRate: rate, frameCount: inputCount, targetCount: count)
      }
    case .stretch(let ratio, let algorithm):
      return filtered { () throws(Failure) in
        try .stretch(ratio, algorithm, sampleRate: rate)
      }
    case .filter(let effects):
      return filtered { .effects(effects, sampleRate: rate) }
    case .delay(let delay):
      return { EchoSource($0, delay, sampleRate: rate, frameCount: count, jumps: jumps) }
    case .reverb(let reverb):
      return filtered { () throws(Failure) in
        try .reverb(reverb, at: node.format, pool)
      }
    }
  }

  /// For each node, whether going back renders it from its start. O(nodes); the library is queried
  /// only if the graph reverses something.
  fileprivate func nodesThatStartAnew(_ library: MediaLibrary) throws(Failure) -> [Bool] {
    var found = Array(repeating: false, count: nodes.count)
    let isReversing = nodes.contains {
      if case .process(.reverse, _) = $0.kind { true } else { false }
    }
    guard isReversing else { return found }
    for (id, node) in nodes.enumerated() {
      switch node.kind {
      case .source(let source, _): found[id] = try library.startsAnew(source.asset)
      case .mix(let children): found[id] = children.contains { found[$0] }
      case .convert(let child), .process(_, let child), .excerpt(let child, _):
        found[id] = node.memory == .unbounded || found[child]
      }
    }
    return found
  }
}

/// One mix, rendered once for several readers in rough step.
private final class MixTee {
  private let mix: any RenderNode
  private let node: Node
  /// Weak, as the taps hold the tee: a cycle would never be released.
  private var taps: [WeakTap] = []
  /// Rendered blocks that some tap still needs, in order; the first is block `firstBlock`.
  private var blocks: [AudioBuffer] = []
  private var firstBlock: Int64 = 0
  private var spare: [AudioBuffer] = []

  init(_ mix: any RenderNode, _ node: Node) {
    self.mix = mix
    self.node = node
  }

  func tap() -> any FrameSource {
    let tap = Tap(self)
    taps.append(WeakTap(tap: tap))
    return tap
  }

  private static let size = Int64(Renderer.blockSize)

  /// The block that holds `frame`, which lies on the timeline.
  private func block(holding frame: Int64) throws(Failure) -> AudioBuffer {
    let wanted = frame / Self.size
    let needed = min(
      wanted, taps.compactMap { $0.tap.map { $0.position / Self.size } }.min() ?? wanted)
    while firstBlock < needed, !blocks.isEmpty {
      spare.append(blocks.removeFirst())
      firstBlock += 1
    }
    if blocks.isEmpty || wanted < firstBlock || wanted > firstBlock + Int64(blocks.count) {
      spare += blocks
      blocks = []
      firstBlock = wanted
    }
    if wanted == firstBlock + Int64(blocks.count) {
      let buffer =
        spare.popLast()
        ?? AudioBuffer(
          channelCount: node.format.channelLayout.count, capacity: Renderer.blockSize)
      let start = wanted * Self.size
      try mix.render(start..<min(start + Self.size, node.frames.upperBound), into: buffer)
      blocks.append(buffer)
    }
    return blocks[Int(wanted - firstBlock)]
  }

  private struct WeakTap {
    weak var tap: Tap?
  }

  private final class Tap: FrameSource {
    private let tee: MixTee
    private(set) var position: Int64 = 0
    var channelCount: Int { tee.node.format.channelLayout.count }

    init(_ tee: MixTee) { self.tee = tee }

    func seek(to frame: Int64) { position = frame }

    func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
      var filled = 0
      while filled < count, position < tee.node.frames.upperBound {
        let block = try tee.block(holding: position)
        let start = Int(position % MixTee.size)
        let taken = min(count - filled, block.frameCount - start)
        for channel in 0..<channelCount {
          (buffer.planes[channel] + offset + filled).update(
            from: block.planes[channel] + start, count: taken)
        }
        filled += taken
        position += Int64(taken)
      }
      return filled
    }
  }
}
