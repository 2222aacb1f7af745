import TestSupport
import Testing

/// Texts of sources that say what is muted, or what the output says itself.
@Suite("Lyrics and subtitles of sources") struct SourceLyricsTests {
  /// `talk.wav`, and `talk.mp4` with pictures and a text beside it.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      printf '1\\n00:00:00,000 --> 00:00:01,250\\nOne\\n' > talk.srt
      ffmpeg -v error -f lavfi -i sine=d=5:r=44100 talk.wav
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=5:r=25 -i talk.wav -i talk.srt -map 0 -map 1 \\
        -map 2 -c:v libx264 -pix_fmt yuv420p -c:a alac -c:s mov_text talk.mp4
      """)
    return stage
  }

  @Test("what may have muted words is named where nothing is known of the words")
  func mutedWithoutWords() throws {
    let stage = try stage()
    try stage.write("job.yaml", "clip: talk.mp4\nmute: [0.5s..1s]\noutput: b.mp4\n")
    let notes = try stage.run("avjob plan job.yaml").errors
    #expect(
      notes.contains(
        "'b.mp4': subtitles of stream 2 (mov_text) of 'talk.mp4' may have words that are muted"),
      "\(notes)")
    #expect(notes.contains("transcript: keep"), "\(notes)")
  }

  @Test(
    "lyrics that FFmpeg and foobar2000 wrote go where words of them are muted",
    arguments: ["{ file: x.mp3, transcript: [lyrics] }", "{ file: x.mp3, mp3: copy }", "x.flac"])
  func foreignLyrics(output: String) throws {
    let stage = try stage()
    try stage.write("said.vtt", "WEBVTT\n\n00:00.500 --> 00:02.000\nMary had a lamb\n")
    // The first becomes a text of ID3 whose description is USLT.
    try stage.make(
      """
      ffmpeg -v error -i talk.wav -c:a libmp3lame -metadata 'lyrics=Mary' \
        -metadata 'UNSYNCED LYRICS=Mary had' -metadata 'SYLT=Mary had a' old.mp3
      """)
    let result = try stage.job(
      "clip: old.mp3\ntranscript: said.vtt\nmute: { cues: [1] }\noutput: \(output)\n")
    #expect(result.status == 0, "\(result.errors)")
    let tags = try stage.make("ffprobe -v error -show_entries format_tags -of json x.*").text
    #expect(!tags.contains("Mary"), "\(tags)")
    let notes = try stage.run("avjob plan job.yaml").errors
    #expect(notes.contains(" of the source left out, since "), "\(notes)")
  }

  @Test("lyrics of a source go where the words of the job become lyrics")
  func staleLyrics() throws {
    let stage = try stage()
    try stage.write(
      "said.vtt",
      "WEBVTT\n\n00:00.000 --> 00:01.500\n<v Ann>Grüße\nfirst\n\n00:02.000 --> 00:03.000\n<v Bo>second\n"
    )
    let source = try stage.job(
      "clip: talk.wav\nmetadata: { lyrics: Jane sings }\noutput: old.mp3\n")
    #expect(source.status == 0, "\(source.errors)")
    let result = try stage.job(
      "clip: old.mp3\ntranscript: said.vtt\noutput: { file: x.mp3, transcript: lyrics }\n")
    #expect(result.status == 0, "\(result.errors)")
    let notes = try stage.run("avjob plan job.yaml").errors
    #expect(
      notes.contains(
        "'x.mp3': lyrics of the source left out, since its lyrics are the words of the job"),
      "\(notes)")
    let found = try stage.make(
      """
      /usr/bin/python3 -c "
      from mutagen.id3 import ID3
      for frame in ID3('x.mp3').getall('USLT'): print(frame.text)"
      """
    ).text
    #expect(found == "Ann: Grüße\nfirst\nBo: second\n")
  }
}
