import TestSupport
import Testing

@Suite("What no job makes any more")
struct PruneTests {
  /// A folder with a job that makes FLACs of three WAVs, which were made.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("for i in a b c; do sox -R -r 8000 -n -c 1 $i.wav synth 1 pinknoise; done")
    try stage.write("job.yaml", "for_each: '*.wav'\noutput: out/${input.stem}.flac\n")
    try stage.make("avjob run -q job.yaml")
    return stage
  }

  private func outputs(_ stage: Stage) throws -> String {
    try stage.make("ls out | tr '\\n' ' '").text
  }

  @Test("outputs of sources that are gone are listed and removed, and their receipts with them")
  func gone() throws {
    let stage = try stage()
    try stage.make("rm b.wav c.wav")
    let plain = try stage.run("avjob run -q job.yaml")
    #expect(plain.status == 0 && plain.errors == "")
    #expect(try outputs(stage) == "a.flac b.flac c.flac ")
    let pruned = try stage.run("avjob run -q --prune job.yaml")
    #expect(pruned.status == 0)
    #expect(
      pruned.errors == """
        note: removing 2 files that no job makes any more:
          out/b.flac
          out/c.flac

        """)
    #expect(try outputs(stage) == "a.flac ")
    #expect(try stage.make("ls .avjob/receipts | cut -d- -f1").text == "a.flac\n")
    let again = try stage.run("avjob run -q --prune job.yaml")
    #expect(again.status == 0 && again.errors == "")
  }

  @Test("files that were changed, sources of other jobs, and links are left")
  func kept() throws {
    let stage = try stage()
    try stage.make(
      """
      rm b.wav c.wav
      echo >> out/b.flac
      mv out/c.flac c.flac; ln -s ../c.flac out/c.flac
      """)
    let changed = try stage.run("avjob run -q --prune job.yaml")
    #expect(changed.status == 0 && changed.errors == "")
    #expect(try outputs(stage) == "a.flac b.flac c.flac ")

    let other = try self.stage()
    try other.make("rm b.wav c.wav; ln -s out/b.flac link")
    try other.write(
      "job.yaml",
      """
      jobs:
        a: { clip: a.wav, output: out/a.flac }
        link: { clip: link, output: link.wav }
        c: { clip: a.wav, output: out/../out/c.flac }
      """)
    let read = try other.run("avjob run -q --prune job.yaml")
    #expect(read.status == 0 && read.errors == "")
    #expect(try outputs(other) == "a.flac b.flac c.flac ")
  }

  @Test(
    "a file that cannot be removed fails the run, in its reports too",
    .enabled(if: canTrace, "this user may not trace a process"))
  func unremovable() throws {
    let stage = try stage()
    try stage.make("rm b.wav c.wav")
    let result = try stage.run(
      """
      strace -f -o trace -P out/b.flac -e inject=unlink,unlinkat:error=EPERM \
        "$AVJOB" run -q --prune --report report.json job.yaml 2>errors
      echo $?; grep -v '^strace: ' errors >&2; grep exit_status report.json; grep -c 'cannot be removed' report.json
      """)
    #expect(result.text == "1\n  \"exit_status\": 1,\n1\n")
    #expect(
      result.errors == """
        note: removing 2 files that no job makes any more:
          out/b.flac
          out/c.flac
        error: 'out/b.flac': cannot be removed: Operation not permitted

        """)
    #expect(try outputs(stage) == "a.flac b.flac ")
  }

  @Test("nothing is removed where a job fails or one of the folder's job files is left out")
  func refused() throws {
    let stage = try stage()
    try stage.make("rm b.wav; : > c.wav")
    let failed = try stage.run("avjob run -q --prune job.yaml")
    #expect(failed.status == 1)
    #expect(try outputs(stage) == "a.flac b.flac c.flac ")

    try stage.make("rm c.wav")
    try stage.write("other.yaml", "clip: a.wav\noutput: out/other.flac\n")
    let alone = try stage.run("avjob run -q --prune job.yaml")
    #expect(alone.status == 2)
    #expect(
      alone.errors == """
        error: --prune needs all job files of a folder: 'other.yaml' is left out
          help: run the folder: 'avjob run . --prune'

        """)
    #expect(try stage.run("avjob run -q --prune .").status == 0)
    #expect(try outputs(stage) == "a.flac other.flac ")
  }

  @Test(
    "options that leave jobs out are refused by name",
    arguments: [
      ("--only job", "--only"), ("--shard 1/2", "--shard"), ("--set a=b", "--set"),
      ("--env HOME", "--env"),
    ])
  func options(given: String, name: String) throws {
    let stage = Stage()
    try stage.write("job.yaml", "clip: a.wav\noutput: a.flac\n")
    let result = try stage.run("avjob run --prune \(given) job.yaml")
    #expect(result.status == 2)
    #expect(
      result.errors.hasPrefix(
        "error: --prune and \(name) exclude each other: --prune must know what all jobs make\n"),
      "\(result.errors)")
  }
}
