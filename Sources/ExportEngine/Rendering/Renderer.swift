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
  private var taps: [Node.ID: Tap] = [:]
  let pool: SourcePool

  /// A master's sound, from the first frame of its sinks on.
  private struct Tap {
    let sound: any Sound
    let frameCount: Int64
    /// Behind the frames that were read last.
    var position: Int64 = 0
  }

  /// Once `cancellation` is set, `read` soon throws, wherever it is in a file; ignore that error.
  ///
  /// - Parameters:
  ///   - graph: The graph.
  ///   - library: Opens the files.
  ///   - masters: The nodes to read; nil: those of all sinks.
  ///   - watchers: They see, and may change, a node's sound, on the thread that reads.
  ///   - jumps: The warm-up of nodes with unbounded memory after a jump.
  ///   - cancellation: Ends it.
  /// - Throws: The failure of a file that cannot be opened.
  package init(
    _ graph: Graph, library: MediaLibrary,
    masters: [Node.ID]? = nil, watchers: [Node.ID: any NodeWatcher] = [:], jumps: Jumps = Jumps(),
    cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) {
    self.graph = graph
    self.masters = masters ?? Set(graph.sinks.map(\.node)).sorted()
    pool = SourcePool(library, unless: cancellation)
    let tree = try NodeTree(
      graph, masters: self.masters, pool, library, watchers: watchers, jumps: jumps)
    for id in self.masters {
      let span = graph.sinks.first { $0.node == id }?.frames ?? graph.nodes[id].frames
      taps[id] = Tap(
        sound: ExcerptSound(tree.sound(of: id), span), frameCount: Int64(span.count))
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
      "is so damaged that less than half of what is read of it can be decoded; copy or "
        + "download it again",
      location: location)
  }

  /// A warning for each file in which renderers of a graph have found damage so far.
  static func damageWarnings(of renderers: [Renderer]) -> [Warning] {
    var damaged: [MediaLocation: Damage] = [:]
    for (location, damage) in allDamage(of: renderers) where damage.count > 0 {
      damaged[location] = damage
    }
    guard !damaged.isEmpty, let graph = renderers.first?.graph else { return [] }
    var heard: [MediaLocation: (rate: Int, origin: Origin)] = [:]
    for node in graph.nodes {
      guard let asset = node.asset, heard[asset.location] == nil else { continue }
      heard[asset.location] = (asset.sampleRate, node.origin)
    }
    return
      damaged
      .map { location, damage in
        let (rate, origin) = heard[location] ?? (1, .unknown)
        return Warning(
          "is damaged \(damage.text(atRate: rate)); copy or download it again", location: location,
          origin: origin)
      }
      .sorted { ($0.location?.description ?? "") < ($1.location?.description ?? "") }
  }

  /// A master's sound, from the first frame of its sinks on, in the master's own rate.
  func sound(of master: Node.ID) -> (any Sound)? { taps[master]?.sound }

  /// The frame of a master's sinks behind those that were read last.
  package func position(of master: Node.ID) -> Int64 { taps[master]?.position ?? 0 }

  /// Whether it stands where a rendition begins.
  func stands(at rendition: Rendition) -> Bool {
    rendition.all.allSatisfy { $0.frames.isEmpty || position(of: $0.id) == $0.frames.lowerBound }
  }

  /// Fills a buffer with frames of a master's sinks, in the master's own rate. They are counted from
  /// the first one; those behind the end are left out, and `frameCount` says how many are there.
  package func read(
    _ frames: Range<Int64>, of master: Node.ID, into buffer: AudioBuffer
  ) throws(Failure) {
    guard let tap = taps[master] else { return }
    let wanted = frames.clamped(to: 0..<tap.frameCount)
    let taken = try tap.sound.read(wanted, into: buffer, at: 0)
    guard taken == wanted.count else {
      throw Failure(.reportBug, "the mix ended \(wanted.count - taken) frames early")
    }
    taps[master]?.position = wanted.upperBound
    buffer.frameCount = taken
  }
}

extension Graph {
  /// The sound of a process, which reads all of its child's.
  func source(
    of process: SoundProcess, over input: any Sound, _ child: Node.ID, in node: Node,
    startsAnew: Bool,
    _ pool: SourcePool, _ jumps: Jumps, _ watcher: (any NodeWatcher)?
  ) throws(Failure) -> any Sound {
    let inputCount = nodes[child].frames.upperBound
    let (count, rate) = (node.frames.upperBound, node.format.sampleRate)
    func filtered(
      _ input: any Sound, _ setup: FilteredSource.Setup, _ ratio: FrameRatio = .one,
      _ meters: [CompressorMeter] = []
    ) -> any Sound {
      setup.filters.isEmpty
        ? input
        : FilteredSource(
          input, setup, ratio, sampleRate: rate, frameCount: count, jumps: jumps, meters: meters)
    }
    switch process {
    case .reverse:
      return ReversedSource(input, frameCount: inputCount, startsAnew: startsAnew)
    case .varispeed(.one), .stretch(.one, _):
      return input
    case .varispeed(let ratio):
      return ResampledSource(
        input, ratio, sampleRate: rate, frameCount: inputCount, targetCount: count)
    case .stretch(let ratio, let algorithm):
      let setup = try FilteredSource.Setup.stretch(ratio, algorithm, sampleRate: rate)
      guard algorithm == .spectral else { return filtered(input, setup, ratio) }
      let meter = PowerMeter(input)
      return LevelMatchedSource(
        filtered(meter, setup, ratio), of: meter, ratio, sampleRate: rate, jumps: jumps)
    case .filter(let effects):
      return filtered(
        input, .effects(effects, sampleRate: rate), .one,
        CompressorMeter.meters(effects, node.format, watcher))
    case .delay(let delay):
      return EchoSource(input, delay, sampleRate: rate, frameCount: count, jumps: jumps)
    case .reverb(let reverb):
      return filtered(input, try .reverb(reverb, at: node.format, pool))
    case .leveler(let settings):
      return DynamicsSource(
        leveling: input, by: settings, node.format, frameCount: count, watcher)
    case .limiter(let settings):
      return DynamicsSource(
        limiting: input, by: settings, node.format, frameCount: count, watcher)
    case .custom(let effect):
      return effect.source(over: input, node.format, frameCount: count, jumps)
    case .normalize(let normalization):
      return try normalized(input, normalization, node.format, frameCount: inputCount, watcher)
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
