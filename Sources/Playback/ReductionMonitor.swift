import ExportEngine
import ExportGraph

/// How far compressors, limiters or ducks lower what is heard.
public struct GainReduction: Sendable, Hashable {
  /// What lowers it.
  package var reducer: GainReducer
  /// The index of the track of the item that is lowered; nil: the mix, or an item of one track.
  public var track: Int?
  /// The lowest gain, of the one that lowers most: in decibels, 0 or less.
  public var gain: Double

  /// A reduction.
  package init(_ reducer: GainReducer, track: Int? = nil, gain: Double = 0) {
    (self.reducer, self.track, self.gain) = (reducer, track, gain)
  }
}

extension PlayerItem {
  /// A reduction for each kind of each track that something can lower, and then of the mix, in the
  /// order of the sound; nothing is lowered yet. O(n log n) in the nodes.
  public var reductions: [GainReduction] {
    reducers.reduce(into: []) { if !$0.contains($1.kind) { $0.append($1.kind) } }
  }

  private var reducers: [(node: Node.ID, kind: GainReduction)] {
    HeardPlaces(in: sink, of: graph).reducers.map { node, reducer, track in
      let track = tracks.count == 1 ? nil : track
      return (node, GainReduction(reducer, track: track))
    }
    .sorted { ($0.kind.track ?? .max, $0.node) < ($1.kind.track ?? .max, $1.node) }
  }

  /// A monitor for each of `reductions`, which watch their nodes beside `watchers`.
  func reductionMonitors(_ watchers: inout [Node.ID: any NodeWatcher]) -> [ReductionMonitor] {
    let monitors = reductions.map(ReductionMonitor.init)
    let places = HeardPlaces(in: sink, of: graph)
    for (node, kind) in reducers {
      guard let monitor = monitors.first(where: { $0.kind == kind }) else { continue }
      watchers[node] = ReductionMonitor.Watcher(monitor, watchers[node]) {
        places.frames($0, of: node)
      }
    }
    return monitors
  }
}

/// Collects the gains of nodes on the rendering thread, until their frames are heard.
///
/// Keys of ducks, filters and reversed sound are rendered long before they are heard, and some
/// frames are heard again without being rendered again.
final class ReductionMonitor {
  /// The reduction without a gain.
  let kind: GainReduction
  var isMetered = true
  /// Of frames of the item that are lowered, the last that were rendered.
  private var gains: [(frames: Range<Int64>, gain: Float)] = []

  init(_ kind: GainReduction) { self.kind = kind }

  /// The reduction in some frames of the item. O(gains).
  func reduction(in frames: Range<Int64>) -> GainReduction {
    var reduction = kind
    for lowered in gains where lowered.frames.overlaps(frames) {
      reduction.gain = min(reduction.gain, LevelReading.decibels(Double(lowered.gain)))
    }
    return reduction
  }

  /// Watches a node beside another watcher.
  final class Watcher: NodeWatcher {
    private let monitor: ReductionMonitor
    private let other: (any NodeWatcher)?
    private let place: (Range<Int64>) -> Range<Int64>

    /// `place` gives the frames of the item in which frames of the node are heard.
    init(
      _ monitor: ReductionMonitor, _ other: (any NodeWatcher)?,
      _ place: @escaping (Range<Int64>) -> Range<Int64>
    ) {
      (self.monitor, self.other, self.place) = (monitor, other, place)
    }

    var isReading: Bool { monitor.isMetered }

    func pass(_ buffer: AudioBuffer, from offset: Int, at frames: Range<Int64>) {
      other?.pass(buffer, from: offset, at: frames)
    }

    func lowered(by gain: Float, at frames: Range<Int64>) {
      guard monitor.isMetered, gain < 1 else { return }
      if monitor.gains.count >= ReductionMonitor.mostGains {
        monitor.gains.removeFirst(ReductionMonitor.mostGains / 2)
      }
      monitor.gains.append((place(frames), gain))
    }
  }

  /// More than a reversed stretch has.
  private static let mostGains = 1 << 14
}
