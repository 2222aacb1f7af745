import TestSupport
import Testing

/// Jobs that listen to their sound before it is made.
@Suite("Silence")
struct SilenceTests {
  /// Speech of 22 kHz in mono, with 2.3 s of silence before it and 1.7 s after it, as `lecture.wav`;
  /// `speech.wav` is the same without.
  private func lecture() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      espeak-ng -v en -s 140 -w spoken.wav "Welcome to this lecture on sampling. Today we talk about \\
        frames, about rates, and about the silence between words. A sound begins where its level rises. \\
        It ends where its level falls, and what is left is noise. Thank you for listening, and goodbye."
      sox spoken.wav -b 16 speech.wav silence 1 0.01 -60d reverse silence 1 0.01 -60d reverse
      sox speech.wav lecture.wav pad 2.3 1.7
      """)
    return stage
  }

  @Test("A lecture: trimmed, cut, faster and filtered")
  func workflow() throws {
    let stage = try lecture()
    let yaml = """
      clip: lecture.wav
      trim: { below: -50 dB, keep: 300ms }
      cut: [4s..5.5s, 8s..9s]
      speed: 1.1
      effects: [denoise, highpass: 80 Hz]
      output: { file: lecture.mp3, mp3: abr 64k, channels: mono }
      """
    let result = try stage.job(yaml)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    try stage.make(
      """
      ffmpeg -v error -i lecture.mp3 out.wav
      avjob check job.yaml
      """)
    let (source, made) = (
      try WAVFile(stage.path("speech.wav")), try WAVFile(stage.path("out.wav"))
    )
    // All but what is cut, with 0.3 s at both ends, at 1.1 times the speed; two steps of 10 ms are
    // where the speech begins and ends within one.
    let expected = (Double(source.frameCount) / 22_050 + 0.6 - 2.5) / 1.1
    #expect(abs(Double(made.frameCount) / Double(made.sampleRate) - expected) < 0.2)
    #expect(made.channelCount == 1)
    let detected = try stage.make(
      "ffmpeg -hide_banner -i lecture.mp3 -af silencedetect=n=-45dB:d=0.15 -f null - 2>&1 | grep -o 'silence_end: [0-9.]*' | head -1"
    )
    let start = Double(detected.text.dropFirst(13).dropLast()) ?? 0
    #expect(abs(start - 0.3 / 1.1) < 0.1, "\(detected.text)")
    #expect(try stage.run("avjob run --quiet --explain job.yaml").errors == "")
  }

  @Test("Chapters of speech that begin or end with silence or room noise step in no level")
  func chapters() throws {
    let stage = Stage()
    try stage.make(
      """
      for n in 1 2 3 4 5 6; do
        espeak-ng -v en -w spoken.wav "Chapter $n. It was a bright cold day in April, and the clocks \
          were striking thirteen. Winston Smith slipped quickly through the glass doors."
        sox spoken.wav -b 16 padded.wav pad $((n % 2 * 4)) $((n / 2 % 2 * 4))
        sox -R -r 22050 -n -c 1 -b 16 room.wav synth 20 pinknoise gain $((n > 3 ? -58 : -99))
        sox -m -v 1 padded.wav -v 1 room.wav c$n.wav trim 0 $(soxi -D padded.wav)
      done
      """)
    try stage.write("job.yaml", "concat: [c*.wav]\noutput: book.flac\n")
    let result = try stage.run("avjob run --quiet --report book.json job.yaml")
    #expect(result.status == 0 && !result.errors.contains("a step of"), "\(result.errors)")
  }

  @Test("A book without chapters gets them from its pauses, in M4B, MP3 and FLAC")
  func chaptersFromPauses() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 22050 -n -c 1 -b 16 tone.wav synth 3 pinknoise vol 0.3 pad 0.2 0.2
      sox -R -r 22050 -n -c 1 -b 16 gap.wav trim 0 2
      sox tone.wav tone.wav gap.wav tone.wav gap.wav tone.wav tone.wav book.wav
      """)
    let result = try stage.job(
      """
      clip: book.wav
      chapters: { silence: 1.5s, below: -60 dB, title: "Part ${part.n} of ${part.count}" }
      output: [book.m4b, book.mp3, book.flac]
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    // The middles of both gaps: 6.8 + 1, and 12.2 + 1 s.
    for name in ["book.m4b", "book.mp3", "book.flac"] {
      let found = try stage.make(
        "ffprobe -v error -show_chapters -of csv=p=0 \(name) | cut -d, -f4,7")
      let lines = found.text.split(separator: "\n")
      #expect(
        lines.map { $0.split(separator: ",").last } == [
          "Part 1 of 3", "Part 2 of 3", "Part 3 of 3",
        ])
      let starts = lines.compactMap { $0.split(separator: ",").first.flatMap { Double($0) } }
      #expect(zip(starts, [0, 7.8, 13.2]).allSatisfy { abs($0 - $1) < 0.011 }, "\(found.text)")
    }
    #expect(try stage.run("avjob run --quiet --explain job.yaml").errors == "")
    let single = try stage.job(
      """
      clip: tone.wav
      chapters: { silence: 1.5s, below: -60 dB }
      output: one.m4b
      """)
    #expect(single.errors.contains("no silence parts 'job': it becomes one chapter"))
  }

  @Test("Items with a level are measured before silence is sought in them, at any depth")
  func levels() throws {
    let stage = Stage()
    // The tone is silence until its item is brought up.
    try stage.make(
      """
      sox -R -r 44100 -n -c 1 -b 16 tone.wav synth 2 sine 440 gain -40 pad 1 1
      """)
    try stage.write(
      "job.yaml",
      """
      jobs:
        trimmed:
          concat: [{ concat: [{ clip: tone.wav, loudness: -18 LUFS }] }, 1s]
          trim: { below: -30 dB }
          output: { file: trimmed.wav, wav: 32 bit float }
        parts:
          tracks:
            a: [{ clip: tone.wav, loudness: { integrated: -18 LUFS, true_peak: -1 dBTP } }, tone.wav]
            b: { silence: 8s }
          split: { silence: 1s, below: -30 dB }
          output: "part ${part.n}.wav"
        nested:
          concat: [tone.wav, { clip: tone.wav, loudness: -20 dB RMS }]
          trim: { below: -30 dB }
          loudness: -16 LUFS
          output: nested.wav
        grouped:
          concat: [{ clip: tone.wav, loudness: { integrated: -18 LUFS, group: g } }]
          trim: { below: -30 dB }
          output: grouped.wav
      """)
    for name in ["trimmed", "nested"] {
      let result = try stage.run("avjob run --quiet job.yaml --only \(name)")
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
      // The sine alone sounds, of the last item.
      let count = try stage.make("soxi -s \(name).wav").text
      #expect(abs((Int(count.dropLast()) ?? 0) - 2 * 44_100) <= 2 * 441, "\(name): \(count)")
    }
    let parts = try stage.run("avjob run --quiet job.yaml --only parts")
    #expect(parts.status == 0 && !parts.errors.contains("error"), "\(parts.errors)")
    let isolated = try stage.run("avjob run --quiet --isolate --force job.yaml --only trimmed")
    #expect(isolated.status == 0 && isolated.errors == "", "\(isolated.errors)")
    let refused = try stage.run("avjob check job.yaml --only grouped")
    #expect(refused.status == 2, "\(refused.errors)")
    #expect(refused.errors.contains("the group 'g'"), "\(refused.errors)")
  }

  @Test("'plan' says what is removed, and so does a verbose run; others say nothing")
  func plan() throws {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 1 -b 16 tone.wav synth 2 sine 440 gain -6 pad 1.5 0.25")
    try stage.write(
      "job.yaml", "clip: tone.wav\ntrim: { below: -50 dB, keep: 100ms }\noutput: x.flac\n")
    let plan = try stage.run("avjob plan job.yaml")
    #expect(plan.status == 0)
    expect(
      plan.errors,
      """
      job.yaml:2:16: note: 1.4s at the start and 0.15s at the end of 'tone.wav' are removed, and 1.4s to 3.6s of it are left
          2 | trim: { below: -50 dB, keep: 100ms }
            |                ^~~~~~

      """)
    expect(
      plan.text,
      """
      job: 0:02.200, mixed at 44.1 kHz mono
        timeline
          0:00.000 – 0:02.200  tone.wav from 0:01.400
        outputs
          x.flac  FLAC 16 bit, 44.1 kHz mono, samples copied exactly

      """)
    let check = try stage.run("avjob check job.yaml")
    #expect(check.status == 0 && check.errors == "")
    #expect(try stage.run("avjob run --verbose job.yaml").errors.contains("1.4s at the start"))
    let length = try stage.make("soxi -s x.flac")
    #expect(length.text == "\(44_100 * 22 / 10)\n")
  }

  @Test("A trimmed item is the range of the whole that is left, in every way to run it")
  func range() throws {
    let stage = try lecture()
    try stage.write(
      "job.yaml",
      """
      jobs:
        one: { clip: lecture.wav, trim: -50 dB, output: out/one.wav }
        two:
          concat: [{ clip: lecture.wav, trim: -50 dB }, 1s, { clip: lecture.wav, trim: -30 dB }]
          trim: -50 dB
          output: out/two.wav
      """)
    try stage.make("avjob run --quiet job.yaml; mv out plain")
    for options in ["--force --isolate", "--root .", "--force --workers 1"] {
      try stage.make("rm -rf out; avjob run --quiet \(options) job.yaml")
      try stage.make("cmp out/one.wav plain/one.wav; cmp out/two.wav plain/two.wav")
    }
    let (whole, one) = (
      try WAVFile(stage.path("lecture.wav")), try WAVFile(stage.path("plain/one.wav"))
    )
    let two = try WAVFile(stage.path("plain/two.wav"))
    // The start falls on a step, which is 220.5 frames.
    let start = try #require(
      (49_000..<60_000).first {
        whole.slice($0..<$0 + one.frameCount) == one.slice(0..<one.frameCount)
      })
    #expect(start >= 22_050 * 2 && whole.frameCount - start - one.frameCount > 22_050)
    #expect(two.slice(0..<one.frameCount) == one.slice(0..<one.frameCount))
  }

  @Test("What another job has still to write cannot be analysed")
  func predicted() throws {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 1 -b 16 tone.wav synth 2 sine 440 gain -6 pad 1 1")
    let yaml = """
      jobs:
        clean: { clip: tone.wav, effects: [denoise], output: clean.flac }
        short: { clip: clean.flac, trim: -50 dB, output: short.mp3 }
        parts: { clip: clean.flac, split: { silence: 1s, below: -50 dB }, output: "${part.n}.mp3" }
        lists: { clip: clean.flac, output: { file: l.wav, silences: { as: cue, longer_than: 1s, below: -50 dB } } }

      """
    try stage.write("job.yaml", yaml)
    let result = try stage.run("avjob check job.yaml")
    #expect(result.status == 2)
    expect(
      result.errors,
      """
      job.yaml:3:36: error: 'clean.flac': cannot be analysed yet: 'clean' writes it in this run; trim or split it, or list its silences, there, or move this job to a file of its own, which you run later
          3 |   short: { clip: clean.flac, trim: -50 dB, output: short.mp3 }
            |                                    ^~~~~~
      job.yaml:4:37: error: 'clean.flac': cannot be analysed yet: 'clean' writes it in this run; trim or split it, or list its silences, there, or move this job to a file of its own, which you run later
          4 |   parts: { clip: clean.flac, split: { silence: 1s, below: -50 dB }, output: "${part.n}.mp3" }
            |                                     ^
      job.yaml:5:63: error: 'clean.flac': cannot be analysed yet: 'clean' writes it in this run; trim or split it, or list its silences, there, or move this job to a file of its own, which you run later
          5 |   lists: { clip: clean.flac, output: { file: l.wav, silences: { as: cue, longer_than: 1s, below: -50 dB } } }
            |                                                               ^

      """)
  }

  @Test("An item that is silent throughout is refused, with its loudest level")
  func silent() throws {
    let stage = Stage()
    try stage.make("sox -R -r 44100 -n -c 2 -b 16 quiet.wav synth 2 sine 400 gain -57")
    let result = try stage.job("clip: quiet.wav\ntrim: -50 dB\noutput: x.mp3\n")
    #expect(result.status == 2)
    expect(
      result.errors,
      """
      job.yaml:2:7: error: all of 'quiet.wav' is below -50.0 dB: its loudest 10 ms have -60.0 dB
          2 | trim: -50 dB
            |       ^~~~~~
        help: leave the item out, or trim below a lower level

      """)
  }

  @Test("Parts between silences are the whole, each with sound, divided in the middle of silence")
  func split() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 44100 -n -c 1 -b 16 word.wav synth 1 sine 440 gain -6
      sox word.wav a.wav pad 3 1
      sox word.wav b.wav pad 1.5 0.3
      sox word.wav c.wav pad 0.3 2.2
      sox a.wav b.wav c.wav words.wav
      """)
    let result = try stage.job(
      """
      clip: words.wav
      split: { silence: 2s, below: -50 dB }
      output: { file: "${part.n:02}.wav", wav: 16 bit }
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let parts = try ["01", "02"].map { try WAVFile(stage.path("\($0).wav")) }
    let whole = try WAVFile(stage.path("words.wav"))
    #expect(parts.flatMap(\.data).elementsEqual(whole.data))
    // Sound to 4 s, silence of 2.5 s, then two words 0.6 s apart.
    #expect(parts[0].frameCount == 44_100 * 525 / 100)
  }

  @Test("A preview plays what is left")
  func preview() throws {
    let sound = try SoundStage()
    try sound.stage.make(
      "sox -R -r 48000 -n -c 2 -b 16 tone.wav synth 0.5 sine 440 gain -6 pad 1.5 1")
    try sound.stage.write("job.yaml", "clip: tone.wav\ntrim: -50 dB\noutput: x.mp3\n")
    let result = try sound.run("avjob preview job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text == "job (0:00.5)\njob: ended at 0:00.5 of 0:00.5\n")
  }
}
