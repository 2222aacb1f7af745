import Diagnosis
import MediaComposition

/// How much memory the jobs of a run may take together, counted before it is taken: of what is written,
/// and of what jobs, rounds, cuts, parts, chapters and cues make of that.
///
/// Sizes are what a process was measured to take for a piece, rounded up: of a segment of a composition
/// with its node of a graph, and of the text of both where another process is to make them.
package struct SegmentBudget {
  /// Pieces of one item.
  private static let itemLimit = 1_000_000
  /// Bytes without a limit of the user's, at most.
  package static let usualLimit = 8_000_000_000
  /// Bytes of a piece.
  private static let segmentSize = 1500
  /// Bytes of its text and what is made of it for another process.
  private static let sentSize = 4500
  /// Bytes of a chapter, a cue, a filter, a cut, or a point of a curve.
  package static let detailSize = 400
  /// Bytes of a job without its items.
  static let jobSize = 3000
  /// Bytes of an item as it is written.
  static let itemSize = 1000

  /// Bytes in all.
  package let limit: Int
  private let pieceSize: Int
  /// What is left of that, in bytes.
  package var left: Int

  /// The whole budget.
  ///
  /// - Parameters:
  ///   - limit: Bytes.
  ///   - isSent: Whether other processes make the files.
  package init(bytes limit: Int = usualLimit, isSent: Bool = false) {
    (self.limit, left) = (limit, limit)
    pieceSize = Self.segmentSize + (isSent ? Self.sentSize : 0)
  }

  enum Answer {
    case granted
    /// For one item.
    case tooMany
    /// More than what is left for all.
    case exhausted
  }

  /// Takes `count` pieces of `content` out of it, each of which holds all of that, and as many chapters
  /// and cues as `details`.
  mutating func takes(_ count: Int, _ content: Segment.Content, details: Int = 0) -> Answer {
    let segments = content.segmentCount(limit: Self.itemLimit)
    let (pieces, overflow) = max(1, segments + details).multipliedReportingOverflow(by: count)
    guard !overflow, pieces <= Self.itemLimit else { return .tooMany }
    // Both are bounded by now.
    return takes(max(1, segments) * count * pieceSize + details * count * Self.detailSize)
      ? .granted : .exhausted
  }

  /// Takes so many bytes; false, and none, where that is more than what is left.
  package mutating func takes(_ bytes: Int) -> Bool {
    guard bytes <= left else { return false }
    left -= bytes
    return true
  }

  /// What is reported where nothing is left for `subject`.
  func exhausted(by subject: String, at origin: Origin) -> Diagnostic {
    Self.excess(of: subject, over: limit, at: origin)
  }

  /// What is reported of jobs that take more than `limit` bytes.
  package static func excess(
    of subject: String, over limit: Int, at origin: Origin
  ) -> Diagnostic {
    Diagnostic(
      "with \(subject) all jobs take more than \(grouped(limit / 1_000_000)) MB of memory",
      at: origin,
      help: "move some of the jobs to another run, make fewer or longer pieces, or allow more with "
        + "'avjob run --max-memory'")
  }
}

extension Job {
  /// Bytes, about, that the job takes as it is written, and as its composition, without what rounds,
  /// cuts and parts make of that. O(items)
  package func writtenSize(isSent: Bool = false) -> Int {
    var size = SegmentBudget.jobSize * max(1, outputs.count)
    Item.forEach(of: [item]) { items, index in
      size += items[index].ownSize(isSent: isSent)
    }
    return size
  }
}

extension Item {
  /// Bytes, about, of that that the item takes without the items in it.
  package func ownSize(isSent: Bool) -> Int {
    let words = [cutWords, keptWords, mutedWords].reduce(0) { $0 + ($1?.count ?? 0) }
    let details =
      effects.count + chapters.count + cuts.count + mutes.count + volume.count + pan.count + words
    return SegmentBudget.itemSize + SegmentBudget(isSent: isSent).size(ofPieces: 1)
      + details * SegmentBudget.detailSize
  }
}

extension SegmentBudget {
  fileprivate func size(ofPieces count: Int) -> Int { count * pieceSize }
}

extension Segment.Content {
  /// The number of its segments, counted up to `limit`.
  fileprivate func segmentCount(limit: Int) -> Int {
    guard case .composition(let composition) = self else { return 1 }
    var count = 0
    for track in composition.tracks {
      for segment in track.segments {
        guard count < limit else { return count }
        count += segment.content.segmentCount(limit: limit - count)
      }
    }
    return count
  }
}
