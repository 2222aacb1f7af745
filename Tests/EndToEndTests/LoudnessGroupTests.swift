import TestSupport
import Testing

/// Sounds that are brought to a level together, by ffmpeg's meter.
@Suite("Groups of one gain") struct LoudnessGroupTests {
  private let stage = Stage()

  private func integrated(_ name: String) throws -> Double {
    try Tool.ebur128(stage.path(name)).integrated
  }

  @Test("the sounds of a group get one gain, whichever of its jobs is run")
  func group() throws {
    try stage.make(
      """
      for level in 0.02 0.05; do
        ffmpeg -v error -f lavfi -i "aevalsrc=exprs=$level*sin(2*PI*1000*t):s=48000" -t 5 $level.wav
      done
      """)
    try stage.write(
      "job.yaml",
      """
      defaults: { loudness: { integrated: -20 LUFS, group: season } }
      jobs:
        one: { clip: 0.02.wav, output: one.wav }
        two: { clip: 0.05.wav, output: two.wav }
      """)
    try stage.make("avjob run --quiet job.yaml")
    let (one, two) = (try integrated("one.wav"), try integrated("two.wav"))
    // 0.05 is 7.96 dB above 0.02; together they have the level.
    #expect(abs(two - one - 7.96) <= 0.15)
    #expect(one < -20 && two > -20)
    try stage.make("cp two.wav before.wav; rm two.wav; avjob run --quiet --only two job.yaml")
    #expect(try stage.make("cmp two.wav before.wav").text == "")
    // A change of one sound makes all of its group anew.
    try stage.make(
      """
      ffmpeg -v error -y -f lavfi -i "aevalsrc=exprs=0.1*sin(2*PI*1000*t):s=48000" -t 5 0.02.wav
      avjob run --quiet job.yaml
      """)
    #expect(try stage.run("cmp -s two.wav before.wav").status == 1)
  }

  /// Two jobs of one group, of which the second reads tags that a third one writes.
  private func writeSeason() throws {
    try stage.share(
      """
      for level in 0.02 0.05; do
        ffmpeg -v error -f lavfi -i "aevalsrc=exprs=$level*sin(2*PI*1000*t):s=48000" -t 2 $level.wav
      done
      """)
    try stage.write(
      "job.yaml",
      """
      vars: { tags: 0.05.wav }
      jobs:
        first: { clip: 0.02.wav, output: first.flac }
        one:
          { clip: 0.02.wav, output: one.wav, loudness: { integrated: -20 LUFS, group: season } }
        two:
          clip: 0.05.wav
          loudness: { integrated: -20 LUFS, group: season }
          metadata: { from: "${tags}" }
          output: two.wav
      """)
    try stage.make(
      "avjob run --quiet job.yaml; mkdir whole; mv one.wav two.wav whole; rm -r .avjob first.flac")
  }

  @Test("a job that another one writes for has the gain of its group")
  func awaited() throws {
    try writeSeason()
    try stage.make("avjob run --quiet --set tags=first.flac job.yaml")
    let level = { try self.integrated($0) }
    #expect(try level("two.wav") == level("whole/two.wav"))
  }

  @Test(
    "the gain is the same in processes of their own, and all of a group is in one share of a run",
    arguments: ["run --isolate", "run --root ."], ["", "--shard 1/2", "--shard 2/2"])
  func apart(command: String, share: String) throws {
    try writeSeason()
    try stage.make("avjob \(command) --quiet \(share) job.yaml")
    let made = try stage.make("ls one.wav two.wav 2>/dev/null || true").text.split(separator: "\n")
    #expect(made.count == (share == "--shard 2/2" ? 0 : 2))
    for name in made { #expect(try stage.run("cmp \(name) whole/\(name)").status == 0, "\(name)") }
  }

  @Test("a group has one level, no group within it, and sounds that are there")
  func refused() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine -t 1 a.wav")
    try stage.write(
      "job.yaml",
      """
      jobs:
        one: { clip: a.wav, output: one.wav, loudness: { integrated: -20 LUFS, group: season } }
        two: { clip: a.wav, output: two.wav, loudness: { integrated: -18 LUFS, group: season } }
        inner:
          concat: [{ clip: a.wav, loudness: { rms: -20 dB, group: items } }]
          loudness: { integrated: -16 LUFS, group: whole }
          output: inner.wav
        both:
          concat:
          - { clip: a.wav, loudness: { rms: -20 dB, group: takes } }
          - { clip: a.wav, loudness: { rms: -30 dB, group: takes } }
          output: both.wav
        later: { clip: one.wav, output: later.wav, loudness: { rms: -20 dB, group: made } }
      """)
    expect(
      try stage.run("avjob check job.yaml").errors,
      """
      job.yaml:3:50: error: the group 'season' is brought to −18.0 LUFS here
          3 |   two: { clip: a.wav, output: two.wav, loudness: { integrated: -18 LUFS, group: season } }
            |                                                  ^
        help: give all its sounds one level
      job.yaml:2:50: note: and to −20.0 LUFS here
          2 |   one: { clip: a.wav, output: one.wav, loudness: { integrated: -20 LUFS, group: season } }
            |                                                  ^
      job.yaml:6:15: error: a sound of the group 'whole' has sounds of groups within it
          6 |     loudness: { integrated: -16 LUFS, group: whole }
            |               ^
        help: group the items, or the whole
      job.yaml:11:32: error: the group 'takes' is brought to −30.0 dB RMS here
         11 |     - { clip: a.wav, loudness: { rms: -30 dB, group: takes } }
            |                                ^
        help: give all its sounds one level
      job.yaml:10:32: note: and to −20.0 dB RMS here
         10 |     - { clip: a.wav, loudness: { rms: -20 dB, group: takes } }
            |                                ^
      job.yaml:13:56: error: the group 'made' cannot be measured before 'one.wav' is there, which another \
      job of this run writes
         13 |   later: { clip: one.wav, output: later.wav, loudness: { rms: -20 dB, group: made } }
            |                                                        ^
        help: run that job before, and put the group into a job file of its own

      """)
  }

  @Test("a group that lacks a job's sounds says so where the others are made")
  func incomplete() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine -t 1 a.wav")
    try stage.write(
      "job.yaml",
      """
      defaults: { loudness: { integrated: -20 LUFS, group: season } }
      jobs:
        one: { clip: a.wav, output: one.wav }
        two: { clip: missing.wav, output: two.wav }
      """)
    let result = try stage.run("avjob run --keep-going --quiet job.yaml")
    #expect(
      result.errors.contains(
        """
        job.yaml:1:23: warning: the group 'season' is measured without job 'two', which is refused
            1 | defaults: { loudness: { integrated: -20 LUFS, group: season } }
              |                       ^
          help: mend that job: the gain of the group, and all of its files, change with it

        """), "\(result.errors)")
  }
}
