import TestSupport
import Testing

@Suite("Isolation") struct IsolationTests {
  /// `first N` prints N processes of jobs below the command `$job`, once they are there.
  private let helpers = """
    children() { pgrep -P "$job" -f isolated-job || true; }
    first() {
      for n in $(seq 2000); do
        [ "$(children | wc -l)" -ge 1 ] && { children | head -1; return; }
        sleep 0.01
      done
    }
    writing() {
      for n in $(seq 2000); do [ -s $1 ] && return; sleep 0.01; done
    }

    """

  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("sox -n -r 44100 -c 2 short.wav synth 2 sine 300")
    return stage
  }

  @Test("Jobs in processes of their own write the same bytes and say the same")
  func sameBytes() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      """
      tracks:
        voice: { clip: short.wav, gain: 6 dB, speed: 1.1 }
        other: { clip: short.wav, gain: 3 dB, at: 500ms, fade_in: 300ms }
      metadata: { title: Zwölf, artist: me }
      chapters: { 0s: Start, 1s: Ende }
      output: [out.mp3, out.flac, { file: out.wav, chapters: podlove }]
      """)
    let here = try stage.run("avjob run --quiet job.yaml")
    #expect(here.status == 0)
    try stage.make("mkdir here; mv out.* here")
    let isolated = try stage.run("avjob run --quiet --isolate job.yaml")
    #expect(isolated.status == 0)
    #expect(isolated.errors == here.errors)
    try stage.make("for file in here/*; do cmp \"$file\" \"$(basename \"$file\")\"; done")
  }

  @Test("A failure in a job's process is told as it would be without one")
  func failure() throws {
    let stage = try stage()
    try stage.write("job.yaml", "clip: short.wav\noutput: out.wav\n")
    let here = try stage.run("ulimit -f 100; avjob run --quiet job.yaml")
    let isolated = try stage.run("ulimit -f 100; avjob run --quiet --isolate job.yaml")
    #expect(here.status == 1)
    #expect(isolated.status == 1)
    #expect(isolated.errors == here.errors)
    #expect(here.errors.contains("ulimit -f"))
  }

  @Test(
    "A job whose process crashes fails alone, by name, and leaves nothing behind",
    arguments: [
      (
        "SEGV", 1,
        "its process crashed (SIGSEGV); the other jobs are not touched: please report it, with the "
          + "job and its sources"
      ),
      (
        "KILL", 75,
        "its process was killed (SIGKILL), as Linux does when memory runs out; run fewer jobs at "
          + "once"
      ),
      ("TERM", 75, "its process was stopped from outside (SIGTERM); run again"),
    ])
  func crash(_ signal: String, status: Int32, words: String) throws {
    let stage = try stage()
    try stage.write("a.yaml", "clip: short.wav\nloop: 2000\noutput: a.flac\n")
    try stage.write("b.yaml", "clip: short.wav\noutput: b.flac\n")
    let result = try stage.run(
      helpers + """
        "$AVJOB" run --quiet --isolate --workers 1 --retry 0 a.yaml b.yaml & job=$!
        child=$(first)
        writing .a.flac.avjob-*.tmp
        kill -\(signal) $child
        wait $job
        """)
    #expect(result.status == status)
    #expect(result.errors.contains(words))
    let files = try stage.listing()
    #expect(files.contains { $0.hasPrefix("b.flac f ") })
    #expect(!files.contains { $0.hasPrefix("a.flac") || $0.contains(".tmp") })
  }

  @Test(
    "Started by a program that ignores the end of its children, it learns how its own have ended")
  func ignoredChildren() throws {
    let stage = try stage()
    try stage.write("a.yaml", "clip: short.wav\nloop: 2000\noutput: a.flac\n")
    let result = try stage.run(
      helpers + """
        /usr/bin/python3 -c 'import os, signal, sys
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.execv(sys.argv[1], sys.argv[1:])' "$AVJOB" run --quiet --isolate --retry 0 a.yaml & job=$!
        child=$(first)
        writing .a.flac.avjob-*.tmp
        kill -SEGV $child
        wait $job
        """)
    #expect(result.status == 1)
    #expect(result.errors.contains("its process crashed (SIGSEGV)"), "\(result.errors)")
  }

  @Test("Where the command is killed, its jobs' processes end, and the next run leaves nothing")
  func parentKilled() throws {
    let stage = try stage()
    try stage.write("a.yaml", "clip: short.wav\nloop: 2000\noutput: a.flac\n")
    let result = try stage.run(
      helpers + """
        "$AVJOB" run --quiet --isolate a.yaml & job=$!
        child=$(first)
        writing .a.flac.avjob-*.tmp
        kill -KILL $job
        wait $job
        for n in $(seq 2000); do [ -e /proc/$child/exe ] || break; sleep 0.01; done
        [ -e /proc/$child/exe ] && echo alive
        sed -i 's/2000/2/' a.yaml
        avjob run --quiet a.yaml
        """)
    #expect(result.status == 0)
    #expect(!result.text.contains("alive"))
    #expect(try stage.listing().filter { $0.contains("a.flac") }.count == 1)
  }

  @Test("An interrupted run stops its jobs' processes and leaves nothing behind")
  func interrupted() throws {
    let stage = try stage()
    try stage.write("a.yaml", "clip: short.wav\nloop: 2000\noutput: a.flac\n")
    let result = try stage.run(
      helpers + """
        "$AVJOB" run --quiet --isolate a.yaml & job=$!
        child=$(first)
        writing .a.flac.avjob-*.tmp
        kill -INT $job
        wait $job
        status=$?
        [ -e /proc/$child/exe ] && echo alive
        exit $status
        """)
    #expect(result.status == 130)
    #expect(!result.text.contains("alive"))
    #expect(!(try stage.listing().contains { $0.contains("a.flac") }))
  }

  @Test(
    "The command of a job's process is no one else's: it ends without its parent, and is not listed"
  )
  func command() throws {
    let result = try Command.avjob("isolated-job", "--parent", "1")
    #expect(result.status != 0)
    #expect(!(try Command.avjob("--help").text.contains("isolated-job")))
  }
}
