import MPEGAudio
import TestSupport

/// MP3 files for the tests, and what other programs say about them.
enum MP3Files {
  static func index(of bytes: [UInt8]) throws -> FrameIndex {
    try FrameIndex(byteCount: bytes.count) { offset, target in
      target.copyBytes(from: bytes[offset..<offset + target.count])
      return target.count
    }
  }

  /// Calls `body` with a folder that is removed afterwards.
  static func withFolder<T>(_ body: (String) throws -> T) throws -> T {
    let folder = TestFolder()
    return try withExtendedLifetime(folder) { try body(folder.root) }
  }

  /// A noisy tone as a WAV file, of which encoders make frames of many sizes.
  static func makeWAV(at path: String, rate: Int, channels: Int, samples: Int) throws {
    let source =
      "sine=frequency=440:sample_rate=\(rate),volume='0.1+0.4*sin(2*PI*t*1.3)^2':eval=frame[a];"
      + "anoisesrc=amplitude=0.05:sample_rate=\(rate):seed=7[b];[a][b]amix"
    let result = try Tool.run([
      "ffmpeg", "-v", "error", "-y", "-filter_complex", source + ",atrim=end_sample=\(samples)",
      "-ac", "\(channels)", "-ar", "\(rate)", path,
    ])
    guard result.status == 0 else { throw MP3FilesError(description: result.errors) }
  }

  static func run(_ arguments: [String]) throws -> ToolResult {
    let result = try Tool.run(arguments)
    guard result.status == 0 else {
      throw MP3FilesError(description: "\(arguments): \(result.errors)")
    }
    return result
  }

  /// Offsets and sizes of the packets that ffprobe finds.
  static func packets(of path: String) throws -> [Range<Int>] {
    let result = try run([
      "ffprobe", "-v", "error", "-select_streams", "a:0", "-show_entries", "packet=pos,size", "-of",
      "csv=p=0", path,
    ])
    return result.text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",").compactMap { Int($0) }
      return fields.count == 2 ? fields[1]..<fields[1] + fields[0] : nil
    }
  }

  /// PCM frames that ffmpeg decodes.
  static func decodedLength(of path: String, channels: Int) throws -> Int64 {
    let result = try run([
      "ffmpeg", "-v", "error", "-i", path, "-map", "0:a:0", "-f", "s16le", "-",
    ])
    return Int64(result.output.count / 2 / channels)
  }
}

/// A program that a test needs has failed.
struct MP3FilesError: Error, CustomStringConvertible {
  var description: String
}
