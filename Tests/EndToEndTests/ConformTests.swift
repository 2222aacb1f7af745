import Testing
import TestSupport

/// Files beside delivery specifications: those that avjob makes, and those of others.
@Suite("Conforming") struct ConformTests {
  /// A "chapter" of a tone in a room that hums at −70 dB, whose RMS with the room tone is −20 dB; made
  /// by SoX and LAME.
  private func chapter(head: String = "0.75", tail: String = "2") throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      sox -n -r 44100 -c 1 -b 24 head.wav synth \(head) sine 100 gain -67
      sox -n -r 44100 -c 1 -b 24 tail.wav synth \(tail) sine 100 gain -67
      sox -n -r 44100 -c 1 -b 24 tone.wav synth 4 sine 500 gain -14.7
      sox head.wav tone.wav tail.wav chapter.wav
      """)
    return stage
  }

  @Test("probe --conform shows each figure with its limit, and fails if one is not kept")
  func probe() throws {
    let stage = try chapter()
    try stage.make(
      "lame --quiet --cbr -b 192 chapter.wav good.mp3; lame --quiet -V 2 chapter.wav bad.mp3")
    let good = try stage.run("avjob probe --conform acx good.mp3")
    #expect(good.status == 0 && good.errors.isEmpty)
    expect(
      good.text,
      """
      good.mp3: conforms to acx (ACX, Audio Submission Requirements)
        RMS                     −20.2 dB    −23.0 to −18.0 dB  ok
        peak                    −15.0 dBFS  at most −3.0 dBFS  ok
        noise floor             −70.3 dB    at most −60.0 dB   ok
        room tone at the start  0.75 s      0.50 to 1.00 s     ok
        room tone at the end    2.00 s      1.00 to 5.00 s     ok
        codec                   mp3         mp3                ok
        bit rate mode           constant    constant           ok
        sample rate             44.1 kHz    44.1 kHz           ok
        channels                mono        mono or stereo     ok
        bit rate                192 kbps    192 to 320 kbps    ok
        length                  0:07        at most 2:00:00    ok

      """)
    let bad = try stage.run("avjob probe --conform acx bad.mp3 good.mp3")
    #expect(bad.status == 1 && bad.errors.isEmpty)
    expect(
      bad.text,
      """
      bad.mp3: does not conform to acx (ACX, Audio Submission Requirements)
        RMS                     −20.0 dB    −23.0 to −18.0 dB  ok
        peak                    −14.6 dBFS  at most −3.0 dBFS  ok
        noise floor             −70.0 dB    at most −60.0 dB   ok
        room tone at the start  0.75 s      0.50 to 1.00 s     ok
        room tone at the end    2.00 s      1.00 to 5.00 s     ok
        codec                   mp3         mp3                ok
        bit rate mode           variable    constant           not ok: write 'mp3: cbr 192k'
        sample rate             44.1 kHz    44.1 kHz           ok
        channels                mono        mono or stereo     ok
        bit rate                33 kbps     192 to 320 kbps    not ok: write 'mp3: cbr 192k'
        length                  0:07        at most 2:00:00    ok
      good.mp3: conforms to acx (ACX, Audio Submission Requirements)
        RMS                     −20.2 dB    −23.0 to −18.0 dB  ok
        peak                    −15.0 dBFS  at most −3.0 dBFS  ok
        noise floor             −70.3 dB    at most −60.0 dB   ok
        room tone at the start  0.75 s      0.50 to 1.00 s     ok
        room tone at the end    2.00 s      1.00 to 5.00 s     ok
        codec                   mp3         mp3                ok
        bit rate mode           constant    constant           ok
        sample rate             44.1 kHz    44.1 kHz           ok
        channels                mono        mono or stereo     ok
        bit rate                192 kbps    192 to 320 kbps    ok
        length                  0:07        at most 2:00:00    ok

      """)
    let json = try stage.run("avjob probe --json --conform acx --conform ebu-r128 bad.mp3")
    #expect(json.status == 1)
    try JSONSchema.validate(json.text, as: "probe")
    #expect(json.text.contains("\"specification\": \"ebu-r128\""))
  }

  @Test("probe refuses a name that is no specification, and warns of a set of mono and stereo")
  func probeMistakes() throws {
    let stage = try chapter()
    let unknown = try stage.run("avjob probe --conform axc chapter.wav")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("'axc' is no delivery specification; did you mean 'acx'?"))
    try stage.make("sox chapter.wav -c 2 stereo.wav")
    let mixed = try stage.run("avjob probe --conform acx chapter.wav stereo.wav")
    #expect(
      mixed.errors.contains(
        "warning: 'stereo.wav' is stereo, and 'chapter.wav' is mono: acx takes one of them"))
  }

  @Test("a job whose file fails a limit fails with its figures, and the old file stays")
  func failing() throws {
    let stage = try chapter(tail: "0.5")
    try stage.write("old.mp3", "old")
    let result = try stage.job(
      """
      clip: chapter.wav
      conform: acx
      output: { file: old.mp3, mp3: cbr 192k }
      """)
    #expect(result.status == 1)
    expect(
      result.errors,
      """
      job.yaml:3:17: warning: 'old.mp3' is replaced, and no receipt shows that avjob made it
          3 | output: { file: old.mp3, mp3: cbr 192k }
            |                 ^~~~~~~
        help: to keep the file, stop the run and choose another path
      job.yaml:2:10: error: 'old.mp3': does not conform to acx: room tone at the end 0.50 s (1.00 to 5.00 s: put recorded room tone behind it)
          2 | conform: acx
            |          ^~~

      """)
    #expect(try readFile(stage.path("old.mp3")) == Array("old".utf8))
    #expect(!(try stage.listing().contains { $0.hasPrefix(".") }))
  }

  @Test("what settings alone make impossible is refused before any work")
  func settings() throws {
    let stage = try chapter()
    try stage.write(
      "job.yaml",
      """
      jobs:
        a: { clip: chapter.wav, conform: acx, output: { file: a.mp3, mp3: V2, sample_rate: 48 kHz } }
        b: { clip: chapter.wav, conform: ebu-r128, loudness: -20 LUFS, output: b.wav }
        c: { clip: chapter.wav, output: { file: c.mp3, preset: librivox } }
      """)
    let result = try stage.run("avjob check job.yaml")
    #expect(result.status == 2)
    expect(
      result.errors,
      """
      job.yaml:2:36: error: 'a.mp3': does not conform to acx: bit rate mode variable (constant: write 'mp3: cbr 192k'); sample rate 48 kHz (44.1 kHz: write 'sample_rate: 44.1 kHz')
          2 |   a: { clip: chapter.wav, conform: acx, output: { file: a.mp3, mp3: V2, sample_rate: 48 kHz } }
            |                                    ^~~
      job.yaml:3:36: error: 'b.wav': does not conform to ebu-r128: loudness −20.0 LUFS (−23.2 to −22.8 LUFS: write 'loudness: ebu-r128')
          3 |   b: { clip: chapter.wav, conform: ebu-r128, loudness: -20 LUFS, output: b.wav }
            |                                    ^~~~~~~~
      job.yaml:4:58: error: 'c.mp3': does not conform to librivox: tags none (title, artist, album: write them under 'metadata')
          4 |   c: { clip: chapter.wav, output: { file: c.mp3, preset: librivox } }
            |                                                          ^~~~~~~~

      """)
  }

  @Test("an audiobook of speech and room tone passes ACX by its preset, by outside measures, too")
  func audiobook() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -n -r 44100 -c 1 room.wav synth 6 pinknoise gain -62
      espeak-ng -w speech.wav "It was a bright cold day in April, and the clocks were striking \
      thirteen. The hallway smelt of boiled cabbage and old rag mats."
      """)
    let made = try stage.job(
      """
      tracks:
        voice: { at: 0.8s, clip: speech.wav, gain: -9 dB }
        room: { clip: room.wav 0s..6s, loop: end }
        tail: { at: voice.end, silence: 2.5s }
      metadata: { title: Chapter 1, artist: A Reader, album: A Book }
      output:
        - { file: ch1.mp3, preset: acx-audiobook }
        - { file: ch1.json, json: sidecar }
      """)
    #expect(made.status == 0, "\(made.errors)")
    let probe = try stage.run("avjob probe --conform acx ch1.mp3")
    #expect(probe.status == 0, "\(probe.text)")
    let record = String(decoding: try readFile(stage.path("ch1.json")), as: UTF8.self)
    #expect(record.contains("\"specification\": \"acx\""))
    try JSONSchema.validate(record, as: "record")
    // By programs that know nothing of avjob.
    let facts = try stage.make(
      """
      mediainfo --Inform='Audio;%BitRate_Mode% %BitRate% %SamplingRate% %Channels%' ch1.mp3
      ffmpeg -nostdin -hide_banner -i ch1.mp3 -af astats=measure_perchannel=none -f null - 2>&1 \\
        | sed -n 's/.*\\] \\(RMS level dB\\|Peak level dB\\): //p'
      """
    ).text.split(separator: "\n").map(String.init)
    #expect(facts.first == "CBR 192000 44100 1")
    let levels = facts.dropFirst().compactMap { Double($0) }
    #expect(levels.count == 2 && levels[0] <= -3 && -23 ... -18 ~= levels[1], "\(facts)")
  }

  @Test("the plan says what a file is checked by, and a report that it passed")
  func told() throws {
    let stage = try chapter()
    try stage.write(
      "job.yaml",
      "clip: chapter.wav\noutput: { file: a.mp3, mp3: cbr 192k, loudness: acx, conform: acx }")
    #expect(try stage.make("avjob plan job.yaml").text.contains("checked for acx"))
    let plan = try stage.make("avjob plan --json job.yaml").text
    #expect(plan.contains("\"conform\": [\n"))
    try JSONSchema.validate(plan, as: "plan")
    let run = try stage.make("avjob run --report r.json job.yaml")
    #expect(run.text.contains("conforms to acx") || run.errors.contains("conforms to acx"))
    let report = String(decoding: try readFile(stage.path("r.json")), as: UTF8.self)
    try JSONSchema.validate(report, as: "report")
    #expect(report.contains("\"conforms\": true"))
    // The isolated process gives the same.
    try stage.make("rm a.mp3; avjob run --isolate --report i.json job.yaml")
    let isolated = String(decoding: try readFile(stage.path("i.json")), as: UTF8.self)
    #expect(isolated.contains("\"conforms\": true"))
  }

  @Test("Files of one book in mono and in stereo are told, before they are made")
  func channelFormats() throws {
    let stage = Stage()
    try stage.make("ffmpeg -v error -f lavfi -i sine -t 1 a.wav")
    try stage.write(
      "job.yaml",
      """
      defaults: { conform: acx }
      jobs:
        one: { clip: a.wav, output: { file: one.mp3, mp3: cbr 192k } }
        two: { clip: a.wav, output: { file: two.mp3, mp3: cbr 192k, channels: stereo } }
      """)
    #expect(
      try stage.run("avjob check job.yaml").errors.contains(
        """
        warning: 'two.mp3' is stereo, and 'one.mp3' is mono: acx takes one of them for all files of a set
        """))
  }
}
