import TestSupport
import Testing

/// Movies of interlaced pictures: each has two fields, of two moments.
@Suite("Movies: interlaced pictures")
struct MovieFieldTests {
  /// Movies of four seconds with 25 pictures a second, of which each has two moments of something that
  /// moves. `mixed.mkv` says of its second 20 pictures, and of each later 40, that they are whole.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      make() {
        order=$1; shift
        ffmpeg -v error -f lavfi -i testsrc2=s=320x288:r=50:d=4 -f lavfi -i anoisesrc=d=4:a=0.3:seed=7:r=48000 \\
          -vf tinterlace=interleave_$order,format=yuv420p "$@"
      }
      h264="-c:v libx264 -preset superfast -g 25 -bf 2 -flags +ilme+ildct"
      mpeg2="-c:v mpeg2video -g 15 -bf 2 -q:v 3 -flags +ilme+ildct"
      make top $h264 -c:a aac top.mp4
      make bottom $h264 -c:a mp2 bottom.ts
      make top $mpeg2 -c:a mp2 top.ts
      make bottom $mpeg2 -c:a flac bottom.mkv
      make top -c:v mpeg4 -g 25 -bf 2 -q:v 3 -flags +ilme+ildct -c:a flac asp.mkv
      python3 - << 'END'
      data = bytearray(open('bottom.mkv', 'rb').read())
      at, count = 0, 0
      while (at := data.find(b'\\0\\0\\1\\xb5', at) + 4) > 3:
        if data[at] >> 4 == 8:  # picture coding extension (ISO/IEC 13818-2, 6.2.3.1)
          if count // 20 % 2: data[at + 4] |= 0x80
          count += 1
      open('mixed.mkv', 'wb').write(data)
      END
      """)
    return stage
  }

  /// A line for each picture that is shown: whether it is interlaced, and whether its upper field is first.
  private func fields(_ name: String, in stage: Stage) throws -> [Substring] {
    try stage.make(
      """
      ffprobe -v error -select_streams v -show_entries frame=interlaced_frame,top_field_first \\
        -of csv=p=0 \(name) | grep -o '[01],[01]'
      """
    ).text.split(separator: "\n")
  }

  /// How like each other the pictures of two movies are, in decibels at the worst.
  private func likeness(_ options: String, in stage: Stage) throws -> Double {
    let text = try stage.make(
      "ffmpeg \(options) -f null - 2>&1 | grep -o 'min:[0-9.inf]*' | cut -d: -f2"
    ).text
    return Double(text.replacing("\n", with: "")) ?? 0
  }

  @Test(
    "what is encoded of interlaced pictures around cuts is interlaced in the source's order of fields",
    arguments: ["top.mp4", "bottom.ts", "top.ts", "bottom.mkv", "asp.mkv", "mixed.mkv"])
  func cuts(source: String) throws {
    let stage = try stage()
    let kind = source.hasSuffix(".mkv") ? "mkv" : "mp4"
    // It begins and ends in the middle of groups, and holds a whole one.
    let result = try stage.job("clip: \(source) 360ms..3.16s\noutput: out.\(kind)\n")
    #expect(result.status == 0, "\(result.errors)")
    let (all, cut) = (try fields(source, in: stage), try fields("out.\(kind)", in: stage))
    #expect(Set(all).count == (source == "mixed.mkv" ? 2 : 1) && all.allSatisfy { $0 != "0,1" })
    let first = (0...30).first { Array(all.dropFirst($0).prefix(cut.count)) == cut }
    #expect(cut.count == 70 && first != nil, "\(cut)")
    let psnr = try likeness(
      """
      -i out.\(kind) -i \(source) -lavfi \\
        "[0:v]setpts=N/TB[a];[1:v]trim=start_frame=9:end_frame=79,setpts=N/TB[b];[a][b]psnr=shortest=1"
      """, in: stage)
    #expect(psnr > 38, "\(psnr)")
  }

  @Test(
    "what is encoded throughout has whole pictures, one of each two fields",
    arguments: ["top.mp4", "mixed.mkv"])
  func whole(source: String) throws {
    let stage = try stage()
    let result = try stage.job(
      "clip: \(source) 400ms..2s\noutput: { file: out.mp4, video: { h264: crf 8 } }\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try fields("out.mp4", in: stage) == Array(repeating: "0,0", count: 40))
    // Of the first and the last one, the source has pictures on both sides.
    let others =
      "[0:v]trim=start_frame=1:end_frame=39,setpts=N/TB[a];"
      + "[1:v]bwdif=send_frame:auto:interlaced,trim=start_frame=11:end_frame=49"
    let psnr = try likeness(
      "-i out.mp4 -i \(source) -lavfi '\(others),setpts=N/TB[b];[a][b]psnr=shortest=1'", in: stage)
    #expect(psnr > 38, "\(psnr)")
  }

  @Test(
    "fields that are pictures of their own are copied, and refused by name where one would be encoded"
  )
  func separateFields() throws {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=320x288:r=50:d=2 -f lavfi -i anoisesrc=d=2:a=0.3:seed=7:r=48000 \\
        -vf tinterlace=interleave_top,format=yuv420p,separatefields -c:a aac -c:v libx265 \\
        -preset ultrafast -x265-params keyint=20:min-keyint=20:open-gop=0:bframes=0:interlace=1:log-level=none \\
        fields.mp4
      """)
    let copied = try stage.job("clip: fields.mp4 400ms..\noutput: copied.mp4\n")
    #expect(copied.status == 0, "\(copied.errors)")
    for (video, range, remedy) in [
      ("copy", "300ms..1.5s", "cut at key pictures"), ("{ h264: crf 30 }", "", "copy it"),
    ] {
      let result = try stage.job(
        "clip: fields.mp4 \(range)\noutput: { file: out.mp4, video: \(video) }\n")
      #expect(result.status == 1)
      #expect(
        result.errors.contains(
          "'fields.mp4': has a picture that is coded in fields, each of them by itself, which is not "
            + "encoded in HEVC; \(remedy)"), "\(result.errors)")
      #expect(try stage.run("ls out.mp4 2> /dev/null").text == "")
    }
  }
}
