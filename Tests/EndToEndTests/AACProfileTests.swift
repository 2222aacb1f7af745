import TestSupport
import Testing

/// Profiles of AAC that are not LC, as probes name them.
@Suite("Profiles of AAC")
struct AACProfileTests {
  private let stage = Stage()

  @Test(
    "are named by probe, for people and for programs",
    arguments: [("he-aac.m4a", "HE-AAC"), ("he-aac-v2.m4a", "HE-AAC v2")])
  func names(_ name: String, _ profile: String) throws {
    #expect(
      try stage.make("avjob probe $FIXTURES/\(name)").text
        .contains("sound     aac (\(profile)), 44.1 kHz stereo"))
    let json = try stage.make("avjob probe --json $FIXTURES/\(name) | tee probe.json").text
    #expect(json.contains("\"profile\": \"\(profile)\""))
    try stage.make("ffmpeg -v error -i $FIXTURES/\(name) -c:a aac lc.m4a")
    #expect(!(try stage.make("avjob probe --json lc.m4a").text.contains("\"profile\"")))
  }

  @Test("xHE-AAC is refused by its name where FFmpeg does not decode it")
  func unified() throws {
    let version = try stage.make("ffmpeg -version").text.dropFirst("ffmpeg version ".count)
    guard let major = Int(version.prefix { $0.isNumber }), major < 7 else { return }
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=d=1 -c:a aac a.m4a
      /usr/bin/python3 - <<'END'
      bytes = bytearray(open('a.m4a', 'rb').read())
      # The decoder's header: object type 42, by its escape (ISO 14496-3, 1.6.2.1).
      place = bytes.index(b'\\x05\\x80\\x80\\x80') + 5
      bytes[place:place + 2] = b'\\xf9\\x48'
      open('a.m4a', 'wb').write(bytes)
      END
      """)
    try stage.write("job.yaml", "clip: a.m4a\noutput: b.wav\n")
    for command in ["probe a.m4a", "check job.yaml", "run job.yaml"] {
      let refused = try stage.run("avjob \(command)")
      #expect(refused.status != 0)
      #expect(
        refused.errors.contains(
          "'a.m4a': is xHE-AAC (USAC, object type 42), which FFmpeg reads since"),
        "\(refused.errors)")
    }
    #expect(try stage.run("ls b.wav").status != 0)
  }
}
