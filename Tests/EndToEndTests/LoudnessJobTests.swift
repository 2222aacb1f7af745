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

  @Test("parts of a split job are slices of the whole, which has the level")
  func parts() throws {
    try stage.make(
      """
      cp "$FIXTURES/librivox-sonnet.mp3" a.mp3
      cat >job.yaml <<'END'
      jobs:
        whole: { clip: a.mp3, loudness: -12 LUFS, output: { file: whole.wav, wav: 32 bit float } }
        parts:
          clip: a.mp3
          loudness: -12 LUFS
          split: { 0s: One, 20s: Two, 31.5s: Three }
          output: { file: "${part.n}.wav", wav: 32 bit float }
      END
      avjob run --quiet job.yaml
      for name in 1 2 3; do ffmpeg -v error -i $name.wav -f f32le - >>parts.raw; done
      ffmpeg -v error -i whole.wav -f f32le whole.raw
      cmp parts.raw whole.raw
      """)
    #expect(abs(try integrated("whole.wav") + 12) <= 0.15)
  }
}
