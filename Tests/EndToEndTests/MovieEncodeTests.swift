import TestSupport
import Testing

/// Movies whose picture is encoded throughout, or is not to be encoded at all.
@Suite("Movies: encoded pictures")
struct MovieEncodeTests {
  /// `wide.mp4` has 64x48 pixels, 25 pictures a second and a key picture each second, `turned.mp4` is the
  /// same turned by 90°, `tall.mkv` has 40x80 pixels of MPEG-4 at 30000/1001.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      sound="-f lavfi -i anoisesrc=d=4:a=0.3:seed=7:r=48000"
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=4:r=25 $sound -c:v libx264 -g 25 -bf 0 \\
        -x264-params scenecut=0 -pix_fmt yuv420p -c:a aac wide.mp4
      cp wide.mp4 turned.mp4
      turn turned.mp4
      ffmpeg -v error -f lavfi -i testsrc=s=40x80:d=4:r=30000/1001 $sound -c:v mpeg4 -c:a flac tall.mkv
      """)
    return stage
  }

  private func facts(_ name: String, in stage: Stage) throws -> String {
    try stage.make(
      """
      ffprobe -v error -select_streams v -of csv=p=0 \\
        -show_entries stream=codec_name,codec_tag_string,width,height,pix_fmt,nb_frames \(name)
      ffmpeg -v error -i \(name) -f null -
      """
    ).text
  }

  @Test(
    "a picture is encoded as asked, with all its pictures and at its times",
    arguments: [
      ("wide.mp4", "{ h264: crf 18 }", "h264,avc1,64,48,yuv420p,75\n"),
      ("wide.mp4", "{ h265: crf 30, preset: ultrafast }", "hevc,hvc1,64,48,yuv420p,75\n"),
      ("wide.mp4", "{ vp9: crf 40 }", "vp9,vp09,64,48,yuv420p,75\n"),
      ("wide.mp4", "{ size: 128x96 }", "h264,avc1,128,96,yuv420p,75\n"),
      ("wide.mp4", "{ frame_rate: 10 }", "h264,avc1,64,48,yuv420p,30\n"),
      ("wide.mp4", "{ frame_rate: 50 }", "h264,avc1,64,48,yuv420p,150\n"),
      ("turned.mp4", "{ h264: crf 18 }", "h264,avc1,48,64,yuv420p,75\n"),
      ("tall.mkv", "{ h264: crf 18, frame_rate: 29.97 }", "h264,avc1,40,80,yuv420p,90\n"),
    ])
  func encoded(source: String, video: String, expected: String) throws {
    let stage = try stage()
    let result = try stage.job(
      "clip: \(source) 500ms..3.5s\noutput: { file: out.mp4, video: \(video) }\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try facts("out.mp4", in: stage) == expected)
  }

  @Test(
    "pictures last equally long up to the end, also where another is decoded behind the one shown last",
    arguments: ["wide.mp4 ..1s", "wide.mp4 1s..3s", "wide.mp4"])
  func durations(clip: String) throws {
    let stage = try stage()
    let result = try stage.job(
      "clip: \(clip)\noutput: { file: out.mp4, video: { size: 32x24 } }\n")
    #expect(result.status == 0, "\(result.errors)")
    let rate = try stage.make(
      "ffprobe -v error -select_streams v -show_entries stream=avg_frame_rate -of csv=p=0 out.mp4")
    #expect(rate.text == "25/1\n")
  }

  @Test("a source that changes its coding midway is refused, and is encoded as the refusal says")
  func changing() throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -i wide.mp4 -c:v libx264 -profile:v baseline -g 25 -c:a copy plain.mp4
      printf "file wide.mp4\nfile plain.mp4\n" > parts
      ffmpeg -v error -f concat -i parts -c:v copy -c:a mp2 changing.ts
      """)
    let copied = try stage.job("clip: changing.ts 1s..7s\noutput: out.mp4\n")
    #expect(copied.status == 1)
    #expect(
      copied.errors.contains(
        "'changing.ts': changes the coding of its picture midway, at 0:04.0"), "\(copied.errors)")
    #expect(copied.errors.contains("; encode all of it, as 'video: { h264: crf 20 }'"))
    let encoded = try stage.job(
      "clip: changing.ts 1s..7s\noutput: { file: out.mp4, video: { h264: crf 20 } }\n")
    #expect(encoded.status == 0, "\(encoded.errors)")
    #expect(try facts("out.mp4", in: stage) == "h264,avc1,64,48,yuv420p,150\n")
  }

  @Test("pixels are square, so that every player shows a picture in its shape")
  func square() throws {
    let stage = try stage()
    try stage.make("ffmpeg -v error -i wide.mp4 -c:v libx264 -aspect 8:3 -c:a copy broad.mp4")
    let result = try stage.job(
      "clip: broad.mp4\noutput: { file: out.mp4, video: { h264: crf 20 } }\n")
    #expect(result.status == 0, "\(result.errors)")
    let shape = try stage.make(
      "ffprobe -v error -select_streams v -show_entries stream=width,height,sample_aspect_ratio -of csv=p=0 out.mp4"
    )
    #expect(shape.text == "128,48,1:1\n")
  }

  @Test("sources that differ are conformed: between bars, or cut")
  func conformed() throws {
    let stage = try stage()
    let luma = { (name: String) in
      try stage.make(
        "ffmpeg -v error -ss 2.5 -i \(name) -frames:v 1 -pix_fmt gray -f rawvideo -"
      ).output
    }
    for (fit, isBar) in [("contain", true), ("cover", false)] {
      let result = try stage.job(
        """
        concat: [wide.mp4 0s..2s, tall.mkv 0s..2s]
        output: { file: \(fit).mp4, video: { h264: crf 10, fit: \(fit) } }

        """)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try facts("\(fit).mp4", in: stage).hasPrefix("h264,avc1,64,48,yuv420p,"))
      // The tall one has 24 of the 64 columns.
      let picture = try luma("\(fit).mp4")
      let edge = (0..<48).map { Int(picture[$0 * 64 + 4]) }
      #expect(edge.allSatisfy { $0 < 20 } == isBar, "\(edge)")
    }
  }

  @Test(
    "sources that one file cannot describe together are refused with the difference",
    arguments: [
      ("turned.mp4", "rotation (270° and 0°)"), ("larger.mp4", "size (128x96 and 64x48)"),
      ("broad.mp4", "the shape of its pixels (2:1 and 1:1)"),
    ])
  func different(other: String, difference: String) throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -i wide.mp4 -c:v libx264 -s 128x96 -c:a copy larger.mp4
      ffmpeg -v error -i wide.mp4 -c:v libx264 -aspect 8:3 -c:a copy broad.mp4
      """)
    let yaml = "concat: [wide.mp4, \(other)]\noutput: { file: out.mp4, video: VIDEO }\n"
    let copied = try stage.job(yaml.replacing("VIDEO", with: "copy"))
    #expect(copied.status == 1)
    // All of that is known before a run.
    for command in ["check", "plan"] {
      let before = try stage.run("avjob \(command) job.yaml")
      #expect(
        before.status == 1 && before.errors.contains("has a picture that differs"), "\(before)")
    }
    #expect(
      copied.errors.contains(
        "'\(other)': has a picture that differs from that of 'wide.mp4' in \(difference): encode all of "
          + "it, as 'video: { h264: crf 20 }'"), "\(copied.errors)")
    let encoded = try stage.job(yaml.replacing("VIDEO", with: "{ h264: crf 20 }"))
    #expect(encoded.status == 0, "\(encoded.errors)")
    #expect(try facts("out.mp4", in: stage) == "h264,avc1,64,48,yuv420p,200\n")
  }

  @Test("the bytes are the same for each number of cores, and plans say what is encoded")
  func bytes() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml", "clip: wide.mp4 1s..3s\noutput: { file: out.mp4, video: { h264: crf 22 } }\n")
    let bytes = try stage.make(
      """
      avjob run --quiet --workers 1 job.yaml; md5sum < out.mp4; rm out.mp4
      taskset -c $(core) "$AVJOB" run --quiet job.yaml; md5sum < out.mp4
      """)
    #expect(Set(bytes.text.split(separator: "\n")).count == 1)
    #expect(
      try stage.run("avjob plan job.yaml").text.contains(
        "beside it: h264 (crf 22) of 'wide.mp4' in one part, encoded throughout\n"))
  }

  @Test("a strict copy is one, or is refused with the key pictures on both sides")
  func strict() throws {
    let stage = try stage()
    let copied = try stage.job(
      "clip: wide.mp4 1s..3s\noutput: { file: out.mp4, video: copy strict }\n")
    #expect(copied.status == 0, "\(copied.errors)")
    #expect(try facts("out.mp4", in: stage) == "h264,avc1,64,48,yuv420p,50\n")
    let refused = try stage.job(
      "clip: wide.mp4 1.2s..3s\noutput: { file: no.mp4, video: copy strict }\n")
    #expect(refused.status == 2)
    for command in ["check", "plan", "check --json", "plan --json"] {
      let before = try stage.run("avjob \(command) job.yaml")
      #expect(before.status == 2, "\(before)")
      #expect(before.errors.contains("which 'copy strict' forbids"), "\(before)")
    }
    #expect(
      refused.errors.contains(
        "'wide.mp4': would have pictures from 1.2s on encoded, which 'copy strict' forbids; key "
          + "pictures stand at 1s and 2s: cut there, as 'snap: keyframe' does, or write 'video: copy', "
          + "or, for MP4 and MOV, 'video: { copy: edits }'"), "\(refused.errors)")
    #expect(try stage.run("ls no.mp4 2> /dev/null").text == "")
  }

  @Test(
    "settings that no encoder has are refused where they stand",
    arguments: [
      ("{ preset: fast }", "a picture that is encoded needs a codec"),
      ("{ h264: crf 60 }", "'crf 60' is out of range"),
      ("{ h264: fine }", "'fine' is no quality of h264"),
      ("{ vp9: crf 30, preset: fast }", "'preset' is of h264 and h265"),
      ("{ size: 33x20 }", "'33x20' is no size that is encoded"),
      ("{ frame_rate: 1000 }", "'1000' is out of range"),
      ("copy always", "'copy always' is nothing that becomes of a picture"),
      ("{ copy: strict }", "'strict' is no way to copy a picture"),
      ("{ copy: edits, h264: crf 20 }", "'h264' beside 'copy'"),
    ])
  func refused(video: String, message: String) throws {
    let stage = try stage()
    let result = try stage.job("clip: wide.mp4\noutput: { file: out.mp4, video: \(video) }\n")
    #expect(result.status == 2)
    #expect(result.errors.contains("error: \(message)"), "\(result.errors)")
  }

  @Test(
    "the last still ends with the sound, at any rate",
    arguments: [
      (100, ""), (700, ""), (1240, ""), (3000, ", frame_rate: 25"), (790, ", frame_rate: 29.97"),
    ])
  func stillEnds(milliseconds: Int, rate: String) throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i anoisesrc=d=4:a=0.3:seed=7:r=48000 talk.wav
      ffmpeg -v error -f lavfi -i color=red:s=100x50 -frames:v 1 cover.jpg
      """)
    let result = try stage.job(
      "clip: talk.wav ..\(milliseconds)ms\noutput: { file: out.mp4, video: { image: cover.jpg\(rate) } }\n"
    )
    #expect(result.status == 0, "\(result.errors)")
    let length = try stage.make(
      "ffprobe -v error -select_streams v -show_entries stream=duration -of csv=p=0 out.mp4"
    ).text
    let seconds = try #require(Double(length.filter { !$0.isNewline }))
    #expect(abs(seconds - Double(milliseconds) / 1000) < 0.0005, "\(length)")
  }

  @Test("a sound gets a cover as its picture, and the images of its chapters")
  func stills() throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i anoisesrc=d=4:a=0.3:seed=7:r=48000 talk.wav
      ffmpeg -v error -f lavfi -i color=red:s=101x51 -frames:v 1 cover.jpg
      ffmpeg -v error -f lavfi -i color=blue:s=64x64 -frames:v 1 second.png
      """)
    let cover = try stage.job(
      "clip: talk.wav\noutput: { file: a.mp4, video: { image: cover.jpg } }\n")
    #expect(cover.status == 0, "\(cover.errors)")
    #expect(try facts("a.mp4", in: stage) == "h264,avc1,100,50,yuv420p,8\n")
    let chapters = try stage.job(
      """
      clip: talk.wav
      chapters:
        0s: One
        2s: { title: Two, image: second.png }
      output:
        file: b.mp4
        video: { image: cover.jpg, chapters: images, size: 64x64, frame_rate: 4, fit: cover }

      """)
    #expect(chapters.status == 0, "\(chapters.errors)")
    #expect(
      try stage.run("avjob plan job.yaml").text.contains(
        "beside it: 2 still pictures as h264 (crf 20)\n"))
    #expect(try facts("b.mp4", in: stage) == "h264,avc1,64,64,yuv420p,16\n")
    let colours = try stage.make(
      """
      for moment in 1.6 2.05 3.5; do
        ffmpeg -v error -ss $moment -i b.mp4 -frames:v 1 -vf scale=1:1 -pix_fmt rgb24 -f rawvideo -
      done
      """
    ).output
    // Red, then blue from the chapter's start on.
    try #require(colours.count == 9)
    #expect(colours[0] > 200 && colours[2] < 60 && colours[3] < 60 && colours[5] > 200)
    #expect(colours[6] < 60 && colours[8] > 200)
    let none = try stage.job(
      "clip: talk.wav\noutput: { file: c.mp4, video: { chapters: images } }\n")
    #expect(none.status == 2)
    #expect(none.errors.contains("no chapter has an image that could be shown"), "\(none.errors)")
    let sound = try stage.job(
      "clip: talk.wav\noutput: { file: c.mp4, video: { image: talk.wav } }\n")
    #expect(sound.status == 1)
    #expect(sound.errors.contains("'talk.wav': the image is neither a JPEG nor a PNG picture"))
    #expect(try stage.run("ls c.mp4 2> /dev/null").text == "")
  }
}
