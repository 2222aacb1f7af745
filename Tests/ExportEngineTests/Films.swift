import TestSupport

/// Two movies of some seconds, whose pictures say their numbers, beside tones that rise.
struct Films {
  private let folder = TestFolder()

  func path(_ name: String) -> String { folder.path(name) }

  /// Four seconds of 25 pictures, numbered from 0 on, with a key picture each second.
  var talk: String { path("talk.mp4") }
  /// Three seconds, likewise, numbered from 1000 on.
  var slides: String { path("slides.mp4") }

  /// Movies that x264 encodes with these options.
  init(_ options: [String] = []) throws {
    for (name, first, seconds, tone) in [
      ("talk.mp4", 0, 4, "200+150*t"), ("slides.mp4", 1000, 3, "700+90*t"),
    ] {
      // The number as sixteen bars, the first one the lowest bit.
      let bars = "geq=lum='if(mod(floor((N+\(first))/pow(2,floor(X/20))),2),235,16)':cb=128:cr=128"
      let picture = "color=s=320x64:r=25:d=\(seconds),format=yuv420p,\(bars)"
      let sound = "aevalsrc=0.3*sin(2*PI*(\(tone))*t):d=\(seconds):s=48000"
      let result = try Tool.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound]
          + ["-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-sc_threshold", "0"]
          + ["-c:a", "aac"] + options + [path(name)])
      guard result.status == 0 else { throw ToolFailure(description: result.errors) }
    }
  }

  /// The numbers of a movie's pictures, in order.
  func numbers(_ name: String) throws -> [Int] {
    let luma = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", path(name), "-map", "0:v:0", "-fps_mode", "passthrough",
      "-pix_fmt", "gray", "-f", "rawvideo", "-"
    ).output
    return stride(from: 0, to: luma.count, by: 320 * 64).map { start in
      (0..<16).reduce(0) { $0 | (luma[start + 32 * 320 + $1 * 20 + 10] > 125 ? 1 << $1 : 0) }
    }
  }

  /// When its pictures are shown, in seconds.
  func times(_ name: String) throws -> [Double] {
    try Tool.succeed(
      "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=pts_time", "-of",
      "csv=p=0", path(name)
    ).text.split(whereSeparator: { ",\n".contains($0) }).compactMap { Double($0) }
  }

  /// Its sound, in one channel.
  func sound(_ name: String) throws -> [Float] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", path(name), "-map", "0:a:0", "-ac", "1", "-f", "f32le", "-"
    ).floats
  }
}
