import JSON
import RunPlan
import Terminal

/// How a run is dealt out among machines: `avjob plan --shards`.
package struct ShardTable {
  private struct Row {
    var jobs = 0
    var work = Duration.zero
  }

  private var rows: [Row]
  private let cores: Int

  /// Of `work` that is dealt out among `count` machines of `cores` cores each.
  ///
  /// - Complexity: O(n + count)
  package init(_ work: [Work], among count: Int, cores: Int) {
    rows = Array(repeating: Row(), count: count)
    self.cores = cores
    for piece in work {
      rows[piece.shard - 1].jobs += 1
      rows[piece.shard - 1].work += piece.estimate
    }
  }

  /// When a shard ends: idle cores help the last jobs, so that all work until then.
  private func end(_ row: Row) -> Duration { row.work / cores }

  /// Lines that each end in a line feed: one for each shard, and one for all.
  package var text: String {
    let head = ["Shard", "Jobs", "Work", cores == 1 ? "On 1 core" : "On \(cores) cores"]
    let lines =
      [head]
      + rows.enumerated().map { number, row in
        [
          "\(Shard(number: number + 1, count: rows.count))", "\(row.jobs)",
          Figures.clock(row.work), Figures.clock(end(row)),
        ]
      }
    let widths = head.indices.map { column in lines.map { $0[column].columns }.max() ?? 0 }
    let table = lines.map { line in
      zip(line, widths).map { $0.aligned(to: $1) }.joined(separator: "  ") + "\n"
    }
    return table.joined() + "\n" + summary + "\n"
  }

  /// `120 jobs in 4 shards; the longest ends after 0:24:10, 1.01 × the mean`
  private var summary: String {
    let jobs = rows.reduce(0) { $0 + $1.jobs }
    let work = rows.reduce(Duration.zero) { $0 + $1.work }
    let longest = rows.map(\.work).max() ?? .zero
    let all =
      "\(jobs) \(jobs == 1 ? "job" : "jobs") in \(rows.count) "
      + "\(rows.count == 1 ? "shard" : "shards"), \(Figures.clock(work)) of work"
    guard work > .zero else { return all }
    let balance = JSONValue.number(longest / (work / rows.count), decimals: 2).line
    return all + "; the longest ends after \(Figures.clock(longest / cores)), \(balance) × the mean"
  }

  /// A member `shards` of a plan.
  package var json: JSONValue {
    .list(
      rows.enumerated().map { number, row in
        [
          "number": .count(number + 1), "jobs": .count(row.jobs), "work": .elapsed(row.work),
          "elapsed": .elapsed(end(row)),
        ]
      })
  }
}
