import Diagnosis
import MediaComposition

/// How many segments and chapters rounds, cuts and parts may make: of one item, and of all jobs of a
/// run together. What is written item by item is bounded by the job file's size.
package struct SegmentBudget {
  /// Of one item.
  private static let itemLimit = 1_000_000
  /// Of all: an audiobook of 100,000 clips, each cut into a hundred pieces.
  private static let limit = 10_000_000
  /// What is left of that.
  package var left = limit

  /// The whole budget.
  package init() {}

  enum Answer {
    case granted
    /// For one item.
    case tooMany
    /// More than what is left for all.
    case exhausted
  }

  /// Takes `count` pieces of `content` out of it, each of which holds all of that.
  mutating func takes(_ count: Int, _ content: Segment.Content, chapters: Int = 0) -> Answer {
    let (size, overflow) = max(1, content.segmentCount(limit: Self.itemLimit) + chapters)
      .multipliedReportingOverflow(by: count)
    guard !overflow, size <= Self.itemLimit else { return .tooMany }
    guard size <= left else { return .exhausted }
    left -= size
    return .granted
  }

  /// What is reported where nothing is left.
  static func exhausted(at origin: Origin) -> Diagnostic {
    Diagnostic(
      "rounds, cuts and parts of all jobs make more than \(grouped(limit)) pieces", at: origin,
      help: "move some of the jobs to another run, or make their pieces longer")
  }
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
