import TestSupport
import Testing

/// Who says what in captions that are shown at one time.
@Suite("Speakers of captions within media files") struct CaptionSpeakerTests {
  @Test("cues that begin at once are read back as they were written, with and without speakers")
  func readBack() throws {
    let stage = Stage()
    let spoken = """
      WEBVTT

      00:00:01.000 --> 00:00:03.500
      <v Ann>one
      Note: of two lines

      00:00:01.000 --> 00:00:02.000
      <v Ben>two

      00:00:01.000 --> 00:00:02.000
      A bell

      00:00:01.500 --> 00:00:04.000
      <v Ben>So: three

      00:00:04.000 --> 00:00:04.500
      <v Ben>Well: four

      """
    let plain = """
      WEBVTT

      00:00:01.000 --> 00:00:03.500
      One

      00:00:01.000 --> 00:00:02.000
      Two

      """
    try stage.make("sox -n -r 8000 -c 1 silent.wav trim 0 5")
    for (captions, source) in [(spoken, "{ file: keep, speaker: prefix }"), (plain, "keep")] {
      try stage.write("talk.vtt", captions)
      for job in [
        "{ clip: silent.wav, transcript: talk.vtt, "
          + "output: { file: talk.m4a, transcript: [file, srt] } }",
        "{ clip: talk.m4a, transcript: \(source), output: { file: out.wav, transcript: vtt } }",
        "{ clip: silent.wav, transcript: { file: talk.srt, speaker: prefix }, "
          + "output: { file: srt.wav, transcript: vtt } }",
      ] {
        let result = try stage.job(job)
        #expect(result.status == 0, "\(result.errors)")
      }
      #expect(try stage.run("cat out.vtt").text == captions)
      #expect(try stage.run("cat srt.vtt").text == captions)
    }
  }
}
