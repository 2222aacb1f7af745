import Diagnosis
import JobModel
import MediaComposition

extension Job {
  /// Errors of unknown needs, and of jobs that need themselves.
  ///
  /// - Parameters:
  ///   - jobs: All jobs of a file.
  ///   - known: Names of refused jobs of the file.
  ///   - leftOut: Jobs that `when` leaves out, with its places.
  /// - Returns: Errors at the names.
  /// - Complexity: O(number of jobs and needs)
  static func unmetNeeds(
    among jobs: [Job], known: Set<String>, leftOut: [String: Origin]
  ) -> [Diagnostic] {
    guard jobs.contains(where: { !$0.needs.isEmpty }) else { return [] }
    var names = known
    for job in jobs { names.formUnion([job.name, job.group]) }
    let sorted = names.sorted()
    // Of a hundred thousand jobs that share a line, one reports it.
    var blamed: Set<Origin> = []
    var found: [Diagnostic] = []
    for job in jobs {
      for need in job.needs where !blamed.contains(need.origin) {
        guard var problem = job.problem(of: need, among: names, leftOut) else { continue }
        blamed.insert(need.origin)
        if problem.help == nil, found.count < DiagnosticSink.suggestionLimit {
          problem.help = job.help(for: need.value, among: sorted)
        }
        found.append(problem)
      }
    }
    return found
  }

  private func problem(
    of need: Located<String>, among names: Set<String>, _ leftOut: [String: Origin]
  ) -> Diagnostic? {
    if let origin = leftOut[need.value] {
      return Diagnostic(
        "'\(name)' needs '\(need.value)', which is left out", at: need.origin,
        help: "give '\(name)' the same 'when'", notes: [.init("it is left out here", at: origin)])
    }
    guard names.contains(need.value) else {
      return Diagnostic("there is no job '\(need.value)' in this file", at: need.origin)
    }
    guard need.value == name || need.value == group else { return nil }
    return Diagnostic(
      name == group
        ? "'\(name)' needs itself" : "'\(name)' needs '\(group)', of which it is one",
      at: need.origin, help: "name the jobs that must be done before")
  }

  /// A suggestion; never the job itself, which cannot need itself.
  private func help(for word: String, among names: [String]) -> String {
    let others = names.filter { $0 != name && $0 != group }
    if others.isEmpty { return "it has no other job: 'needs' names those under 'jobs'" }
    return JobNames.help(for: word, among: others)
  }
}
