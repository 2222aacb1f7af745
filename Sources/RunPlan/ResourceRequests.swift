import MediaComposition
import MediaTime
import WorkerPool

extension ResourceRequest {
  /// What an export may take while it runs, at most, by the sources that may sound together.
  ///
  /// What each takes is an estimate on the safe side, not a measurement: it keeps wide mixes from
  /// running side by side, and need not be nearer than that.
  ///
  /// - Complexity: O(segments)
  package init(for export: Export) {
    let (sources, files) = Self.files(of: export)
    self.init(
      // Idle sources stay open for the next clip (`SourcePool`), and opening takes some.
      openFiles: sources + files + Self.reserve,
      memory: Self.job + sources * Self.source + export.outputs.count * Self.output)
  }

  /// How many of the files that it may have open at once are sources, and how many it writes.
  static func files(of export: Export) -> (sources: Int, written: Int) {
    // All are open from before the first block until the last is whole.
    let written = export.outputs.reduce(export.records.count) { $0 + $1.paths.count }
    // All media of servers are open throughout: folder, lock, bytes, map, connection.
    let remote = export.composition.assets.count { $0.location.url != nil }
    return (export.composition.sourcesAtOnce + 5 * remote, written)
  }

  private static let reserve = 16
  private static let job = 8 << 20
  private static let source = 1 << 20
  private static let output = 16 << 20

  /// What all jobs may take together of a process that may open so many more files.
  ///
  /// A part is left to the command itself: its streams, its job files, its library.
  package static func limits(openFiles: Int, memory: Int) -> ResourceRequest {
    ResourceRequest(openFiles: max(1, openFiles - reserve), memory: memory / 4 * 3)
  }
}

extension Composition {
  /// How many files are open at one moment, at most.
  fileprivate var sourcesAtOnce: Int {
    // What ends where another one begins is closed before.
    let moments = tracks.lazy.flatMap(\.segments).flatMap {
      segment -> [(time: Time, change: Int)] in
      let count = segment.sourcesAtOnce
      return count == 0
        ? [] : [(segment.target.start, count), (segment.target.end, -count)]
    }
    var (open, most) = (0, 0)
    for moment in moments.sorted(by: { ($0.time, $0.change) < ($1.time, $1.change) }) {
      open += moment.change
      most = max(most, open)
    }
    return most
  }
}

extension Segment {
  fileprivate var sourcesAtOnce: Int {
    switch content {
    case .silence: 0
    case .asset: 1
    case .composition(let composition): composition.sourcesAtOnce
    }
  }
}
