import MediaComposition
import WorkerPool

extension ResourceRequest {
  /// What an export may take while it runs, at most, by the sources that may sound together.
  ///
  /// What each takes is an estimate on the safe side, not a measurement: it keeps wide mixes from
  /// running side by side, and need not be nearer than that.
  ///
  /// - Complexity: O(segments)
  package init(for export: Export) {
    let sources = export.composition.sourcesAtOnce
    // All are open from before the first block until the last is whole.
    let files = export.outputs.reduce(export.records.count) { $0 + $1.paths.count }
    self.init(
      // Idle sources stay open for the next clip (`SourcePool`); 16: what opening them takes.
      openFiles: sources + files + 16,
      memory: Self.job + sources * Self.source + export.outputs.count * Self.output)
  }

  private static let job = 8 << 20
  private static let source = 1 << 20
  private static let output = 16 << 20

  /// What all jobs may take together of a process that may open so many more files.
  ///
  /// A part is left to the command itself: its streams, its job files, its library.
  package static func limits(openFiles: Int, memory: Int) -> ResourceRequest {
    ResourceRequest(openFiles: max(1, openFiles - 16), memory: memory / 4 * 3)
  }
}

extension Composition {
  /// An upper bound of the files that are open at one moment: of each track, one segment sounds.
  fileprivate var sourcesAtOnce: Int {
    tracks.reduce(0) { sum, track in
      sum + (track.segments.map(\.sourcesAtOnce).max() ?? 0)
    }
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
