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

  /// Forges receipts of files, by what the files are now or by their contents alone.
  private static let forge = """
    forge() {
      /usr/bin/python3 - "$@" <<'END'
    import hashlib, json, os, re, sys
    for path in sys.argv[2:]:
      facts, exact = os.stat(path), sys.argv[1] == 'exact'
      name = re.sub(rb'[^0-9A-Za-z.-]', b'_', path.encode().rsplit(b'/', 1)[-1])[:60].decode()
      name += '-' + hashlib.sha256(path.encode()).hexdigest()[:16]
      file = {'path': path, 'size': facts.st_size, 'inode': facts.st_ino if exact else 1,
              'modified': facts.st_mtime_ns if exact else 1,
              'sha256': hashlib.sha256(open(path, 'rb').read()).hexdigest()}
      receipt = {'version': 1, 'madeWith': {}, 'job': {}, 'sources': [], 'files': [file]}
      os.makedirs('.avjob/receipts', exist_ok=True)
      json.dump(receipt, open(f'.avjob/receipts/{name}.json', 'w'))
    END
    }

    """

  @Test(
    "a forged receipt removes nothing that no job of its folder can have written",
    arguments: ["exact", "content"])
  func forged(_ facts: String) throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir -p job/.git job/src away
      sox -R -r 8000 -n -c 1 job/src/a.wav synth 1 pinknoise
      for place in above.wav away/b.wav job/.git/c.wav job/.hidden.wav; do
        cp job/src/a.wav $place
      done
      echo hello | tee above.txt > job/notes.txt; echo 'ref: refs/heads/main' > job/.git/HEAD
      ln -s ../away job/link
      """)
    try stage.write("job/job.yaml", "clip: src/a.wav\noutput: out/a.flac\n")
    let result = try stage.run(
      Self.forge + """
        cd job
        forge \(facts) ../above.wav "$PWD/../away/b.wav" ../above.txt link/b.wav .git/c.wav .git/HEAD \
          .hidden.wav notes.txt
        avjob run -q --checksum --prune job.yaml; echo $?
        cd ..; ls above.* away/* job/.git/* job/.hidden.wav job/notes.txt | wc -l
        """)
    #expect(result.text == "0\n7\n")
    #expect(!result.errors.contains("removing"), "\(result.errors)")
    for path in ["../above.wav", "link/b.wav", ".git/HEAD", "notes.txt"] {
      #expect(
        result.errors.contains("'\(path)' is not removed, though a receipt in '.avjob' names it"))
    }
  }

  @Test("the content of a file, which anybody may know, is not enough to remove it")
  func copied() throws {
    let stage = try stage()
    try stage.make(
      "avjob run -q --checksum --force job.yaml; rm b.wav; cp out/b.flac x; mv x out/b.flac")
    let result = try stage.run("avjob run -q --checksum --prune job.yaml")
    #expect(result.status == 0)
    #expect(
      result.errors.hasPrefix(
        "warning: 'out/b.flac' is not removed, though a receipt in '.avjob' names it: it has the "
          + "content that avjob wrote, but is another file\n"), "\(result.errors)")
    #expect(try outputs(stage) == "a.flac b.flac c.flac ")
  }

  @Test(
    "outputs outside of the job files' folder are removed where jobs still write, links followed")
  func outside() throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir job disk; ln -s ../disk job/out
      for i in a b; do sox -R -r 8000 -n -c 1 job/$i.wav synth 1 pinknoise; done
      """)
    try stage.write("job/job.yaml", "for_each: '*.wav'\noutput: out/${input.stem}.flac\n")
    try stage.make("cd job; avjob run -q job.yaml; rm b.wav; avjob run -q --prune job.yaml")
    #expect(try stage.make("ls disk").text == "a.flac\n")
  }
}
