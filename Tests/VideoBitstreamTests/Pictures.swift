import TestSupport
import VideoBitstream

/// Streams of pictures that FFmpeg makes, and what it decodes of ours.
enum Pictures {
  /// A stream of start codes by libx264 or libx265; `parameters` are the encoder's own, `options`
  /// further words of FFmpeg's command line.
  static func encode(
    _ parameters: String, _ options: [String] = [], frames: Int = 60, hue: Int = 0,
    codec: String = "h264", source: String = "testsrc2=s=186x138:r=25"
  ) throws -> [ArraySlice<UInt8>] {
    let result = try Tool.run(
      command(parameters, options, frames, hue, codec, source) + ["-f", codec, "-"])
    guard result.status == 0 else { throw ToolFailure(description: result.errors) }
    return try NALFraming.startCodes.units(of: result.output[...])
  }

  private static func command(
    _ parameters: String, _ options: [String], _ frames: Int, _ hue: Int, _ codec: String,
    _ source: String
  ) -> [String] {
    // A fade makes x264 weigh its references.
    let filters = "\(source),hue=h=\(hue),fade=in:10:20:color=white"
    return ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", filters]
      + ["-frames:v", "\(frames)", "-pix_fmt", "yuv420p", "-threads", "1"]
      + ["-c:v", codec == "h264" ? "libx264" : "libx265", "-preset", "fast"]
      + [codec == "h264" ? "-x264-params" : "-x265-params", "log-level=error:" + parameters]
      + options
  }

  /// The units of each picture; parameter sets and messages are part of the picture behind them.
  static func accessUnits(_ units: [ArraySlice<UInt8>]) -> [[ArraySlice<UInt8>]] {
    var pictures: [[ArraySlice<UInt8>]] = [[]]
    var hasSlice = false
    for unit in units {
      let isSlice = H264.type(of: unit)?.isSlice == true
      // `first_mb_in_slice` is 0 where its first bit is 1.
      if hasSlice, !isSlice || unit[unit.startIndex + 1] & 0x80 != 0 {
        pictures.append([])
        hasSlice = false
      }
      pictures[pictures.count - 1].append(unit)
      hasSlice = hasSlice || isSlice
    }
    return pictures
  }

  /// The same of HEVC: a picture begins at a slice whose `first_slice_segment_in_pic_flag` is 1.
  static func accessUnitsOfHEVC(_ units: [ArraySlice<UInt8>]) -> [[ArraySlice<UInt8>]] {
    var pictures: [[ArraySlice<UInt8>]] = [[]]
    var hasSlice = false
    for unit in units {
      let isSlice = HEVC.type(of: unit)?.isSlice == true
      if hasSlice, !isSlice || unit[unit.startIndex + 2] & 0x80 != 0 {
        pictures.append([])
        hasSlice = false
      }
      pictures[pictures.count - 1].append(unit)
      hasSlice = hasSlice || isSlice
    }
    return pictures
  }

  /// What FFmpeg decodes: a digest of each picture, in order of output.
  static func decode(
    _ units: [ArraySlice<UInt8>], codec: String = "h264"
  ) throws -> (digests: [String], complaints: String) {
    let folder = TestFolder()
    let path = folder.path("pictures.\(codec)")
    try writeFile(path, try NALFraming.startCodes.packet(of: units))
    let result = try Tool.succeed(
      "ffmpeg", "-nostdin", "-v", "error", "-threads", "1", "-i", path, "-fps_mode", "passthrough",
      "-f", "framemd5", "-")
    let digests = result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      String($0.split(separator: " ").last ?? "")
    }
    return (digests, result.errors)
  }

  /// What `ffprobe` says of a stream.
  static func probe(
    _ units: [ArraySlice<UInt8>], _ entries: [String], codec: String = "h264"
  ) throws -> [String: String] {
    let folder = TestFolder()
    let path = folder.path("pictures.\(codec)")
    try writeFile(path, try NALFraming.startCodes.packet(of: units))
    let result = try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries", "stream=" + entries.joined(separator: ","), "-of",
      "default=nw=1", path)
    var values: [String: String] = [:]
    for line in result.text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
    }
    return values
  }

  /// Whether FFmpeg takes each picture for one where decoding may begin, in order of decoding.
  static func areKeys(_ units: [ArraySlice<UInt8>], codec: String = "h264") throws -> [Bool] {
    let folder = TestFolder()
    let path = folder.path("pictures.\(codec)")
    try writeFile(path, try NALFraming.startCodes.packet(of: units))
    let result = try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries", "packet=flags", "-of", "default=nw=1:nk=1", path)
    return result.text.split(separator: "\n").map { $0.hasPrefix("K") }
  }

  /// The contents of a box in an MP4 file of ten such pictures.
  static func record(
    _ name: String, _ parameters: String, _ options: [String] = [], codec: String = "h264"
  ) throws -> [UInt8] {
    let folder = TestFolder()
    let result = try Tool.run(
      command(parameters, options, 10, 0, codec, "testsrc2=s=186x138:r=25")
        + [folder.path("out.mp4")])
    guard result.status == 0 else { throw ToolFailure(description: result.errors) }
    let file = try readFile(folder.path("out.mp4"))
    let label = Array(name.utf8)
    guard let start = (4..<file.count - 4).first(where: { Array(file[$0..<$0 + 4]) == label })
    else { throw ToolFailure(description: "no \(name)") }
    let size = file[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
    return Array(file[start + 4..<start - 4 + size])
  }

  /// The settings that the cut's encoder has, with more of them.
  static func cutter(_ more: String = "") -> String {
    "bframes=0:ref=1:weightp=0:scenecut=0:keyint=infinite:stitchable=1:" + more
  }
}
