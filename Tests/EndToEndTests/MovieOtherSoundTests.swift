import TestSupport
import Testing

/// Sounds of movies beside the first one have channels and a rate of their own.
@Suite("Movies: channels and rates of other sounds")
struct MovieOtherSoundTests {
  /// A film with a stereo sound, French in 5.1 and German in mono at 44.1 kHz: `wide.mkv`.
  private static let wide = """
    ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=2:r=25 \
      -f lavfi -i "aevalsrc=0.3*sin(700*t)|0.3*sin(900*t):d=2:s=48000" \
      -f lavfi -i "aevalsrc=0.1*sin(800*t)|0|0.1*random(0)|0|0|0.2*random(1):c=5.1:d=2:s=48000" \
      -f lavfi -i "aevalsrc=0.3*random(2):d=2:s=44100" \
      -map 0 -map 1 -map 2 -map 3 -c:v libx264 -g 25 -pix_fmt yuv420p -c:a flac -sample_fmt s32 \
      -metadata:s:a:1 language=fre -metadata:s:a:2 language=ger wide.mkv
    """

  @Test(
    "other sounds keep their channels and their rate, with a bit rate that fits them",
    arguments: ["wide.mkv 0.5s..1.5s", "wide.mkv"])
  func wide(clip: String) throws {
    let stage = Stage()
    try stage.share(Self.wide)
    let outputs = "[{ file: a.mp4, aac: 96k }, { file: a.mov, alac: 16 bit }, a.mkv, a.webm]"
    let video = "clip: \(clip)\noutput: \(outputs)\n".replacing(
      "a.webm", with: "{ file: a.webm, video: { vp9: crf 40 } }")
    let result = try stage.job(video)
    #expect(result.status == 0 && !result.errors.contains("mixed down"), "\(result.errors)")
    // Of a file that is played whole, Matroska gets a copy; Opus has one rate.
    let copied = clip == "wide.mkv" ? 44_100 : 48_000
    for (name, rate) in [
      ("a.mp4", 44_100), ("a.mov", 44_100), ("a.mkv", copied), ("a.webm", 48_000),
    ] {
      let forms = try stage.make(
        """
        ffprobe -v error -select_streams a -show_entries stream=sample_rate,channels -of csv=p=0 \(name)
        """)
      #expect(forms.text == "48000,2\n48000,6\n\(rate),1\n", "\(name): \(forms.text)")
      let times = try stage.make(
        """
        for n in 0 1 2; do
          ffmpeg -v error -i \(name) -map 0:a:$n -ar 48000 -ac 1 -f s16le - | wc -c
        done
        """)
      let lengths = times.text.split(separator: "\n").compactMap { Int($0) }
      // Packets of AAC are whole.
      let most = lengths.max() ?? 0
      #expect(lengths.count == 3 && lengths.allSatisfy { most - $0 < 5000 }, "\(name): \(lengths)")
    }
    let plan = try stage.run("avjob plan job.yaml")
    #expect(plan.text.contains("flac (fre) in 5.1, flac (ger) in mono encoded as"), "\(plan.text)")
    // Six channels at 96 kbps would be 16 kbps each.
    let size = try stage.make(
      "ffmpeg -v error -i a.mp4 -map 0:a:1 -c copy -f adts - | wc -c"
    ).text
    let seconds = clip == "wide.mkv" ? 2 : 1
    #expect((Int(size.dropLast()) ?? 0) > 20_000 * seconds, "\(size)")
  }

  @Test("other sounds of several channels are, channel by channel, those of the source")
  func channels() throws {
    let stage = Stage()
    try stage.share(Self.wide)
    let result = try stage.job(
      """
      clip: wide.mkv 0.5s..1.5s
      channels: mono
      output: { file: out.mkv, flac: 24 bit }

      """)
    #expect(result.status == 0, "\(result.errors)")
    func samples(_ file: String, _ filter: String) throws -> [Float] {
      try Tool.succeed(
        "ffmpeg", "-v", "error", "-i", stage.path(file), "-map", "0:a:1", "-af", filter, "-f",
        "f32le",
        "-"
      ).floats
    }
    let (found, expected) = (
      try samples("out.mkv", "anull"),
      try samples("wide.mkv", "atrim=start_sample=24000:end_sample=72000")
    )
    #expect(found.count == 6 * 48_000 && expected.count == found.count)
    #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test("other sounds whose channels a codec lacks are mixed down, and check, plan and run say so")
  func downmix() throws {
    let stage = Stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=1:r=25 -f lavfi -i sine=d=1:r=48000 \
        -f lavfi -i "aevalsrc=0.1|0.1|0.1|0.1|0.1:c=5.0:d=1:s=48000" -map 0 -map 1 -map 2 -c:v libx264 \
        -pix_fmt yuv420p -c:a flac -metadata:s:a:1 language=fre in.mkv
      """)
    try stage.write("job.yaml", "clip: in.mkv 0s..0.5s\noutput: out.mkv\n")
    for command in ["check", "plan", "run"] {
      let result = try stage.run("avjob \(command) job.yaml")
      #expect(result.status == 0, "\(result.errors)")
      #expect(
        result.errors.contains(
          "note: 'out.mkv': stream 2 (flac) of 'in.mkv', 5.0, is mixed down to stereo\n"),
        "\(result.errors)")
      #expect(result.errors.contains("help: Opus has no layout of 5.0"), "\(result.errors)")
    }
    let forms = try stage.make(
      "ffprobe -v error -select_streams a -show_entries stream=channels -of csv=p=0 out.mkv")
    #expect(forms.text == "1\n2\n")
  }
}
