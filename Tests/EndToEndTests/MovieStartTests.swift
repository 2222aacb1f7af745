import TestSupport
import Testing

/// Movies that begin in the middle of a group of pictures, as a recording of a broadcast does.
@Suite("Movies: files that begin anywhere")
struct MovieStartTests {
  /// `middle.ts` is a stream of six seconds with 25 pictures a second and a key picture every two, from
  /// somewhere in its first third on.
  private func stage(_ options: String) throws -> Stage {
    let stage = Stage()
    try stage.share(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=6 -f lavfi -i anoisesrc=d=6:a=0.3:seed=7:r=48000 \
        -c:a mp2 \(options) whole.ts
      size=$(stat -c %s whole.ts)
      tail -c +$((size / 6 / 188 * 188 + 1)) whole.ts > middle.ts
      """)
    return stage
  }

  @Test(
    "pictures before the first entry are left out, however many they are",
    arguments: [
      "-c:v libx264 -g 50 -bf 2 -x264-params scenecut=0", "-c:v mpeg2video -q:v 3 -g 50 -bf 2",
      "-c:v libx265 -preset ultrafast -x265-params keyint=50:scenecut=0:log-level=none",
    ])
  func middle(options: String) throws {
    let stage = try stage(options)
    let all = try stage.pictures(of: "whole.ts")
    for (job, count) in [("clip: middle.ts\ngain: -3 dB", 100), ("clip: middle.ts 200ms..3s", 50)] {
      let result = try stage.job("\(job)\noutput: out.mp4\n")
      #expect(result.status == 0, "\(result.errors)")
      let own = try stage.pictures(of: "out.mp4")
      // Open groups begin with pictures that need what is not there.
      #expect(own.count > count / 3 && own.count <= count, "\(own.count)")
      if job.contains("gain") { #expect(own == Array(all.suffix(own.count))) }
      try stage.make("ffmpeg -v error -xerror -i out.mp4 -f null -")
    }
  }

  @Test("pictures that a transport stream lacks are named where copied; 'strict' refuses them")
  func hole() throws {
    let stage = Stage()
    try stage.write(
      "hole.py",
      """
      data = open('whole.ts', 'rb').read()
      packets = [data[at:at + 188] for at in range(0, len(data), 188)]
      pictures = [n for n, packet in enumerate(packets) if packet[1] & 31 == 1 and packet[2] == 0]
      middle = len(pictures) // 2
      lost = pictures[middle:middle + 10]
      open('hole.ts', 'wb').write(b''.join(p for n, p in enumerate(packets) if n not in lost))
      """)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i anoisesrc=d=2:a=0.3:seed=7:r=48000 \
        -c:v libx264 -g 10 -bf 2 -c:a mp2 whole.ts
      python3 hole.py
      """)
    let warning = "'hole.ts': is damaged in one place, where pictures are missing or broken: at 0"
    for (clip, video) in [
      ("hole.ts", "copy"), ("hole.ts 0.1s..1.7s", "copy"),
      ("hole.ts 0.1s..1.7s", "{ copy: edits }"),
      ("hole.ts 0s..0.5s", "copy"), ("whole.ts 0.1s..1.7s", "copy"),
    ] {
      let isTold = clip.hasPrefix("hole") && !clip.contains("..0.5s")
      let job = "clip: \(clip)\noutput:\n  - { file: a.mp4, video: \(video) }\n"
      let result = try stage.job(job + "  - { file: b.mov, video: \(video) }\n")
      #expect(result.status == 0, "\(result.errors)")
      let count = result.errors.split(separator: "\n").count { $0.contains(warning) }
      #expect(count == (isTold ? 1 : 0), "\(clip), \(video): \(result.errors)")
      try stage.make("rm a.mp4 b.mov")
      let strict = try stage.job("strict: true\n" + job)
      #expect(strict.status == (isTold ? 1 : 0), "\(clip), \(video): \(strict.errors)")
      #expect(try stage.run("test -e a.mp4").status == (isTold ? 1 : 0))
    }
  }

  @Test(
    "a clock of 33 bits that goes over moves neither picture nor sound",
    arguments: ["-c:a mp2", "-an"])
  func wrap(sound: String) throws {
    let stage = Stage()
    try stage.share(
      """
      for offset in 10 95440; do
        ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=6 -f lavfi -i anoisesrc=d=6:a=0.3:seed=7:r=48000 \
          -c:v libx264 -g 40 -bf 2 \(sound) -output_ts_offset $offset $offset.ts
      done
      """)
    for range in ["", "700ms..1.9s", "2.5s..5.1s", "4.5s.."] {
      let digests = try ["10", "95440"].map { name in
        let result = try stage.job("clip: \(name).ts \(range)\noutput: out.mp4\n")
        #expect(result.status == 0, "\(result.errors)")
        return try stage.make("ffmpeg -v error -i out.mp4 -f framemd5 - | grep -v '^#'").text
      }
      #expect(digests[0] == digests[1] && digests[0].count > 1000, "\(range)")
    }
  }
}
