import Testing

@testable import RunPlan

@Suite("Shards of arrays")
struct ArrayTaskTests {
  private func shard(_ variables: [String: String]) throws -> String {
    "\(try Shard("auto", environment: { variables[$0] }))"
  }

  @Test(
    "each engine's variables tell the shard",
    arguments: [
      (
        [
          "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "4",
          "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_JOB_ID": "17",
        ], "3/4"
      ),
      (
        [
          "SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "3",
          "SLURM_ARRAY_TASK_COUNT": "4", "CI_NODE_TOTAL": "1",
        ], "3/4"
      ),
      (["JOB_COMPLETION_INDEX": "0", "AVJOB_SHARDS": "8"], "1/8"),
      (["AWS_BATCH_JOB_ARRAY_INDEX": "9", "AWS_BATCH_JOB_ARRAY_SIZE": "10"], "10/10"),
      (["CLOUD_RUN_TASK_INDEX": "1", "CLOUD_RUN_TASK_COUNT": "2"], "2/2"),
      (["NOMAD_ALLOC_INDEX": "2", "AVJOB_SHARDS": "3"], "3/3"),
      (["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "5", "CI": "true"], "1/5"),
      (["CI_NODE_TOTAL": "1"], "1/1"),
      (["BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "2"], "1/2"),
    ] as [([String: String], String)])
  func engines(variables: [String: String], text: String) throws {
    #expect(try shard(variables) == text)
    #expect(try "\(Shard("2/9", environment: { variables[$0] }))" == "2/9")
  }

  @Test(
    "variables that tell no shard are refused, with what to set or write",
    arguments: [
      ([:], "none of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX,"),
      (["JOB_COMPLETION_INDEX": "0"], "sets JOB_COMPLETION_INDEX, and AVJOB_SHARDS is not set"),
      (["CI_NODE_INDEX": "0", "CI_NODE_TOTAL": "5"], "CI_NODE_INDEX is 0, which is none of 5"),
      (["CI_NODE_INDEX": "6", "CI_NODE_TOTAL": "5"], "is 6, which is none of 5 shards"),
      (["NOMAD_ALLOC_INDEX": "x", "AVJOB_SHARDS": "3"], "NOMAD_ALLOC_INDEX is 'x', and no number"),
      (["NOMAD_ALLOC_INDEX": "1", "AVJOB_SHARDS": "10001"], "which is none of 10001 shards"),
      (["NOMAD_ALLOC_INDEX": "0", "AVJOB_SHARDS": "0"], "which is none of 0 shards"),
      (
        ["NOMAD_ALLOC_INDEX": "1", "CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"],
        "NOMAD_ALLOC_INDEX of Nomad and CI_NODE_INDEX of GitLab; write 1/4"
      ),
      (
        [
          "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "7",
          "SLURM_ARRAY_TASK_COUNT": "3",
        ], "is no whole range from 0 or 1; submit it with --array=1-4"
      ),
      (
        [
          "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_MAX": "3",
          "SLURM_ARRAY_TASK_COUNT": "1",
        ], "is no whole range from 0 or 1; submit it with --array=1-4"
      ),
    ] as [([String: String], String)])
  func refusals(variables: [String: String], message: String) {
    #expect { try shard(variables) } throws: { "\($0)".contains(message) }
  }
}
