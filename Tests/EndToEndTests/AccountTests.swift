import TestSupport
import Testing

/// Prints reports as they are asked for: `report FILE` every job with its messages, and what belongs to
/// none; `cases FILE` the counts of a JUnit report.
private let readers = """
  report() { /usr/bin/python3 -c "import json, sys
  r = json.load(open(sys.argv[1], encoding='utf-8'))
  def say(indent, m): print(indent + m['severity'], m.get('class'), m['message'], '|', m.get('help'))
  for j in r['jobs']:
    print(j['name'], j['status'], j.get('blocked_by'))
    for m in j['messages']: say('  ', m)
  for m in r['messages']: say('', m)
  " "$1"; }
  cases() { /usr/bin/python3 -c "import sys
  from junitparser import JUnitXml
  x = JUnitXml.fromfile(sys.argv[1])
  print('cases', x.tests, 'failures', x.failures, 'errors', x.errors,
    'skipped', sum(s.skipped for s in x))
  " "$1"; }

  """

@Suite("Who is told what of a run")
struct AccountTests {
  /// A folder with `tone.wav`, a second of sound.
  private func stage(_ yaml: String) throws -> Stage {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 -b 16 tone.wav synth 1 pinknoise vol 0.3")
    try stage.write("job.yaml", yaml)
    return stage
  }

  /// Jobs that are wrong in each way that is one job's own.
  private let wrong = """
    jobs:
      good1: { clip: tone.wav, output: good1.wav }
      absent: { clip: tonee.wav, output: absent.wav }
      noise: { clip: noise.wav, output: noise.wav.mp3 }
      good2: { clip: tone.wav, output: good2.wav }
      range: { clip: tone.wav 3s.., output: range.wav }
      cover: { clip: tone.wav, metadata: { cover: none.png }, output: cover.mp3 }
      later: { clip: noise.wav.mp3, output: later.wav }

    """

  @Test("What is wrong with a job is told and counted by one shard, and all shards add up")
  func shards() throws {
    let stage = try stage(wrong)
    try stage.make("seq 1000 | gzip -n | tail -c 1000 > noise.wav")
    let whole = try stage.run(
      "avjob run -q --keep-going --report r.json job.yaml 2>&1 >table | grep error: | sort")
    let result = try stage.run(
      readers + """
        rm -r .avjob good*.wav
        for n in 1 2 3; do
          avjob run -q --keep-going --shard $n/3 --report $n.json --report $n.xml job.yaml 2>&1 \
            >table | grep error: >> said
          report $n.json | grep -v '^ ' >> jobs
          cases $n.xml | sed 's/.*errors/errors/; s/ skip.*//'
        done
        sort said
        echo --
        sort jobs
        """)
    let halves = result.text.components(at: "--\n")
    #expect(halves.first == String(repeating: "errors 0\n", count: 3) + whole.text)
    #expect(
      halves.last == """
        absent failed None
        cover failed None
        good1 done None
        good2 done None
        later blocked noise
        noise failed None
        range failed None

        """)
  }

  @Test("Where a mistake stops all, the shards that do not have the job say only that")
  func stoppedShards() throws {
    let stage = try stage(
      """
      jobs:
        good: { clip: tone.wav, output: good.wav }
        range: { clip: tone.wav 3s.., output: range.wav }

      """)
    let result = try stage.run(
      readers + """
        for n in 1 2; do
          avjob run -q --shard $n/2 --report $n.json job.yaml 2>/dev/null
          echo $?
          report $n.json
        done
        ls good.wav 2>/dev/null
        """)
    #expect(
      result.text == """
        2
        good not_started None
        error job nothing is started, since 'range' of shard 2 is wrong | 'avjob check' says what is \
        wrong; --keep-going runs the other jobs
        2
        range failed None
          error job the range starts at 3s, but 'tone.wav' lasts 1s | start it earlier

        """)
  }

  @Test("A shard without a job says so")
  func emptyShard() throws {
    let stage = try stage("clip: tone.wav\noutput: out.wav\n")
    let result = try stage.run("avjob run --shard 3/4 job.yaml")
    #expect(result.status == 0 && result.text == "")
    #expect(
      result.errors == "note: shard 3/4 has no job: 1 job is dealt out among 4 shards\n")
  }

  @Test("A file that is missing is told once, in the words of the screen", arguments: ["", "x"])
  func missing(kept: String) throws {
    let stage = try stage(
      """
      jobs:
        one: { concat: [tonee.wav, tone.wav, tonee.wav], output: one.wav }
        two: { clip: tone.wav, metadata: { cover: covr.png }, output: two.mp3 }
        three: { clip: folder, output: three.wav }

      """)
    let option = kept.isEmpty ? "" : "--keep-going"
    let result = try stage.run(
      readers + """
        mkdir folder; touch cover.png
        avjob run -q \(option) --report r.json --report r.xml job.yaml 2>/dev/null
        report r.json
        cases r.xml
        """)
    #expect(
      result.text == """
        one failed None
          error job there is no file 'tonee.wav' | did you mean 'tone.wav'?
          error job there is no file 'tonee.wav' | did you mean 'tone.wav'?
        two failed None
          error job there is no file 'covr.png' | did you mean 'cover.png'?
        three failed None
          error job 'folder' is a folder | write 'folder/*' in a list for its files
        cases 3 failures 3 errors 0 skipped 0

        """)
  }

  @Test("A job whose need is refused before work begins is blocked, and not failed")
  func blocked() throws {
    let stage = try stage(
      """
      jobs:
        c: { clip: b.wav, output: c.wav }
        b: { clip: a.wav, output: b.wav }
        a: { clip: empty.wav, output: a.wav }
        d: { concat: [a.wav, empty.wav], output: d.wav }

      """)
    let result = try stage.run(
      readers + """
        : > empty.wav
        avjob run -q --report r.json --report r.xml job.yaml 2>said
        echo $?
        tail -1 said
        report r.json
        cases r.xml
        """)
    #expect(
      result.text == """
        1
        2 of 4 jobs failed, 2 blocked by them
        c blocked b
          error job 'c' needs 'b', which cannot run | None
        b blocked a
          error job 'b' needs 'a', which cannot run | None
        a failed None
          error input 'empty.wav': is empty (0 bytes) | None
        d failed None
          error job 'd' needs 'a', which cannot run | None
          error input 'empty.wav': is empty (0 bytes) | None
        cases 4 failures 2 errors 0 skipped 2

        """)
  }

  @Test("A warning that is found before work starts is its job's, in reports and in the events")
  func warnings() throws {
    let stage = try stage(
      """
      jobs:
        plain: { clip: tone.wav, output: plain.wav }
        noted: { clip: tone.wav, output: { file: noted.wav, chapters: podlove } }

      """)
    let result = try stage.run(
      readers + """
        avjob run --progress json --report r.json job.yaml 2>/dev/null | grep '"warning"' |
          sed 's/.*"job"/"job"/; s/,"file".*//'
        report r.json
        """)
    #expect(
      result.text == """
        "job":2,"name":"noted","severity":"warning","message":"'noted.wav': no chapters: \
        'noted.psc' is not written"
        plain done None
        noted done None
          warning None 'noted.wav': no chapters: 'noted.psc' is not written | None

        """)
  }

  @Test("--quiet --explain says why jobs ran, and nothing else that goes well")
  func quietReasons() throws {
    let stage = try stage("clip: tone.wav\noutput: out.wav\n")
    let result = try stage.run("avjob run -q --explain job.yaml")
    #expect(result.errors == "job: 'out.wav' has no receipt of an earlier run\n")
    #expect(try stage.run("avjob run -q --explain job.yaml").errors == "")
  }

  @Test(
    "A name that no job has is refused with what was perhaps meant, or what there is",
    arguments: [
      ("parts/03", "it is a part of 'parts': --only takes jobs whole"),
      ("wholee", "did you mean 'whole'?"),
      ("something else", "there are 'all', 'all/tone', 'parts', 'whole'"),
    ])
  func onlyNothing(name: String, help: String) throws {
    let stage = try stage(
      """
      jobs:
        parts: { clip: tone.wav, split: { every: 300ms }, output: "p/${part.n}.wav" }
        whole: { clip: tone.wav, output: whole.wav }
        all: { for_each: "to*.wav", output: "all/${input.name}.wav" }

      """)
    let result = try stage.run("avjob check --only '\(name)' job.yaml")
    #expect(result.status == 2)
    #expect(result.errors.contains("error: there is no job '\(name)'\n"))
    #expect(result.errors.hasSuffix("  help: \(help)\n"))
  }

  @Test("A report that is refused leaves the stream of events whole")
  func refusedReport() throws {
    let stage = try stage("clip: tone.wav\noutput: { file: out.json.wav }\n")
    for report in ["job.json", "tone.wav/r.json"] {
      let result = try stage.run(
        """
        cp job.yaml job.json
        avjob run --progress json --report \(report) job.json 2>/dev/null |
          grep -o '"event":"[a-z]*"\\|"exit_status":[0-9]*'
        """)
      #expect(
        result.text == """
          "event":"run"
          "event":"error"
          "event":"summary"
          "exit_status":2

          """)
    }
  }
}

@Suite("Variables of a command")
struct VariableCommandTests {
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("sox -n -r 8000 -c 1 tone.wav synth 1 sine 300; mkdir jobs")
    try stage.write("jobs/a.yaml", "clip: ../tone.wav ..${length}\noutput: a.wav\n")
    try stage.write("jobs/b.yaml", "clip: ../tone.wav\noutput: b.wav\n")
    return stage
  }

  @Test("Of several files one must use a variable that is set, and not each")
  func several() throws {
    let stage = try stage()
    for files in ["jobs", "jobs/a.yaml jobs/b.yaml"] {
      let result = try stage.run("avjob check --set length=500ms \(files)")
      #expect(result.status == 0 && result.text == "2 jobs are fine\n" && result.errors == "")
      let none = try stage.run("avjob check --set length=500ms --set lenght=1s \(files)")
      #expect(none.status == 2)
      #expect(
        none.errors == """
          command line:1:7: error: none of the 2 files has a variable 'lenght'
              1 | --set lenght=1s
                |       ^~~~~~~~~
            help: did you mean 'length'?

          """)
    }
    let one = try stage.run("avjob check --set length=500ms jobs/b.yaml ./jobs/../jobs/b.yaml")
    #expect(one.status == 2)
    #expect(one.errors.contains("error: 'jobs/b.yaml' has no variable 'length'\n"))
  }

  @Test("A variable is set once")
  func twice() throws {
    let stage = try stage()
    let result = try stage.run("avjob check --set length=1s --set length=500ms jobs/a.yaml")
    #expect(result.status == 2)
    #expect(
      result.errors.hasPrefix(
        "error: 'length' is set twice, by '--set length=1s' and '--set length=500ms'; give it once\n"
      ))
  }

  @Test("--print-job takes no --force")
  func printJob() throws {
    let result = try stage().run("avjob clip tone.wav -o out.wav --print-job --force")
    #expect(result.status == 2 && result.text == "")
    #expect(result.errors.contains("'avjob run' replaces what its jobs make anew"))
  }
}

extension String {
  /// The text before and behind a mark.
  fileprivate func components(at mark: String) -> [String] {
    guard let range = firstRange(of: mark) else { return [self] }
    return [String(self[..<range.lowerBound]), String(self[range.upperBound...])]
  }
}
