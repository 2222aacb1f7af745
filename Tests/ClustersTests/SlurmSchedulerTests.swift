import Testing

@testable import Clusters

@Suite("Slurm's answers")
struct SlurmSchedulerTests {
  @Test("tasks wait, run or have ended, whatever words Slurm adds")
  func tasks() {
    let lines = [
      "1|RUNNING|None", "2|PENDING|BeginTime", "3|COMPLETED|None", "4|NODE_FAIL|NodeDown", "",
      "5|COMPLETING|None", "N/A|RUNNING|None", "6|OUT_OF_MEMORY|OutOfMemory", "7|REQUEUED|None",
    ]
    #expect(
      SlurmScheduler.tasks(lines) == [
        1: .running, 2: .waiting("BeginTime"), 3: .ended("COMPLETED"), 4: .ended("NODE_FAIL"),
        5: .running, 6: .ended("OUT_OF_MEMORY"), 7: .waiting("None"),
      ])
  }

  @Test(
    "machines count that are up, of the partition that is meant, with the cores of the smallest")
  func machines() {
    let lines = [
      "main*|2|16|idle", "main*|3|8|mix", "big|4|64+|idle", "main*|1|4|down*", "main*|1|2|idle*",
      "main*|1|2|drain", "big|1|128|alloc~",
    ]
    #expect(SlurmScheduler.machines(lines, isChosen: false) == Machines(count: 5, cores: 8))
    let big = lines.filter { $0.hasPrefix("big") }
    #expect(SlurmScheduler.machines(big, isChosen: true) == Machines(count: 5, cores: 64))
    #expect(SlurmScheduler.machines(["main*|1|4|down"], isChosen: false) == nil)
  }
}

@Suite("Runs on many machines")
struct ShardedRunTests {
  @Test("words of a command line that are for the engine are left out")
  func words() {
    let words = [
      "--on", "slurm", "--shards=4", "a.yaml", "--detach", "--set", "x=1", "--", "--on", "-q",
    ]
    #expect(
      words.without(options: ["--on", "--shards"], flags: ["--detach"])
        == ["a.yaml", "--set", "x=1", "--", "--on", "-q"])
  }

  @Test(
    "a run is called by its job file, as a label of DNS",
    arguments: [
      ("jobs/Podcast.yaml", "avjob-podcast"), ("a b/Ünder_score 2.yml", "avjob-nder-score-2"),
      ("", "avjob"), ("x/.yaml", "avjob-yaml"),
      (String(repeating: "long-", count: 20), "avjob-long-long-long-long-long-long-long-long-long"),
    ])
  func names(file: String, name: String) {
    let run = ShardedRun([], of: file, words: [], shards: 1, cores: 1)
    #expect(run.name == name && run.mebibytes == 256)
  }
}
