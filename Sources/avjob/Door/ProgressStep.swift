import ExportEngine
import MediaTime

/// Which of an export's progress is passed on: each report wakes an observer, which costs as much as
/// decoding the block that it is about, so that one for each second of sound will do.
struct ProgressStep {
  private static let step = Time(value: 1, timescale: 1)
  private var next = Time.zero

  /// Whether this one is to be passed on.
  mutating func takes(_ progress: ExportSession.Progress) -> Bool {
    guard progress.completed >= next else { return false }
    next = progress.completed + Self.step
    return true
  }
}
