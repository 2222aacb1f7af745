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

  @Test(
    "the gain is the same in processes of their own, and in shares of a run",
    arguments: ["run --isolate", "run --root ."], ["", "--shard 1/2", "--shard 2/2"])
  func apart(command: String, share: String) throws {
    try stage.make(
      """
      for level in 0.02 0.05; do
        ffmpeg -v error -f lavfi -i "aevalsrc=exprs=$level*sin(2*PI*1000*t):s=48000" -t 2 $level.wav
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
    try stage.make("avjob run --quiet job.yaml; mkdir whole; mv one.wav two.wav whole; rm -r .avjob")
    try stage.make("avjob \(command) --quiet \(share) job.yaml")
    let made = try stage.make("ls one.wav two.wav 2>/dev/null || true").text.split(separator: "\n")
    #expect(made.count == (share.isEmpty ? 2 : 1))
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
      job.yaml:8:56: error: the group 'made' cannot be measured before 'one.wav' is there, which another \
      job of this run writes
          8 |   later: { clip: one.wav, output: later.wav, loudness: { rms: -20 dB, group: made } }
            |                                                        ^
        help: run that job before, and put the group into a job file of its own

      """)
  }
}
