import Diagnosis
import ExportEngine
import ExportGraph
import MediaComposition
import Threads

/// An item's sound at a device's rate, with the monitors of its tracks and of what lowers it. Of one
/// thread at a time.
final class MonitoredSource {
  let live: LiveSource
  var isMetered = true {
    didSet {
      for monitor in monitors { monitor.isMetered = isMetered }
      for monitor in reductionMonitors { monitor.isMetered = isMetered }
    }
  }
  private let monitors: [TrackMonitor]
  private let reductionMonitors: [ReductionMonitor]
  /// The last levels of the tracks: tracks are measured in longer blocks than are read.
  private var trackLevels: [LevelSum?]
  /// The ratio of the source's frames to the item's own.
  private let ratio: FrameRatio

  /// Opens an item at its start.
  ///
  /// - Parameters:
  ///   - item: The item, which is rendered in its own channels on any device, so that its meters
  ///     are the export's.
  ///   - sampleRate: The rate; nil: the item's own.
  ///   - cancellation: Once set, reading soon throws.
  /// - Throws: The failure of a file that cannot be opened.
  init(
    _ item: PlayerItem, atRate sampleRate: Int?, _ cancellation: CancellationFlag
  ) throws(Failure) {
    let monitors = item.tracks.indices.map { TrackMonitor(item, track: $0) }
    var watchers: [Node.ID: any NodeWatcher] = [:]
    for (track, heard) in item.graph.heardTracks.enumerated() {
      for node in heard.nodes { watchers[node] = monitors[track].watcher() }
    }
    self.monitors = monitors
    trackLevels = Array(repeating: nil, count: monitors.count)
    reductionMonitors = item.reductionMonitors(&watchers)
    live = try LiveSource(
      item.graph, sink: item.sink,
      as: sampleRate.map { AudioFormat(sampleRate: $0, channelLayout: item.channelLayout) },
      library: item.library, watchers: watchers, cancellation: cancellation)
    ratio = FrameRatio(from: live.format.sampleRate, to: item.sampleRate)
  }

  /// The levels of the tracks since the last call, and what was lowered in some frames of the source.
  func readMonitors(
    over frames: Range<Int64>
  ) -> (tracks: [LevelSum?], reductions: [GainReduction]) {
    for (track, monitor) in monitors.enumerated() {
      if let level = monitor.take() { trackLevels[track] = level }
    }
    let own = frames.mapped(ratio.target(ofSource:))
    return (trackLevels, reductionMonitors.map { $0.reduction(in: own) })
  }
}
