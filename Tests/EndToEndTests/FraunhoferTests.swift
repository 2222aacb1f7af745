import Glibc
import TestSupport
import Testing

/// Whether this machine has the library.
private let hasFDKAAC = dlopen("libfdk-aac.so.2", RTLD_NOW | RTLD_LOCAL) != nil

private let absence: Comment = "libfdk-aac is not installed: Debian has it in non-free"

/// AAC by libfdk-aac, as ffmpeg sees it.
@Suite("AAC by libfdk-aac")
struct FraunhoferTests {
  private let stage = Stage()

  @Test("is refused without the library before anything is written, with its package's name")
  func missing() throws {
    // A file that is no library stands before all others of its name.
    try stage.write("job.yaml", "clip: a.wav\noutput: { file: out/a.m4a, aac: fdk he 48k }\n")
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i sine=d=1 a.wav
      mkdir none; : >none/libfdk-aac.so.2
      """)
    for command in ["check", "run"] {
      let refused = try stage.run("LD_LIBRARY_PATH=$PWD/none avjob \(command) job.yaml")
      #expect(refused.status != 0)
      #expect(
        refused.errors.contains("'fdk' needs libfdk-aac.so.2, which is not installed"),
        "\(refused.errors)")
      #expect(refused.errors.contains("job.yaml:2:"))
      #expect(refused.errors.contains("fdk-aac") && refused.errors.contains("install"))
    }
    #expect(try stage.run("ls out").status != 0)
  }

  @Test(
    "has the sound's length, and each sample in its place",
    .enabled(if: hasFDKAAC, absence),
    arguments: [
      "128k", "vbr 4", "he 64k", "he vbr 3", "he-v2 32k", "he-v2 vbr 2",
    ],
    [2047, 2048, 44_100, 100_001])
  func place(_ settings: String, _ count: Int) throws {
    // A glide in the half of the frequencies that HE-AAC codes, the same in both channels.
    try stage.write("job.yaml", "clip: a.wav\noutput: { file: a.m4a, aac: fdk \(settings) }\n")
    let sound = try stage.make(
      """
      ffmpeg -v error -f lavfi -i \
        'aevalsrc=0.4*sin(2*PI*(300*t+900*t*t))|0.4*sin(2*PI*(300*t+900*t*t)):s=44100:d=3' \
        -af atrim=end_sample=\(count) a.wav
      avjob run --quiet job.yaml
      ffmpeg -v error -i a.wav -f f32le -
      """
    ).floats
    #expect(try stage.make("avjob probe a.m4a").text.contains("(\(count) samples)"))
    let decoded = try stage.make("ffmpeg -v error -i a.m4a -f f32le -ac 2 -").floats
    #expect(decoded.count >= 2 * count)
    guard count > 40_000 else { return }
    // Sound of the middle lies nowhere better than in its place.
    let window = 10_000..<count - 10_000
    let wanted = window.map { sound[2 * $0] }
    let best = (-40...40).max { one, other in
      alike(decoded, at: one, wanted, window) < alike(decoded, at: other, wanted, window)
    }
    // HE-AAC's filter bank delays by a fraction of a sample beside.
    #expect((-1...1).contains(best ?? .max))
    #expect(alike(decoded, at: best ?? 0, wanted, window) > 0.98)
  }

  private func alike(
    _ decoded: [Float], at shift: Int, _ wanted: [Float], _ window: Range<Int>
  ) -> Double {
    Signal.correlation(window.map { decoded[2 * ($0 + shift)] }, wanted)
  }

  @Test("of one channel stays one channel", .enabled(if: hasFDKAAC, absence))
  func mono() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=3 -ac 1 -ar 44100 a.wav")
    for settings in ["64k", "he 32k", "he vbr 1"] {
      try stage.write("job.yaml", "clip: a.wav\noutput: { file: a.m4a, aac: fdk \(settings) }\n")
      try stage.make("avjob run --quiet --force job.yaml")
      #expect(try stage.make("avjob probe a.m4a").text.contains("44.1 kHz mono"))
      let shown = try stage.make(
        "ffprobe -v error -show_entries stream=channels -of csv=p=0 a.m4a"
      ).text
      #expect(shown.hasPrefix("1"))
    }
  }

  @Test("is named by plan, probe and the file's header", .enabled(if: hasFDKAAC, absence))
  func names() throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=3 -ac 2 -ar 48000 a.wav")
    for (settings, plan, probe, profile) in [
      ("fdk 128k", "AAC 128 kbps by libfdk-aac", "aac, 48 kHz", "LC"),
      ("{ encoder: fdk, vbr: 4 }", "AAC VBR 4 by libfdk-aac", "aac, 48 kHz", "LC"),
      (
        "{ encoder: fdk, profile: he, bit_rate: 64k }", "HE-AAC 64 kbps by libfdk-aac",
        "aac (HE-AAC), 48 kHz", "HE-AAC"
      ),
      ("fdk he-v2 32k", "HE-AAC v2 32 kbps by libfdk-aac", "aac (HE-AAC v2), 48 kHz", "HE-AACv2"),
    ] {
      try stage.write("job.yaml", "clip: a.wav\noutput: { file: a.m4a, aac: \(settings) }\n")
      #expect(try stage.make("avjob plan job.yaml").text.contains(plan))
      let report = try stage.make("avjob run job.yaml --force").text
      #expect(report.contains(plan), "\(report)")
      let found = try stage.make("avjob probe a.m4a").text
      #expect(found.contains(probe), "\(found)")
      let shown = try stage.make(
        "ffprobe -v error -show_entries stream=profile -of csv=p=0 a.m4a"
      ).text
      #expect(shown.hasPrefix(profile), "\(shown)")
    }
  }

  @Test(
    "refuses what the library would change or does not have",
    .enabled(if: hasFDKAAC, absence),
    arguments: [
      ("aac: fdk he-v2 150k", "has no 150000 bits a second of HE-AAC v2"),
      ("aac: fdk he-v2 32k, channels: mono", "HE-AAC v2 is stereo, not mono"),
      ("aac: fdk he 32k, sample_rate: 8 kHz", "HE-AAC by libfdk-aac begins at 16000 Hz"),
      ("aac: fdk 300k, channels: 7.1", "libfdk-aac has no layout of 7.1"),
    ])
  func refusals(_ settings: String, _ message: String) throws {
    try stage.make("ffmpeg -v error -f lavfi -i sine=d=1 -ac 2 -ar 32000 a.wav")
    try stage.write("job.yaml", "clip: a.wav\noutput: { file: out/a.m4a, \(settings) }\n")
    let refused = try stage.run("avjob run job.yaml")
    #expect(refused.status == 2)
    #expect(refused.errors.contains(message), "\(refused.errors)")
    #expect(try stage.run("ls out").status != 0)
  }

  @Test(
    "with a variable bit rate has the same bytes on one core as on all",
    .enabled(if: hasFDKAAC, absence))
  func cores() throws {
    try stage.make("ffmpeg -v error -stream_loop 5 -i $FIXTURES/feelings.ogg -t 140 a.wav")
    try stage.write("job.yaml", "clip: a.wav\noutput: { file: a.m4a, aac: fdk vbr 3 }\n")
    let bytes = try stage.make(
      """
      avjob run --quiet job.yaml; md5sum < a.m4a; rm a.m4a
      taskset -c $(core) "$AVJOB" run --quiet job.yaml; md5sum < a.m4a
      """
    ).text.split(separator: "\n")
    #expect(bytes.count == 2 && bytes[0] == bytes[1], "\(bytes)")
  }
}
