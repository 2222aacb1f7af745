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
}
