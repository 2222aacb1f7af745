import TestSupport
import Testing

/// Reads reports and events with Python's own parsers.
private let reader = """
  read() { /usr/bin/python3 -c "import json, sys
  def load(name): return json.load(open(name, encoding='utf-8'))
  $1" "${@:2}"; }

  """

@Suite("What a run tells")
struct ReportsTests {
  /// Two tones, a file that is none, and a job file of three jobs.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i sine=220:d=1 -ac 1 -c:a pcm_s16le a.wav
      cp a.wav b.wav
      head -c 300 a.wav >broken.wav
      truncate -s 1000 broken.wav
      seq 1000 | gzip -n | tail -c 1000 > noise.wav
      """)
    try stage.write(
      "jobs.yaml",
      """
      jobs:
        one: { clip: a.wav, output: [out/one.flac, { file: out/one.mp3, mp3: V2 }] }
        two: { clip: noise.wav, output: out/two.mp3 }
        three: { clip: b.wav, gain: 30 dB, output: out/three.wav }

      """)
    return stage
  }

  @Test("--report writes JSON, JUnit XML and Markdown, also of jobs that failed")
  func reports() throws {
    let stage = try stage()
    let result = try stage.run(
      reader + """
        avjob run --quiet --report r/a.json --report r/a.xml --report r/a.md jobs.yaml >/dev/null
        echo $?
        read "
        r = load('r/a.json')
        print(r['version'], r['exit_status'], r['files'], r['machine']['cores'] > 0, r['totals'])
        for j in r['jobs']:
          print(j['name'], j['file'], j['line'], j['status'], j['attempts'], 'elapsed' in j)
          for i in j['inputs']: print(' from', i['path'], i['codec'], i['frames'], i['duration'])
          for o in j['outputs']: print(' to', *(o.get(k) for k in ('path', 'format', 'frames')))
          for m in j['messages']: print(' ', m['severity'], m.get('class'), m['line'])
        "
        grep -c '<testcase ' r/a.xml
        head -1 r/a.md
        ls -A r
        """)
    #expect(
      result.text == """
        1
        2 1 ['jobs.yaml'] True {'jobs': 3, 'done': 2, 'up_to_date': 0, 'failed': 1, 'blocked': 0, \
        'cancelled': 0, 'not_started': 0, 'outputs': 3, \
        'bytes': \(try size(stage, "one.flac", "one.mp3", "three.wav")), 'sound': 3, \
        'sound_exact': '3s'}
        one jobs.yaml 2 done 1 True
         from a.wav pcm_s16le 44100 1
         to out/one.flac FLAC 16 bit 44100
         to out/one.mp3 MP3 V2 44100
        two jobs.yaml 3 failed 0 False
          error input 3
        three jobs.yaml 4 done 1 True
         from b.wav pcm_s16le 44100 1
         to out/three.wav WAV 16 bit 44100
          warning None 4
        3
        ### avjob: 2 of 3 jobs done, 1 failed
        a.json
        a.md
        a.xml

        """)
  }

  @Test("A command without a job file has its report and its events, however it ends")
  func oneShot() throws {
    let stage = try stage()
    let result = try stage.run(
      reader + """
        try() {
          rm -rf r; avjob compress "$@" --progress json 2>/dev/null >events
          echo $? $(sed 's/{"event":"\\([a-z]*\\)".*/\\1/' events)
          test ! -e r || read "print(load('r/a.json')['exit_status'])"
        }
        try gone.wav -o out.mp3 --report r/a.json
        try a.wav -o out.mp3 --report a.wav/b.json
        try a.wav -o b.wav --report r/a.json
        try a.wav -o b.wav --report r/a.json --skip-existing
        """)
    #expect(
      result.text == """
        2 run error summary
        2
        2 run error summary
        2 run error summary
        2
        0 run summary
        0

        """)
  }

  private func size(_ stage: Stage, _ names: String...) throws -> Int {
    try names.reduce(0) { try $0 + readFile(stage.path("out/\($1)")).count }
  }

  @Test("A job file that is wrong has its reports, too: nothing was done, and why")
  func wrongJobFile() throws {
    let stage = try stage()
    try stage.write("wrong.yaml", "clp: a.wav\noutput: a.mp3\n")
    let result = try stage.run(
      reader + """
        avjob run --report r.json --report r.xml wrong.yaml 2>/dev/null
        echo $?
        read "
        r = load('r.json')
        print(r['exit_status'], r['jobs'], [(m['message'], m['class']) for m in r['messages']])
        from junitparser import JUnitXml
        print([(s.name, s.tests, s.errors) for s in JUnitXml.fromfile('r.xml')])
        "
        """)
    #expect(
      result.text == """
        2
        2 [] [("unknown key 'clp'", 'job')]
        [('wrong.yaml', 1, 1)]

        """)
  }

  @Test("'--report github' adds to the step's summary, or stands in the place of the table")
  func github() throws {
    let stage = try stage()
    try stage.write("job.yaml", "clip: a.wav\noutput: out.wav\n")
    let result = try stage.run(
      """
      echo before >step.md
      GITHUB_STEP_SUMMARY=$PWD/step.md avjob run --report github job.yaml 2>/dev/null | wc -l
      sed -n 1,2p step.md
      env -u GITHUB_STEP_SUMMARY "$AVJOB" run --force --quiet --report github job.yaml | grep -v ' on '
      ls -A | grep github
      """)
    #expect(
      result.text.replacing(#/[0-9.]+×/#, with: "1×") == """
        2
        before
        ### avjob: 1 of 1 job done
        ### avjob: 1 of 1 job done


        | Job | Status | Output | Duration | Size | Speed | Levels | Clipped |
        | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |
        | <code>job</code> | done | <code>out.wav</code> | 0:01.000 | 88 kB | 1× | −22.0 LUFS, −18.1 dBTP | 0 |

        """)
  }

  @Test(
    "A report that could not be written, or would replace something, is refused before any work",
    arguments: [
      ("r.txt", "a report ends in .html, .json, .xml or .md, or is the word 'github'"),
      ("a.wav/r.json", "error: 'a.wav/r.json': cannot"),
      ("folder.json", "error: 'folder.json': is a folder; name a file"),
      ("job.json", "error: 'job.json': is a file that this run reads; choose another path"),
      ("source.xml", "error: 'source.xml': is a file that this run reads"),
      ("out.md", "error: 'out.md': is the same file as out.md, another output; choose another"),
      ("out.md/r.json", "error: 'out.md/r.json': lies below out.md, another output, which is no"),
      ("/dev/full.json", "error: '/dev/full.json'"),
    ])
  func refused(report: String, message: String) throws {
    let stage = try stage()
    try stage.write("job.json", "{ clip: source.xml, output: { file: ./out.md, flac: 16 bit } }\n")
    let result = try stage.run(
      """
      mkdir folder.json
      cp a.wav source.xml
      ln -s /dev/full full.json
      before=$(ls; cat job.json; md5sum source.xml)
      avjob run --quiet --report '\(report.replacing("/dev/full", with: "full"))' job.json
      echo $?
      [ "$before" = "$(ls; cat job.json; md5sum source.xml)" ] && echo untouched
      """)
    #expect(result.text == "2\nuntouched\n")
    #expect(result.errors.contains(message.replacing("/dev/full", with: "full")))
  }

  @Test("A report replaces nothing that was read, where the job file is wrong, and no job's output")
  func sparing() throws {
    let stage = try stage()
    try stage.write("wrong.json", "{ clipp: a.wav, rows: table.md, output: x.flac }\n")
    try stage.write("table.md", "n\n1\n")
    try stage.write(
      "two.yaml",
      """
      jobs:
        a: { clip: a.wav, output: two/a.wav }
        b: { clip: a.wav, output: [two/b.wav, { file: two/b.json, json: sidecar }] }
      """)
    let result = try stage.run(
      """
      avjob run --quiet two.yaml >table
      before=$(cat wrong.json table.md two/b.json)
      for report in wrong.json table.md; do
        avjob run --quiet --report $report wrong.json 2>&1 | grep '^error'
      done
      avjob run --quiet --only a --report two/b.json two.yaml 2>&1
      [ "$before" = "$(cat wrong.json table.md two/b.json)" ] && echo untouched
      """)
    #expect(
      result.text == """
        error: 'wrong.json': is a file that this run reads; choose another path
        error: 'table.md': is a file that this run reads; choose another path
        error: 'two/b.json': is the same file as two/b.json, another output; choose another path
        untouched

        """)
  }

  @Test("--progress json has standard output to itself, one event a line")
  func events() throws {
    let stage = try stage()
    let result = try stage.run(
      reader + """
        avjob run --progress json jobs.yaml >events 2>errors
        echo $?
        read "
        for line in open('events', encoding='utf-8'):
          e = json.loads(line)
          print(e['event'], *(e[k] for k in ('job', 'name', 'jobs', 'refused', 'class', 'exit_status') if k in e))
        " | grep -v progress | sort
        grep -c . errors
        """)
    #expect(
      result.text == """
        1
        error input
        finished 1 one
        finished 2 three
        run 2 1
        start 1 one
        start 2 three
        summary 1
        warning 2 three
        7

        """)
    let refused = try stage.run("avjob run --progress json --report github jobs.yaml")
    #expect(refused.status == 2)
    #expect(refused.errors.contains("--progress json has all lines to itself"))
  }
}

@Suite("How a run ends")
struct StatusTests {
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share("ffmpeg -v error -f lavfi -i sine=220:d=1 -ac 1 -c:a pcm_s16le a.wav")
    try stage.write("job.yaml", "clip: a.wav\noutput: out.mp3\n")
    return stage
  }

  @Test("0: all done")
  func done() throws {
    let result = try stage().run("avjob run job.yaml")
    #expect(result.status == 0)
    #expect(
      result.errors.replacing(#/[0-9.]+× /#, with: "1× ").replacing(#/[0-9.]+ s,/#, with: "1 s,")
        == "job: started\njob: done in 1 s, 1× real time\n")
  }

  @Test("1: a job failed, and the others are done")
  func failed() throws {
    let stage = try stage()
    try stage.write(
      "two.yaml",
      "jobs:\n  a: { clip: a.wav, output: a.mp3 }\n  b: { clip: b.wav, output: b.mp3 }\n")
    let result = try stage.run(
      """
      seq 1000 | gzip -n | tail -c 1000 > b.wav
      avjob run --quiet two.yaml >/dev/null
      echo $?
      ls *.mp3
      """)
    #expect(result.text == "1\na.mp3\n")
    #expect(result.errors.hasSuffix("\n1 of 2 jobs failed\n"))
  }

  @Test(
    "2: the job file or the arguments are wrong",
    arguments: ["gone.yaml", "--quiet --verbose job.yaml", "--workers 0 job.yaml"])
  func wrong(arguments: String) throws {
    #expect(try stage().run("avjob run \(arguments)").status == 2)
  }

  @Test("75: everything that failed may succeed later")
  func temporary() throws {
    let stage = try stage()
    // Another program writes to the source.
    try stage.make("printf 'clip: a.wav\\nloop: 2000\\noutput: out.flac\\n' > job.yaml")
    let result = try stage.run(
      """
      "$AVJOB" run --quiet --retry 0 --report r.xml job.yaml & job=$!
      until [ -s .out.flac.avjob-*.tmp ] || ! kill -0 $job; do sleep 0.01; done
      echo more >> a.wav
      wait $job
      echo $?
      grep -o 'type="[a-z]*"' r.xml
      """)
    #expect(result.text == "75\ntype=\"temporary\"\n")
    #expect(
      result.errors == """
        job.yaml:1:7: error: 'a.wav': was changed, moved or removed while avjob was working; run the job again once it stays as it is
            1 | clip: a.wav
              |       ^~~~~

        """)
  }

  @Test(
    "130 and 143: stopped, with the command that goes on, and a report of what was done",
    arguments: [("INT", 130), ("TERM", 143)])
  func stopped(signal: String, status: Int) throws {
    let stage = try stage()
    try stage.write(
      "long.yaml",
      """
      jobs:
        short: { clip: a.wav, output: short.wav }
        long: { silence: 10h, output: { file: "long one.mp3", mp3: V2 } }
        later: { clip: a.wav, output: later.wav }

      """)
    let result = try stage.run(
      reader + """
        set -m
        timeout --foreground $AVJOB_PATIENCE "$AVJOB" run --workers 1 --quiet --report r.json long.yaml >table &
        until [ -s '.long one.mp3.avjob-'*.tmp ] || ! kill -0 $!; do sleep 0.02; done
        kill -\(signal) $(pgrep -P $!)
        wait $!
        echo $?
        read "
        r = load('r.json')
        print(r['exit_status'], [j['status'] for j in r['jobs'] if j['name'] == 'long'])
        print(len(r['jobs']), r['totals']['done'] + r['totals']['not_started'])
        "
        ls -A | grep long
        """)
    #expect(
      result.text == """
        \(status)
        \(status) ['cancelled']
        3 2
        long.yaml

        """)
    let last = result.errors.split(separator: "\n").last { $0.hasPrefix("stopped") }
    let words = try #require(last).split(separator: " ")
    #expect(
      words[2...].joined(separator: " ")
        == "of 3 jobs are done, and kept; to resume: "
        + "avjob run --workers 1 --quiet --report r.json long.yaml")
  }

  @Test(
    "Results that standard output does not take are an error",
    arguments: [
      "run job.yaml", "run --progress json job.yaml", "plan job.yaml",
      "plan --json job.yaml", "check job.yaml", "probe a.wav", "probe --json a.wav", "schema",
      "--version", "--version --json", "--licenses", "--help", "help", "help run", "help agents",
      "run --help", "--generate-completion-script bash",
    ])
  func fullOutput(command: String) throws {
    let result = try stage().run("avjob \(command) >/dev/full")
    #expect(result.status == 1)
    #expect(
      result.errors.hasSuffix(
        "error: standard output cannot be written: No space left on device\n"))
  }
}
