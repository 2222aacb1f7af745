import Diagnosis
import ExportEngine
import ExportGraph
import MediaComposition
import MediaTime
import Threads

/// A place where one item of a job ends and the next one begins.
package struct PlayerJoin: Sendable, Hashable {
  /// From the start of the next item to the end of the one before, in the item's own time: of no
  /// length if they are not cross-faded.
  package var timeRange: TimeRange
  /// Where the job declares the next item.
  package var origin: Origin
}

extension PlayerItem {
  /// Whether any of its media is on a server.
  package var isRemote: Bool { !remoteMedia.isEmpty }

  /// The joins of all tracks, in order of their starts, as `Graph.joins(of:)` finds them.
  ///
  /// - Complexity: O(n log n) in the nodes of the graph
  package var joins: [PlayerJoin] {
    func time(_ frame: Int64) -> Time { Time(frames: frame, rate: sampleRate) }
    return graph.joins(of: sink).map { join in
      PlayerJoin(
        timeRange: TimeRange(
          start: time(join.frames.lowerBound), end: time(join.frames.upperBound)),
        origin: join.origin)
    }
  }

  /// What the output shows; nil where it holds no picture.
  package var picture: PicturePlan? { sink.picture }

  /// The pictures of the output, for a screen; nil where it holds none. Once `cancellation` is set, they
  /// soon end.
  package func pictureStills(unless cancellation: CancellationFlag) -> PictureStills? {
    sink.picture.map { PictureStills($0, library: library, unless: cancellation) }
  }

  /// Renders the item once, from its start to its end, for a picture of it.
  ///
  /// Blocks its thread. The memory is that of a player: it does not grow with the duration.
  ///
  /// - Parameters:
  ///   - columns: Into how many equal parts the item is divided; fewer if it has fewer frames.
  ///   - cancellation: Ends the rendering within a fraction of a second.
  ///   - report: Gets the number of the columns, and the largest magnitude of each column in order, 1
  ///     being full scale.
  /// - Throws: What is wrong with a medium; any `Failure` after a cancellation.
  /// - Complexity: O(frames)
  package func findPeaks(
    columns: Int, cancellation: CancellationFlag, _ report: (_ count: Int, _ peak: Float) -> Void
  ) throws(Failure) {
    let source = try LiveSource(graph, sink: sink, library: library, cancellation: cancellation)
    let block = AudioBuffer(
      channelCount: source.format.channelLayout.count, capacity: Self.surveyBlock)
    let count = min(columns, Int(clamping: source.frameCount))
    for column in 0..<max(0, count) {
      let last = Int64(Int128(source.frameCount) * Int128(column + 1) / Int128(count))
      var peak: Float = 0
      while source.position < last, !cancellation.isCancelled {
        let wanted = Int(min(Int64(block.capacity), last - source.position))
        block.frameCount = try source.read(into: block, at: 0, count: wanted)
        guard block.frameCount > 0 else { return }
        for channel in 0..<block.channelCount {
          for sample in block.samples(channel) { peak = max(peak, abs(sample)) }
        }
      }
      guard !cancellation.isCancelled else { return }
      report(count, peak)
    }
  }

  /// Frames that are rendered at once.
  private static let surveyBlock = 8192
}
