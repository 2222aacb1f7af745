extension Shard {
  /// The variable that says how many shards there are, for engines that say only which one this is.
  package static let countVariable = "AVJOB_SHARDS"

  /// The shard of a value of `--shard`: `2/4`, or `auto`, the one that a cluster's or a CI's environment
  /// says.
  ///
  /// - Parameters:
  ///   - text: The value.
  ///   - environment: The value of a variable; nil where it is not set.
  /// - Throws: For what is no shard; says what to write or set.
  package init(
    _ text: String, environment: (String) -> String?
  ) throws(ParsingError) {
    guard text == "auto" else {
      try self.init(text)
      return
    }
    let found = ArrayEngine.all.filter { $0.isHere(environment) }
    guard let engine = found.first else {
      let names = ArrayEngine.all.map(\.index).joined(separator: ", ")
      throw ParsingError(
        description: "auto: the environment tells no shard: none of \(names) is set; write 1/4")
    }
    guard found.count == 1 else {
      let names = found.map { "\($0.index) of \($0.name)" }.joined(separator: " and ")
      throw ParsingError(description: "auto: the environment has \(names); write 1/4")
    }
    self = try engine.shard(environment)
  }
}

/// How an engine that starts many copies of a command tells each which one it is.
struct ArrayEngine: Sendable {
  let name: String
  /// The variable with the number of the copy.
  let index: String
  /// The variable with the number of all copies; nil: `Shard.countVariable`.
  let count: String?
  /// The number of the first copy; nil: another variable has it (Slurm).
  let first: Int?

  /// The variables as each engine documents them.
  static let all = [
    ArrayEngine(
      name: "Slurm", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT", first: nil),
    ArrayEngine(name: "Kubernetes", index: "JOB_COMPLETION_INDEX", count: nil, first: 0),
    ArrayEngine(
      name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE",
      first: 0),
    ArrayEngine(
      name: "Cloud Run", index: "CLOUD_RUN_TASK_INDEX", count: "CLOUD_RUN_TASK_COUNT", first: 0),
    ArrayEngine(name: "Nomad", index: "NOMAD_ALLOC_INDEX", count: nil, first: 0),
    ArrayEngine(name: "GitLab", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1),
    ArrayEngine(
      name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT",
      first: 0),
  ]

  /// Whether it has started this process. GitLab leaves out the index of a job that is not parallel.
  func isHere(_ environment: (String) -> String?) -> Bool {
    environment(index) != nil || name == "GitLab" && environment("CI_NODE_TOTAL") == "1"
  }

  func shard(_ environment: (String) -> String?) throws(Shard.ParsingError) -> Shard {
    func number(_ variable: String, otherwise: Int? = nil) throws(Shard.ParsingError) -> Int {
      guard let text = environment(variable) else {
        guard let otherwise else {
          throw Shard.ParsingError(
            description: "auto: \(name) sets \(index), and \(variable) is not set; set it to the "
              + "number of shards")
        }
        return otherwise
      }
      guard text.count <= 9, let number = Int(text), number >= 0 else {
        throw Shard.ParsingError(description: "auto: \(variable) is '\(text)', and no number")
      }
      return number
    }
    let countVariable = count ?? Shard.countVariable
    let all = try number(countVariable)
    let own = try number(index, otherwise: all == 1 ? first : nil)
    let least = if let first { first } else { try number("SLURM_ARRAY_TASK_MIN") }
    let most = first == nil ? try number("SLURM_ARRAY_TASK_MAX") : nil
    let step = try self.step(all, least: least, most: most)
    let shard = Shard(number: (own - least) / step + 1, count: all)
    guard 1...Shard.largestCount ~= all, (own - least) % step == 0, own >= least,
      shard.number <= all
    else {
      throw Shard.ParsingError(
        description: "auto: \(index) is \(own), which is none of \(all) shards "
          + "(\(countVariable)) from \(least)")
    }
    return shard
  }

  /// How far apart the numbers of copies are: in Slurm any range, as `--array=10-50:10` (sbatch).
  private func step(_ all: Int, least: Int, most: Int?) throws(Shard.ParsingError) -> Int {
    guard let most else { return 1 }
    let step = all > 1 ? max(1, (most - least) / (all - 1)) : 1
    guard most == least + step * (all - 1) else {
      throw Shard.ParsingError(
        description: "auto: the indices of the array are not evenly spaced; submit it with "
          + "--array=1-\(all)")
    }
    return step
  }
}
