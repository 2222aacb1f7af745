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
    let found = ArrayEngine.all.filter { environment($0.index) != nil }
    guard let engine = found.first else {
      // GitLab leaves out the number of a job that is not parallel.
      if environment("CI_NODE_TOTAL") == "1" {
        self.init(number: 1, count: 1)
        return
      }
      let names = ArrayEngine.all.map(\.index).joined(separator: ", ")
      throw ParsingError(
        description:
          "auto: the environment has no number of a shard: none of \(names) is set; write 1/4")
    }
    guard found.count == 1 else {
      let names = found.map { "\($0.index) of \($0.name)" }.joined(separator: " and ")
      throw ParsingError(description: "auto: the environment has \(names); write 1/4")
    }
    self = try engine.shard(environment)
  }
}

/// The variables by which an engine that starts many copies of a command numbers them.
struct ArrayEngine: Sendable {
  let name: String
  /// The variable with the number of the copy.
  let index: String
  /// The variable with the number of all copies; nil: `Shard.countVariable`.
  let count: String?
  /// The number of the first copy.
  let first: Int

  /// As each engine documents them.
  static let all = [
    ArrayEngine(
      name: "Slurm", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT", first: 1),
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

  func shard(_ environment: (String) -> String?) throws(Shard.ParsingError) -> Shard {
    func number(_ variable: String) throws(Shard.ParsingError) -> Int {
      guard let text = environment(variable) else {
        throw Shard.ParsingError(
          description: "auto: \(name) sets \(index), and \(variable) is not set; set it to the "
            + "number of shards")
      }
      guard text.count <= 9, let number = Int(text), number >= 0 else {
        throw Shard.ParsingError(description: "auto: \(variable) is '\(text)', and no number")
      }
      return number
    }
    let countVariable = count ?? Shard.countVariable
    let all = try number(countVariable)
    let (own, least) = (try number(index), try least(all, number))
    guard 1...Shard.largestCount ~= all, least..<least + all ~= own else {
      throw Shard.ParsingError(
        description: "auto: \(index) is \(own), which is none of \(all) shards "
          + "(\(countVariable)) from \(least)")
    }
    return Shard(number: own - least + 1, count: all)
  }

  /// The number of the first copy. Slurm's arrays have any numbers (sbatch, `--array`): one that is no
  /// whole range from 0 or 1 may be a part of another array, whose size it does not have.
  private func least(
    _ all: Int, _ number: (String) throws(Shard.ParsingError) -> Int
  ) throws(Shard.ParsingError) -> Int {
    guard name == "Slurm" else { return first }
    let least = try number("SLURM_ARRAY_TASK_MIN")
    guard least <= 1, try number("SLURM_ARRAY_TASK_MAX") == least + all - 1 else {
      throw Shard.ParsingError(
        description:
          "auto: the array is no whole range from 0 or 1; submit it with --array=1-4, or "
          + "write \"$SLURM_ARRAY_TASK_ID/4\"")
    }
    return least
  }
}
