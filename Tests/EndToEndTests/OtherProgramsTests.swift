import Glibc
import TestSupport
import Testing

@Suite("What other programs do to files while avjob works")
struct OtherProgramsTests {
  private func stage(_ yaml: String = "") throws -> Stage {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 2 -b 16 a.wav synth 1 pinknoise vol 0.3")
    try stage.write("job.yaml", yaml)
    return stage
  }

  @Test("a run that is killed leaves reports that say so, also if it was still probing")
  func killedReports() throws {
    let stage = try stage("clip: long.aac\noutput: out.flac\n")
    let unended = "the run has not ended: it is under way, or was killed; run it again"
    let result = try stage.run(
      """
      ffmpeg -v error -f lavfi -i anoisesrc=d=1800:a=0.1 -b:a 64k long.aac
      reports="--report r.json --report r.xml --report r.md"
      avjob run $reports yesterday.yaml
      "$AVJOB" run --quiet $reports job.yaml & job=$!
      until ! grep -q yesterday r.md || ! kill -0 $job; do sleep 0.01; done
      kill -KILL $job
      wait $job
      echo $? $(ls -A | grep -c -e .avjob -e out)
      grep exit_status r.json
      sed 's/time="[^"]*"/time=""/; s/timestamp="[^"]*"/timestamp=""/' r.xml
      grep ended r.md
      """)
    #expect(
      result.text == """
        137 0
          "exit_status": 75,
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="avjob" tests="1" failures="0" errors="1" time="">
          <testsuite name="job.yaml" tests="1" failures="0" errors="1" skipped="0" \
        time="" timestamp="">
            <testcase name="job.yaml" classname="job.yaml" time="">
              <error message="\(unended)" type="temporary">error: \(unended)</error>
            </testcase>
          </testsuite>
        </testsuites>
        - the run has not ended&#58; it is under way, or was killed; run it again

        """)
    let json = String(decoding: try readFile(stage.path("r.json")), as: UTF8.self)
    try JSONSchema.validate(json, as: "report")
  }

  @Test("a run that is killed while it reads its job file leaves no report of an earlier one")
  func earlyReports() throws {
    let stage = try stage("clip: a.wav\noutput: out.flac\n")
    let result = try stage.run(
      """
      set -m
      reports="--report r.json --report r.xml --report r.md"
      avjob run --quiet $reports job.yaml
      echo mine >mine.json
      (echo 'for_each: { n: ['; seq -s , 100000; echo ']}'; echo 'silence: 1s'; echo 'output: ${n}.wav') \\
        >long.yaml
      "$AVJOB" run --quiet $reports --report mine.json long.yaml & job=$!
      until grep -q 'not ended' r.md || ! kill -0 $job; do sleep 0.01; done
      kill -KILL $job
      grep -c 'not ended' r.json r.xml r.md
      cat mine.json
      """)
    #expect(result.text == "r.json:1\nr.xml:1\nr.md:1\nmine\n")
  }

  @Test("a report at the path of what a part writes is refused, and keeps no other from its end")
  func reportOverPart() throws {
    let stage = try stage(
      """
      clip: a.wav
      split: { every: 500ms }
      output: ["r${part.n}.wav", { json: sidecar, file: "r${part.n}.json" }]
      """)
    let result = try stage.run(
      """
      avjob run --quiet --report r.xml yesterday.yaml
      echo mine >r1.json
      avjob run --report r1.json --report r.xml job.yaml
      """)
    #expect(result.status == 2)
    #expect(
      result.errors.hasSuffix(
        """
        starts from
        error: 'r1.json': is the same file as r1.json, another output; choose another path

        """.dropFirst(12)))
    #expect(try readFile(stage.path("r1.json")) == Array("mine\n".utf8))
    #expect(try stage.run("grep -c 'r1.json' r.xml").text == "1\n")
  }

  @Test("a report at the path of a source is refused, and the source stays")
  func reportOverSource() throws {
    let stage = try stage("clip: a.json\noutput: out.flac\n")
    let result = try stage.run("cp a.wav a.json; avjob run --report a.json job.yaml")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        error: 'a.json': is a file that this run reads; choose another path

        """)
    #expect(try readFile(stage.path("a.json")) == readFile(stage.path("a.wav")))
  }

  @Test("run warns of outputs that it did not make, once for each and once for many")
  func foreign() throws {
    let stage = try stage(
      """
      clip: a.wav
      chapters: { 0s: A }
      output: [out.mp3, { file: out.flac, chapters: podlove }]

      """)
    try stage.make("echo mine > out.mp3; echo mine > out.psc")
    let result = try stage.run("avjob run --quiet job.yaml")
    #expect(result.status == 0)
    #expect(
      result.errors == """
        job.yaml:3:10: warning: 'out.mp3' is replaced, and no receipt shows that avjob made it
            3 | output: [out.mp3, { file: out.flac, chapters: podlove }]
              |          ^~~~~~~
          help: to keep the file, stop the run and choose another path
        job.yaml:3:27: warning: 'out.psc' is replaced, and no receipt shows that avjob made it
            3 | output: [out.mp3, { file: out.flac, chapters: podlove }]
              |                           ^~~~~~~~
          help: to keep the file, stop the run and choose another path

        """)
    #expect(try stage.run("avjob run --quiet --force job.yaml").errors == "")

    try stage.write(
      "many.yaml",
      "for_each: { nr: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }\nclip: a.wav\noutput: ${nr}.wav\n")
    let many = try stage.run("touch {1..12}.wav; avjob run --quiet many.yaml")
    #expect(many.errors.split(separator: "\n").count { $0.contains("no receipt") } == 1)
    #expect(many.errors.contains("and 11 more like it: "))
  }

  @Test("with --root, run replaces no file that no trusted receipt lists")
  func existing() throws {
    let stage = try stage("clip: a.wav\noutput: x.flac\n")
    try stage.make("echo all: >x.flac")
    for (option, reason) in [
      ("", "and with --root no file is replaced; remove it before the run, or choose another path"),
      (
        "--trust-receipts",
        "and no receipt shows that avjob made it; with --root it is not replaced: move it away, or "
          + "choose another path"
      ),
    ] {
      let result = try stage.run("avjob run --quiet --root . \(option) job.yaml")
      #expect(result.status == 2)
      #expect(result.errors.contains("'x.flac': exists, \(reason)\n"))
      #expect(try readFile(stage.path("x.flac")) == Array("all:\n".utf8))
    }
    try stage.write(
      "two.yaml",
      "jobs: { x: { clip: a.wav, output: x.flac }, y: { clip: a.wav, output: y.flac } }\n")
    let going = try stage.run("avjob run --quiet --root . --keep-going two.yaml; ls *.flac")
    #expect(going.text == "x.flac\ny.flac\n")
    #expect(going.errors.contains("'x.flac': exists, and with --root no file is replaced"))
    try stage.make("avjob run --quiet job.yaml; sed -i 's/a.wav/& ..500ms/' job.yaml")
    let trusting = try stage.run("avjob run --quiet --root . --trust-receipts job.yaml")
    #expect(trusting.status == 0 && trusting.errors == "")
  }

  @Test(
    "files with impossible times in the place of locks and unfinished files do no harm",
    .enabled(if: access("/dev/shm", W_OK) == 0, "there is no file system of memory"))
  func times() throws {
    let stage = try stage("clip: a.wav\noutput: out.flac\n")
    // Where files may have any time.
    let result = try stage.run(
      """
      folder=$(mktemp -d -p /dev/shm)
      trap 'rm -r $folder' EXIT
      cp a.wav job.yaml $folder
      cd $folder
      for time in -9223372036854775808 9223372036854775807; do
        mkdir -p .avjob/locks
        touch -d @$time .out.flac.avjob-0-1-1-2.tmp .avjob/locks/x-0123456789abcdef.lock
        avjob run --quiet job.yaml
        echo $? $(ls -A . .avjob/locks)
      done
      """)
    let line = "0 .: .avjob a.wav job.yaml out.flac .avjob/locks:\n"
    #expect(result.text == line + line)
  }

  @Test("with --root, a job replaces no file that appeared while it waited for its turn")
  func appearsBefore() throws {
    let stage = try stage(
      """
      jobs:
        long: { silence: 40m, output: long.flac }
        next: { clip: a.wav, needs: long, output: next.flac }
      """)
    let result = try stage.run(
      """
      "$AVJOB" run --quiet --root . --trust-receipts job.yaml & job=$!
      until [ -s .long.flac.avjob-*.tmp ] || ! kill -0 $job; do sleep 0.01; done
      kill -STOP $job
      echo mine >new; mv new next.flac
      kill -CONT $job
      wait $job
      echo $? $(head -c 4 next.flac)
      """)
    #expect(result.text == "1 mine\n")
    #expect(result.errors.contains("'next.flac': exists, and no receipt shows that avjob made it"))
  }

  @Test("a command without --force leaves a file that appears while it works, and names it")
  func appears() throws {
    let stage = try stage()
    let result = try stage.run(
      """
      for mode in "" --force; do
        "$AVJOB" concat $(yes a.wav | head -n 1000) -o out.flac --quiet $mode & job=$!
        until [ -s .out.flac.avjob-*.tmp ] || ! kill -0 $job; do sleep 0.01; done
        kill -STOP $job
        echo mine > out.flac
        kill -CONT $job
        wait $job
        echo $? $(head -c 4 out.flac)
      done
      ls -A
      """)
    #expect(result.text == "1 mine\n0 fLaC\na.wav\njob.yaml\nout.flac\n")
    #expect(
      result.errors.contains(
        "'out.flac': was made by another program while avjob was working, and stays; move it away, "
          + "or choose another path"))
  }
}
