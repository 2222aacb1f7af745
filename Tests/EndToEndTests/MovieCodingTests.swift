import TestSupport
import Testing

/// Movies coded in ways that all pictures of a stream must have, or with more than pictures.
@Suite("Movies: what is encoded is coded as its source is")
struct MovieCodingTests {
  /// A movie of 60 pictures with a key picture each 30, and its sound.
  private func make(_ name: String, _ options: String) -> String {
    """
    ffmpeg -v error -f lavfi -i testsrc2=s=96x64:r=25:d=2.4 -f lavfi -i sine=d=2.4:r=48000 \\
      \(options) -g 30 -c:a aac \(name) 2> /dev/null

    """
  }

  /// A digest of each picture as FFmpeg decodes them with so many threads; what it says is among them.
  private func digests(
    _ name: String, threads: Int = 1, in stage: Stage
  ) throws -> [String] {
    try stage.make(
      """
      ffmpeg -v error -threads \(threads) -i \(name) -map 0:v -fps_mode passthrough -f framemd5 - 2>&1 \\
        | grep -v '^#' | sed 's/.*, *//'
      """
    ).text.split(separator: "\n").map(String.init)
  }

  @Test(
    "what is encoded around cuts of lossless H.264 is lossless, and stands under the source's profile",
    arguments: ["yuv420p", "yuv444p", "yuv420p10le", "yuv420p -bf 0"])
  func lossless(format: String) throws {
    let stage = Stage()
    try stage.make(make("whole.mp4", "-c:v libx264 -preset fast -qp 0 -pix_fmt \(format)"))
    let result = try stage.job("clip: whole.mp4 0.52s..2.08s\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    let whole = try digests("whole.mp4", in: stage)
    try #require(whole.count == 60)
    #expect(try digests("out.mp4", in: stage) == Array(whole[13..<52]))
    let tag = try stage.make(
      """
      ffprobe -v error -select_streams v -show_entries stream=codec_tag_string -of csv=p=0 out.mp4
      """
    ).text
    #expect(tag == "avc1\n")
  }

  @Test("sources that decoders would not follow from one way of coding to the other are not joined")
  func joins() throws {
    let stage = Stage()
    let ways = [
      ("lossy.mp4", "-c:v libx264 -preset fast -pix_fmt yuv420p"),
      ("lossless.mp4", "-c:v libx264 -preset fast -qp 0 -pix_fmt yuv420p"),
      ("plain.mp4", "-c:v mpeg4 -q:v 3"), ("matrices.mp4", "-c:v mpeg4 -q:v 3 -mpeg_quant 1"),
      ("parts.mp4", "-c:v mpeg4 -q:v 3 -data_partitioning 1"),
    ]
    try stage.make(ways.map { make($0.0, $0.1) }.joined())
    for (first, second, difference) in [
      ("lossy.mp4", "lossless.mp4", "that one of them is lossless"),
      ("lossless.mp4", "lossy.mp4", "that one of them is lossless"),
      ("plain.mp4", "matrices.mp4", "its matrices of quantization"),
      ("parts.mp4", "plain.mp4", "that the data of one of them are partitioned"),
    ] {
      try stage.write("job.yaml", "concat: [\(first), \(second)]\noutput: out.mp4\n")
      let result = try stage.run("avjob check job.yaml")
      #expect(result.status != 0)
      let words = "has a picture that differs from that of '\(first)' in \(difference): encode all"
      #expect(result.errors.contains("'\(second)': \(words)"), "\(result.errors)")
    }
  }

  @Test(
    "copied pictures of MPEG-4 are decoded right by several threads behind encoded ones",
    arguments: ["-data_partitioning 1", "-mpeg_quant 1", "-mpeg_quant 1 -bf 2", "-flags +qpel"])
  func threads(option: String) throws {
    let stage = Stage()
    try stage.make(make("whole.mp4", "-c:v mpeg4 -q:v 3 \(option)"))
    let result = try stage.job("clip: whole.mp4 0.52s..2.08s\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    let whole = Set(try digests("whole.mp4", in: stage))
    for threads in [1, 4] {
      let cut = try digests("out.mp4", threads: threads, in: stage)
      #expect(cut.count == 39)
      #expect(cut.count { whole.contains($0) } >= 19, "\(cut)")
    }
  }

  @Test("what no encoder makes is refused before a run, and cut at key pictures")
  func refused() throws {
    let stage = Stage()
    let matrix = (0..<64).map { "\(8 + $0 / 3)" }.joined(separator: ",")
    try stage.make(
      make("rgb.mp4", "-c:v libx264rgb -preset fast")
        + make("own.mp4", "-c:v mpeg4 -q:v 3 -mpeg_quant 1 -intra_matrix \(matrix)"))
    for (source, reason) in [
      ("rgb.mp4", "has pictures of gbrp, which libx264 does not encode"),
      ("own.mp4", "has a picture with matrices of quantization of its own"),
    ] {
      try stage.write("job.yaml", "clip: \(source) 0.52s..2.08s\noutput: out.mp4\n")
      for command in ["check", "run"] {
        let result = try stage.run("avjob \(command) job.yaml")
        #expect(result.status != 0)
        #expect(result.errors.contains("'\(source)': \(reason)"), "\(result.errors)")
      }
      let result = try stage.job(
        "clip: \(source) 1s..\nsnap: keyframe\noutput: { file: out.mp4, video: copy strict }\n")
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test("a mean rate of pictures that MPEG-4 cannot say does not keep it from being cut")
  func rate() throws {
    let stage = Stage()
    try stage.make(make("whole.mp4", "-c:v mpeg4 -q:v 3 -movflags empty_moov"))
    let rate = try stage.make(
      "ffprobe -v error -select_streams v -show_entries stream=avg_frame_rate -of csv=p=0 whole.mp4"
    ).text
    #expect(try #require(Int(rate.prefix { $0 != "/" })) > 65_535)
    let result = try stage.job("clip: whole.mp4 0.52s..2.08s\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    let whole = Set(try digests("whole.mp4", in: stage))
    // By that rate a picture lasts 40.7 ms: the key picture is shown at 1.221 s.
    let cut = try digests("out.mp4", in: stage)
    #expect(cut.count == 39 && cut.count { whole.contains($0) } == 21, "\(cut)")
  }

  @Test("pictures behind a gradual refresh are decoded from before it")
  func refresh() throws {
    let stage = Stage()
    try stage.make(make("whole.mp4", "-c:v libx264 -preset fast -intra-refresh 1 -pix_fmt yuv420p"))
    let result = try stage.job("clip: whole.mp4 0.52s..2.08s\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    let least = try stage.make(
      """
      ffmpeg -i out.mp4 -i whole.mp4 -lavfi '[1:v]trim=start_frame=13:end_frame=52,setpts=N/25/TB[b];
      [0:v]setpts=N/25/TB[a];[a][b]psnr' -f null - 2>&1 | grep -o 'min:[0-9.inf]*' | cut -d: -f2
      """
    ).text
    #expect(Double(least.replacing("\n", with: "")) ?? 0 > 38, "\(least)")
    #expect(try digests("out.mp4", in: stage).count == 39)
  }

  // MARK: - More than pictures

  /// How many pictures have data beside them, of each kind of which a word is in their name.
  private func beside(_ name: String, _ words: [String], in stage: Stage) throws -> [Int] {
    let text = try stage.make(
      "ffprobe -v error -select_streams v -show_frames -show_entries frame_side_data=side_data_type \(name)"
    ).text
    return words.map { text.split(separator: $0, omittingEmptySubsequences: false).count - 1 }
  }

  @Test("encoded pictures of HEVC have the light of HDR10, and a container says it of all")
  func light() throws {
    let stage = Stage()
    let display = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
    try stage.make(
      make(
        "whole.mkv",
        """
        -c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -x265-params 'log-level=none:keyint=30:\
        colorprim=9:transfer=16:colormatrix=9:master-display=\(display):max-cll=1000,400'
        """))
    let words = ["Mastering display", "Content light"]
    for (name, video, count) in [("cut.mp4", "copy", 39), ("all.mp4", "{ h265: crf 30 }", 39)] {
      let result = try stage.job(
        "clip: whole.mkv 0.52s..2.08s\noutput: { file: \(name), video: \(video) }\n")
      #expect(result.status == 0 && !result.errors.contains("left out"), "\(result.errors)")
      #expect(try beside(name, words, in: stage) == [count, count])
    }
    let atoms = String(decoding: try readFile(stage.path("all.mp4")), as: Unicode.ASCII.self)
    #expect(atoms.contains("mdcv") && atoms.contains("clli"))
    let values = "'red_x|green_y|min_lum|max_lum|max_content|max_average'"
    #expect(
      try stage.make(
        """
        for name in whole.mkv all.mp4; do
          ffprobe -v error -select_streams v -show_frames -read_intervals %+#1 $name | grep -E \(values) \\
            > $name.txt
        done
        cmp whole.mkv.txt all.mp4.txt && [[ -s all.mp4.txt ]]
        """
      ).status == 0)
  }

  @Test("captions stay with encoded pictures of H.264, and a note names what HEVC loses")
  func messages() throws {
    let stage = Stage()
    try stage.write(
      "put.py",
      #"""
      import re
      def put(source, target, begins, head, message):
          data, out, at = open(source, 'rb').read(), b'', 0
          for found in re.finditer(b'\0\0\1', data):
              if begins(data[found.end():found.end() + 4]):
                  unit = head + bytes([4, len(message)]) + message + b'\x80'
                  out, at = out + data[at:found.start()] + b'\0\0\1' + unit, found.start()
          open(target, 'wb').write(out + data[at:])
      put('plain.h264', 'said.h264', lambda unit: unit[0] & 31 in (1, 5) and unit[1] & 0x80,
          b'\x06', bytes.fromhex('b50031474139340341fffc9420ff'))
      put('plain.hevc', 'said.hevc', lambda unit: (unit[0] >> 1 & 63) < 32 and unit[2] & 0x80,
          b'\x4e\x01', bytes.fromhex('b5003c0001040101'))
      """#)
    try stage.make(
      """
      source="-f lavfi -i testsrc2=s=64x64:r=25:d=2"
      ffmpeg -v error $source -c:v libx264 -bf 0 -g 30 plain.h264
      ffmpeg -v error $source -c:v libx265 -x265-params bframes=0:keyint=30:log-level=none plain.hevc
      python3 put.py
      for codec in h264 hevc; do
        ffmpeg -v error -r 25 -i said.$codec -f lavfi -i sine=d=2:r=48000 -map 0:v -map 1:a -c:v copy \\
          -c:a aac $codec.mp4 2> /dev/null
      done
      """)
    let result = try stage.job("clip: h264.mp4 0.52s..1.8s\noutput: out.mp4\n")
    #expect(result.status == 0 && !result.errors.contains("left out"), "\(result.errors)")
    #expect(try beside("out.mp4", ["A53"], in: stage) == [32])

    for (clip, video, place) in [
      ("hevc.mp4 0.52s..1.8s", "copy", "the pictures that are encoded around cuts and in fades"),
      ("hevc.mp4", "{ h265: crf 30 }", "all pictures"), ("hevc.mp4", "copy", ""),
    ] {
      try stage.write(
        "job.yaml", "clip: \(clip)\noutput: { file: out.mp4, video: \(video) }\n")
      let result = try stage.run("avjob check job.yaml")
      let note = "note: 'out.mp4': HDR10+ of 'hevc.mp4' left out of \(place)"
      #expect(result.status == 0, "\(result.errors)")
      let isNoted = result.errors.contains(place.isEmpty ? "HDR10+" : note)
      #expect(isNoted == !place.isEmpty, "\(result.errors)")
    }
  }
}
