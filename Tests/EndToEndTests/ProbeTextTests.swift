import TestSupport
import Testing

/// What `probe` prints for people.
@Suite struct ProbeTextTests {
  @Test("each line of a tag has its key, so that none stands alone in a line of the screen")
  func lines() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -n -r 8000 -c 1 -b 16 t.wav synth 1 sine 300 gain -10
      ffmpeg -v error -i t.wav -c copy -write_bext 1 \
        -metadata coding_history=$'A=PCM,F=8000\\r\\nA=MPEG1L3,T=x\\r\\n' b.wav
      ffmpeg -v error -i t.wav -metadata lyrics=$'one\\n\\n::error::two\\n' l.flac
      """)
    let text = try stage.make("avjob probe b.wav l.flac").text
    #expect(
      text.contains("  coding_history  A=PCM,F=8000\n  coding_history  A=MPEG1L3,T=x\n"), "\(text)")
    let lyrics = text.split(separator: "\n").filter { $0.contains("lyrics") }.map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(lyrics == ["lyrics one", "lyrics ::error::two"], "\(text)")
    #expect(!text.contains("?"), "\(text)")
  }

  @Test("the chapter track of an M4B is called what it is")
  func chapterTrack() throws {
    let stage = Stage()
    try stage.make("sox -n -r 44100 -c 1 -b 16 t.wav synth 2 sine 300 gain -10")
    #expect(
      try stage.job(
        "clip: t.wav\nchapters: { 0s: One, 1s: Two }\noutput: { file: b.m4b, aac: 64k }"
      ).status == 0)
    let text = try stage.make("avjob probe b.m4b").text
    #expect(text.contains("  beside    stream 1, titles of its chapters"), "\(text)")
    #expect(!text.contains("bin_data"), "\(text)")
  }
}
