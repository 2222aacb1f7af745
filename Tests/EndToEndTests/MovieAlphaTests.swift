import TestSupport
import Testing

/// Movies of pictures that are transparent in places, of which VP9 codes the transparency beside them.
@Suite("Movies: transparent pictures")
struct MovieAlphaTests {
  /// Three seconds with a key picture each second, of which the left half is transparent.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i "testsrc2=s=64x48:r=25:d=3,format=yuva420p,geq=lum='lum(X,Y)':cb='cb(X,Y)':\
      cr='cr(X,Y)':a='if(gt(X,32),255,0)'" -f lavfi -i anoisesrc=d=3:a=0.3:r=48000:seed=3 -c:v libvpx-vp9 \
        -g 25 -keyint_min 25 -auto-alt-ref 0 -deadline realtime -cpu-used 8 -c:a libopus alpha.webm
      """)
    return stage
  }

  /// How many packets have a transparency beside them.
  private func transparent(_ name: String, in stage: Stage) throws -> Int? {
    Int(
      try stage.make(
        "ffprobe -v error -select_streams v -show_packets \(name) | grep -c BlockAdditional || true"
      ).text.replacing("\n", with: ""))
  }

  @Test("the transparency is copied, and refused where pictures would be encoded around cuts")
  func cuts() throws {
    let stage = try stage()
    let whole = try stage.job("clip: alpha.webm\ngain: -3 dB\noutput: whole.webm\n")
    #expect(whole.status == 0 && !whole.errors.contains("transparency"), "\(whole.errors)")
    #expect(try transparent("whole.webm", in: stage) == 75)
    let keys = try stage.job(
      "clip: alpha.webm 0.9s..\nsnap: keyframe\noutput: { file: keys.webm, video: copy strict }\n")
    #expect(keys.status == 0, "\(keys.errors)")
    #expect(try transparent("keys.webm", in: stage) == 50)
    let message =
      "'alpha.webm': has pictures that are transparent in places, and what is encoded would not be: cut "
      + "it at its key frames, as 'snap: keyframe' does"
    let cut = try stage.job("clip: alpha.webm 0.3s..\noutput: cut.webm\n")
    #expect(cut.status == 1 && cut.errors.contains(message), "\(cut.errors)")
    let plan = try stage.run("avjob plan job.yaml")
    #expect(plan.errors.contains(message), "\(plan.errors)")
    #expect(try stage.run("ls cut.webm 2> /dev/null").text == "")
  }

  @Test(
    "what an output has no place for is named, by a check and by a run",
    arguments: [
      ("out.mp4", "MP4 has no place for it beside vp9"),
      ("{ file: out.mp4, video: { h264: crf 30 } }", "pictures are encoded without it"),
    ])
  func lost(output: String, reason: String) throws {
    let stage = try stage()
    let note = "note: 'out.mp4': the transparency of 'alpha.webm' left out: \(reason)"
    try stage.write("job.yaml", "clip: alpha.webm\noutput: \(output)\n")
    for command in ["check", "plan", "run"] {
      let result = try stage.run("avjob \(command) job.yaml")
      #expect(result.status == 0 && result.errors.contains(note), "\(result.errors)")
    }
  }
}
