import TestSupport
import Testing

/// Files as telephone systems have them, which have no header: their names say what they hold.
@Suite struct TelephoneTests {
  /// `talk.wav`: noise of 8 kHz, which no codec makes into something else without a trace; and
  /// `wide.wav` of 16 kHz.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      sox -R -n -r 8000 -c 1 -b 16 talk.wav synth 2 pinknoise vol 0.3
      sox -R -n -r 16000 -c 1 -b 16 wide.wav synth 2.0001875 pinknoise vol 0.3
      """)
    return stage
  }

  @Test(
    "what is written has the bytes of other programs, and reads back as theirs",
    arguments: [
      ("ulaw", "ffmpeg -v error -i talk.wav -f mulaw other.ulaw", "mulaw", 8000),
      ("alaw", "ffmpeg -v error -i talk.wav -f alaw other.alaw", "alaw", 8000),
      ("sln", "sox -D talk.wav -t s16 other.sln", "s16le", 8000),
      ("sln48", "sox -D -r 48000 talk.wav -t s16 other.sln48", "s16le", 48_000),
      ("gsm", "ffmpeg -v error -i talk.wav -c:a libgsm other.gsm", "gsm", 8000),
    ])
  func written(_ name: String, _ other: String, _ format: String, _ rate: Int) throws {
    let stage = try stage()
    if name == "sln48" {
      try stage.make("sox -R -n -r 48000 -c 1 -b 16 talk.wav synth 1 pinknoise")
    }
    try stage.make(other)
    let result = try stage.job("{ clip: talk.wav, output: own.\(name) }")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(try readFile(stage.path("own.\(name)")) == readFile(stage.path("other.\(name)")))
    // Read back, it is what FFmpeg decodes.
    let back = try stage.job("{ clip: own.\(name), output: { file: back.wav, wav: 16 bit } }")
    #expect(back.status == 0 && back.errors == "", "\(back.errors)")
    let rateOption = format == "gsm" ? "" : "-ar \(rate)"
    try stage.make(
      "ffmpeg -v error -f \(format) \(rateOption) -i own.\(name) -c:a pcm_s16le theirs.wav")
    #expect(try stage.sound(of: "back.wav") == stage.sound(of: "theirs.wav"))
    #expect(try stage.run("soxi -r back.wav; soxi -c back.wav").text == "\(rate)\n1\n")
  }

  @Test("G.722 is in its place, though its filters are 22 samples late")
  func g722() throws {
    let stage = try stage()
    let result = try stage.job("{ clip: wide.wav, output: own.g722 }")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    // An odd sample is made whole.
    #expect(try readFile(stage.path("own.g722")).count == 16_002)
    try stage.make("ffmpeg -v error -i own.g722 -c:a pcm_s16le theirs.wav")
    let (sound, own) = (try stage.sound(of: "wide.wav"), try stage.sound(of: "theirs.wav"))
    func likeness(_ lag: Int) -> Float {
      (1000..<20_000).reduce(0) { $0 + sound[$1] * own[$1 + lag] }
    }
    #expect((-30...30).max { likeness($0) < likeness($1) } == 0)
  }

  @Test("GSM in WAV is read by other programs, under its usual name as well")
  func gsmInWAV() throws {
    let stage = try stage()
    let result = try stage.job(
      "{ clip: talk.wav, output: [{ file: a.wav, wav: gsm }, b.wav49] }")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    try stage.make("ffmpeg -v error -i talk.wav -c:a libgsm_ms other.wav; mv b.wav49 b.wav")
    for name in ["a", "b"] {
      try stage.make("ffmpeg -v error -i \(name).wav -c:a pcm_s16le \(name)2.wav")
      try stage.make("ffmpeg -v error -y -i other.wav -c:a pcm_s16le theirs.wav")
      #expect(try stage.sound(of: "\(name)2.wav") == stage.sound(of: "theirs.wav"))
    }
  }

  @Test("GSM and G.722 are copied as a whole, and what is encoded again is named")
  func copiedWhole() throws {
    let stage = try stage()
    try stage.make(
      """
      sox talk.wav -e gsm g.wav; ffmpeg -v error -i talk.wav -c:a libgsm t.gsm
      ffmpeg -v error -i wide.wav t.g722; cp g.wav t.wav49
      /usr/bin/python3 - <<'END'
      import struct
      # Its sound ends within the last block.
      wave = bytearray(open('g.wav', 'rb').read())
      struct.pack_into('<I', wave, wave.index(b'fact') + 8, 15_900)
      open('short.wav', 'wb').write(wave)
      END
      """)
    for name in ["g.wav", "short.wav", "t.gsm", "t.g722", "t.wav49"] {
      let kind = name.contains("wav") ? "wav" : "raw"
      try stage.write(
        "same.yaml",
        """
        clip: \(name)
        output: [{ folder: same, codec: same }, { file: copy/\(name), \(kind): copy }]
        """)
      let result = try stage.run(
        "avjob run --quiet same.yaml && cmp \(name) same/\(name) && cmp \(name) copy/\(name)")
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
      let plan = try stage.make("avjob plan same.yaml").text
      #expect(plan.contains("copied, packets of \(name) from sample 0"), "\(plan)")
    }
    for (name, codec) in [("g.wav", "gsm_ms"), ("t.gsm", "gsm"), ("t.g722", "adpcm_g722")] {
      for edit in ["from: 0.2s", "gain: -1 dB"] {
        try stage.write(
          "same.yaml", "clip: \(name)\n\(edit)\noutput: { folder: other, codec: same }\n")
        for command in ["check", "run"] {
          let result = try stage.run("avjob \(command) same.yaml")
          #expect(result.status == 0)
          #expect(
            result.errors.contains(
              "note: 'other/\(name)' is encoded again, which loses some of the sound: packets of "
                + "\(codec) are copied where one whole file, unchanged, is the output"),
            "\(result.errors)")
        }
      }
    }
    let copied = try stage.run("avjob clip g.wav --from 0.2s -o o.wav --wav copy")
    #expect(copied.status == 2)
    #expect(
      copied.errors.contains(
        "finds nothing to copy: sound stored as gsm is copied as a whole file alone"),
      "\(copied.errors)")
  }

  @Test(
    "copies of G.711 have the bytes of their sources, those of the negative zero among them",
    arguments: ["ulaw", "wav", "au", "aiff", "mov"], ["mulaw", "alaw"])
  func bytes(_ kind: String, _ codec: String) throws {
    let stage = Stage()
    let isRaw = kind == "ulaw"
    let (source, channels) = (isRaw ? codec.replacing("m", with: "") : kind, isRaw ? 1 : 2)
    let name = isRaw && codec == "mulaw" ? "s.ulaw" : "s.\(source)"
    try stage.make(
      """
      /usr/bin/python3 - <<'END'
      import random
      random.seed(7)
      # Telephone systems have either zero as silence.
      codes = [0x7F, 0xFF] + list(range(256))
      data = bytes(random.choices(codes, k=60_000)) + b'\\x7f' * 20_000 + b'\\xff' * 20_000
      open('s.raw', 'wb').write(data)
      END
      ffmpeg -v error -f \(codec) -ar 8000 -ac \(channels) -i s.raw -c copy \
        -f \(isRaw ? codec : kind) \(name)
      """)
    let output = isRaw ? name.replacing("s.", with: "join.") : "join.wav"
    try stage.write(
      "job.yaml",
      """
      concat:
        - { clip: \(name), from: 1000 samples, to: 9001 samples }
        - { clip: \(name), from: 0 samples, to: 500 samples, gain: -3 dB }
        - { clip: \(name), from: 3 samples }
      output: [{ file: \(output), codec: same }, { file: copy/\(output), \(isRaw ? "raw" : "wav"): copy }]
      """)
    let run = try stage.run("avjob run --quiet job.yaml")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    let whole = try readFile(stage.path("s.raw"))
    for file in [output, "copy/\(output)"] {
      let options = isRaw ? "-f \(codec) -ar 8000" : ""
      try stage.make("ffmpeg -v error -y \(options) -i \(file) -c copy -f \(codec) join.raw")
      let join = try readFile(stage.path("join.raw"))
      #expect(join.count == channels * (8001 + 500 - 3) + whole.count)
      #expect(join.prefix(8001 * channels) == whole[1000 * channels..<9001 * channels])
      #expect(join.suffix(whole.count - 3 * channels) == whole[(3 * channels)...])
    }
  }

  @Test("a name that telephone systems read otherwise is refused")
  func broken() throws {
    let stage = try stage()
    var result = try stage.job("{ clip: talk.wav, output: { file: a.sln16, sample_rate: 8 kHz } }")
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "'.sln16' is read as 16 bit of one channel at 16000 Hz, whatever a file holds"),
      "\(result.errors)")
    result = try stage.job("{ clip: talk.wav, output: { file: a.ulaw, raw: a-law } }")
    #expect(result.status == 2)
    #expect(result.errors.contains("'.ulaw' is read as mu-law"), "\(result.errors)")
    result = try stage.job(
      "{ clip: talk.wav, output: { file: a.raw, raw: g722, channels: stereo } }")
    #expect(result.status == 2)
    #expect(result.errors.contains("g722 is one channel at 16000 Hz"), "\(result.errors)")
  }

  @Test("sound without a header is read as its job says", arguments: ["little", "big"])
  func said(_ order: String) throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -n -r 22050 -c 2 -b 24 talk.wav synth 1 pinknoise
      sox talk.wav -t s24 \(order == "big" ? "-B" : "-L") talk.raw
      head -c 100001 talk.raw > odd.raw
      """)
    let raw =
      "raw: { samples: 24 bit, sample_rate: 22.05 kHz, channels: stereo, byte_order: \(order) }"
    var result = try stage.job(
      "{ clip: talk.raw, \(raw), from: 0.1s, output: { file: a.wav, wav: 24 bit } }")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(
      try stage.sound(of: "a.wav") == Array(stage.sound(of: "talk.wav").dropFirst(2205)))
    // It is up to date as it was said to be, and as nothing else.
    result = try stage.job("{ clip: talk.raw, \(raw), output: { file: b.wav, wav: 24 bit } }")
    #expect(result.status == 0)
    result = try stage.job("{ clip: odd.raw, \(raw), output: b.wav }")
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "has 100001 bytes, which are no whole samples of 24 bit in 2 channels"),
      "\(result.errors)")
    result = try stage.job("{ clip: talk.raw, output: b.wav }")
    #expect(result.status == 1)
    #expect(
      result.errors.contains("say what it holds, as 'raw: { samples: 16 bit"), "\(result.errors)")
    result = try stage.job("{ clip: talk.wav, \(raw), output: b.wav }")
    #expect(result.status == 1)
    #expect(result.errors.contains("begins as a WAV"), "\(result.errors)")
  }
}
