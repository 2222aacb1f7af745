import Diagnosis
import ExportEngine
import JobModel

extension Preparer {
  /// What is reported of the media of some jobs: of each once, where the first of them names it. A
  /// strict job refuses what others are warned of.
  func mediaDiagnostics(of indices: [Int]) -> [Diagnostic] {
    guard !issues.isEmpty else { return [] }
    var named: Set<MediaReference> = []
    var failed: Set<MediaReference> = []
    var refused: Set<MediaReference> = []
    var found: [Diagnostic] = []
    for index in indices {
      let isStrict = jobs[index].isStrict
      for reference in jobs[index].media {
        let isNew = named.insert(reference).inserted
        guard let issue = issue(of: reference, readBy: index) else { continue }
        if isStrict {
          guard refused.insert(reference).inserted else { continue }
          found += issue.warnings.map {
            Diagnostic(ExportSession.refusal(of: $0), at: reference.origin)
          }
        }
        if let failure = issue.failure, failed.insert(reference).inserted {
          found.append(
            writtenLater(reference, index) ?? Self.diagnostic(failure, of: reference))
        }
        guard isNew else { continue }
        for var warning in issue.warnings where !isStrict {
          warning.origin = reference.origin
          found.append(Diagnostic(warning))
        }
      }
    }
    return found
  }

  /// A failure of a medium, where the job names what is wrong with it: the medium, or its stream.
  static func diagnostic(_ failure: Failure, of reference: MediaReference) -> Diagnostic {
    guard failure.code == .mediaStreamNotFound, reference.streamOrigin != .unknown else {
      return Diagnostic(failure, at: reference.origin)
    }
    var diagnostic = Diagnostic(failure, at: reference.streamOrigin)
    diagnostic.help =
      "streams count from 0, as 'avjob probe' lists them; without 'stream' the best one is taken"
    return diagnostic
  }
}
