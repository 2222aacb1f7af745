import TestSupport
import Testing

/// Silences between sounds that are made shorter, and parts between silences.
@Suite("Pauses")
struct PauseTests {
  private static let rate = 16_000

  /// When the bursts of noise in `talk.wav` begin, in hundredths of a second; each lasts half a second.
  /// There is room tone in between, well below -45 dB.
  private let bursts = [0, 250, 390, 740, 890]

  private func talk() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      sox -R -r 16000 -n -c 1 -b 16 burst.wav synth 0.5 whitenoise gain -12
      n=0
      for pause in 2 0.9 3 1 0; do
        n=$((n + 1))
        sox burst.wav -b 16 part$n.wav pad 0 $pause
      done
      sox part[1-5].wav -b 16 bursts.wav
      sox -R -r 16000 -n -c 1 -b 16 room.wav synth 9.4 whitenoise gain -60
      sox -R -m -v 1 bursts.wav -v 1 room.wav -b 16 talk.wav
      """)
    return stage
  }

  private func frame(_ hundredths: Int) -> Int { hundredths * Self.rate / 100 }

  @Test("Pauses become exactly as long as asked, and all that is louder stays as it is")
  func lengths() throws {
    let stage = try talk()
    let result = try stage.job(
      """
      clip: talk.wav
      pauses: { longer_than: 1s, to: 400ms, below: -45 dB }
      output: { file: x.wav, wav: 32 bit float }
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let made = try WAVFile(stage.path("x.wav")).floats(0)
    #expect(made.count == frame(460))
    try stage.make("sox talk.wav -e floating-point -b 32 source.wav")
    let source = try WAVFile(stage.path("source.wav")).floats(0)
    // A pause of 0.9 s stays.
    for (old, new) in zip(bursts, [0, 90, 230, 320, 410]) {
      let (from, to) = (frame(old), frame(new))
      #expect(source[from..<from + frame(50)].elementsEqual(made[to..<to + frame(50)]))
    }
    for pause in [50..<90, 280..<320, 370..<410] {
      let between = made[frame(pause.lowerBound)..<frame(pause.upperBound)]
      // Room tone throughout, without a gap.
      for step in 0..<40 {
        let energy = between.dropFirst(frame(step)).prefix(frame(1)).reduce(0) { $0 + $1 * $1 }
        let level = (energy / Float(frame(1))).squareRoot()
        #expect(level > 0.000_3 && level < 0.003, "step \(step): \(level)")
      }
      // Both quarters beside the sounds are those of the source.
      #expect(between.prefix(frame(10)).allSatisfy { abs($0) < 0.01 })
    }
    #expect(source[frame(50)..<frame(60)].elementsEqual(made[frame(50)..<frame(60)]))
    #expect(source[frame(240)..<frame(250)].elementsEqual(made[frame(80)..<frame(90)]))
  }

  @Test("Chapters move with their sound, 'plan' says what is removed, and a track is told apart")
  func chapters() throws {
    let stage = try talk()
    try stage.write(
      "job.yaml",
      """
      clip: talk.wav
      chapters: { 0s: One, 2.5s: Two, 7.4s: Three }
      pauses: { longer_than: 1s, to: 400ms, below: -45 dB }
      output: x.mp3
      """)
    let plan = try stage.run("avjob plan job.yaml")
    #expect(plan.status == 0)
    #expect(
      plan.errors.contains(
        "note: 3 pauses of 'talk.wav' are shortened to 0.4s, which removes 4.8s; the longest lasts "
          + "3s, at 4.4s"), "\(plan.errors)")
    try stage.make("avjob run --quiet job.yaml")
    let chapters = try stage.make(
      "ffprobe -v error -show_entries chapter=start_time -of csv=p=0 x.mp3")
    #expect(chapters.text == "0.000000\n0.900000\n3.200000\n")
    try stage.write(
      "tracks.yaml",
      """
      tracks:
        voice: { clip: talk.wav, pauses: { longer_than: 1s, to: 400ms, below: -45 dB } }
        room: room.wav
      output: y.wav
      """)
    let check = try stage.run("avjob check tracks.yaml")
    #expect(check.status == 0 && check.errors.contains("against the tracks beside 'voice'"))
  }

  @Test("Pauses are the same on one core and on many, in processes of their own, and again")
  func bytes() throws {
    let stage = try talk()
    try stage.write(
      "job.yaml",
      """
      concat:
        - { clip: talk.wav, cut: [0.1s..0.2s], pauses: { longer_than: 1s, to: 300ms, below: -45 dB } }
        - { clip: talk.wav, speed: 1.1 }
      pauses: { longer_than: 500ms, to: 250ms, below: -45 dB }
      output: x.wav
      """)
    try stage.make("taskset -c $(core) \"$AVJOB\" run --quiet job.yaml; mv x.wav plain.wav")
    for options in ["--force", "--force --isolate", "--root .", "--force --workers 1"] {
      try stage.make(
        "rm -rf x.wav .avjob; avjob run --quiet \(options) job.yaml; cmp x.wav plain.wav")
    }
  }

  @Test("Pauses of an item that is cut are those of the file that the cut makes")
  func pieces() throws {
    let stage = try talk()
    let cut =
      "cut: { ranges: [0.1s..0.2s, 1s..1.1s, 3.1s..3.15s, 4.5s..4.6s, 7.5s..7.55s], crossfade: 10ms }"
    let pauses = "pauses: { longer_than: 1s, to: 400ms, below: -45 dB }"
    try stage.write(
      "first.yaml",
      """
      jobs:
        one:
          clip: talk.wav
          \(cut)
          \(pauses)
          output: { file: one.wav, wav: 32 bit float }
        cut:
          clip: talk.wav
          \(cut)
          output: { file: cut.wav, wav: 32 bit float }
      """)
    try stage.write(
      "second.yaml",
      "clip: cut.wav\n\(pauses)\noutput: { file: two.wav, wav: 32 bit float }\n")
    try stage.make(
      """
      avjob run --quiet first.yaml
      avjob run --quiet second.yaml
      """)
    let (one, two) = (
      try WAVFile(stage.path("one.wav")).floats(0), try WAVFile(stage.path("two.wav")).floats(0)
    )
    #expect(one.count == frame(460 - 15 - 5) && one == two)
  }

  @Test("Items with a level are measured before pauses are sought in them, at any depth")
  func levels() throws {
    let stage = try talk()
    // Quieter by 40 dB, all of it is silent until its item is brought up.
    try stage.make("sox -R talk.wav -b 24 quiet.wav gain -40")
    let keys = "{ longer_than: 1s, to: 400ms, below: -45 dB }"
    try stage.write(
      "job.yaml",
      """
      jobs:
        item: { concat: [{ clip: quiet.wav, loudness: -18 LUFS }], pauses: \(keys), output: item.wav }
        group:
          concat: [{ concat: [quiet.wav], loudness: -18 LUFS }]
          pauses: \(keys)
          output: group.wav
        nested:
          tracks:
            a: { concat: [{ concat: [{ clip: quiet.wav, loudness: -18 LUFS }], loudness: { integrated: -20 LUFS, true_peak: -3 dBTP } }] }
            b: { silence: 1s }
          pauses: \(keys)
          loudness: -16 LUFS
          output: nested.wav
        trimmed:
          concat: [1s, { concat: [quiet.wav], loudness: -18 LUFS, pauses: \(keys) }]
          pauses: \(keys)
          trim: -45 dB
          output: trimmed.wav
        parts:
          concat: [{ clip: quiet.wav, loudness: -18 LUFS }]
          split: { silence: 2s, below: -45 dB }
          output: "part ${part.n}.wav"
      """)
    let plan = try stage.run("avjob plan job.yaml")
    #expect(plan.status == 0 && !plan.errors.contains("error"), "\(plan.errors)")
    let result = try stage.run("avjob run --quiet job.yaml")
    #expect(result.status == 0 && !result.errors.contains("error"), "\(result.errors)")
    // The inner one finds no pause where all is silent.
    let lengths = ["item": 460, "group": 460, "nested": 460, "trimmed": 460]
    for (name, length) in lengths {
      #expect(try stage.make("soxi -s '\(name).wav'").text == "\(frame(length))\n", "\(name)")
    }
    #expect(try stage.make("soxi -s 'part 1.wav' 'part 2.wav'").text.hasPrefix("\(frame(150))\n"))
  }

  @Test("Parts between silences are as long as asked, and add up")
  func parts() throws {
    let stage = try talk()
    let result = try stage.job(
      """
      clip: talk.wav
      split: { silence: 300ms, below: -45 dB, shortest: 2s, longest: 4s }
      output: "part ${part.n}.wav"
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let lengths = try stage.make("for part in part\\ ?.wav; do soxi -s \"$part\"; done").text
    #expect(lengths == "\(frame(345))\n\(frame(245))\n\(frame(350))\n")
    try stage.make("sox part\\ ?.wav joined.wav; cmp joined.wav talk.wav")
  }
}
