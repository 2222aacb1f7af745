import TestSupport
import Testing

/// Ranges of a video's sound by the numbers and the timecodes of its pictures.
@Suite("Pictures as times of a video's sound")
struct FrameTimesTests {
  /// Eight seconds of H.264 with B-frames at 29.97 pictures a second, beside noise. `coded.mp4` begins
  /// at a drop-frame timecode, `late.mp4` has its sound half a second later than its picture, and
  /// `uneven.mp4` and `uneven.mkv` have pictures at uneven times.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=8:r=30000/1001 \\
        -f lavfi -i anoisesrc=d=8:a=0.3:seed=7:r=44100 -c:v libx264 -bf 3 -g 40 -pix_fmt yuv420p \\
        -c:a aac ntsc.mp4
      ffmpeg -v error -i ntsc.mp4 -c copy -timecode '00:59:58;20' coded.mp4
      ffmpeg -v error -i ntsc.mp4 -itsoffset 0.5 -i ntsc.mp4 -map 0:v -map 1:a -c copy late.mp4
      ffmpeg -v error -i ntsc.mp4 -c copy ntsc.mkv
      ffmpeg -v error -i ntsc.mp4 -c:a copy -c:v libx264 -bf 2 \\
        -vf "select='not(mod(n,3))+gt(n,60)'" -vsync vfr uneven.mp4
      ffmpeg -v error -i uneven.mp4 -c copy uneven.mkv
      """)
    return stage
  }

  private func sound(_ name: String, from start: Int = 0, in stage: Stage) throws -> [Float] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", stage.path(name), "-map", "0:a:0", "-af",
      "aresample=async=1:first_pts=0,atrim=start_sample=\(start)", "-ac", "1", "-f", "f32le", "-"
    ).floats
  }

  @Test("a range of pictures is that of the same rational seconds, sample for sample")
  func ranges() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      jobs:
        seconds: { clip: ntsc.mp4 1001/300s..1001/150s, output: seconds.wav }
        text: { clip: ntsc.mp4 frame 100..frame 200, output: text.wav }
        keys: { clip: ntsc.mp4, from: frame 100, to: 00:00:06:20, output: keys.wav }
        drop: { clip: ntsc.mp4 00:00:03;10..00:00:06;20, output: drop.wav }
        cut: { clip: ntsc.mp4, cut: [..frame 100, frame 200..], output: cut.wav }
        snap: { clip: ntsc.mp4 3.33s..6.68s, snap: frame, output: snap.wav }

      """)
    #expect(result.status == 0, "\(result.errors)")
    let expected = try sound("seconds.wav", in: stage)
    #expect(expected.count == 147_147)
    for name in ["text", "keys", "drop", "cut", "snap"] {
      #expect(try sound("\(name).wav", in: stage) == expected, "\(name)")
    }
  }

  @Test("a movie from one picture to another has the pictures between them")
  func movie() throws {
    let stage = try stage()
    let result = try stage.job("clip: ntsc.mp4 frame 100..frame 200\noutput: out.mp4\n")
    #expect(result.status == 0, "\(result.errors)")
    let count = try stage.make(
      """
      ffprobe -v error -select_streams v -count_frames -show_entries stream=nb_read_frames \
        -of csv=p=0 out.mp4
      """)
    #expect(count.text == "100\n")
  }

  @Test("timecodes count from that of the first picture")
  func timecodes() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      jobs:
        code: { clip: coded.mp4 01:00:02;00..frame 200, output: code.wav }
        seconds: { clip: coded.mp4 1001/300s..1001/150s, output: seconds.wav }

      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try sound("code.wav", in: stage) == sound("seconds.wav", in: stage))
  }

  @Test("a sound that begins later than its picture is cut where the picture is shown")
  func late() throws {
    let stage = try stage()
    let result = try stage.job("clip: late.mp4 frame 100..\noutput: out.wav\n")
    #expect(result.status == 0, "\(result.errors)")
    let (found, expected) = (
      try sound("out.wav", in: stage), try sound("late.mp4", from: 147_147, in: stage)
    )
    #expect(abs(lag(of: found, behind: expected)) <= 1)
    let refused = try stage.job("clip: late.mp4 frame 5..\noutput: out.wav\n")
    #expect(refused.status == 2)
    #expect(refused.errors.contains("'frame 5' is shown before 'late.mp4' begins to sound"))
  }

  @Test("pictures of Matroska have numbers where its header and its first pictures agree")
  func matroska() throws {
    let stage = try stage()
    let result = try stage.job("clip: ntsc.mkv frame 100..frame 200\noutput: out.wav\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(abs(try sound("out.wav", in: stage).count - 147_147) <= 1)
  }

  @Test("of pictures at uneven times none has a number", arguments: ["uneven.mp4", "uneven.mkv"])
  func uneven(name: String) throws {
    let stage = try stage()
    let result = try stage.job("clip: \(name) frame 100..\noutput: out.wav\n")
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "'frame 100' needs pictures that all last equally long, and '\(name)' does not say that its do"
      )
    )
    #expect(result.errors.contains("help: write seconds"))
  }
}
