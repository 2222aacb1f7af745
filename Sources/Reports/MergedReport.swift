import Diagnosis
import RunPlan

extension RunReport {
  /// How far the reports of a run's shards are put together.
  struct Shards: Sendable, Hashable {
    var count: Int
    /// The numbers of those without a report.
    var missing: [Int]
  }

  /// The report of a run from those of its shards, which each has a name. One that is missing, or that
  /// says that its shard has not ended, is an error of the run, which another try may mend.
  ///
  /// - Throws: Where they are no shards of one run; says which, and what to do.
  /// - Complexity: O(n log n)
  static func merged(_ reports: [(name: String, report: RunReport)]) throws(Failure) -> RunReport {
    let shards = try Self.shards(of: reports)
    guard let (_, first) = shards.min(by: { $0.key < $1.key }), let count = first.shard?.count,
      var merged = shards.values.min(by: { $0.started < $1.started })
    else { throw Failure(.mendInput, "there is no report") }
    let all = shards.sorted { $0.key < $1.key }.map(\.value)
    let missing = (1...count).filter { shards[$0] == nil }
    merged.shard = nil
    merged.shards = Shards(count: count, missing: missing)
    (merged.versions, merged.files) = (first.versions, first.files)
    merged.cores = all.reduce(0) { $0 + $1.cores }
    merged.system = all.map(\.system).unique.joined(separator: ", ")
    merged.elapsed =
      all.map { merged.started.duration(to: $0.started) + $0.elapsed }.max() ?? .zero
    merged.jobs = all.flatMap { report in
      let delay = merged.started.duration(to: report.started)
      return report.jobs.map { job in
        var job = job
        job.start = job.start.map { $0 + delay }
        for index in job.tries.indices { job.tries[index].start += delay }
        return job
      }
    }.sorted { $0.order < $1.order }
    merged.manifests = all.flatMap(\.manifests).merged
    let unended = all.filter(\.hasNotEnded).compactMap(\.shard?.number)
    let deals = all.filter { !$0.hasNotEnded }.map(\.deal).unique
    merged.messages =
      all.filter { !$0.hasNotEnded }.flatMap(\.messages).unique
      + unended.map {
        .again("shard \($0) has not ended: it is under way, or was killed; run it again")
      }
      + missing.map { .again("the report of shard \($0) is missing; run that shard again") }
      + (deals.count > 1
        ? [
          .again(
            "the shards have dealt out the jobs in several ways: the job files have changed, or a "
              + "medium could not be read everywhere; run all shards again")
        ] : []) + Self.versionMessages(all)
    merged.exitStatus = ExitStatus.worst(
      all.map(\.exitStatus)
        + (missing.isEmpty && deals.count <= 1 ? [] : [ExitStatus.temporary]))
    return merged
  }

  /// The reports by the numbers of their shards.
  private static func shards(
    of reports: [(name: String, report: RunReport)]
  ) throws(Failure) -> [Int: RunReport] {
    var shards: [Int: (name: String, report: RunReport)] = [:]
    for (name, report) in reports {
      guard let shard = report.shard else {
        throw Failure(
          .mendInput, "'\(name)' is not the report of a shard; 'avjob run --shard 1/4' makes one")
      }
      if let (other, _) = shards[shard.number] {
        throw Failure(
          .mendInput,
          "'\(other)' and '\(name)' are both of shard \(shard); leave out the one of the earlier "
            + "attempt")
      }
      if let (other, known) = shards.values.first,
        known.shard?.count != shard.count || known.files != report.files
      {
        throw Failure(
          .mendInput,
          "'\(other)' and '\(name)' are of two runs: their job files or numbers of shards differ")
      }
      shards[shard.number] = (name, report)
    }
    return shards.mapValues(\.report)
  }

  /// What is said where programs or libraries of several versions have worked together.
  private static func versionMessages(_ reports: [RunReport]) -> [Message] {
    let kinds = reports.map { $0.versions.map { "\($0.name) \($0.version)" } }.unique
    guard kinds.count > 1 else { return [] }
    return [
      Message(
        Diagnostic(
          .warning,
          "shards were run by several versions: "
            + kinds.map { $0.joined(separator: ", ") }.joined(separator: "; "), at: .unknown,
          help: "bytes of outputs may differ between them"), in: SourceMap())
    ]
  }
}

extension RunReport.Message {
  /// What another run may mend.
  fileprivate static func again(_ message: String) -> Self {
    .init(Diagnostic(Failure(.tryAgain, message)), in: SourceMap())
  }
}
