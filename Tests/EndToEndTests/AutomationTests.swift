import TestSupport
import Testing

/// Marks for radio automation, as ffprobe reads them.
@Suite struct AutomationTests {
  private let stage = Stage()

  /// A second of silence, three of a tone, and two of silence.
  private func makeSource() throws {
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i "sine=frequency=440:sample_rate=48000:duration=3" \
        -af adelay=1000,apad=pad_dur=2 s.wav
      """)
  }

  private func marks(_ name: String) throws -> [String] {
    try stage.make(
      "ffprobe -v error -show_entries format_tags:stream_tags -of default=nw=1 \(name) | "
        + "grep -i liq_ | sort"
    ).text.split(separator: "\n").map { $0.dropFirst(4).lowercased() }
  }

  @Test("cues come from times, silences and chapters, in seconds of the file")
  func marks() throws {
    try makeSource()
    let result = try stage.job(
      """
      jobs:
        found:
          clip: s.wav
          chapters: { 0s: Intro, 3s: Outro }
          automation:
            cue_in: trim
            cue_out: trim
            below: -45 dB
            keep: 20ms
            next: { chapter: Outro }
            fade_out: 500ms
            amplify: -3.2 dB
          output: [found.mp3, found.flac, found.m4a, found.opus]
        given:
          clip: s.wav 1s..
          automation: { cue_in: 0.25s, cue_out: end-1s, next: end-1.5s, fade_in: 0.1s }
          output: given.mp3
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    for name in ["found.mp3", "found.flac", "found.m4a", "found.opus"] {
      #expect(
        try marks(name) == [
          "liq_amplify=-3.20 db", "liq_cross_start_next=3.000", "liq_cue_in=0.980",
          "liq_cue_out=4.020", "liq_fade_out=0.500",
        ], "\(name)")
    }
    #expect(
      try marks("given.mp3") == [
        "liq_cross_start_next=3.500", "liq_cue_in=0.250", "liq_cue_out=4.000",
        "liq_fade_in=0.100",
      ])
  }

  @Test("marks that are no moments of the sound, and files without a place for them, are refused")
  func refused() throws {
    try makeSource()
    for (job, words) in [
      ("automation: { cue_in: trim }\noutput: x.mp3", "'trim' needs a level"),
      ("automation: { cue_out: 10s }\noutput: x.mp3", "is not in"),
      ("automation: { cue_in: 3s, cue_out: 2s }\noutput: x.mp3", "is not behind 'liq_cue_in'"),
      ("automation: { next: { chapter: Outro } }\noutput: x.mp3", "has no chapter 'Outro'"),
      ("automation: { cue_in: 1s }\noutput: x.wav", "no output has a place for them"),
      ("automation: { fade_in: 7s }\noutput: x.mp3", "a fade of"),
      (
        "automation: { cue_in: 1s }\nmetadata: { liq_cue_in: '2' }\noutput: x.mp3",
        "which 'metadata' gives, too"
      ),
      (
        "automation: { cue_in: 1s }\nsplit: { every: 2s }\noutput: \"${part.n}.mp3\"",
        "cues are those of a whole file"
      ),
    ] {
      let result = try stage.job("clip: s.wav\n\(job)\n")
      #expect(result.status == 2 && result.errors.contains(words), "\(job): \(result.errors)")
    }
    // Beside a file with a place for them, one without is named.
    let result = try stage.job(
      "clip: s.wav\nautomation: { cue_in: 1s }\noutput: [x.mp3, x.wav]\n")
    #expect(result.status == 0 && result.errors.contains("liq_cue_in"), "\(result.errors)")
  }
}
