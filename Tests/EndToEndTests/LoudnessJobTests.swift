import TestSupport
import Testing

/// Jobs whose outputs are brought to a level, by ffmpeg's meter.
@Suite("Loudness of jobs") struct LoudnessJobTests {
  private let stage = Stage()

  private func integrated(_ name: String) throws -> Double {
    try Tool.ebur128(stage.path(name)).integrated
  }

  @Test("a library is brought to one loudness, and each file keeps its codec and its tags")
  func library() throws {
    try stage.make(
      """
      mkdir -p music/x
      cp "$FIXTURES/librivox-sonnet.mp3" music/a.mp3
      ffmpeg -v error -i "$FIXTURES/feelings.ogg" -metadata title=Feelings -c:a flac music/x/b.flac
      """)
    try stage.write(
      "job.yaml",
      """
      for_each: music/**/*.{mp3,flac,m4a}
      loudness: -16 LUFS
      output: { folder: normalised, codec: same }
      """)
    try stage.make("avjob run --quiet job.yaml")
    for name in ["normalised/a.mp3", "normalised/x/b.flac"] {
      let found = try Tool.ebur128(stage.path(name))
      #expect(abs(found.integrated + 16) <= 0.15, "\(name)")
      #expect(found.truePeak <= -1, "\(name)")
    }
    let tags = "ffprobe -v error -show_entries format_tags=title -of csv=p=0 normalised/x/b.flac"
    #expect(try stage.make(tags).text == "Feelings\n")
    // Nothing is measured again.
    #expect(try stage.make("avjob run --quiet --explain job.yaml").text == "")
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
}
