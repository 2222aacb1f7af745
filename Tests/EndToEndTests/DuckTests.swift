import Glibc
import TestSupport
import Testing

/// Music is on the left and other sounds are on the right, so that other programs can measure what
/// is left of the music while they sound.
@Suite("Music makes room")
struct DuckTests {
  private func run(_ yaml: String, on stage: Stage) throws {
    let result = try stage.job(yaml)
    #expect(result.status == 0 && !result.errors.contains("error"), "\(result.errors)")
  }

  /// The left channel's RMS in a range, in decibels, by ffmpeg.
  private func level(_ file: String, from: Double, to: Double, on stage: Stage) throws -> Double {
    let result = try stage.make(
      """
      ffmpeg -hide_banner -i \(file) -af 'atrim=\(from):\(to),pan=mono|c0=c0,astats' -f null - 2>&1 |
        sed -n 's/.*RMS level dB: //p' | tail -1
      """)
    return try #require(Double(result.text.split(separator: "\n").first ?? ""))
  }

  /// The same by SoX.
  private func soxLevel(_ file: String, from: Double, to: Double, on stage: Stage) throws -> Double
  {
    let result = try stage.make(
      """
      sox \(file) -n remix 1 trim \(from) =\(to) stat 2>&1 | sed -n 's/^RMS *amplitude: *//p'
      """)
    return 20 * log10(try #require(Double(result.text.split(separator: "\n").first ?? "")))
  }

  @Test("by so much and at the time: a radio show with jingles over songs that cross-fade")
  func radio() throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir music jingles
      i=0
      for hertz in 220 330 440; do
        i=$((i + 1))
        ffmpeg -v error -f lavfi -i "aevalsrc=0.25*sin($hertz*2*PI*t)|0:d=8:s=44100" music/$i.flac
      done
      ffmpeg -v error -f lavfi -i "aevalsrc=0|0.3*sin(900*2*PI*t):d=1:s=44100" jingles/id.wav
      cp jingles/id.wav jingles/hour.wav
      """)
    try run(
      """
      tracks:
        music:
          concat: [music/*.flac]
          crossfade: 2s
          duck: { under: jingles, by: 10 dB }
        jingles:
          - { clip: jingles/id.wav, at: 0s }
          - { clip: jingles/hour.wav, at: 10s }
      to: 18s
      fade_out: 3s
      output: { file: show.wav, wav: 24 bit }
      """, on: stage)
    let full = try level("music/1.flac", from: 3, to: 5, on: stage)
    for measure in [level, soxLevel] {
      // While a jingle lasts, and before its first sample.
      for (from, to) in [(0.01, 1.0), (10.01, 11.0), (9.99, 10.0), (11.0, 11.29)] {
        let low = try measure("show.wav", from, to, stage)
        #expect(abs(low - (full - 10)) < 0.1, "\(from)")
      }
      for (from, to) in [(2.5, 5.5), (9.0, 9.89), (12.0, 12.1)] as [(Double, Double)]
      where !(from < 6 && to > 6) {
        let high = try measure("show.wav", from, to, stage)
        #expect(abs(high - full) < 0.1, "\(from)")
      }
    }
    let length = try stage.make("soxi -D show.wav").text
    #expect(length == "18.000000\n")
  }

  @Test("a duck is what volume points would be that are written by hand, to −110 dB")
  func handWritten() throws {
    let stage = Stage()
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -t 8 -ar 48000 -c:a pcm_f32le song.wav
      sox -n -r 48000 -c 2 -b 16 beep.wav synth 2 sine 700 gain -12
      """)
    let voice = "voice: { clip: beep.wav, at: 3s }"
    try run(
      """
      jobs:
        ducked:
          tracks:
            \(voice)
            music:
              clip: song.wav
              duck: { under: voice, by: 15 dB, attack: 250ms, hold: 500ms, release: 1s }
          output: { file: ducked.wav, wav: 32 bit float }
        written:
          tracks:
            \(voice)
            music:
              clip: song.wav
              volume:
                points: { 2.74s: 0 dB, 2.99s: -15 dB, 5.51s: -15 dB, 6.51s: 0 dB }
                curve: exponential
          output: { file: written.wav, wav: 32 bit float }
      """, on: stage)
    let peak = try stage.make(
      """
      sox -m -v 1 ducked.wav -v -1 written.wav -t f32 - | sox -t f32 -r 48000 -c 2 - -n stat 2>&1 |
        sed -n 's/^Maximum amplitude: *//p;s/^Minimum amplitude: *-*//p'
      """
    ).text.split(separator: "\n").compactMap { Double($0) }
    #expect(peak.count == 2 && peak.allSatisfy { $0 < 3.2e-6 }, "\(peak)")
  }

  @Test("under a group of voices into which an advertisement is inserted, from spoken words on")
  func podcast() throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir raw ads media
      espeak-ng -w host.wav 'Welcome to deep fields. Today we speak about ice, and what is below it.'
      espeak-ng -v en+f3 -w guest.wav 'Thank you for having me. It is colder there than one thinks.'
      sox host.wav -r 48000 -c 1 right.wav pad 0 6
      sox -M -v 0 right.wav -v 1 right.wav raw/host.wav
      sox guest.wav -r 48000 -c 1 left.wav pad 5 1
      sox -M -v 0 left.wav -v 1 left.wav raw/guest.wav
      sox -n -r 48000 -c 2 ads/week.mp3 synth 2 sine 500 remix 0 1 gain -10
      ffmpeg -v error -f lavfi -i "aevalsrc=0.2*sin(220*2*PI*t)|0:d=60:s=48000" media/theme.wav
      printf '0:00 Hello\\n0:04 Ice\\n' > raw/chapters.txt
      """)
    try run(
      """
      vars: { title: "Ice" }
      sources:
        theme: { clip: media/theme.wav, gain: -6 dB }
      tracks:
        talk:
          at: 4s
          tracks:
            host: raw/host.wav
            guest: raw/guest.wav
          insert:
            - { clip: ads/week.mp3, at: 3s, chapter: Advertisement }
          chapters: raw/chapters.txt
        music:
          duck: { under: talk, by: 14 dB, attack: 80ms, hold: 10s, release: 800ms }
          concat:
            - { clip: theme 0s..7s, fade_out: 1s }
            - { clip: theme 30s..+10s, at: talk.end-6s, fade_in: 1s }
      metadata: { title: "${title}" }
      output: [{ file: out.mp3, mp3: abr 96k }, { file: out.m4a, aac: 96k }, out.wav]
      """, on: stage)
    let full = try level("out.wav", from: 1, to: 3.8, on: stage)
    #expect(abs(full - -22.99) < 0.05)
    // Where ffmpeg hears the first word.
    let onset = try stage.make(
      """
      ffmpeg -hide_banner -i out.wav -af 'pan=mono|c0=c1,silencedetect=n=-45dB:d=1' -f null - 2>&1 |
        sed -n 's/.*silence_end: \\([0-9.]*\\).*/\\1/p' | head -1
      """)
    let start = try #require(Double(onset.text.split(separator: "\n").first ?? ""))
    #expect(start > 4 && start < 4.2)
    for from in [start - 0.005, start, 5.2] {
      let low = try level("out.wav", from: from, to: from + 0.2, on: stage)
      #expect(abs(low - (full - 14)) < 0.1, "\(from): \(low)")
    }
    #expect(abs(try level("out.wav", from: start - 0.5, to: start - 0.15, on: stage) - full) < 0.1)
    let titles = try stage.make(
      "ffprobe -v error -show_chapters -of csv out.m4a | sed 's/.*,//'"
    ).text
    #expect(titles == "\nHello\nAdvertisement\nHello\nIce\n")
  }

  @Test("in each job of a matrix, and a second run makes nothing again")
  func matrix() throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir voice
      for lang in en de; do
        for length in 3 5; do
          ffmpeg -v error -f lavfi -i "aevalsrc=0|0.2*sin(600*2*PI*t):d=1:s=48000" \
            voice/$lang-${length}s.wav
        done
      done
      ffmpeg -v error -f lavfi -i "aevalsrc=0.4*sin(220*2*PI*t)|0:d=9:s=48000" bed.wav
      """)
    let job = """
      for_each: { lang: [en, de], length: [3s, 5s] }
      tracks:
        voice: { clip: "voice/${lang}-${length}.wav", at: 1s }
        bed: { clip: bed.wav, gain: -12 dB, duck: { under: voice, by: 9 dB } }
      to: ${length}
      fade_out: 250ms
      output: { file: "out/${lang}/${length}.wav", wav: 24 bit }
      """
    try run(job, on: stage)
    let full = try level("bed.wav", from: 1, to: 2, on: stage) - 12
    for file in ["out/en/3s.wav", "out/de/5s.wav"] {
      let low = try level(file, from: 1, to: 2, on: stage)
      #expect(abs(low - (full - 9)) < 0.1, "\(file)")
    }
    // Another name of the key makes the same files, another depth others.
    for (change, count) in [
      ("", 4), ("s/voice: {/talk: {/; s/under: voice/under: talk/", 4), ("s/9 dB/8 dB/", 0),
    ] {
      let again = try stage.run("sed -i '\(change)' job.yaml; avjob run job.yaml")
      #expect(again.status == 0)
      let said = again.text + again.errors
      #expect(said.contains("4 jobs were up to date") == (count == 4), "\(said)")
    }
  }

  @Test("plan, check and the exit status know what a duck is under")
  func plan() throws {
    let stage = Stage()
    try stage.make("sox -n -r 48000 -c 1 -b 16 a.wav synth 4 sine 300 gain -12")
    try stage.write(
      "job.yaml",
      """
      tracks:
        voice: { clip: a.wav, at: 1s }
        music: { clip: a.wav, duck: { under: voice, by: 12 dB, attack: 0s } }
      output: out.wav
      """)
    #expect(
      try stage.run("avjob plan job.yaml").text == """
        job: 0:05.000, mixed at 48 kHz mono
          timeline
            0:00.000 – 0:04.000  ducked by 12 dB under 'voice', attack 0s, hold 0.3s, release 0.6s
              0:00.000 – 0:04.000  a.wav from 0:00.000
            0:01.000 – 0:05.000  a.wav from 0:00.000
          outputs
            out.wav  WAV 16 bit, 48 kHz mono, dithered

        """)
    let wrong = try stage.run(
      "sed -i 's/under: voice/under: voices/' job.yaml; avjob check job.yaml")
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("there is no track 'voices' beside 'music'"))
  }
}
