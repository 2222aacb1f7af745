import TestSupport
import Testing

/// A tone of 1 kHz at −20 dBFS.
private let sine = "0.1*sin(2*PI*1000*t)"

@Suite("Measured media") struct LoudnessTests {
  /// Makes a WAV of floats by an expression of ffmpeg's `aevalsrc`.
  private func made(
    _ expression: String, seconds: String, rate: Int = 48_000, layout: String = "stereo"
  ) throws -> Stage {
    let stage = Stage()
    try stage.make(
      "ffmpeg -v error -f lavfi -i \"aevalsrc=exprs=\(expression):s=\(rate):c=\(layout)\" "
        + "-t \(seconds) -c:a pcm_f32le a.wav")
    return stage
  }

  private func figures(_ stage: Stage) throws -> String {
    let text = try stage.make("avjob probe --loudness a.wav").text
    return text.split(separator: "\n").filter { line in
      ["loudness", "loudest", "peak", "RMS"].contains { line.hasPrefix("  " + $0 + " ") }
    }
    .joined(separator: "\n")
  }

  @Test("a tone has its figures")
  func tone() throws {
    let stage = try made("\(sine)|\(sine)", seconds: "20")
    #expect(
      try stage.make("avjob probe --loudness a.wav").text == """
        a.wav
          sound     pcm_f32le, 48 kHz stereo, 3072 kbps
          stream    0 of wav
          duration  0:20.000 (960000 samples)
          loudness  -20.0 LUFS, range 0.0 LU
          loudest   momentary -20.0 LUFS, short-term -20.0 LUFS
          peak      true -20.0 dBTP, sample -20.0 dBFS
          RMS       -23.0 dBFS, noise floor -23.0 dBFS

        """)
  }

  @Test("mono has its loudness from two loudspeakers beside its own")
  func mono() throws {
    let stage = try made(sine, seconds: "5", layout: "mono")
    #expect(
      try figures(stage) == """
          loudness  -23.0 LUFS (-20.0 LUFS as dual mono), range 0.0 LU
          loudest   momentary -23.0 LUFS, short-term -23.0 LUFS
          peak      true -20.0 dBTP, sample -20.0 dBFS
          RMS       -23.0 dBFS, noise floor -23.0 dBFS
        """)
    let json = try stage.make("avjob probe --loudness --json a.wav").text
    try JSONSchema.validate(json, as: "probe")
    for member in [
      "\"integrated_lufs\": -2", "\"dual_mono_lufs\": -", "\"range_lu\": 0,",
      "\"sample_peak_dbfs\": -20,",
    ] {
      #expect(json.contains(member), "\(member) in \(json)")
    }
  }

  @Test(
    "odd sounds have clear figures",
    arguments: [
      (
        "0|0", "3", "none, range 0.0 LU", "momentary none, short-term none",
        "true none, sample none", "none, noise floor none"
      ),
      (
        "\(sine)|\(sine)", "0.3", "-20.0 LUFS, range 0.0 LU", "momentary none, short-term none",
        "true -20.0 dBTP, sample -20.0 dBFS", "-23.0 dBFS, noise floor -23.0 dBFS"
      ),
      (
        "if(eq(n\\,30000)\\,1\\,0)|0", "2", "-39.7 LUFS, range 0.0 LU",
        "momentary -39.7 LUFS, short-term none", "true 0.0 dBTP, sample 0.0 dBFS",
        "-52.8 dBFS, noise floor none"
      ),
    ] as [(String, String, String, String, String, String)])
  func odd(
    expression: String, seconds: String, loudness: String, loudest: String, peak: String,
    rms: String
  ) throws {
    let stage = try made(expression, seconds: seconds)
    #expect(
      try figures(stage) == """
          loudness  \(loudness)
          loudest   \(loudest)
          peak      \(peak)
          RMS       \(rms)
        """)
    try JSONSchema.validate(
      try stage.make("avjob probe --loudness --json a.wav").text, as: "probe")
  }

  @Test("a constant has powers, and a loudness only where it begins")
  func constant() throws {
    let text = try figures(try made("0.5|0.5", seconds: "12"))
    #expect(text.contains("RMS       -6.0 dBFS, noise floor -6.0 dBFS"))
    #expect(text.contains("sample -6.0 dBFS"))
  }

  @Test("full-scale squares have true peaks over full scale")
  func squares() throws {
    let square = "if(lt(mod(n\\,48)\\,24)\\,1\\,-1)"
    let text = try figures(try made("\(square)|\(square)", seconds: "4"))
    #expect(text.contains("sample 0.0 dBFS"))
    #expect(text.contains("RMS       0.0 dBFS, noise floor 0.0 dBFS"))
    #expect(!text.contains("true 0.0 dBTP") && !text.contains("true -"))
  }

  @Test("5.1 and 7.1 are measured by their channels' places")
  func surround() throws {
    let all = Array(repeating: sine, count: 8)
    // Each channel alone is -23.01 LUFS; 3 in front and 2 at 1.41 are 5.82 of it, and 2 more 7.82.
    let six = try figures(
      try made(all.prefix(6).joined(separator: "|"), seconds: "4", layout: "5.1"))
    #expect(six.contains("loudness  -15.4 LUFS"))
    let eight = try figures(try made(all.joined(separator: "|"), seconds: "4", layout: "7.1"))
    #expect(eight.contains("loudness  -14.1 LUFS"))
  }

  @Test("a file of NaN is refused by name, its facts and other files are printed")
  func notANumber() throws {
    let stage = try made("0.1|0.1", seconds: "1")
    try stage.make("cp a.wav b.wav")
    // NaN in place of a sample in the middle.
    try stage.make(
      """
      printf '\\x00\\x00\\xc0\\x7f' \
        | dd of=b.wav bs=1 seek=$(($(stat -c %s b.wav) - 80000)) conv=notrunc status=none
      """)
    let result = try stage.run("avjob probe --loudness b.wav a.wav")
    #expect(result.status == 1)
    #expect(
      result.errors
        == "error: 'b.wav': holds samples that are no numbers (NaN or infinity)\n")
    #expect(result.text.hasPrefix("b.wav\n  sound     pcm_f32le"))
    #expect(result.text.split(separator: "\n").count { $0.hasPrefix("  loudness") } == 1)
    let json = try stage.run("avjob probe --json --loudness b.wav a.wav").text
    try JSONSchema.validate(json, as: "probe")
  }

  @Test("a measurement is remembered where jobs run, and nowhere else")
  func remembering() throws {
    let stage = try made("\(sine)|\(sine)", seconds: "5")
    let first = try figures(stage)
    #expect(try stage.run("ls -d .avjob").status != 0)
    try stage.make("mkdir .avjob")
    #expect(try figures(stage) == first)
    let kept = try stage.make("cat .avjob/analyses").text
    #expect(kept.hasPrefix("avjob analyses 1\n") && kept.split(separator: "\n").count == 2)
    #expect(kept.contains("\"truePeak\":"))
    // Another peak in what is kept, with its checksum: it is told, so nothing was measured.
    let told = try stage.make(
      """
      python3 - <<'END'
      import hashlib, re
      head, line = open('.avjob/analyses').read().splitlines()
      text = re.sub('"truePeak":[-0-9.]*', '"truePeak":-7.5', line[34:])
      sum = hashlib.sha256(text.encode()).hexdigest()[:16]
      open('.avjob/analyses', 'w').write(f'{head}\\n{sum}{line[16:34]}{text}\\n')
      END
      avjob probe --loudness a.wav
      """
    ).text
    #expect(told.contains("true -7.5 dBTP"))
    // The same file at another place is the same; another file is not.
    try stage.make("mv a.wav c.wav && cp c.wav a.wav")
    #expect(try stage.make("avjob probe --loudness c.wav").text.contains("true -7.5 dBTP"))
    #expect(try figures(stage) == first)
  }
}
