import TestSupport
import Testing

/// A waveform over a still picture, and pictures at times.
@Suite("Movies: waveforms and slides")
struct MovieWaveformTests {
  /// `talk.wav` is silent for two seconds, and then as loud as can be for two more; the pictures are white
  /// and blue.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i "aevalsrc='gte(t,2)*0.99*sin(2*PI*440*t)':d=4:s=48000" talk.wav
      ffmpeg -v error -f lavfi -i color=white:s=128x64 -frames:v 1 white.png
      ffmpeg -v error -f lavfi -i color=blue:s=128x64 -frames:v 1 blue.png
      """)
    return stage
  }

  /// The picture of a moment: three bytes for each pixel.
  private func picture(of name: String, at moment: String, in stage: Stage) throws -> [UInt8] {
    let bytes = try stage.make(
      "ffmpeg -v error -ss \(moment) -i \(name) -frames:v 1 -pix_fmt rgb24 -f rawvideo -"
    ).output
    return Array(bytes)
  }

  private func pixel(_ column: Int, _ row: Int, of picture: [UInt8]) -> [Int] {
    let at = (row * 128 + column) * 3
    return picture.indices.contains(at + 2) ? picture[at..<at + 3].map { Int($0) } : []
  }

  private func isRed(_ pixel: [Int]) -> Bool {
    pixel.count == 3 && pixel[0] > pixel[1] + 40 && pixel[0] > pixel[2] + 40
  }

  @Test(
    "a waveform shows the sound around the moment: what was heard on the left, faint what comes")
  func waveform() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      clip: talk.wav
      output:
        file: out.mp4
        video: { image: white.png, waveform: { color: "#ff0000" }, h264: crf 4 }

      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      try stage.run("avjob plan job.yaml").text.contains(
        "beside it: a still picture under a waveform as h264 (crf 4)\n"))
    let facts = try stage.make(
      """
      ffprobe -v error -select_streams v -of csv=p=0 \\
        -show_entries stream=width,height,pix_fmt,r_frame_rate,nb_frames out.mp4
      """)
    #expect(facts.text == "128,64,yuv420p,15/1,60\n")
    // Four bars a second of four pixels each, a quarter of a second and eight pixels apart. The sound
    // begins at the bar of 2 s: at 1 s in the third quarter of the picture, at 3 s in the first.
    let early = try picture(of: "out.mp4", at: "1.0", in: stage)
    let late = try picture(of: "out.mp4", at: "3.0", in: stage)
    #expect(isRed(pixel(98, 54, of: early)))
    #expect(!isRed(pixel(90, 54, of: early)))
    #expect(isRed(pixel(90, 57, of: early)), "silence is a line of dots")
    #expect(isRed(pixel(34, 54, of: late)))
    #expect(!isRed(pixel(26, 54, of: late)))
    #expect(pixel(34, 54, of: late)[1] < pixel(98, 54, of: early)[1])
    // Behind the end nothing is to come.
    #expect(!isRed(pixel(98, 54, of: late)))
    // The picture is darker below the bars alone.
    #expect(pixel(64, 20, of: late).allSatisfy { $0 > 230 })
    #expect(pixel(39, 53, of: late).allSatisfy { $0 < 150 })
  }

  @Test("a waveform has the bytes of any number of cores, and any rate from 1 to 30")
  func bytes() throws {
    let stage = try stage()
    try stage.write(
      "job.yaml",
      """
      clip: talk.wav
      loudness: -16 LUFS
      output: { file: out.mp4, video: { image: white.png, waveform: true, frame_rate: 30 } }

      """)
    let bytes = try stage.make(
      """
      avjob run --quiet --workers 1 job.yaml; md5sum < out.mp4
      ffprobe -v error -select_streams v -of csv=p=0 -show_entries stream=nb_frames out.mp4 >&2
      rm out.mp4; taskset -c $(core) "$AVJOB" run --quiet job.yaml; md5sum < out.mp4
      """)
    #expect(Set(bytes.text.split(separator: "\n")).count == 1)
    #expect(bytes.errors.hasSuffix("120\n"))
  }

  @Test("pictures are shown from their times on, in parts of a job too")
  func slides() throws {
    let stage = try stage()
    let whole = try stage.job(
      """
      clip: talk.wav
      output: { file: out.mp4, video: { images: { 0s: white.png, "0:02": blue.png }, frame_rate: 4 } }

      """)
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(
      try stage.run("avjob plan job.yaml").text.contains(
        "beside it: 2 still pictures as h264 (crf 20)\n"))
    #expect(try pixel(64, 32, of: picture(of: "out.mp4", at: "1.6", in: stage))[0] > 200)
    #expect(try pixel(64, 32, of: picture(of: "out.mp4", at: "2.05", in: stage))[0] < 60)
    let parts = try stage.job(
      """
      clip: talk.wav
      split: { every: 1.5s }
      output: { file: "part-${part.n}.mp4", video: { images: { 0s: white.png, 2s: blue.png } } }

      """)
    #expect(parts.status == 0, "\(parts.errors)")
    let red = try ["part-1", "part-2", "part-3"].map { name in
      try pixel(64, 32, of: picture(of: "\(name).mp4", at: "0", in: stage)).first ?? 0
    }
    #expect(red[0] > 200 && red[1] > 200 && red[2] < 60, "\(red)")
  }

  @Test("a list of pictures that leaves the start out, or goes on behind the end, is refused")
  func gaps() throws {
    let stage = try stage()
    for (images, message) in [
      ("{ 1s: white.png }", "nothing is shown before the first of its images"),
      (
        "{ 0s: white.png, 5s: blue.png }",
        "'blue.png' would be shown from 5s on, and the sound ends at 4s"
      ),
    ] {
      let result = try stage.job(
        "clip: talk.wav\noutput: { file: no.mp4, video: { images: \(images) } }\n")
      #expect(result.status == 2)
      #expect(result.errors.contains(message), "\(result.errors)")
    }
    #expect(try stage.run("ls no.mp4 2> /dev/null").text == "")
  }

  @Test(
    "what cannot be drawn is refused where it stands",
    arguments: [
      ("{ waveform: true, h264: crf 20 }", "a waveform is drawn over a still picture"),
      ("{ image: blue.png, waveform: { color: red } }", "'red' is no colour"),
      (
        "{ image: blue.png, waveform: true, frame_rate: 60 }",
        "'waveform' is drawn 30 times a second at most"
      ),
      ("{ images: { 0s: blue.png, 0ms: white.png } }", "two pictures at one time"),
      ("{ images: { 100 samples: blue.png } }", "'100 samples' counts samples"),
      ("{ images: { end-10s: blue.png } }", "'end-10s' is a moment"),
      ("{ images: blue.png }", "'images' is a map, not a text"),
    ])
  func refused(video: String, message: String) throws {
    let stage = try stage()
    let result = try stage.job("clip: talk.wav\noutput: { file: out.mp4, video: \(video) }\n")
    #expect(result.status == 2)
    #expect(result.errors.contains("error: \(message)"), "\(result.errors)")
  }
}
