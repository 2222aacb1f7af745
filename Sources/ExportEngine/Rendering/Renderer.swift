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
  let pool: SourcePool

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
    let tree = try NodeTree(
      graph, masters: Set(self.masters.map(graph.mixNode)), pool, library, watchers: watchers,
      jumps: jumps)
    for id in self.masters {
      let node = graph.nodes[id]
      guard let tap = try graph.master(id, over: tree.master, watchers) else { continue }
      let span = graph.sinks.first { $0.node == id }?.frames ?? node.frames
      try tap.seek(to: span.lowerBound + start.frames(atRate: node.format.sampleRate))
      spans[id] = span
      taps[id] = tap
    }
  }

  /// How many renderers may be open at once where each reads so many sources at a time: their files
  /// are open, and some that are idle.
  static func most(reading sources: Int, files: Int = 512) -> Int {
    files / (sources + SourcePool.idleLimit)
  }

  /// Bytes of all sound that is rendered before it is needed.
  static let mostHeldBytes = 256 << 20

  private static func allDamage(of renderers: [Renderer]) -> [MediaLocation: Damage] {
    var all: [MediaLocation: Damage] = [:]
    for (location, damage) in renderers.flatMap(\.pool.damage) {
      let sum = all[location] ?? Damage()
      sum.add(damage)
      all[location] = sum
    }
    return all
  }

  /// Refuses a file of whose sound, as far as it was read, less than half is there.
  ///
  /// - Throws: `mendInput`.
  static func requireHeard(_ renderers: [Renderer]) throws(Failure) {
    let lost = allDamage(of: renderers).filter(\.value.isMostlySilent).keys
    guard let location = lost.min(by: { "\($0)" < "\($1)" }) else { return }
    throw Failure(
      .mendInput,
      "is so damaged that less than half of what is read of it can be decoded; download it again",
      location: location)
  }

  /// A warning for each file in which renderers of a graph have found damage so far.
  static func damageWarnings(of renderers: [Renderer]) -> [Warning] {
    var damaged: [MediaLocation: Damage] = [:]
    for (location, damage) in allDamage(of: renderers) where damage.count > 0 {
      damaged[location] = damage
    }
    guard !damaged.isEmpty, let graph = renderers.first?.graph else { return [] }
    var origins: [MediaLocation: Origin] = [:]
    for node in graph.nodes {
      guard let asset = node.asset, origins[asset.location] == nil else { continue }
      origins[asset.location] = node.origin
    }
    return
      damaged
      .map { location, damage in
        Warning(
          "is damaged in \(damage.count == 1 ? "one place" : "\(damage.count) places"), where "
            + "sound is missing; download it again", location: location,
          origin: origins[location] ?? .unknown)
      }
      .sorted { ($0.location?.description ?? "") < ($1.location?.description ?? "") }
  }

  /// The next frame of a master's sinks, in the master's own rate.
  package func position(of master: Node.ID) -> Int64 {
    guard let tap = taps[master], let span = spans[master] else { return 0 }
    return tap.position - span.lowerBound
  }

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
  /// The sound of a master: a mix, converted and brought to a level for some outputs; nil where
  /// there is no mix.
  fileprivate func master(
    _ id: Node.ID, over mix: (Node.ID) -> (any FrameSource)?,
    _ watchers: [Node.ID: any NodeWatcher]
  ) throws(Failure) -> (any FrameSource)? {
    let node = nodes[id]
    switch node.kind {
    case .convert(let child):
      let input = nodes[child]
      guard let sound = try master(child, over: mix, watchers) else { return nil }
      return convert(
        sound,
        by: ChannelMatrix(from: input.format.channelLayout, to: node.format.channelLayout),
        FrameRatio(from: input.format.sampleRate, to: node.format.sampleRate),
        sampleRate: input.format.sampleRate, frameCount: input.frames.upperBound,
        targetCount: node.frames.upperBound)
    case .process(.normalize(let normalization), let child):
      guard let sound = try master(child, over: mix, watchers) else { return nil }
      return try normalized(
        sound, normalization, node.format, frameCount: node.frames.upperBound, watchers[id])
    case .source, .mix, .process, .excerpt, .duck: return mix(id)
    }
  }

  /// The source of a process's frames, which reads its child.
  func source(
    of process: SoundProcess, over child: Node.ID, in node: Node, startsAnew: Bool,
    _ pool: SourcePool, _ jumps: Jumps, _ watcher: (any NodeWatcher)?
  ) -> (any FrameSource) throws(Failure) -> any FrameSource {
    let inputCount = nodes[child].frames.upperBound
    let (count, rate) = (node.frames.upperBound, node.format.sampleRate)
    let ratio = if case .stretch(let ratio, _) = process { ratio } else { FrameRatio.one }
    func filtered(
      _ meters: [CompressorMeter] = [],
      _ setup: @escaping () throws(Failure) -> FilteredSource.Setup
    ) -> (any FrameSource) throws(Failure) -> any FrameSource {
      { input throws(Failure) in
        let setup = try setup()
        return setup.filters.isEmpty
          ? input
          : FilteredSource(
            input, setup, ratio, sampleRate: rate, frameCount: count,
            jumps: jumps, meters: meters)
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
      let stretched = filtered { () throws(Failure) in
        try .stretch(ratio, algorithm, sampleRate: rate)
      }
      guard algorithm == .spectral else { return stretched }
      return LevelMatchedSource.matching(stretched, ratio, sampleRate: rate, jumps: jumps)
    case .filter(let effects):
      return filtered(CompressorMeter.meters(effects, node.format, watcher)) {
        .effects(effects, sampleRate: rate)
      }
    case .delay(let delay):
      return { EchoSource($0, delay, sampleRate: rate, frameCount: count, jumps: jumps) }
    case .reverb(let reverb):
      return filtered { () throws(Failure) in
        try .reverb(reverb, at: node.format, pool)
      }
    case .leveler(let settings):
      return {
        DynamicsSource(leveling: $0, by: settings, node.format, frameCount: count, watcher)
      }
    case .limiter(let settings):
      return {
        DynamicsSource(limiting: $0, by: settings, node.format, frameCount: count, watcher)
      }
    case .normalize(let normalization):
      return { input throws(Failure) in
        try normalized(input, normalization, node.format, frameCount: inputCount, watcher)
      }
    }
  }

  /// For each node, whether going back renders it from its start. O(nodes); the library is queried
  /// only if the graph reverses something.
  func nodesThatStartAnew(_ library: MediaLibrary) throws(Failure) -> [Bool] {
    var found = Array(repeating: false, count: nodes.count)
    let isReversing = nodes.contains {
      if case .process(.reverse, _) = $0.kind { true } else { false }
    }
    guard isReversing else { return found }
    for (id, node) in nodes.enumerated() {
      if case .source(let source, _) = node.kind {
        found[id] = try library.startsAnew(source.asset)
      } else {
        found[id] = node.memory == .unbounded || node.kind.children.contains { found[$0] }
      }
    }
    return found
  }
}
