import TestSupport
import Testing

/// Silences as lists beside an output, which avjob and other programs read.
@Suite("Silence lists")
struct SilenceListTests {
  /// `book.wav`, 8.75 s: silence, a sound, a short pause, a sound, a long pause, a sound, silence. At
  /// 0–0.75, 2.75–3, 4–5.5 and 7.5–8.75 s it is silent.
  private func book() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      sox -R -r 48000 -n -c 1 -b 16 tone.wav synth 2 pinknoise vol 0.3
      sox tone.wav a.wav pad 0.75 0.25
      sox tone.wav b.wav trim 0 1 pad 0 1.5
      sox tone.wav c.wav pad 0 1.25
      sox a.wav b.wav c.wav book.wav
      """)
    return stage
  }

  @Test("Labels and a CUE sheet have the silences that FFmpeg finds, and avjob and flac read them")
  func lists() throws {
    let stage = try book()
    let result = try stage.job(
      """
      clip: book.wav
      metadata: { album: Sea }
      output:
        file: out.flac
        silences: { as: [labels, cue], longer_than: 500ms, below: -60 dB }
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(
      try stage.make("cat out.silences.txt").text == """
        0.000000\t0.750000\tsilence
        4.000000\t5.500000\tsilence
        7.500000\t8.750000\tsilence

        """)
    #expect(
      try stage.make("cat out.silences.cue").text == """
        TITLE "Sea"
        FILE "out.flac" WAVE
          TRACK 01 AUDIO
            INDEX 00 00:00:00
            INDEX 01 00:00:56
          TRACK 02 AUDIO
            INDEX 00 00:04:00
            INDEX 01 00:05:37
          TRACK 03 AUDIO
            TITLE "silence"
            INDEX 01 00:07:38

        """)
    let found = try stage.make(
      """
      ffmpeg -hide_banner -i out.flac -af silencedetect=n=-60dB:d=0.5 -f null - 2>&1 |
        grep -o 'silence_\\(start\\|end\\): [0-9.]*' | cut -d' ' -f2
      """
    ).text.split(separator: "\n").compactMap { Double($0) }
    #expect(
      found.count == 6
        && zip(found, [0, 0.75, 4, 5.5, 7.5, 8.75]).allSatisfy { abs($0 - $1) < 0.011 }, "\(found)")
    // Labels cut silences out, and the sheet is one that flac takes.
    try stage.write(
      "cut.yaml",
      "clip: out.flac\ncut: out.silences.txt\noutput: cut.wav\n")
    try stage.write(
      "parts.yaml", "clip: out.flac\nsplit: out.silences.cue\noutput: 'c${part.n}.wav'\n")
    try stage.make("avjob run --quiet cut.yaml parts.yaml")
    let frames = try stage.make("soxi -s cut.wav c1.wav c2.wav c3.wav | tr '\\n' ' '").text
    #expect(frames == "252000 227840 96640 59680 ")
    let flac = try stage.make(
      """
      metaflac --import-cuesheet-from=out.silences.cue out.flac
      metaflac --export-cuesheet-to=- out.flac | grep -c INDEX
      """)
    #expect(flac.text == "5\n")
  }

  @Test("Each part of a split has the silences that are long enough in it, from its own start")
  func parts() throws {
    let stage = try book()
    let result = try stage.job(
      """
      clip: book.wav
      split: { every: 4.5s }
      presets: { quiet: { flac: 16 bit, silences: { as: labels, longer_than: 600ms, below: -60 dB } } }
      output: { file: "p${part.n}.flac", preset: quiet }
      """)
    #expect(result.status == 0, "\(result.errors)")
    // Of the pause from 4 to 5.5 s, the half second in the first part is too short.
    #expect(try stage.make("cat p1.silences.txt").text == "0.000000\t0.750000\tsilence\n")
    #expect(
      try stage.make("cat p2.silences.txt").text
        == "0.000000\t1.000000\tsilence\n3.000000\t4.250000\tsilence\n")
  }

  @Test(
    "Silence at the end is a track of its own at any sample rate, and none begins behind the end")
  func ends() throws {
    let stage = Stage()
    // 44106 frames, half of them silent, are 48006.53 at 48 kHz.
    try stage.make(
      """
      sox -R -r 44100 -n -c 1 -b 16 half.wav synth 0.5 pinknoise vol 0.3 pad 0 22056s
      sox -R -r 48000 -n -c 1 -b 16 short.wav synth 1.01 pinknoise vol 0.3 pad 0 96s
      """)
    for (rate, frameCount) in [("48 kHz", 48_007), ("44.1 kHz", 44_106), ("32 kHz", 32_004)] {
      let result = try stage.job(
        """
        clip: half.wav
        output:
          { file: out.wav, sample_rate: \(rate), silences: { as: cue, longer_than: 100ms, below: -60 dB } }
        """)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try stage.make("soxi -s out.wav").text == "\(frameCount)\n")
      #expect(
        try stage.make("cat out.silences.cue").text == """
          FILE "out.wav" WAVE
            TRACK 01 AUDIO
              INDEX 01 00:00:00
            TRACK 02 AUDIO
              TITLE "silence"
              INDEX 01 00:00:38

          """)
    }
    // From 1.010 s to 1.012 s, and the next 75th of a second is at 1.0133 s.
    try stage.write(
      "job.yaml",
      """
      clip: short.wav
      output: { file: out.flac, silences: { as: cue, longer_than: 1ms, below: -60 dB } }
      """)
    try stage.write(
      "parts.yaml", "clip: out.flac\nsplit: out.silences.cue\noutput: 'c${part.n}.wav'\n")
    try stage.make("avjob run --quiet job.yaml && avjob run --quiet parts.yaml")
    #expect(
      try stage.make("cat out.silences.cue").text
        == "FILE \"out.flac\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n")
    #expect(try stage.make("soxi -s c*.wav").text == "48576\n")
    try stage.make("metaflac --import-cuesheet-from=out.silences.cue out.flac")
  }

  @Test("The plan, the record and receipts know lists of silences, and stale ones go")
  func files() throws {
    let stage = try book()
    func job(_ silences: String) throws {
      try stage.write(
        "job.yaml",
        """
        clip: book.wav
        output:
          - { file: out.flac, silences: \(silences) }
          - { file: facts.json, json: sidecar }
        """)
    }
    try job("{ as: [labels, cue], longer_than: 1s, below: -60 dB }")
    #expect(
      try stage.make("avjob plan job.yaml").text.contains(
        "\n    out.silences.txt  labels of silences, 2 silences\n"
          + "    out.silences.cue  CUE sheet of silences, 2 silences\n"))
    try JSONSchema.validate(try stage.make("avjob plan --json job.yaml").text, as: "plan")
    try stage.make("avjob run --quiet job.yaml")
    try JSONSchema.validate(try stage.make("cat facts.json").text, as: "record")
    #expect(
      try stage.make("avjob verify out.flac facts.json").text.contains(
        "ok         out.silences.txt\n"))
    try stage.make("echo >> out.silences.txt")
    #expect(
      try stage.make("avjob verify facts.json || true").text.contains(
        "changed    out.silences.txt\n"))
    // What a list would say decides whether it is made again.
    let first = try stage.make("avjob run --quiet job.yaml && stat -c %Y.%i out.flac").text
    #expect(try stage.make("avjob run --quiet job.yaml && stat -c %Y.%i out.flac").text == first)
    try job("{ as: labels, longer_than: 1300ms, below: -60 dB }")
    try stage.make("avjob run --quiet job.yaml && ! test -e out.silences.cue")
    #expect(
      try stage.make("cat out.silences.txt").text == "4.000000\t5.500000\tsilence\n")
    // No silence lasts that long.
    try job("{ as: labels, longer_than: 3s, below: -60 dB }")
    let none = try stage.run("avjob run --quiet job.yaml")
    #expect(
      none.status == 0 && none.errors.contains("no silences: 'out.silences.txt' is not written"),
      "\(none.errors)")
    #expect(try stage.run("test -e out.silences.txt").status == 1)
  }

  @Test("A CUE sheet of more than 99 parts is refused before work; labels have them all")
  func tracks() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 8000 -n -c 1 -b 16 one.wav synth 0.1 pinknoise vol 0.3 pad 0 0.1
      sox one.wav many.wav repeat 99
      """)
    let refused = try stage.job(
      """
      clip: many.wav
      output: { file: out.wav, silences: { as: cue, longer_than: 50ms, below: -60 dB } }
      """)
    #expect(refused.status != 0)
    #expect(
      refused.errors.contains(
        "a CUE sheet has 99 tracks, and silences divide the output into 101 tracks: list longer "
          + "silences, or write 'as: labels'"), "\(refused.errors)")
    #expect(refused.errors.contains("job.yaml:2:"), "\(refused.errors)")
    let made = try stage.job(
      """
      clip: many.wav
      output: { file: out.wav, silences: { as: labels, longer_than: 50ms, below: -60 dB } }
      """)
    #expect(made.status == 0, "\(made.errors)")
    #expect(try stage.make("wc -l < out.silences.txt").text == "100\n")
  }
}
