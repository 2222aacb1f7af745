import TestSupport
import Testing

@Suite("MP3 as LAME's users ask for it")
struct MP3SettingsTests {
  /// The frames of PCM that ffmpeg, mpg123 and lame decode from an MP3.
  private func lengths(_ stage: Stage, _ name: String) throws -> [Int] {
    let channels = try stage.make(
      "ffprobe -v error -show_entries stream=channels -of csv=p=0 \(name)")
    let counts = try stage.make(
      """
      ffmpeg -v error -i \(name) -f s16le - | wc -c
      mpg123 -q -s \(name) | wc -c
      lame --quiet --decode -t \(name) - | wc -c
      """)
    #expect(counts.errors == "")
    let frameSize = 2 * (Int(channels.text.filter(\.isNumber)) ?? 0)
    return counts.text.split(separator: "\n").compactMap { Int($0) }.map { $0 / max(1, frameSize) }
  }

  @Test(
    "a memo of 8 kHz at 8 kbps is less than a tenth of its PCM, and as long",
    arguments: ["cbr 8k", "abr 8k"])
  func memo(setting: String) throws {
    let stage = Stage()
    let result = try stage.run(
      "avjob compress $FIXTURES/voice-8k.wav -o memo.mp3 --mp3 '\(setting)'")
    #expect(result.status == 0)
    #expect(try readFile(stage.path("memo.mp3")).count * 10 <= 242_214 * 2)
    #expect(try lengths(stage, "memo.mp3") == [242_214, 242_214, 242_214])
  }

  @Test("each name of LAME's works on sound of 44.1 kHz, at the rate that LAME gives it")
  func presets() throws {
    let stage = Stage()
    try stage.make("sox -n -r 44100 -c 2 -b 16 in.wav synth 2 pinknoise gain -6")
    let names = [
      "medium", "standard", "extreme", "insane", "phone", "phon+", "lw", "mw-eu", "sw", "mw-us",
      "voice", "fm", "radio", "tape", "hifi", "cd", "studio",
    ]
    let outputs = names.map { "{ file: our-\($0).mp3, mp3: \($0) }" }
    let result = try stage.job("clip: in.wav\noutput: [\(outputs.joined(separator: ", "))]")
    #expect(result.status == 0 && result.errors == "")
    for name in names {
      try stage.make("lame --quiet --preset \(name) in.wav lame-\(name).mp3")
      let facts = try ["our", "lame"].map { who in
        try stage.make(
          "ffprobe -v error -show_entries stream=sample_rate,channels -of csv=p=0 \(who)-\(name).mp3"
        ).text.split { !$0.isNumber }.compactMap { Int($0) }
      }
      #expect(facts[0] == facts[1] && facts[0].count == 2, "\(name)")
      let rate = facts[0][0]
      #expect(try lengths(stage, "our-\(name).mp3") == [2 * rate, 2 * rate, 2 * rate], "\(name)")
    }
  }

  @Test("a plan says what LAME is asked for, and at which rate")
  func plan() throws {
    let stage = Stage()
    try stage.make("sox -n -r 44100 -c 2 -b 16 in.wav synth 2 sine 440")
    try stage.write(
      "job.yaml",
      """
      jobs:
        small: { clip: in.wav, output: { file: small.mp3, mp3: { preset: phone, quality: 2 } } }
        low: { clip: in.wav, output: { file: low.mp3, mp3: abr 16k, sample_rate: 8 kHz } }
        all:
          clip: in.wav
          output:
            - file: all.mp3
              mp3: { vbr: 2, quality: 2, mode: simple, lowpass: 16 kHz, highpass: 500 Hz, min: 64k, max: 192k }
            - { file: rest.mp3, mp3: { cbr: 96k, mode: mono, lowpass: off } }
      """)
    let result = try stage.run("avjob plan job.yaml")
    #expect(
      result.text == """
        small: 0:02.000, mixed at 16 kHz mono
          timeline
            0:00.000 – 0:02.000  in.wav from 0:00.000, resampled from 44.1 kHz stereo
          outputs
            small.mp3  MP3 ABR 16 kbps (quality 2), 16 kHz mono
        low: 0:02.000, mixed at 8 kHz stereo
          timeline
            0:00.000 – 0:02.000  in.wav from 0:00.000, resampled from 44.1 kHz stereo
          outputs
            low.mp3  MP3 ABR 16 kbps, 8 kHz stereo
        all: 0:02.000, mixed at 44.1 kHz stereo
          timeline
            0:00.000 – 0:02.000  in.wav from 0:00.000
          outputs
            all.mp3  MP3 V2 (quality 2, the same as 0, simple stereo, lowpass 16 kHz, highpass 500 Hz, min 64 kbps, max 192 kbps), 44.1 kHz stereo
            rest.mp3  MP3 CBR 96 kbps (lowpass off), 44.1 kHz mono, converted from 44.1 kHz stereo

        """)
    #expect(result.status == 0)
    #expect(
      result.errors == """
        job.yaml:2:42: note: 'small.mp3' is mono: 'in.wav', stereo, is mixed down
            2 |   small: { clip: in.wav, output: { file: small.mp3, mp3: { preset: phone, quality: 2 } } }
              |                                          ^~~~~~~~~
          help: for all channels write 'channels: stereo'

        """)
    #expect(try stage.run("avjob run --quiet job.yaml").status == 0)
    for (name, count) in [
      ("small", 32_000), ("low", 16_000), ("all", 88_200), ("rest", 88_200),
    ] {
      #expect(try lengths(stage, name + ".mp3") == [count, count, count], "\(name)")
    }
  }

  @Test("a rate that is written and cannot be had is refused before anything is done")
  func refusals() throws {
    let stage = Stage()
    try stage.make("sox -n -r 44100 -c 1 -b 16 in.wav synth 0.2 sine 440")
    let result = try stage.run(
      "avjob compress in.wav -o out.mp3 --mp3 phone --sample-rate 44.1kHz")
    #expect(
      result.screen == """
        command line:1:60: error: ABR 16 kbps is not possible at 44100 Hz: from 32 to 310 kbps are; \
        it is possible at 8000, 11025, 12000, 16000, 22050 and 24000 Hz
            1 | avjob compress in.wav -o out.mp3 --mp3 phone --sample-rate 44.1kHz
              |                                                            ^~~~~~~

        """)
    #expect(result.status == 2)
    let high = try stage.run(
      "avjob compress $FIXTURES/voice-8k.wav -o out.mp3 --mp3 'cbr 320k' 2>&1 | head -1 ; ls out.mp3"
    )
    #expect(
      high.text.hasSuffix(
        "error: CBR 320 kbps is not possible at 8000 Hz: 8, 16, 24, 32, 40, 48, 56 and 64 kbps are; "
          + "it is possible at 32000, 44100 and 48000 Hz\n"))
  }
}
