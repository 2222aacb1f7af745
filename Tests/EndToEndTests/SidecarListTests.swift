import TestSupport
import Testing

/// Chapters and words as lists beside an output, which avjob and other programs read.
@Suite struct SidecarListTests {
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share("ffmpeg -v error -f lavfi -i 'sine=330:r=48000:d=9' -c:a pcm_s16le s.wav")
    return stage
  }

  @Test("Labels of chapters are read back to the sample, and a CUE sheet to the 75th of a second")
  func chapters() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      """
      clip: s.wav
      sample_rate: 48 kHz
      chapters: { 0s: 'A "quoted" title', 100001 samples: Two, 5s: Three }
      metadata: { album: Sea, artist: Ann, date: "2026" }
      output: { file: out.flac, chapters: [labels, cue] }
      """)
    try stage.make("avjob run --quiet job.yaml")
    #expect(
      try stage.make("cat out.labels.txt").text
        == "0.000000\t2.083354\tA \"quoted\" title\n2.083354\t5.000000\tTwo\n"
        + "5.000000\t9.000000\tThree\n")
    #expect(
      try stage.make("cat out.cue").text == """
        REM DATE "2026"
        PERFORMER "Ann"
        TITLE "Sea"
        FILE "out.flac" WAVE
          TRACK 01 AUDIO
            TITLE "A 'quoted' title"
            INDEX 01 00:00:00
          TRACK 02 AUDIO
            TITLE "Two"
            INDEX 01 00:02:06
          TRACK 03 AUDIO
            TITLE "Three"
            INDEX 01 00:05:00

        """)
    // Our readers cut where the lists say, and flac's reader of sheets takes this one.
    try stage.write(
      "parts.yaml",
      """
      jobs:
        labels: { clip: out.flac, split: out.labels.txt, output: "l${part.n}.wav" }
        sheet: { clip: out.flac, split: out.cue, output: "c${part.n}.wav" }
      """)
    try stage.make("avjob run --quiet parts.yaml")
    let frames = try stage.make(
      "for f in l1 l2 l3 c1 c2 c3; do ffprobe -v error -show_entries stream=duration_ts -of csv=p=0 $f.wav; done"
    ).text.split(separator: "\n").map(String.init)
    #expect(frames == ["100001", "139999", "192000", "99840", "140160", "192000"])
    let flac = try stage.make(
      "metaflac --import-cuesheet-from=out.cue out.flac && metaflac --export-cuesheet-to=- out.flac | grep -c TRACK"
    )
    #expect(flac.text == "3\n")
  }

  @Test("Words are written as labels, which are read as a transcript again")
  func words() throws {
    let stage = try stage()
    try stage.write(
      "talk.vtt",
      "WEBVTT\n\n00:01.000 --> 00:02.500\n<v Ann>One two\n\n"
        + "00:03.000 --> 00:04.000\nThree\n")
    try stage.write(
      "job.yaml",
      "clip: s.wav\ntranscript: talk.vtt\ncut: [0s..500ms]\noutput: { file: out.flac, transcript: labels }\n"
    )
    try stage.make("avjob run --quiet job.yaml")
    let labels = "0.500000\t2.000000\tAnn: One two\n2.500000\t3.500000\t- Three\n"
    #expect(try stage.make("cat out.transcript.labels.txt").text == labels)
    try stage.write(
      "again.yaml",
      """
      clip: out.flac
      transcript: { file: out.transcript.labels.txt, speaker: prefix }
      output: { file: again.flac, transcript: labels }
      """)
    try stage.make("avjob run --quiet again.yaml")
    #expect(try stage.make("cat again.transcript.labels.txt").text == labels)
  }

  @Test("More chapters than a CUE sheet has tracks are refused by number")
  func tooMany() throws {
    let stage = try stage()
    let chapters = (0..<100).map { "  \(Double($0) / 20)s: C\($0)" }.joined(separator: "\n")
    try stage.write(
      "job.yaml", "clip: s.wav\nchapters:\n\(chapters)\noutput: { file: out.flac, chapters: cue }\n"
    )
    let result = try stage.run("avjob check job.yaml")
    #expect(result.status != 0)
    #expect(result.errors.contains("a CUE sheet has 99 tracks, and these are 100 chapters"))
  }
}
