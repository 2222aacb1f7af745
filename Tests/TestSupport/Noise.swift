extension Tool {
  /// Writes seconds of stereo noise at 44.1 kHz as FFmpeg encodes it, the same at each call.
  ///
  /// - Parameters:
  ///   - path: The file, whose extension says the format.
  ///   - seconds: Its length.
  ///   - arguments: FFmpeg's, for the output.
  /// - Throws: `ToolFailure` where FFmpeg fails.
  public static func encodeNoise(
    to path: String, seconds: Int, _ arguments: [String]
  ) throws {
    let input = "anoisesrc=d=\(seconds):r=44100:seed=7:a=0.3"
    let result = try run(
      ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", input, "-ac", "2"] + arguments + [path])
    guard result.status == 0 else { throw ToolFailure(description: result.errors) }
  }
}
