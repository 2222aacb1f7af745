import TestSupport
import Testing

/// Oddities of real videos, each of which was cut wrongly or refused once.
@Suite("Movies as programs wrote them")
struct MovieOddityTests {
  /// How like the pictures of a cut are to those of its source, in decibels at the worst; of what both
  /// have of a picture.
  private func likeness(
    _ cut: String, _ source: String, from start: Double, lasting duration: Double, in stage: Stage
  ) throws -> Double {
    let text = try stage.make(
      """
      ffmpeg -i \(cut) -ss \(start) -t \(duration) -i \(source) -lavfi \\
        '[0:v]crop=64:46:0:0,setpts=N/TB[a];[1:v]crop=64:46:0:0,setpts=N/TB[b];[a][b]psnr=shortest=1' \\
        -f null - 2>&1 | grep -o 'min:[0-9.inf]*' | cut -d: -f2
      """
    ).text
    return Double(text.replacing("\n", with: "")) ?? 0
  }

  /// GStreamer wrote such files: libavformat takes each picture for one with which decoding begins, and
  /// so makes an index, as it reads, by which it goes elsewhere than before.
  @Test("blocks that do not say that they refer to others are not taken for key pictures")
  func references() throws {
    let stage = Stage()
    try stage.write(
      "unrefer.py",
      """
      data = bytearray(open('whole.webm', 'rb').read())

      def number(at, keeps):
          length = 9 - data[at].bit_length()
          value = int.from_bytes(data[at:at + length], 'big')
          return value if keeps else value & (1 << 7 * length) - 1, at + length

      def walk(at, end):
          while at < end:
              start = at
              name, at = number(at, True)
              size, at = number(at, False)
              if name in (0x18538067, 0x1F43B675, 0xA0):  # Segment, Cluster, BlockGroup
                  walk(at, min(end, at + size))
              if name == 0xFB:  # ReferenceBlock becomes Void
                  data[start] = 0xEC
              at += size

      walk(0, len(data))
      open('unreferring.webm', 'wb').write(data)
      """)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:r=15:d=20 -c:v libvpx -g 60 simple.webm
      mkvmerge -q --engage no_simpleblocks -o whole.webm simple.webm
      python3 unrefer.py
      """)
    let result = try stage.job(
      "clip: unreferring.webm 8.2s..12s\noutput: { file: out.webm, opus: 64k }\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try stage.pictures(of: "out.webm").count == 57)
    #expect(try likeness("out.webm", "whole.webm", from: 8.2, lasting: 3.8, in: stage) > 30)
  }

  @Test("lines that a container leaves out of an H.264 picture are encoded with it")
  func fewerLines() throws {
    let stage = Stage()
    // The sample entry says 47 lines, the parameter set 48.
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=4 -f lavfi -i sine=d=4 -c:v libx264 -g 50 \\
        -pix_fmt yuv420p -c:a aac whole.mp4
      python3 - <<'END'
      data = bytearray(open('whole.mp4', 'rb').read())
      entry = data.index(b'avc1', data.index(b'stsd')) + 4
      assert data[entry + 26:entry + 28] == b'\\0\\x30'
      data[entry + 27] = 47
      open('fewer.mp4', 'wb').write(data)
      END
      """)
    let result = try stage.job("clip: fewer.mp4 0.5s..3s\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try likeness("out.mp4", "whole.mp4", from: 0.5, lasting: 2.5, in: stage) > 30)
  }

  /// Before core 151, x264 coded 4:4:4 otherwise than H.264 says; decoders know that from its message,
  /// which only a file's first picture has. Without the 8×8 transform both ways are the same.
  @Test(
    "x264's message of an old version is there where copying begins, and not where encoding does")
  func oldEncoder() throws {
    let stage = Stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=4 -f lavfi -i sine=d=4 -c:v libx264 -g 25 \\
        -pix_fmt yuv444p -x264-params 8x8dct=0:scenecut=0 -c:a aac new.mp4
      sed 's/x264 - core [0-9]*/x264 - core 142/' new.mp4 > old.mp4
      """)
    let result = try stage.job("clip: old.mp4 0.5s..3s\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    let versions = try stage.make(
      "grep -ao 'x264 - core [0-9]*' out.mp4 | sed 's/ 1[5-9][0-9]$/ new/'")
    #expect(versions.text == "x264 - core new\nx264 - core 142\n")
    let (all, cut) = (try stage.pictures(of: "old.mp4"), try stage.pictures(of: "out.mp4"))
    #expect(Array(cut[12...]) == Array(all[25..<75]))
  }

  @Test(
    "pictures of old codecs are copied into Matroska",
    arguments: [
      ("old.avi", "cinepak -pix_fmt rgb24", "pcm_s16le"), ("old.mov", "svq1", "pcm_s16le"),
      ("old.flv", "flashsv -pix_fmt bgr24", "libmp3lame"), ("old.avi", "wmv2", "libmp3lame"),
    ])
  func oldCodec(name: String, picture: String, sound: String) throws {
    let stage = Stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2:r=44100 \
        -c:v \(picture) -c:a \(sound) \(name)
      """)
    let result = try stage.job("clip: \(name)\ngain: -6 dB\noutput: out.mkv\n")
    #expect(result.status == 0, "\(result.errors)")
    let digests = try stage.make(
      """
      for file in \(name) out.mkv; do
        ffmpeg -v error -i $file -map 0:v -c copy -f streamhash -
      done
      """
    ).text.split(separator: "\n")
    #expect(digests.count == 2 && digests.first == digests.last, "\(digests)")
    #expect(try stage.pictures(of: name) == stage.pictures(of: "out.mkv"))
  }

  @Test("pictures of codecs that hold single pictures stay in MOV")
  func singlePictures() throws {
    let stage = Stage()
    for codec in ["v210", "r210", "v308", "v408", "v410", "hap", "magicyuv"] {
      try stage.make(
        "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v \(codec) "
          + "-c:a pcm_s16le \(codec).mov")
      for (range, file, count) in [("", "whole", 10), (" 80ms..240ms", "cut", 4)] {
        let result = try stage.job("clip: \(codec).mov\(range)\noutput: \(codec)-\(file).mov\n")
        #expect(result.status == 0, "\(codec): \(result.errors)")
        let all = try stage.pictures(of: "\(codec).mov")
        let copied = try stage.pictures(of: "\(codec)-\(file).mov")
        #expect(copied == Array(all[(range.isEmpty ? 0 : 2)...].prefix(count)), "\(codec)")
      }
    }
  }

  /// By FFmpeg, which marks no block of Dirac as a key: libavformat has no index of it. Six seconds are two
  /// clusters.
  @Test("ranges of a Matroska without an index of its pictures have all of them")
  func withoutIndex() throws {
    let stage = Stage()
    try stage.make(
      "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=6 -f lavfi -i sine=d=6 -c:v vc2 -pix_fmt yuv420p "
        + "-c:a flac dirac.mkv")
    // FFmpeg's decoder has another state behind pictures that are left out, so bytes are compared.
    func packets(of name: String) throws -> [Substring] {
      try stage.make(
        "ffmpeg -v error -i \(name) -map 0:v -c copy -f framemd5 - | grep -v '^#' | sed 's/.*, *//'"
      ).text.split(separator: "\n")
    }
    let all = try packets(of: "dirac.mkv")
    try #require(all.count == 150)
    for (range, pictures) in [("0.2s..0.48s", 5..<12), ("1s..6s", 25..<150), ("0s..0.2s", 0..<5)] {
      let result = try stage.job(
        "clip: dirac.mkv \(range)\noutput: { file: out.mkv, video: copy }\n")
      #expect(result.status == 0, "\(range): \(result.errors)")
      #expect(try packets(of: "out.mkv") == Array(all[pictures]), "\(range)")
      try stage.make("rm out.mkv")
    }
  }
}
