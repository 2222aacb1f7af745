import TestSupport
import Testing

/// Edits that undo one another, or do nothing, leave every sample as it was.
@Suite("Null tests")
struct NullTests {
  /// Runs a job file and gives what it wrote.
  private func render(
    _ yaml: String, on stage: Stage, as format: String = "32 bit float"
  ) throws -> WAVFile {
    let result = try stage.job(yaml + "\noutput: { file: out.wav, wav: \(format) }\n")
    #expect(result.status == 0 && result.errors == "", "\(yaml): \(result.errors)")
    return try WAVFile(stage.path("out.wav"))
  }

  /// Three seconds of music in several codecs, and noise.
  private func media() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -map 0:a -map_metadata -1 -t 3 -c:a pcm_s16le m.wav
      lame --quiet -V2 m.wav music.mp3
      ffmpeg -v error -i m.wav music.m4a
      ffmpeg -v error -i m.wav -c:a libvorbis music.ogg
      sox -R -r 44100 -n -c 2 -b 16 noise.wav synth 49999s whitenoise vol 0.4
      """)
    return stage
  }

  @Test(
    "a range that is cut, and inserted where it was, gives the file",
    arguments: ["music.mp3", "music.ogg", "music.m4a", "noise.wav"])
  func cutAndInsert(name: String) throws {
    let stage = try media()
    for rate in ["", "sample_rate: 48 kHz\n"] {
      let whole = try render("\(rate)clip: \(name)", on: stage)
      for (from, to) in [("0.53s", "0.91s"), ("start", "1/3s"), ("end-2/7s", "end")] {
        let edited = try render(
          """
          \(rate)clip: \(name)
          cut: ["\(from)..\(to)"]
          insert: [{ clip: \(name), from: \(from), to: \(to), at: \(from) }]
          """, on: stage)
        #expect(edited.sampleRate == whole.sampleRate)
        #expect(edited.data == whole.data, "\(name), \(from)..\(to), \(rate)")
      }
    }
  }

  @Test("cuts and insertions in a mix give the mix, also where they cross its items")
  func mixes() throws {
    let stage = try media()
    let mix = """
      tracks:
        a: [noise.wav ..1/3s, { clip: music.ogg 1s..2s, gain: -3 dB }]
        b: { clip: music.mp3 ..2s, at: 0.2s, gain: -6 dB, pan: { 0s: left, 2s: right } }
      """
    let edits = """
      cut: [0.2345s..1.5s]
      insert:
        - at: 0.2345s
          from: 0.2345s
          to: 1.5s
          tracks:
            a: [noise.wav ..1/3s, { clip: music.ogg 1s..2s, gain: -3 dB }]
            b: { clip: music.mp3 ..2s, at: 0.2s, gain: -6 dB, pan: { 0s: left, 2s: right } }
      """
    let whole = try render(mix, on: stage)
    #expect(try render("\(mix)\n\(edits)", on: stage).data == whole.data)
  }

  @Test(
    "a modifier that changes nothing is a copy, bit for bit",
    arguments: [
      "gain: 0 dB", "pan: centre", "pan: { 0s: 0 %, 1s: 0 % }", "speed: 1", "reverse: false",
      "loop: 1", "cut: []", "insert: []", "effects: []", "volume: { 0s: 0 dB, 1s: 100 % }",
      "polarity: normal", "mute: false",
    ])
  func nothing(modifier: String) throws {
    let stage = try media()
    let noise = try WAVFile(stage.path("noise.wav")).data
    #expect(try render("clip: noise.wav\n\(modifier)", on: stage, as: "16 bit").data == noise)
    #expect(
      try render("concat: [{ clip: noise.wav, \(modifier) }]", on: stage, as: "16 bit").data
        == noise)
  }

  @Test("rounds are the file again, without a sample between them, and the last may be cut")
  func rounds() throws {
    let stage = try media()
    let noise = try WAVFile(stage.path("noise.wav")).data
    let three = try render("clip: noise.wav\nloop: 3", on: stage, as: "16 bit")
    #expect(Array(three.data) == Array(noise) + noise + noise)
    let cut = try render(
      "tracks: { x: { silence: 2.5s }, y: { clip: noise.wav, loop: end } }\nsample_rate: 44.1 kHz",
      on: stage,
      as: "16 bit")
    #expect(cut.frameCount == 110_250)
    #expect(Array(cut.data) == Array(noise) + noise + noise.prefix(10_252 * 4))
  }

  @Test("backwards twice is the file, and once is the file from its end, as sox reverses it")
  func reverse() throws {
    let stage = try media()
    try stage.make("sox noise.wav reversed.wav reverse")
    let once = try render("clip: noise.wav\nreverse: true", on: stage, as: "16 bit")
    #expect(once.data == (try WAVFile(stage.path("reversed.wav")).data))
    let whole = try render("clip: music.mp3", on: stage)
    let twice = try render(
      "concat: [{ clip: music.mp3, reverse: true }]\nreverse: true", on: stage)
    #expect(twice.data == whole.data)
    // What is cut and put together is turned as one.
    let edited = try render(
      """
      concat: [{ clip: noise.wav, cut: [0.3s..0.5s], insert: [{ clip: noise.wav 0.3s..0.5s, at: 0.3s }] }]
      reverse: true
      """, on: stage, as: "16 bit")
    #expect(edited.data == once.data)
  }

  @Test("a sound and its inverted twin are silence, and so is what is muted")
  func silence() throws {
    let stage = try media()
    let yaml = "tracks: { x: music.ogg, y: { clip: music.ogg, polarity: inverted } }"
    let twins = try render(yaml, on: stage)
    #expect(twins.frameCount > 130_000)
    #expect(twins.floats(0).allSatisfy { $0 == 0 } && twins.floats(1).allSatisfy { $0 == 0 })
    let muted = try render("concat: [{ clip: noise.wav, mute: true }, noise.wav]", on: stage)
    #expect(muted.frameCount == 99_998 && muted.slice(0..<49_999).allSatisfy { $0 == 0 })
  }

  @Test("one channel is that channel, as sox picks it")
  func channels() throws {
    let stage = try media()
    try stage.make(
      """
      sox noise.wav left.wav remix 1
      sox noise.wav right.wav remix 2
      """)
    for (text, file) in [("left", "left"), ("channel 2", "right"), ("right", "right")] {
      let picked = try render("clip: noise.wav\nchannels: \(text)", on: stage, as: "16 bit")
      #expect(picked.channelCount == 1)
      #expect(picked.data == (try WAVFile(stage.path("\(file).wav")).data), "\(text)")
    }
  }

  @Test("one of 64 channels is that channel, and more are refused with a remedy")
  func manyChannels() throws {
    let stage = try media()
    try stage.make(
      """
      for count in 24 64 65; do
        sox -R -n -r 48000 -b 16 -c $count w$count.wav synth 400s noise vol 0.5
        sox w$count.wav nine$count.wav remix 9
      done
      """)
    for count in [24, 64] {
      let picked = try render("clip: w\(count).wav\nchannels: channel 9", on: stage, as: "16 bit")
      #expect(picked.data == (try WAVFile(stage.path("nine\(count).wav")).data), "\(count)")
    }
    let refused = try stage.job("clip: w65.wav\nchannels: channel 9\noutput: out.wav\n")
    #expect(refused.status != 0)
    #expect(
      refused.errors.contains(
        "error: 'w65.wav': has 65 channels, of which 64 at most are read; write a file of those that "
          + "are wanted, as by 'sox IN OUT remix 1 2'"), "\(refused.errors)")
  }

  @Test("half to one side is the documented constant power")
  func pan() throws {
    let stage = try media()
    let plain = try render("clip: noise.wav", on: stage)
    let panned = try render("clip: noise.wav\npan: -50 %", on: stage)
    // √2 · cos(π/8) and √2 · sin(π/8)
    let weights: [Float] = [1.306_562_96, 0.541_196_1]
    for (channel, weight) in weights.enumerated() {
      let pairs = zip(plain.floats(channel), panned.floats(channel))
      #expect(pairs.allSatisfy { abs($0 * weight - $1) < 1e-6 })
    }
  }
}
