import Glibc
import TestSupport
import Testing

@Suite("What is done is not done twice")
struct ReceiptTests {
  /// A folder with `a.wav`, and `job.yaml`, which makes `out.flac` of it.
  private func stage(_ yaml: String = "clip: a.wav ..1s\noutput: out.flac\n") throws -> Stage {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 2 -b 16 a.wav synth 3 pinknoise vol 0.3")
    try stage.write("job.yaml", yaml)
    return stage
  }

  /// Why the jobs ran, in the order of their names; nothing where all was up to date.
  private func reasons(_ stage: Stage, _ options: String = "") throws -> [String] {
    let before = try stage.run("stat -c '%n %i %y' *.flac").text
    let result = try stage.run("avjob run --explain \(options) job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    let found = result.errors.split(separator: "\n").map(String.init)
      .filter { Self.reasonMarks.contains(where: $0.contains) }.sorted()
    if found.isEmpty { #expect(try stage.run("stat -c '%n %i %y' *.flac").text == before) }
    return found
  }

  private static let reasonMarks = [
    " has no receipt ", " has changed (", " is not as it was ", " is not there", "--force was",
    " other files than before", ", and was ",
  ]

  private let first = "job: 'out.flac' has no receipt of an earlier run"

  @Test("an output is made once, until something that it depends on changes")
  func reasonsToRun() throws {
    let stage = try stage()
    #expect(try reasons(stage) == [first])
    #expect(try reasons(stage) == [])
    #expect(try reasons(stage, "--force") == ["job: --force was given"])

    let steps: [(script: String, reason: String?)] = [
      ("echo '# a comment' >> job.yaml", nil),
      ("touch out.wav job.yaml", nil),
      ("sed -i 's/1s/2s/' job.yaml", "job: the job has changed (timeline)"),
      ("sed -i 's/2s/2000ms/' job.yaml", nil),
      (
        "printf 'metadata: {title: A}\\n' >> job.yaml", "job: the job has changed (tags)"
      ),
      (
        "printf 'chapters: {0s: B}\\n' >> job.yaml",
        "job: the job has changed (chapters)"
      ),
      (
        "sed -i 's/output: .*/output: {file: out.flac, channels: mono}/' job.yaml",
        "job: the job has changed (timeline, settings)"
      ),
      ("touch a.wav", "job: the source 'a.wav' has changed (time)"),
      ("echo >> a.wav", "job: the source 'a.wav' has changed (size)"),
      (
        "cp -p a.wav b.wav && mv b.wav a.wav", "job: the source 'a.wav' has changed (inode)"
      ),
      ("touch out.flac", "job: 'out.flac' is not as it was written (time)"),
      ("cp out.flac x && mv x out.flac", "job: 'out.flac' is not as it was written (time, inode)"),
      ("rm out.flac", "job: 'out.flac' is not there"),
      ("rm -r .avjob", first),
      (
        "cp a.wav c.wav && sed -i s/a.wav/c.wav/ job.yaml",
        "job: the job reads other files than before"
      ),
    ]
    for (script, reason) in steps {
      try stage.make(script)
      #expect(try reasons(stage) == (reason.map { [$0] } ?? []), "\(script)")
      #expect(try reasons(stage) == [], "after \(script)")
    }
  }

  @Test("a cover, a list of chapters and files beside an output count, too")
  func otherInputs() throws {
    let stage = try stage(
      """
      clip: a.wav
      metadata: { cover: c.png }
      chapters: list.txt
      output:
        - { file: out.flac, chapters: [file, podlove] }
        - out.mp3
      """)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i color=red:s=8x8 -frames:v 1 c.png
      printf '0:00 One\\n0:01 Two\\n' > list.txt
      """)
    #expect(try reasons(stage) == [first])
    #expect(try reasons(stage) == [])
    let steps = [
      ("touch c.png", "job: the source 'c.png' has changed (time)"),
      ("touch list.txt", nil),
      ("sed -i s/Two/2/ list.txt", "job: the job has changed (chapters)"),
      ("rm out.psc", "job: 'out.psc' is not there"),
      ("rm out.mp3", "job: 'out.mp3' is not there"),
      ("rm out.flac out.mp3 out.psc", "job: 'out.flac' is not there"),
    ]
    for (script, reason) in steps {
      try stage.make(script)
      #expect(try reasons(stage) == (reason.map { [$0] } ?? []), "\(script)")
      #expect(try reasons(stage) == [], "after \(script)")
    }
    try stage.make("test -f out.mp3 && test -f out.psc")
  }

  @Test("content counts with --checksum, and size, time and inode without")
  func checksums() throws {
    let stage = try stage()
    #expect(try reasons(stage, "--checksum") == [first])
    try stage.make("touch a.wav out.flac && cp a.wav b.wav && mv b.wav a.wav")
    #expect(try reasons(stage, "--checksum") == [])

    // One byte of the sound, and the time of before.
    let edit = """
      touch -r a.wav time
      printf '\\x55' | dd of=a.wav bs=1 seek=5000 conv=notrunc status=none
      touch -r time a.wav
      """
    #expect(try reasons(stage).count == 1)
    try stage.make(edit)
    #expect(try reasons(stage) == [])
    #expect(
      try reasons(stage, "--checksum")
        == ["job: the source 'a.wav' has changed (no checksum in its receipt)"])
    // Other bytes at the same time are those of a medium that fails, unless somebody says that he wrote them.
    try stage.make(edit.replacing("55", with: "66"))
    let decayed = try stage.run("avjob run --checksum job.yaml")
    #expect(decayed.status == 1 && decayed.errors.contains("touch"), "\(decayed.errors)")
    try stage.make("touch a.wav")
    #expect(
      try reasons(stage, "--checksum") == ["job: the source 'a.wav' has changed (content)"])
  }

  @Test("a folder that is moved as a whole stays up to date")
  func moved() throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir -p p/jobs p/media
      sox -R -r 44100 -n p/media/a.wav synth 1 sine 440
      printf 'clip: ../media/a.wav\\noutput: ../out/o.flac\\n' > p/jobs/j.yaml
      avjob run -q p/jobs/j.yaml
      mv p q
      """)
    for script in [
      "avjob run --explain q/jobs/j.yaml", "cd q/jobs && avjob run --explain j.yaml",
      "avjob run --explain $PWD/q/jobs/j.yaml",
    ] {
      let result = try stage.run(
        "stat -c %i q/out/o.flac > before; (\(script)); cat before; stat -c %i q/out/o.flac")
      #expect(Set(result.text.split(separator: "\n").suffix(2)).count == 1)
      #expect(!result.errors.contains("receipt") && !result.errors.contains("changed"))
    }
  }

  @Test("nothing is opened of sources that are up to date, not even where probing means decoding")
  func unopened() throws {
    let stage = try stage(
      """
      concat: [a.mp3, b.ogg, c.mka, d.m4a]
      output: out.flac
      """)
    try stage.make(
      """
      lame --quiet a.wav a.mp3
      oggenc -Q -o b.ogg a.wav
      ffmpeg -v error -i a.wav -c:a aac c.mka
      ffmpeg -v error -i a.wav -c:a aac d.m4a
      """)
    #expect(try reasons(stage) == [first])
    try stage.make(
      "strace -f -o trace -e trace=open,openat \"$AVJOB\" run -q job.yaml; test -s trace")
    let opened = try stage.run("grep -E 'a.mp3|b.ogg|c.mka|d.m4a' trace").text
    #expect(opened == "")
    // What is read is probed for what reading takes.
    try stage.make("rm out.flac")
    #expect(try reasons(stage) == ["job: 'out.flac' is not there"])
    try stage.make(
      "cp out.flac one.flac; rm -r .avjob out.flac; avjob run -q job.yaml; cmp out.flac one.flac")
  }

  @Test("what is kept may be torn or hostile: then work is done again")
  func hostile() throws {
    let stage = try stage()
    #expect(try reasons(stage) == [first])
    try stage.make("head -c 100 .avjob/probes > x; mv x .avjob/probes")
    #expect(try reasons(stage) == [])
    try stage.make("for f in .avjob/receipts/*; do head -c 300 $f > x; mv x $f; done")
    #expect(try reasons(stage) == [first])
    try stage.make("seq 200000 | gzip -n | tail -c 100000 > .avjob/probes; touch a.wav")
    #expect(try reasons(stage) == ["job: the source 'a.wav' has changed (time)"])
    try stage.make("rm .avjob/probes; mkfifo .avjob/probes; touch a.wav")
    #expect(try reasons(stage) == ["job: the source 'a.wav' has changed (time)"])
  }

  @Test("where nothing can be kept, everything is made, and that is said once")
  func unwritable() throws {
    let stage = try stage(
      """
      jobs:
        one: { clip: a.wav, output: one.flac }
        two: { clip: a.wav, output: two.flac }
      """)
    try stage.make("echo > .avjob")
    let result = try stage.run("avjob run -q job.yaml && test -s one.flac && test -s two.flac")
    #expect(result.status == 0)
    #expect(
      result.errors == """
        warning: '.avjob': cannot keep receipts here, so the next run makes everything again: \
        Not a directory

        """)
  }

  @Test("what a killed run has left beside an output that is up to date goes with the next run")
  func leftovers() throws {
    let stage = try stage("clip: a.wav\nloop: 2\noutput: out.flac\n")
    #expect(try reasons(stage) == [first])
    // It is killed at something longer, which it cannot have done before.
    let result = try stage.run(
      """
      sed -i 's/loop: 2/loop: 20000/' job.yaml
      "$AVJOB" run -q job.yaml & job=$!
      until [ -e .out.flac.avjob-*.tmp ] || ! kill -0 $job; do sleep 0.01; done
      kill -9 $job
      wait $job 2>/dev/null
      sed -i 's/loop: 20000/loop: 2/' job.yaml
      left=$(ls -A | grep tmp)
      cp $left .other${left#.out}
      ls -A | grep -c tmp
      avjob run --explain job.yaml 2>&1
      ls -A | grep tmp | sed 's/avjob-.*/avjob-X/'
      """)
    #expect(
      result.text == """
        2
        1 job was up to date
        .other.flac.avjob-X

        """)
  }

  @Test("commands without a job file keep nothing")
  func oneShot() throws {
    let stage = try stage()
    try stage.make("rm -rf .avjob; avjob clip a.wav --to 1s -o b.wav")
    #expect(access(stage.path("b.wav"), F_OK) == 0 && access(stage.path(".avjob"), F_OK) != 0)
  }
}
