import Diagnosis
import ExportEngine
import ExportGraph
import JobModel
import MediaComposition

/// The sounds of a run's jobs that get one gain, by the names of their groups; and those of albums, whose
/// gain stands in the tags of their files.
///
/// All jobs have part, wanted now or not: the gain of one does not depend on which others run.
struct LoudnessGroups {
  /// The sounds of one job in one group.
  fileprivate struct Member {
    var targets: [LoudnessTarget] = []
    /// Of an album, what it is called, and the output that is of it.
    var album: (title: String, origin: Origin)?
    var session: ExportSession
    var graph: Graph
  }

  /// By the group's name and the job's number; no group is empty.
  private var members: [String: [Int: Member]] = [:]
  /// The groups of each job that has some.
  private var names: [Int: [String]] = [:]

  /// Takes the sounds of job number `index`, in place of those that it had before.
  ///
  /// - Parameters:
  ///   - session: Its first part: the others have the same sound.
  ///   - index: The job's number.
  /// - Complexity: O(segments of the session + groups that the job had before)
  mutating func set(_ session: ExportSession?, of index: Int) {
    for name in names.removeValue(forKey: index) ?? [] {
      members[name]?[index] = nil
      if members[name]?.isEmpty == true { members[name] = nil }
    }
    guard let session, let graph = try? session.graph() else { return }
    var own: [String: Member] = [:]
    for (_, normalization, _) in graph.normalizations {
      guard let name = normalization.target.group else { continue }
      own[name, default: Member(session: session, graph: graph)]
        .targets.append(normalization.target)
    }
    for sink in graph.sinks {
      guard let album = sink.album else { continue }
      own[album.group, default: Member(session: session, graph: graph)].album = (
        album.title, sink.output.origin
      )
    }
    guard !own.isEmpty else { return }
    for (name, member) in own { members[name, default: [:]][index] = member }
    names[index] = Array(own.keys)
  }

  /// The jobs of each group, in the order of their numbers.
  var jobs: [[Int]] { members.values.map { $0.keys.sorted() } }

  /// What each job that has groups costs at most, together with the other jobs of each of its groups:
  /// a job that runs alone measures the sounds of all.
  ///
  /// A job that shares several groups with another one counts for each of them, since each group is
  /// measured by itself.
  ///
  /// - Parameter cost: Of a job, by its number: time, or bytes.
  /// - Returns: The sums, by the jobs' numbers.
  /// - Complexity: O(members of all groups)
  func sums<Cost: AdditiveArithmetic>(_ cost: (Int) -> Cost) -> [Int: Cost] {
    let totals = members.mapValues { $0.keys.reduce(into: Cost.zero) { $0 += cost($1) } }
    var sums: [Int: Cost] = [:]
    for (index, names) in names {
      let own = cost(index)
      sums[index] = names.reduce(into: own) { $0 += totals[$1, default: own] - own }
    }
    return sums
  }

  /// The groups, for the sessions of jobs.
  func made() -> [String: LoudnessGroup] {
    var groups: [String: LoudnessGroup] = [:]
    for (name, jobs) in members {
      groups[name] = LoudnessGroup(
        name, of: jobs.sorted { $0.key < $1.key }.map(\.value.session))
    }
    return groups
  }

  /// Why groups cannot be measured, each once, and which lack sounds of `refused` jobs.
  ///
  /// - Complexity: O(nodes of the groups + items of the refused jobs)
  func problems(without refused: some Sequence<Job>) -> [Diagnostic] {
    guard !members.isEmpty else { return [] }
    var missing: [String: Job] = [:]
    for job in refused {
      for name in job.loudnessGroups where missing[name] == nil { missing[name] = job }
    }
    return members.sorted { $0.key < $1.key }.flatMap { name, jobs -> [Diagnostic] in
      let all = jobs.sorted { $0.key < $1.key }.map(\.value)
      let targets = all.flatMap(\.targets)
      guard let first = targets.first else { return all.flatMap(\.albumProblems) }
      var found: [Diagnostic] = []
      if let other = targets.first(where: { !$0.sharesLevel(with: first) }) {
        found.append(
          Diagnostic(
            "the group '\(name)' is brought to \(other.measure) here",
            at: other.origin, help: "give all its sounds one level",
            notes: [.init("and to \(first.measure) here", at: first.origin)]))
      }
      for member in all {
        found += member.graph.problems(ofGroup: name, at: member.targets[0].origin).prefix(1)
      }
      if let job = missing[name] {
        found.append(
          Diagnostic(
            .warning,
            "the group '\(name)' is measured without job '\(job.name)', which is refused",
            at: first.origin,
            help: "mend that job: the gain of the group, and all of its files, change with it"))
      }
      return found
    }
  }
}

extension LoudnessTarget {
  fileprivate var measure: String { "\(level)" + (isDualMono ? " as dual mono" : "") }

  fileprivate func sharesLevel(with other: LoudnessTarget) -> Bool {
    level == other.level && isDualMono == other.isDualMono
  }
}

extension LoudnessGroups.Member {
  fileprivate var albumProblems: ArraySlice<Diagnostic> {
    guard let album else { return [] }
    return graph.problems(ofUnmadeSourcesIn: album.title, at: album.origin).prefix(1)
  }
}

extension Graph {
  fileprivate func problems(ofGroup name: String, at origin: Origin) -> [Diagnostic] {
    sounds(ofGroup: name).flatMap { id -> [Diagnostic] in
      let sound = subgraph(of: id)
      var found: [Diagnostic] = []
      if sound.normalizations.contains(where: { $0.normalization.target.group != nil }) {
        found.append(
          Diagnostic(
            "a sound of the group '\(name)' has sounds of groups within it", at: origin,
            help: "group the items, or the whole"))
      }
      return found + sound.problems(ofUnmadeSourcesIn: "the group '\(name)'", at: origin)
    }
  }

  /// Sources that are not there when sounds are measured together.
  fileprivate func problems(ofUnmadeSourcesIn group: String, at origin: Origin) -> [Diagnostic] {
    nodes.compactMap(\.asset).filter(\.isPredicted).map { asset in
      Diagnostic(
        "\(group) cannot be measured before '\(asset.location)' is there, which another job of this "
          + "run writes", at: origin,
        help: "run that job before, and put the group into a job file of its own")
    }
  }
}
