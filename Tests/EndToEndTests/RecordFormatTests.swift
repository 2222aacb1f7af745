import TestSupport
import Testing

@Suite("avjob record, samples") struct RecordFormatTests {
  let microphone = Microphone()
  private var stage: Stage { microphone.stage }

  /// A card that records noise, as the first of `formats` that is opened has it.
  private func card(_ formats: String) throws -> (environment: [String: String], sound: [UInt8]) {
    let (_, sound) = try microphone.card(seconds: 1)
    let path = try SoundCard.configuration(
      [
        "card": """
        type avpaced file "\(stage.path("source"))" stall yes formats [ \(formats) ]
        rates [ 48000 ] channels [ 2 ] speed 10
        """
      ], in: stage.folder)
    return (["ALSA_CONFIG_PATH": path], sound)
  }

  @Test(
    "the device is asked for the file's samples first, and they are in the file bit for bit",
    arguments: [
      ("s16", "take.wav", "FLOAT_LE S32_LE S16_LE", "s16le"),
      ("s16", "take.flac", "FLOAT_LE S24_3LE S16_LE", "s16le"),
      ("s24", "take.wav", "FLOAT_LE S32_LE S24_3LE S16_LE", "s24le"),
    ])
  func exact(format: String, name: String, offered: String, samples: String) throws {
    let (environment, sound) = try card(offered)
    let done = try stage.run(
      "avjob record \(name) --device card --format \(format) --duration '0.5s'",
      environment: environment)
    #expect(!done.errors.contains("dithered"))
    let bytes = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", stage.path(name), "-f", samples, "-"
    ).output
    #expect(bytes == Array(sound.prefix(24_000 * (samples == "s16le" ? 4 : 6))))
  }

  @Test("samples of 32 bits hold 24 bits exactly, and 16 bits from a wider device are dithered")
  func wider() throws {
    let (environment, sound) = try card("S32_LE")
    let wide = try stage.run(
      "avjob record wide.wav --device card --format s24 --duration '0.5s'",
      environment: environment)
    #expect(wide.errors == "recording from 'card': 48 kHz stereo, as WAV 24 bit\n")
    let bytes = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", stage.path("wide.wav"), "-f", "s32le", "-"
    ).output
    // The nearest step of the upper 24 bits.
    let isNear = (0..<48_000).allSatisfy { index in
      func sample(_ bytes: [UInt8]) -> Int64 {
        Int64(
          Int32(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[index * 4 + $1]) << ($1 * 8) }))
      }
      return abs(sample(bytes) - sample(sound)) <= 256
    }
    #expect(isNear)
    let narrow = try stage.run(
      "avjob record narrow.wav --device card --format s16 --duration '0.5s'",
      environment: environment)
    #expect(narrow.errors == "recording from 'card': 48 kHz stereo, as WAV 16 bit, dithered\n")
  }

  @Test("--pre without a keyboard is refused, unless sound starts the recording")
  func preRoll() throws {
    let (environment, _) = try card("S16_LE")
    let refused = try stage.run(
      "avjob record take.wav --device card --pre 5s < /dev/null", environment: environment)
    #expect(
      refused.errors == """
        error: --pre awaits a key, and there is no keyboard
          help: run it on a terminal, or let --from-sound start the recording

        """)
    #expect(refused.status == 2)
    let done = try stage.run(
      "avjob record take.wav --device card --pre 1s --from-sound '-40 dB' --duration '0.1s'",
      environment: environment)
    #expect(done.status == 0)
  }

  @Test("space starts after the pre-roll, m sets markers, and both are shown")
  func keys() throws {
    let (environment, _) = try microphone.card("speed 5 loop yes", seconds: 1)
    let terminal = try microphone.start(
      "take.flac", "--device", "card", "--pre", "1s", environment: environment, columns: 100)
    try terminal.wait(for: "listening to 'card': 48 kHz stereo, as FLAC 16 bit; space records from")
    try terminal.wait(for: "listening  0:00.0")
    terminal.type(" ")
    // There is sound by now.
    try terminal.wait(for: "recording  0:01")
    terminal.type("m")
    try terminal.wait(for: "1 marker")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(terminal.transcript.contains("take.labels.txt  labels for Audacity"))
    let labels = String(decoding: try readFile(stage.path("take.labels.txt")), as: UTF8.self)
    #expect(labels.hasSuffix("\tmarker 1\n"))
    try Tool.succeed("flac", "-t", "-s", "-w", stage.path("take.flac"))
  }
}
