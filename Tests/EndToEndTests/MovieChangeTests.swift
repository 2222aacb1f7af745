import TestSupport
import Testing

/// Movies whose pictures change midway, as recordings of broadcasts and of calls do.
@Suite("Movies: pictures that change midway")
struct MovieChangeTests {
  /// Joins two encodes of four seconds by copying into `changing` with an extension.
  private func join(
    _ first: String, _ second: String, as container: String, in stage: Stage
  ) throws {
    func encode(_ options: String, to name: String) -> String {
      let size = options.contains("-s ") ? "" : "-s 320x240"
      return
        "ffmpeg -v error -f lavfi -i testsrc2=s=320x240:r=25:d=4 -f lavfi -i anoisesrc=d=4:r=48000 "
        + "-c:a mp2 -g 12 \(size) \(options) \(name).\(container)\n"
    }
    try stage.make(
      encode(first, to: "a") + encode(second, to: "b")
        + """
        printf 'file a.\(container)\\nfile b.\(container)\\n' > parts
        ffmpeg -v error -f concat -i parts -c copy changing.\(container)
        """)
  }

  @Test(
    "a picture that changes its size, shape or format is refused with the place, and is encoded throughout",
    arguments: [
      ("mpeg2video -bf 2", "-s 640x480", "ts", "size of its picture from 320x240 to 640x480"),
      ("mpeg2video -bf 2", "-s 640x480", "mkv", "size of its picture from 320x240 to 640x480"),
      ("mpeg2video -bf 2", "-s 640x480", "mpg", "size of its picture from 320x240 to 640x480"),
      ("mpeg2video -aspect 4:3", "-aspect 16:9", "ts", "shape of its pixels"),
      ("mpeg2video", "-pix_fmt yuv422p", "ts", "format of its pixels"),
      ("mpeg4 -bf 2", "-s 640x480", "ts", "size of its picture from 320x240 to 640x480"),
      (
        "libvpx -deadline realtime", "-s 160x120", "mkv",
        "size of its picture from 320x240 to 160x120"
      ),
      (
        "libvpx-vp9 -deadline realtime", "-s 160x120", "mkv",
        "size of its picture from 320x240 to 160x120"
      ),
      (
        "libaom-av1 -usage realtime -cpu-used 8", "-s 160x120", "mkv",
        "size of its picture from 320x240 to 160x120"
      ),
      (
        "libaom-av1 -usage realtime -cpu-used 8", "-pix_fmt yuv420p10le", "mkv",
        "format of its pixels"
      ),
      ("mjpeg", "-s 160x120", "mkv", "size of its picture from 320x240 to 160x120"),
      ("prores_ks", "-s 160x120", "mkv", "size of its picture from 320x240 to 160x120"),
    ])
  func change(codec: String, change: String, container: String, words: String) throws {
    let stage = Stage()
    try join(
      "-c:v \(codec)", "-c:v \(codec) \(change)", as: container, in: stage)
    // All of it, of one kind of container in another, is a cut, too.
    let isWeb = codec.contains("vpx") || codec.contains("aom")
    let output = isWeb ? "out.webm" : "out.mov"
    for range in isWeb ? ["1s..5.5s"] : ["1s..5.5s", ""] {
      let copied = try stage.job("clip: changing.\(container) \(range)\noutput: \(output)\n")
      #expect(copied.status == 1, "\(range)")
      let place = copied.errors.split(separator: "changes the \(words) midway, at ").dropFirst()
        .first
      // The sound of the first part may be some packets longer.
      let isThere = ["4", "3.9", "0:04.0", "0:03.9"].contains { place?.hasPrefix($0) == true }
      #expect(isThere, "\(copied.errors)")
      #expect(copied.errors.contains("'changing.\(container)': changes"), "\(copied.errors)")
      #expect(copied.errors.contains("encode all of it, as 'video: { h264: crf 20 }'"))
      try stage.make("test ! -e \(output)")
    }
    let encoded = try stage.job(
      "clip: changing.\(container) 1s..5.5s\noutput: { file: new.mp4, video: { h264: crf 20 } }\n")
    #expect(encoded.status == 0, "\(encoded.errors)")
    let found = try stage.make(
      """
      ffmpeg -v error -i new.mp4 -map 0:v -fps_mode passthrough -f framecrc - | grep -v '^#' \\
        | cut -d , -f 5 | sort | uniq -c
      """
    ).text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    // Pictures of one size, all of them, of eight bits or ten.
    #expect(
      found.count == 2 && [115_200, 230_400].contains(found[1]) && abs(found[0] - 112) <= 1,
      "\(found)")
  }

  @Test(
    "a range before a change has the pictures that it has without the change, and one behind it is refused",
    arguments: [
      ("mpeg2video -bf 2", "ts", "mov"), ("mpeg4 -bf 2", "ts", "mov"),
      ("libx264 -preset fast -bf 2 -x264-params b-adapt=0:scenecut=0", "ts", "mov"),
      ("libx265 -preset ultrafast -bf 2 -x265-params log-level=error", "ts", "mov"),
      ("libvpx -deadline realtime", "mkv", "webm"), ("mjpeg", "mkv", "mov"),
    ])
  func outside(codec: String, container: String, kind: String) throws {
    let stage = Stage()
    try join("-c:v \(codec)", "-c:v \(codec) -s 160x120", as: container, in: stage)
    let source = try stage.pictures(of: "a.\(container)")
    #expect(source.count == 100)
    let videos = kind == "mov" ? ["copy", "{ copy: edits }"] : ["copy"]
    // No edge lies between two pictures: newer FFmpeg moves what it joins by some milliseconds.
    for (range, count) in [
      ("1s..2s", 25), ("1s..2.49s", 37), ("0.31s..3.41s", 77), ("1s..3.89s", 72),
    ] {
      for video in videos {
        var found: [[String]] = []
        for name in ["a", "changing"] {
          let result = try stage.job(
            "clip: \(name).\(container) \(range)\n"
              + "output: { file: \(name)-out.\(kind), video: \(video) }\n")
          #expect(result.status == 0, "\(range), \(video): \(result.errors)")
          found.append(try stage.pictures(of: "\(name)-out.\(kind)"))
          try stage.make("rm \(name)-out.\(kind)")
        }
        #expect(found[0] == found[1], "\(range), \(video)")
        #expect(abs(found[1].count - count) <= 1, "\(range), \(video): \(found[1].count)")
        // Some of them are copied, one behind the other.
        let places = found[1].compactMap { source.firstIndex(of: $0) }
        #expect(places.count >= 12, "\(range), \(video): \(places)")
        #expect(
          zip(places, places.dropFirst()).allSatisfy { $0 + 1 == $1 },
          "\(range), \(video): \(places)")
      }
    }
    for video in videos {
      let behind = try stage.job(
        "clip: changing.\(container) 4.6s..4.8s\n"
          + "output: { file: behind.\(kind), video: \(video) }\n")
      #expect(behind.status == 1 && behind.errors.contains("': changes the "), "\(behind.errors)")
    }
  }

  @Test("a change far behind a range, with no key picture between the two, does not matter")
  func far() throws {
    let stage = Stage()
    try stage.make(
      """
      make() {
        ffmpeg -v error -f lavfi -i testsrc2=s=$1:r=5:d=$2 -f lavfi -i anoisesrc=d=$2:r=48000 \
          -c:a mp2 -c:v libx264 -preset ultrafast -g 1000 -x264-params scenecut=0 $3
      }
      make 64x48 100 a.ts
      make 128x96 4 b.ts
      printf 'file a.ts\\nfile b.ts\\n' > parts
      ffmpeg -v error -f concat -i parts -c copy changing.ts
      """)
    let result = try stage.job("clip: changing.ts 0s..60s\noutput: out.mov\n")
    #expect(result.status == 0, "\(result.errors)")
    let (copied, source) = (
      try stage.pictures(of: "out.mov"), try stage.pictures(of: "a.ts")
    )
    #expect(copied.count == 300 && copied.dropLast(4) == source.prefix(296))
  }

  @Test("a rate of pictures that changes is copied: all pictures are there, each at its time")
  func rate() throws {
    let stage = Stage()
    for container in ["ts", "mp4", "mkv"] {
      try stage.make("rm -f *.\(container) parts")
      try join(
        "-c:v mpeg2video -bf 2", "-c:v mpeg2video -bf 2 -vf fps=30", as: container, in: stage)
      let result = try stage.job(
        "clip: changing.\(container) 1s..5.5s\noutput: { file: out.mp4, video: copy }\n")
      #expect(result.status == 0, "\(container): \(result.errors)")
      let counts = try stage.make(
        """
        ffprobe -v error -select_streams v -count_packets -count_frames -of csv=p=0 \\
          -show_entries stream=nb_read_frames,nb_read_packets out.mp4 | head -n 1
        rm out.mp4
        """
      ).text.split { !$0.isNumber }.compactMap { Int($0) }
      #expect(counts.count == 2 && counts[0] == counts[1], "\(counts)")
      // ffmpeg joins MP4s of other clocks at a wrong pace.
      if container != "mp4" { #expect(counts.allSatisfy { abs($0 - 120) <= 1 }, "\(counts)") }
    }
  }
}
