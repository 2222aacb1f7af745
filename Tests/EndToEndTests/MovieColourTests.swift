import TestSupport
import Testing

/// Colours, turns and headers of movies: what other programs are told of pictures.
@Suite("Movies: colours, turns and headers")
struct MovieColourTests {
  /// A second of one colour, by a matrix and in a range, with a sound. Versions of ffmpeg differ in whether a
  /// picture or an option tells an encoder of colours.
  private func colour(
    _ name: String, _ matrix: String, _ tag: String, _ range: String,
    transfer: String = "unknown"
  ) -> String {
    """
    set="range=\(range):colorspace=\(tag):color_trc=\(transfer)"
    ffmpeg -v error -f lavfi -i "color=0xC03020:s=64x48:r=25:d=1,format=gbrp,\
    scale=out_color_matrix=\(matrix):out_range=\(range),format=yuv420p,setparams=$set" \
    -f lavfi -i anoisesrc=d=1:a=0.3:seed=7:r=48000 -c:v libx264 -qp 2 -colorspace \(tag) \
    -color_range \(range) -color_trc \(transfer) -c:a aac \(name).mp4

    """
  }

  @Test("sources of another matrix or range are converted into the first one's")
  func matrices() throws {
    let stage = Stage()
    try stage.make(
      colour("first", "bt709", "bt709", "tv") + colour("standard", "bt601", "smpte170m", "tv")
        + colour("full", "bt601", "smpte170m", "pc") + colour("wide", "bt2020", "bt2020nc", "tv"))
    let result = try stage.job(
      """
      concat: [first.mp4, standard.mp4, full.mp4, wide.mp4]
      output: { file: out.mp4, video: { h264: crf 4 } }

      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      try stage.make(
        "ffprobe -v error -select_streams v -show_entries stream=color_range,color_space -of csv=p=0 out.mp4"
      ).text == "tv,bt709\n")
    let size = 64 * 48 * 3 / 2
    let picture = try stage.make(
      "ffmpeg -v error -i out.mp4 -map 0:v -fps_mode passthrough -pix_fmt yuv420p -f rawvideo -"
    ).output
    try #require(picture.count == 100 * size)
    let numbers = (0..<100).map { number in
      [0, 64 * 48, 64 * 48 * 5 / 4].map { Int(picture[number * size + $0]) }
    }
    for number in numbers {
      #expect(zip(number, numbers[0]).allSatisfy { abs($0 - $1) <= 3 }, "\(number)")
    }
  }

  @Test("a source of another dynamic range is refused by name, and one of its own kind is not")
  func ranges() throws {
    let stage = Stage()
    try stage.make(
      colour("first", "bt709", "bt709", "tv")
        + colour("pq", "bt2020", "bt2020nc", "tv", transfer: "smpte2084"))
    let refused = try stage.job(
      "concat: [first.mp4, pq.mp4]\noutput: { file: out.mp4, video: { h264: crf 20 } }\n")
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains(
        "'pq.mp4': has a picture with HDR by PQ, and the first one has no HDR, between which tones are not "
          + "mapped; convert it first, as with FFmpeg's filters zscale and tonemap"),
      "\(refused.errors)")
    #expect(try stage.run("ls out.mp4 2> /dev/null").text == "")
    let result = try stage.job(
      "concat: [pq.mp4, pq.mp4]\noutput: { file: out.mp4, video: { h264: crf 20 } }\n")
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test(
    "a still is turned as its Exif says",
    arguments: [
      (1, "64,32", "left"), (3, "64,32", "right"), (6, "32,64", "top"), (7, "32,64", "bottom"),
    ])
  func stills(orientation: Int, size: String, side: String) throws {
    let stage = Stage()
    // Red on the left, blue on the right.
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i anoisesrc=d=2:a=0.3:seed=7:r=48000 talk.wav
      ffmpeg -v error -f lavfi -i color=red:s=32x32 -f lavfi -i color=blue:s=32x32 \\
        -filter_complex hstack -frames:v 1 plain.jpg
      { head -c 2 plain.jpg
        printf '\\377\\341\\000\\042Exif\\000\\000II*\\000\\010\\000\\000\\000\\001\\000\\022\\001\\003\\000\\001'
        printf '\\000\\000\\000\\00\(orientation)\\000\\000\\000\\000\\000\\000\\000'
        tail -c +3 plain.jpg; } > turned.jpg
      """)
    let result = try stage.job(
      "clip: talk.wav\noutput: { file: out.mp4, video: { image: turned.jpg } }\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      try stage.make(
        "ffprobe -v error -select_streams v -show_entries stream=width,height -of csv=p=0 out.mp4"
      ).text == size + "\n")
    let shape = ["left", "right"].contains(side) ? "2:1" : "1:2"
    let halves = try stage.make(
      "ffmpeg -v error -i out.mp4 -frames:v 1 -vf format=rgb24,scale=\(shape):flags=area -pix_fmt rgb24 -f rawvideo -"
    ).output
    try #require(halves.count == 6)
    #expect((halves[0] > halves[2]) == ["left", "top"].contains(side))
    #expect((halves[3] > halves[5]) == ["right", "bottom"].contains(side))
  }

  @Test(
    "encoded pictures whose sets stand in the stream have the shape of pixels that their source says",
    arguments: ["1", "4/3", "0"])
  func shape(ratio: String) throws {
    let stage = Stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=128x96:r=20:d=4 \\
        -f lavfi -i anoisesrc=d=4:a=0.3:seed=7:r=48000 -vf setsar=\(ratio) -pix_fmt yuv420p \\
        -c:a aac -c:v libx264 -preset ultrafast -g 20 -flags +ildct+ilme plain.mp4
      """)
    let result = try stage.job("clip: plain.mp4 1.3s..3.4s\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    func shapes(_ name: String) throws -> [Substring] {
      try stage.make(
        """
        ffmpeg -v info -i \(name) -map 0:v -c copy -bsf:v trace_headers -f null - 2>&1 \\
          | grep -o ' \\(aspect_ratio_info_present_flag\\|aspect_ratio_idc\\|sar_[a-z]*\\) .*' \\
          | paste -sd ' ' | tr -s ' ' | sed 's/ aspect_ratio_info/\\n&/g'
        """
      ).text.split(separator: "\n")
    }
    let (own, found) = (Set(try shapes("plain.mp4")), try shapes("out.mp4"))
    #expect(own.count == 1 && found.count > 3)
    #expect(Set(found) == own)
  }

  @Test(
    "HEVC that is cut has all of its parameter sets in its header, as Apple's players want it",
    arguments: [
      ("clip: plain.mp4 1.2s..3.3s", "hvc1", true), ("clip: plain.ts 1.2s..3.3s", "hvc1", true),
      ("clip: open.mp4 1.2s..3.3s", "hvc1", true),
      ("concat: [plain.mp4 1.2s..2.2s, plain.mp4 2.5s..3.6s]", "hvc1", true),
      // Sets that differ stand in the stream.
      ("concat: [plain.mp4 1.2s..2.2s, other.mp4 2.5s..3.6s]", "hev1", false),
    ])
  func hevc(items: String, entry: String, isAlone: Bool) throws {
    let stage = Stage()
    try stage.share(
      """
      make() { ffmpeg -v error -f lavfi -i testsrc2=s=128x96:r=20:d=4 \\
        -f lavfi -i anoisesrc=d=4:a=0.3:seed=7:r=48000 -pix_fmt yuv420p -c:a aac -c:v libx265 \\
        -preset ultrafast -x265-params log-level=none:keyint=20:$1 $2; }
      make open-gop=0 plain.mp4
      make open-gop=1:bframes=3 open.mp4
      make open-gop=0:max-tu-size=16 other.mp4
      ffmpeg -v error -i plain.mp4 -c:v copy -c:a mp2 plain.ts
      """)
    let result = try stage.job("\(items)\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    let facts = try stage.make(
      """
      ffprobe -v error -select_streams v -of csv=p=0 \\
        -show_entries stream=codec_tag_string,nb_frames out.mp4
      ffmpeg -v error -i out.mp4 -map 0:v -f null - 2>&1
      """)
    #expect(facts.text == "\(entry),42\n")
    let sets = try stage.make(
      "ffmpeg -v error -i out.mp4 -map 0:v -c copy -bsf:v filter_units=pass_types=32-34 -f data - | wc -c"
    )
    #expect((sets.text == "0\n") == isAlone)
  }
}
