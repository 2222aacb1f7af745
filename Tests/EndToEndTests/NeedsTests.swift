import TestSupport
import Testing

@Suite("Jobs that need each other")
struct NeedsTests {
  /// A folder with `tone.wav`: two seconds at 44.1 kHz, stereo, 16 bits.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 2 -b 16 tone.wav synth 2 pinknoise vol 0.3")
    return stage
  }

  @Test("An output that is a source of another job orders the two, wherever they are written")
  func chain() throws {
    let stage = try stage()
    try stage.write(
      "one.yaml",
      """
      jobs:
        last: { concat: [new/middle.flac 250ms.., tone.wav ..1s], output: last.wav }
        middle: { concat: [first.wav, 500ms], output: new/middle.flac }
      """)
    try stage.write("two.yaml", "clip: tone.wav ..1s\noutput: ./new/../first.wav\n")
    let result = try stage.run("avjob run --quiet one.yaml two.yaml")
    #expect(result.status == 0 && result.errors == "")
    let first = try WAVFile(stage.path("first.wav"))
    let last = try WAVFile(stage.path("last.wav"))
    #expect(first.frameCount == 44_100)
    #expect(last.frameCount == 44_100 * 3 / 2 - 11_025 + 44_100)
    #expect(last.slice(0..<33_075) == first.slice(11_025..<44_100))
  }

  @Test("What is there of an output from before is not what a job is checked by, or made of")
  func stale() throws {
    let stage = try stage()
    try stage.make("sox -R -r 8000 -n -c 1 -b 8 first.wav synth 9 sine 100")
    let result = try stage.job(
      """
      jobs:
        last: { clip: first.wav 500ms..1.5s, output: last.wav }
        first: { clip: tone.wav, output: first.wav }
      """)
    #expect(result.status == 0)
    #expect(result.errors.contains("warning: 'first.wav' is replaced, and no receipt"))
    let last = try WAVFile(stage.path("last.wav"))
    #expect(last.sampleRate == 44_100 && last.channelCount == 2 && last.frameCount == 44_100)
    let tone = try WAVFile(stage.path("tone.wav"))
    #expect(last.slice(0..<44_100) == tone.slice(22_050..<66_150))
    // Before, the file had nine seconds.
    let refused = try stage.job(
      """
      jobs:
        last: { clip: first.wav 3s..4s, output: last.wav }
        first: { clip: tone.wav, output: first.wav }
      """)
    #expect(refused.status == 2)
    #expect(
      refused.errors == """
        job.yaml:2:27: error: the range starts at 3s, but 'first.wav' lasts 2s
            2 |   last: { clip: first.wav 3s..4s, output: last.wav }
              |                           ^~
          help: start it earlier

        """)
  }

  @Test("Jobs that need each other in a circle are refused, with each step of it")
  func circle() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      jobs:
        a: { clip: c.wav, output: a.wav }
        b: { clip: a.wav, output: b.wav }
        c: { concat: [tone.wav, b.wav], output: c.wav }
      """)
    #expect(result.status == 2)
    #expect(
      result.errors == """
        job.yaml:2:14: error: no job can be the first: 'a' needs 'c', which needs 'b', which needs 'a'
            2 |   a: { clip: c.wav, output: a.wav }
              |              ^~~~~
          help: let one of them read something else, or need nothing
        job.yaml:4:27: note: 'c' reads 'b.wav', which 'b' writes, here
            4 |   c: { concat: [tone.wav, b.wav], output: c.wav }
              |                           ^~~~~
        job.yaml:3:14: note: 'b' reads 'a.wav', which 'a' writes, here
            3 |   b: { clip: a.wav, output: b.wav }
              |              ^~~~~

        """)
    #expect(try stage.listing().map { $0.prefix { $0 != " " } } == ["", "job.yaml", "tone.wav"])
  }

  @Test("A part of a split job may be a source, and is waited for alone")
  func part() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      jobs:
        again: { concat: [parts/02.flac, parts/01.flac], split: { every: 1500ms }, output: "again ${part.n}.wav" }
        parts: { clip: tone.wav, split: { 0s: One, 750ms: Two }, output: "parts/${part.n:02}.flac" }
        end: { clip: again 2.wav, output: end.wav }
      """.replacing("again 2.wav,", with: "\"again 2.wav\","))
    #expect(result.status == 0 && result.errors == "")
    let tone = try WAVFile(stage.path("tone.wav"))
    let end = try WAVFile(stage.path("end.wav"))
    #expect(end.frameCount == 22_050)
    #expect(end.slice(0..<22_050) == tone.slice(11_025..<33_075))
  }

  @Test("Links lead to what another job writes, too")
  func links() throws {
    let stage = try stage()
    try stage.make(
      """
      mkdir real; ln -s real here; cp tone.wav real/old.wav
      sox -R -r 8000 -n -c 1 -b 8 real/old.wav synth 9 sine 100
      """)
    let result = try stage.job(
      """
      jobs:
        a: { clip: here/new.wav 1s.., output: a.wav }
        b: { clip: here/old.wav 1s.., output: b.wav }
        c: { clip: tone.wav, output: [real/new.wav, real/old.wav] }
      """)
    #expect(result.status == 0)
    #expect(result.errors.contains("warning: 'real/old.wav' is replaced, and no receipt"))
    for name in ["a.wav", "b.wav"] {
      let file = try WAVFile(stage.path(name))
      #expect(file.sampleRate == 44_100 && file.frameCount == 44_100)
    }
  }

  @Test("A file that no job writes is missing, and so is one that only other jobs' folders have")
  func missing() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      jobs:
        a: { clip: new/b.wav, output: a.wav }
        b: { clip: tone.wav, output: old/b.wav }
      """)
    #expect(result.status == 2)
    #expect(
      result.errors == """
        job.yaml:2:14: error: there is no file 'new/b.wav'
            2 |   a: { clip: new/b.wav, output: a.wav }
              |              ^~~~~~~~~
          help: there is no folder 'new' either

        """)
  }

  @Test("A job whose source cannot be made is not started, and says so")
  func blocked() throws {
    let stage = try stage()
    try stage.make(": > empty.wav")
    let result = try stage.job(
      """
      jobs:
        a: { clip: empty.wav, output: a.wav }
        b: { clip: a.wav, output: b.wav }
        c: { clip: tone.wav, output: c.wav }
      """)
    #expect(result.status == 1)
    #expect(
      result.errors == """
        job.yaml:2:14: error: 'empty.wav': is empty (0 bytes)
            2 |   a: { clip: empty.wav, output: a.wav }
              |              ^~~~~~~~~
        job.yaml:3:14: error: 'b' needs 'a', which cannot run
            3 |   b: { clip: a.wav, output: b.wav }
              |              ^~~~~
        1 of 3 jobs failed, 1 blocked by them

        """)
    #expect(try WAVFile(stage.path("c.wav")).frameCount == 88_200)
  }

  @Test("A job whose source fails to be made, although it was checked, is not started")
  func failed() throws {
    let stage = try stage()
    try stage.make(Stage.brokenMedium)
    let result = try stage.job(
      """
      jobs:
        last: { clip: middle.wav, output: last.wav }
        middle: { clip: first.wav, output: middle.wav }
        first: { clip: broken.m4a, output: first.wav }
      """)
    #expect(result.status == 1 && result.errors.contains("'broken.m4a': breaks off at 0."))
    let names = try stage.make("ls *.wav").text
    #expect(names == "tone.wav\n")
  }

  @Test("'needs' orders jobs that share no file")
  func names() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      """
      jobs:
        last: { clip: tone.wav, needs: [parts, short], output: last.mp3 }
        parts: { clip: tone.wav, split: { every: 1s }, output: "p${part.n}.wav" }
        short: { clip: tone.wav ..100ms, output: short.wav }
      """)
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0)
    let starts = result.errors.split(separator: "\n").filter { $0.hasSuffix(": started") }
    #expect(starts.last == "last: started")
    let only = try stage.run("avjob check --only last job.yaml")
    #expect(only.text == "3 jobs with 2 parts are fine\n")
  }

  @Test("--only takes names, groups and patterns, and brings along what they need")
  func only() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      """
      jobs:
        first: { clip: tone.wav, output: first.wav }
        second: { clip: first.wav, output: second.wav }
        third: { clip: tone.wav, output: third.wav }
        fourth: { clip: absent.wav, output: fourth.wav }
      """)
    let second = try stage.run("avjob run --only second job.yaml && ls *.wav")
    #expect(second.status == 0)
    #expect(second.screen == "note: 'first' is run, too: 'second' needs it\n")
    #expect(second.text.hasSuffix("first.wav\nsecond.wav\ntone.wav\n"))
    let check = try stage.run("avjob check --only 'f*st' --only third job.yaml")
    #expect(check.status == 0 && check.text == "2 jobs are fine\n")
    let unknown = try stage.run("avjob run --only thrd --only third job.yaml")
    #expect(unknown.status == 2)
    #expect(
      unknown.errors == """
        command line:1:8: error: there is no job 'thrd'
            1 | --only thrd
              |        ^~~~
          help: did you mean 'third'?

        """)
  }

  @Test("Shards are disjoint and complete, and keep together what needs each other")
  func shards() throws {
    let stage = try stage()
    var jobs = "jobs:\n"
    for number in 1...9 {
      jobs += "  j\(number): { clip: tone.wav ..\(number)00ms, output: out/j\(number).wav }\n"
    }
    jobs += """
        second: { clip: out/first.wav, output: out/second.wav }
        first: { clip: tone.wav, output: out/first.wav }
        parts: { clip: tone.wav, split: { every: 500ms }, output: "out/p${part.n}.wav" }
      """
    try stage.write("job.yaml", jobs)
    var all: [String] = []
    for shard in 1...3 {
      let result = try stage.run(
        "rm -rf out; avjob run --quiet --shard \(shard)/3 job.yaml >&2 && ls out")
      #expect(result.status == 0)
      let written = result.text.split(separator: "\n").map(String.init)
      #expect(written.contains("first.wav") == written.contains("second.wav"))
      #expect(written.count >= 2)
      all += written
    }
    let names = (1...9).map { "j\($0).wav" } + (1...4).map { "p\($0).wav" }
    #expect(all.sorted() == (names + ["first.wav", "second.wav"]).sorted())
    let refused = try stage.run("avjob run --shard 4/3 job.yaml")
    #expect(refused.status == 2 && refused.errors.contains("shards count from 1/3 to 3/3"))
  }

  @Test("--fail-fast starts nothing where a job has failed before")
  func failFast() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      """
      jobs:
        a: { clip: empty.wav, output: a.wav }
        b: { clip: tone.wav, output: b.wav }
      """)
    let result = try stage.run(": > empty.wav; avjob run --quiet --fail-fast job.yaml")
    #expect(result.status == 1 && result.errors.hasSuffix("nothing was started: --fail-fast\n"))
    #expect(try stage.run("ls b.wav").status != 0)
    let both = try stage.run("avjob run --fail-fast --keep-going job.yaml")
    #expect(both.status == 2 && both.errors.contains("exclude each other"))
  }
}
