import TestSupport
import Testing

/// Job files of real workflows, on short media, up to the finished files: those that reach levels, make
/// room for voices, and record what was made.
@Suite("Workflows, run") struct WorkflowTests {
  private let stage = Stage()

  private func expectLevel(_ name: String, _ level: Double, ceiling: Double = -1) throws {
    let found = try Tool.ebur128(stage.path(name))
    #expect(abs(found.integrated - level) <= 0.15, "\(name)")
    #expect(found.truePeak <= ceiling, "\(name)")
  }

  /// RMS of a part of a file above 8 kHz, in dB.
  private func level(_ name: String, _ from: Double, _ length: Double) throws -> Double {
    let text = try stage.make(
      """
      ffmpeg -hide_banner -ss \(from) -t \(length) -i \(name) -af highpass=f=8000:p=2,highpass=f=8000:p=2,astats -f null - 2>&1 \
        | sed -n 's/.*RMS level dB: //p' | tail -n 1
      """
    ).text
    return try #require(Double(text.dropLast()))
  }

  @Test("A podcast: two voices of one loudness, an advertisement, music that makes room, two files")
  func podcast() throws {
    try stage.make(
      """
      mkdir -p media raw/42 ads
      ffmpeg -v error -stream_loop 1 -i "$FIXTURES/feelings.ogg" -t 32 media/theme.wav
      ffmpeg -v error -i "$FIXTURES/librivox-sonnet.mp3" -t 20 -af volume=-9dB raw/42/host.wav
      ffmpeg -v error -i "$FIXTURES/voice-8k.wav" -ar 48000 -t 20 raw/42/guest.wav
      ffmpeg -v error -i "$FIXTURES/feelings.ogg" -ss 12 -t 4 -b:a 128k ads/week.mp3
      ffmpeg -v error -f lavfi -i color=red:s=64x64 -frames:v 1 media/cover.jpg
      printf '00:00 Hello\\n00:12 Ice\\n' >raw/42/chapters.txt
      """)
    try stage.write(
      "job.yaml",
      """
      vars: { episode: 1, title: untitled }
      sources:
        theme: { clip: media/theme.wav, gain: -6 dB }
      tracks:
        talk:
          at: 3s
          tracks:
            host:  { clip: "raw/${episode}/host.wav", loudness: -19 LUFS }
            guest: { clip: "raw/${episode}/guest.wav", loudness: -19 LUFS }
          insert:
            - { clip: ads/week.mp3, at: 10s, chapter: Advertisement }
          chapters: raw/${episode}/chapters.txt
        music:
          duck: { under: talk, by: 14 dB, attack: 80ms, release: 800ms }
          concat:
            - { clip: theme 0s..10s, fade_out: 5s }
            - { clip: theme 14s..+16s, at: talk.end-8s, fade_in: 3s, fade_out: 6s }
      loudness: -16 LUFS
      metadata: { title: "${episode}: ${title}", artist: Deep Fields, cover: media/cover.jpg }
      output:
        - { file: "out/${episode}.mp3", mp3: abr 96k }
        - { file: "out/${episode}.m4a", aac: 96k }
      """)
    let run = try stage.run(
      "avjob run --quiet job.yaml --set episode=42 --set title='Ice #1: the core'")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    for name in ["out/42.mp3", "out/42.m4a"] {
      try expectLevel(name, -16)
      let chapters = try stage.make(
        "ffprobe -v error -show_chapters -show_entries chapter_tags=title -of csv=p=0 \(name)"
      ).text
      #expect(chapters.contains("Hello") && chapters.contains("Advertisement"), "\(chapters)")
    }
    let title = "ffprobe -v error -show_entries format_tags=title -of csv=p=0 out/42.mp3"
    #expect(try stage.make(title).text == "42: Ice #1: the core\n")
    // A second run measures nothing, and makes nothing.
    let again = try stage.run(
      "avjob run job.yaml --set episode=42 --set title='Ice #1: the core'")
    #expect((again.text + again.errors).contains("1 job was up to date"), "\(again.text)")
  }

  @Test("A radio show: cross-fades, music that makes room for jingles, a hard out")
  func radio() throws {
    try stage.make(
      """
      mkdir music jingles
      for n in 1 2; do
        ffmpeg -v error -f lavfi -i "anoisesrc=r=44100:a=0.2:seed=$n:d=12" -ac 2 music/$n.flac
      done
      ffmpeg -v error -f lavfi -i "sine=f=3000:r=44100:d=2" -ac 2 jingles/id.wav
      ffmpeg -v error -f lavfi -i "sine=f=5000:r=44100:d=2" -ac 2 jingles/hour.wav
      """)
    let result = try stage.job(
      """
      tracks:
        music:
          concat: [music/*.flac]
          crossfade: 4s
          duck: { under: jingles, by: 10 dB }
        jingles:
          - { clip: jingles/id.wav, at: 0s }
          - { clip: jingles/hour.wav, at: 10s }
      to: 18.5s
      fade_out: 4s
      output: { file: show.wav, wav: 24 bit }
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let show = try WAVFile(stage.path("show.wav"))
    #expect(show.frameCount == 815_850 && show.bitDepth == 24)
    // The jingles lie below what is measured.
    let alone = try level("show.wav", 5, 1)
    #expect(abs(try level("show.wav", 0.5, 1) - alone + 10) < 0.3)
  }

  @Test("A matrix of spots: each language and length over one bed, at the level of broadcasts")
  func matrix() throws {
    try stage.make(
      """
      mkdir voice
      for lang in en de; do for length in 5 8; do
        espeak-ng -v $lang -w spoken.wav "one two three four five six seven eight nine"
        sox spoken.wav -r 48000 "voice/$lang-${length}s.wav" trim 0 $((length - 2))
      done; done
      ffmpeg -v error -i "$FIXTURES/feelings.ogg" -t 10 bed.wav
      """)
    let result = try stage.job(
      """
      for_each: { lang: [en, de], length: [5s, 8s] }
      tracks:
        voice: { clip: "voice/${lang}-${length}.wav", at: 1s }
        bed: { clip: bed.wav, gain: -12 dB, duck: { under: voice, by: 9 dB } }
      to: ${length}
      fade_out: 2s
      loudness: ebu-r128
      output: out/${lang}/${length}.mp3
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    for lang in ["en", "de"] {
      for length in [5, 8] {
        let name = "out/\(lang)/\(length)s.mp3"
        try expectLevel(name, -23)
        let count = "ffmpeg -v error -i \(name) -f s16le -ac 1 - | wc -c"
        #expect(try stage.make(count).text == "\(length * 48_000 * 2)\n")
      }
    }
  }

  @Test("An archive: masters, copies, and a record with digests and levels of all of them")
  func archive() throws {
    try stage.make(
      """
      mkdir ingest
      ffmpeg -v error -i "$FIXTURES/voice-8k.wav" -c:a pcm_s24le -ar 48000 ingest/a.wav
      """)
    let result = try stage.job(
      """
      for_each: ingest/*.wav
      metadata: { date: 2026-01-02, shelf: 007, source: "${input.name}" }
      output:
        - { folder: master, flac: 24 bit }
        - { folder: access, mp3: V2 }
        - { folder: master, json: sidecar }
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let record = String(decoding: try readFile(stage.path("master/a.json")), as: UTF8.self)
    for name in ["ingest/a.wav", "master/a.flac", "access/a.mp3"] {
      let digest = try stage.make("sha256sum \(name)").text.prefix(64)
      #expect(record.contains(String(digest)), "\(name)")
    }
    let levels = record.split(separator: "\n").filter { $0.contains("\"integrated_lufs\"") }
      .compactMap { Double($0.filter { "-.0123456789".contains($0) }) }
    #expect(levels.count == 2)
    for (name, told) in zip(["master/a.flac", "access/a.mp3"], levels) {
      #expect(abs(try Tool.ebur128(stage.path(name)).integrated - told) <= 0.1, "\(name)")
    }
  }
}
