import Glibc
import TestSupport
import Testing

@Suite("Levels are what the job says")
struct LevelTests {
  /// One second at 48 kHz of a constant for each channel, as 32-bit floats.
  private func constant(_ values: [Double], _ layout: String, at path: String) throws {
    let values = values.map { "\($0)" }.joined(separator: "|")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "aevalsrc=\(values):d=1:s=48000:c=\(layout)",
      "-c:a", "pcm_f32le", path)
  }

  /// The channels that a job makes, which writes `out.wav`.
  private func channels(
    of job: String, _ stage: Stage, errors: String = ""
  ) throws -> [[Float]] {
    let result = try stage.job(job + "\noutput: { file: out.wav, wav: 32 bit float }\n")
    #expect(result.status == 0 && result.errors == errors)
    let file = try WAVFile(stage.path("out.wav"))
    return (0..<file.channelCount).map { file.floats($0) }
  }

  /// How far a sound is from what it should be at its worst sample.
  private func error(_ samples: [Float], _ expected: (Double) -> Double) -> Double {
    samples.enumerated().map { abs(Double($1) - expected(Double($0))) }.max() ?? .infinity
  }

  @Test(
    "channels are matrixed with unity, the mean, and BS.775's −3 dB",
    arguments: [
      ("mono", [0.3], "stereo", [0.3, 0.3]),
      ("stereo", [0.5, -0.125], "mono", [0.1875]),
      ("stereo", [0.5, -0.125], "stereo", [0.5, -0.125]),
      (
        "5.1", [0.1, 0.2, 0.3, 0.4, 0.05, 0.06], "stereo",
        [0.1 + 0.5.squareRoot() * 0.35, 0.2 + 0.5.squareRoot() * 0.36]
      ),
      (
        "5.1", [0.1, 0.2, 0.3, 0.4, 0.05, 0.06], "mono",
        [(0.3 + 0.5.squareRoot() * 0.71) / 2]
      ),
      ("5.0", [0.1, 0.2, 0.3, 0.05, 0.06], "mono", [(0.3 + 0.5.squareRoot() * 0.71) / 2]),
      (
        "7.1", [0.1, 0.1, 0.1, 0.9, 0.1, 0.2, 0.1, 0.2], "stereo",
        [0.1 + 0.5.squareRoot() * 0.3, 0.1 + 0.5.squareRoot() * 0.5]
      ),
    ] as [(String, [Double], String, [Double])])
  func matrices(from: String, values: [Double], to: String, expected: [Double]) throws {
    let stage = Stage()
    try constant(values, from, at: stage.path("in.wav"))
    let found = try channels(of: "clip: in.wav\nchannels: \(to)", stage)
    #expect(found.count == expected.count)
    for (samples, value) in zip(found, expected) {
      #expect(samples.count == 48_000 && error(samples, { _ in value }) < 1e-6)
    }
  }

  @Test("the layout is the sources' own, stereo unless all are mono")
  func layouts() throws {
    let stage = Stage()
    try constant([0.25], "mono", at: stage.path("mono.wav"))
    try constant([0.5, 0.1], "stereo", at: stage.path("stereo.wav"))
    let mono = try channels(of: "concat: [mono.wav, mono.wav]", stage)
    #expect(mono.count == 1 && error(mono[0], { _ in 0.25 }) < 1e-6)
    let both = try channels(of: "concat: [mono.wav, stereo.wav]", stage)
    #expect(both.count == 2)
    #expect(error(both[0], { $0 < 48_000 ? 0.25 : 0.5 }) < 1e-6)
    #expect(error(both[1], { $0 < 48_000 ? 0.25 : 0.1 }) < 1e-6)
  }

  @Test(
    "gains are exact in decibels and per cent",
    arguments: [
      ("-6 dB", pow(10, -0.3)), ("+2 dB", pow(10, 0.1)), ("50 %", 0.5), ("-inf dB", 0),
      ("0 dB", 1), ("-120 dB", 1e-6),
    ] as [(String, Double)])
  func gains(text: String, factor: Double) throws {
    let stage = Stage()
    try constant([0.5], "mono", at: stage.path("in.wav"))
    let found = try channels(of: "clip: in.wav\ngain: \(text)", stage)
    #expect(error(found[0], { _ in 0.5 * factor }) < 1e-7)
  }

  @Test("fades follow their curve to the sample, and nothing else is touched")
  func fades() throws {
    let stage = Stage()
    try constant([0.5], "mono", at: stage.path("in.wav"))
    let linear = try channels(of: "clip: in.wav\nfade_in: 250ms\nfade_out: 500ms", stage)
    #expect(
      error(linear[0]) { n in
        0.5 * (n < 12_000 ? n / 12_000 : n < 24_000 ? 1 : 1 - (n - 24_000) / 24_000)
      } < 1e-6)
    let curved = try channels(
      of: """
        clip: in.wav
        fade_in: { duration: 250ms, curve: equal_power }
        fade_out: { duration: 500ms, curve: equal_power }
        """, stage)
    #expect(
      error(curved[0]) { n in
        0.5
          * (n < 12_000
            ? sin(n / 12_000 * .pi / 2)
            : n < 24_000 ? 1 : cos((n - 24_000) / 24_000 * .pi / 2))
      } < 1e-6)
  }

  @Test("a volume curve goes straight from point to point, and holds at both ends")
  func volumes() throws {
    let stage = Stage()
    try constant([0.5], "mono", at: stage.path("in.wav"))
    let found = try channels(
      of: "clip: in.wav\nvolume: { 250ms: 100 %, 500ms: 20 %, 750ms: 60 % }", stage)
    #expect(
      error(found[0]) { n in
        switch n {
        case ..<12_000: 0.5
        case ..<24_000: 0.5 - 0.4 * (n - 12_000) / 12_000
        case ..<36_000: 0.1 + 0.2 * (n - 24_000) / 12_000
        default: 0.3
        }
      } < 1e-6)
  }

  @Test("a cross-fade adds both ramps: equal in power unless told otherwise")
  func crossfades() throws {
    let stage = Stage()
    try constant([0.5], "mono", at: stage.path("a.wav"))
    try constant([0.25], "mono", at: stage.path("b.wav"))
    let power = try channels(of: "concat: [a.wav, b.wav]\ncrossfade: 250ms", stage)
    #expect(power[0].count == 84_000)
    #expect(
      error(power[0]) { n in
        let x = (n - 36_000) / 12_000 * .pi / 2
        return n < 36_000 ? 0.5 : n >= 48_000 ? 0.25 : 0.5 * cos(x) + 0.25 * sin(x)
      } < 1e-6)
    let linear = try channels(
      of: "concat: [a.wav, { clip: b.wav, crossfade: { duration: 250ms, curve: linear } }]", stage)
    #expect(
      error(linear[0]) { n in
        n < 36_000 ? 0.5 : n >= 48_000 ? 0.25 : 0.5 - 0.25 * (n - 36_000) / 12_000
      } < 1e-6)
  }

  @Test("tracks add up; what is over full scale is counted and said, and clamped in 16 bits")
  func tracks() throws {
    let stage = Stage()
    try constant([0.75], "mono", at: stage.path("a.wav"))
    let job = "tracks: { a: a.wav, b: { clip: a.wav ..500ms, gain: -6 dB } }"
    let found = try channels(
      of: job, stage,
      errors: """
        job.yaml:2:17: warning: 'out.wav': 24000 samples are over full scale; lower the gain
            2 | output: { file: out.wav, wav: 32 bit float }
              |                 ^~~~~~~

        """)
    #expect(error(found[0]) { $0 < 24_000 ? 0.75 + 0.75 * pow(10, -0.3) : 0.75 } < 1e-6)
    let clamped = try stage.job(job + "\noutput: { file: out.wav, wav: 16 bit }\n")
    #expect(clamped.status == 0)
    let file = try WAVFile(stage.path("out.wav"))
    #expect(file.slice(0..<24_000).enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? 0xFF : 0x7F) })
  }
}
