import Glibc
import TestSupport
import Testing

/// A few rounds of what `scripts/soak` does for hours; `Tests/Rigs/torture.py` says how.
@Suite("A run survives what befalls it")
struct TortureTests {
  /// Has the rig torture the command; gives what it says.
  ///
  /// - Throws: Where something was torn, left over or done twice; with the seed that repeats it.
  private func torture(_ name: String, rounds: Int, seconds: Double = 0.2) throws -> String {
    try Tool.succeed(
      "/usr/bin/python3", Fixture.path("../Tests/Rigs/torture.py"), name, "--avjob", Command.path,
      "--rounds", "\(rounds)", "--seconds", "\(seconds)", "--seed", "1"
    ).text
  }

  @Test("killed at any moment, it leaves whole outputs, and the next run does the rest")
  func kill() throws {
    let said = try torture("kill", rounds: 6)
    // The rig fails where no kill at a call struck; of those at a moment, all may come too late.
    #expect(said.hasPrefix("kill: 6 rounds: "))
    #expect(said.contains(" of 3 kills at a call struck at work, "))
  }

  @Test(
    "a disk that fills up fails the jobs that find no room, and no other",
    .enabled(if: namespace != nil, "this user may not mount a file system"))
  func disk() throws {
    let said = try torture("disk", rounds: 3)
    #expect(said.hasPrefix("disk: 3 full disks, "))
  }

  @Test("a call that fails is told with the file's name, and nothing is left of the attempt")
  func faults() throws {
    let said = try torture("faults", rounds: 30)
    #expect(said.hasPrefix("faults: 30 calls"))
  }

  @Test(
    "outputs are flushed, all of a job, before the first is renamed, and their folder after it",
    .enabled(if: canTrace, "this user may not trace a process"))
  func order() throws {
    let said = try torture("order", rounds: 1)
    #expect(said.hasPrefix("order: 7 outputs of 3 jobs: "))
  }

  @Test("two runs of one job file at once, and one of them killed, leave whole outputs")
  func twice() throws {
    let said = try torture("twice", rounds: 2)
    #expect(said.hasPrefix("twice: 2 pairs of runs, "))
  }

  @Test("jobs give back the files that they opened: a hundred run where few may be open")
  func openFiles() throws {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n tone.wav synth 0.1 sine 440")
    let jobs = (1...100).map { "  j\($0): { clip: tone.wav, output: out/\($0).wav }\n" }
    try stage.write("job.yaml", "jobs:\n" + jobs.joined())
    let result = try stage.run("ulimit -n 64; avjob run --quiet job.yaml")
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  @Test("damaged media of all formats harm no other job, whatever became of them")
  func broken() throws {
    let said = try torture("broken", rounds: 1)
    #expect(said.hasPrefix("broken: 1 batches of 200 with 40 broken inputs, "))
  }
}

/// Whether strace may look at what it starts; containers can forbid it.
let canTrace = (try? Tool.run(["strace", "-qq", "-o", "/dev/null", "true"]))?.status == 0
