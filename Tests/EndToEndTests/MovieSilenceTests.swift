import TestSupport
import Testing

/// Videos that have no sound: recorded screens, above all.
@Suite("Movies without sound")
struct MovieSilenceTests {
  /// A recorded screen of four seconds without sound, as H.264 in MP4 and VP8 in WebM, and speech.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=128x96:d=4:r=25 -c:v libx264 -bf 3 -g 25 \\
        -pix_fmt yuv420p screen.mp4
      ffmpeg -v error -i screen.mp4 -c:v libvpx -g 25 screen.webm
      ffmpeg -v error -f lavfi -i sine=440:r=44100:d=3 -ac 1 voice.wav
      """)
    return stage
  }

  @Test("a picture is cut and joined, and its sound is silence", arguments: ["mp4", "webm"])
  func cut(kind: String) throws {
    let stage = try stage()
    let sound = kind == "webm" ? "opus: 64k" : "aac: 64k"
    try stage.write(
      "job.yaml",
      """
      concat: [screen.\(kind) 1s..2s, screen.\(kind) 3s..4s]
      output: { file: out.\(kind), \(sound) }
      """)
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0)
    #expect(result.errors.contains("job.yaml:2:17: note: no source has sound: it is silence\n"))
    let source = try stage.pictures(of: "screen.\(kind)")
    #expect(source.count == 100)
    #expect(try stage.pictures(of: "out.\(kind)") == Array(source[25..<50] + source[75..<100]))
    let level = try stage.make(
      "ffmpeg -hide_banner -i out.\(kind) -map 0:a -af volumedetect -f null - 2>&1 | grep -c '91.0 dB'"
    )
    #expect(level.text == "2\n")
  }

  @Test("another sound stands beside it, at its own rate")
  func voice() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      tracks:
        picture: screen.mp4
        voice: { clip: voice.wav, at: 500ms }
      output: out.mp4
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(
      try stage.pictures(of: "out.mp4") == (try stage.pictures(of: "screen.mp4")))
    let facts = try stage.make(
      """
      ffprobe -v error -select_streams a -show_entries stream=sample_rate,channels,duration \\
        -of csv=p=0 out.mp4
      """)
    #expect(facts.text == "44100,1,4.000000\n")
  }

  @Test("without an output that holds a picture it is refused")
  func sound() throws {
    let stage = try stage()
    let result = try stage.job("clip: screen.mp4\noutput: out.wav\n")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        job.yaml:1:7: error: 'screen.mp4': holds no sound, only video (h264)
            1 | clip: screen.mp4
              |       ^~~~~~~~~~

        """)
  }

  @Test("a probe says that there is none")
  func probe() throws {
    let stage = try stage()
    #expect(
      try stage.run("avjob probe screen.mp4").text == """
        screen.mp4
          sound      none
          container  mov,mp4,m4a,3gp,3g2,mj2
          duration   0:04.000 (192000 samples)
          picture    stream 0, h264, 128x96, yuv420p, 25 pictures a second, 100 pictures with 4 key \
        pictures at most 0:01.000 apart

        """)
  }
}
