import Diagnosis
import JobModel

/// What all jobs of a run may become together. Files and patterns bound each job; loops and parts
/// multiply that.
struct JobBudget {
  private let exportLimit: Int?
  private var segments: SegmentBudget
  /// What each job has become so far: it may be settled more than once.
  private var spent: [Int: (exports: Int, segments: Int)] = [:]
  private var exports = 0

  /// - Parameters:
  ///   - exports: How many exports there may be; nil: any number.
  ///   - segments: What their rounds, cuts, parts and chapters may take of memory.
  init(exports: Int?, segments: SegmentBudget) {
    exportLimit = exports
    self.segments = segments
  }

  /// Lowers job number `index`.
  ///
  /// - Throws: What is wrong with it, and where it is more than is left.
  mutating func charge(
    _ index: Int, _ job: Job, lower: (inout SegmentBudget) throws(Diagnostics) -> Job.Exports
  ) throws(Diagnostics) -> Job.Exports {
    if let before = spent[index] {
      exports -= before.exports
      segments.left += before.segments
    }
    let before = segments.left
    var count = 0
    defer {
      spent[index] = (count, before - segments.left)
      exports += count
    }
    let made = try lower(&segments)
    count = made.exports.count
    guard let exportLimit, exports + count > exportLimit, let split = job.split else { return made }
    throw Diagnostics(
      "with its parts there are \(exports + count) jobs, and \(exportLimit) are allowed",
      at: split.origin, help: "allow more with --max-jobs, or make the parts longer")
  }
}
