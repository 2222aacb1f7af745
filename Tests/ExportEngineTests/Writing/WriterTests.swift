import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Sound writers: lengths, levels and bytes")
struct WriterTests {
  let folder = TestFolder()

  @Test("WAV holds the integers that the floats came from", arguments: [1, 2])
  func wav16(channelCount: Int) throws {
    let path = folder.path("a.wav")
    for count in edgeLengths {
      let channels = (0..<channelCount).map { integers(seed: UInt64($0), bits: 16, count: count) }
      let written = try writeSound(channels, to: path, .wav(.int16), blockLength: 1000)
      #expect(written.frameCount == Int64(count))
      #expect(written.size == Int64(try readFile(path).count))
      for channel in 0..<channelCount {
        #expect(try decode(path, channel: channel, of: channelCount) == channels[channel])
      }
    }
  }

  @Test("24-bit and float WAV, AIFF, CAF and FLAC are bit-exact too")
  func exactFormats() throws {
    let cases: [(Output.Format, Int, String)] = [
      (.wav(.int24), 24, "wav"), (.wav(.float32), 24, "wav"), (.flac(bitDepth: 16), 16, "flac"),
      (.flac(bitDepth: 24), 24, "flac"), (.aiff(.int16), 16, "aiff"), (.aiff(.int24), 24, "aiff"),
      (.aiff(.float32), 24, "aiff"), (.caf(.int16), 16, "caf"), (.caf(.int24), 24, "caf"),
      (.caf(.float32), 24, "caf"),
    ]
    for (format, bits, name) in cases {
      for count in [0, 1, 4607, 4608, 4609, 25_000] {
        // A chunk of no samples is none to SoX.
        if name == "aiff", count == 0 { continue }
        let channels = (0..<2).map { integers(seed: UInt64($0), bits: bits, count: count) }
        let path = folder.path("a." + name)
        try writeSound(channels, to: path, format, sampleRate: 48000, blockLength: 1500)
        if count > 0 {
          for channel in 0..<2 {
            #expect(try decode(path, channel: channel, of: 2) == channels[channel])
          }
        }
        if name == "flac" { try Tool.succeed("flac", "-t", "-s", path) }
        #expect(try Tool.succeed("sox", "--i", "-s", path).text.trimmed == "\(count)")
      }
    }
  }

  @Test(
    "MP3 decodes to exactly the frames that went in, in every decoder",
    arguments: [
      (44100, 2, MP3Settings.standard), (44100, 1, .init(.cbr(bitRate: 128_000))),
      (48000, 2, .init(.abr(bitRate: 160_000))), (22050, 1, .init(.vbr(quality: 4))),
      (8000, 1, .init(.vbr(quality: 2))),
    ])
  func mp3Lengths(rate: Int, channelCount: Int, settings: MP3Settings) throws {
    for count in edgeLengths {
      let path = folder.path(rate < 32000 ? "low-rate-\(count).mp3" : "\(count).mp3")
      let tone = Signal.sine(frequency: 300, sampleRate: rate, count: count)
      var metadata = Metadata()
      metadata["title"] = "A tone"
      try writeSound(
        Array(repeating: tone, count: channelCount), to: path, .mp3(settings), sampleRate: rate,
        metadata: metadata)
      try expectMP3(path, decodesTo: count, channelCount: channelCount)
    }
  }

  /// Sounds under a few frames have limits of the decoders' own, which LAME's files meet as well:
  /// ffmpeg and mp3val doubt that so few frames are MP3, lame does not open one of 2 frames, and
  /// ffmpeg 5.1 does not trim both ends of one frame (47 samples, in MPEG-2 and 2.5).
  private func expectMP3(_ path: String, decodesTo count: Int, channelCount: Int) throws {
    let isShort = count < 8 * 1152
    let isTrimmedByFFmpeg = count > 47 || !path.contains("low-rate")
    if isTrimmedByFFmpeg {
      let decoded = try decode(
        path, of: channelCount, allowing: isShort ? "misdetection possible" : nil)
      #expect(decoded.count == count, "ffmpeg, \(count)")
    }
    let raw = folder.path("decoded.raw")
    let mpg123 = try Tool.run(["mpg123", "-q", "-e", "f32", "-O", raw, path])
    #expect(mpg123.errors == "", "mpg123, \(count)")
    #expect(try readFile(raw).count == count * channelCount * 4, "mpg123, \(count)")
    if count > 1 {
      let lame = try Tool.run(["lame", "--decode", "-t", "--quiet", path, raw])
      #expect(lame.errors == "" && lame.status == 0, "lame, \(count)")
      #expect(try readFile(raw).count == count * channelCount * 2, "lame, \(count)")
    }
    let warnings = try Tool.succeed("mp3val", path).text.split(separator: "\n").filter {
      $0.hasPrefix("WARNING") && !(isShort && $0.contains("Too few MPEG frames"))
    }
    #expect(warnings == [], "mp3val, \(count)")
  }

  @Test("M4A announces exactly the frames that went in", arguments: [44100, 48000, 8000])
  func m4aLengths(rate: Int) throws {
    for count in edgeLengths {
      let path = folder.path("\(count).m4a")
      let tone = Signal.sine(frequency: 300, sampleRate: rate, count: count)
      try writeSound([tone], to: path, .m4a(bitRate: min(128_000, rate * 4)), sampleRate: rate)
      let duration = try probe(path, "stream=time_base,duration_ts")
      #expect(duration == "1/\(rate)\n\(count)")
      // ffmpeg keeps the padding of the last AAC frame.
      let decoded = try decode(path)
      #expect(decoded.count >= count && decoded.count < count + 1024)
      guard count > 10_000 else { continue }
      #expect(Signal.correlation(decoded[2000..<8000], tone[2000..<8000]) > 0.99)
      #expect(abs(Signal.gain(of: decoded[2000..<8000], over: tone[2000..<8000])) < 0.1)
    }
  }

  @Test("the bytes are the same at each run, and however the sound is cut", arguments: formats)
  func deterministic(format: Output.Format) throws {
    let noise = [Signal.noise(seed: 1, count: 30_000), Signal.noise(seed: 2, count: 30_000)]
    var metadata = Metadata()
    metadata["title"] = "Noise"
    let path = folder.path("a")
    var files: [[UInt8]] = []
    for blockLength in [4096, 4096, 30_000, 777] {
      try writeSound(
        noise, to: path, format, isDithered: true, metadata: metadata, blockLength: blockLength)
      files.append(try readFile(path))
    }
    #expect(Set(files).count == 1)
  }

  static let formats: [Output.Format] = [
    .mp3(.standard), .mp3(.init(.cbr(bitRate: 128_000))), .wav(.int16), .wav(.int24),
    .wav(.float32), .aiff(.int24), .aiff(.float32), .caf(.int16), .flac(bitDepth: 16),
    .flac(bitDepth: 24), .alac(bitDepth: 16), .alac(bitDepth: 24), .m4a(bitRate: 128_000),
    .vorbis(.standard), .vorbis(.bitRate(128_000)), .opus(bitRate: 96_000),
  ]

  @Test("samples over full scale are counted, and clamped where the format cannot hold them")
  func clipping() throws {
    let sound: [Float] = [0, 1, -1, 1.5, -2, 0.5, 1.0000001]
    let path = folder.path("a.wav")
    let written = try writeSound([sound], to: path, .wav(.int16))
    #expect(written.clippedSamples == 3)
    #expect(written.peak == 2)
    let top: Float = 32767.0 / 32768
    #expect(try decode(path) == [0, top, -1, top, -1, 0.5, top])
    #expect(try writeSound([sound], to: path, .wav(.float32)).clippedSamples == 3)
    #expect(try decode(path) == sound)
  }

  @Test("a sound of no length becomes a valid empty file")
  func empty() throws {
    let formats: [(String, Output.Format)] = [
      ("a.wav", .wav(.int16)), ("a.flac", .flac(bitDepth: 16)), ("a.caf", .caf(.int16)),
    ]
    for (name, format) in formats {
      try writeSound([[], []], to: folder.path(name), format)
      #expect(try Tool.succeed("sox", "--i", "-s", folder.path(name)).text.trimmed == "0")
    }
    #expect(try entries(of: folder.root).sorted() == ["a.caf", "a.flac", "a.wav"])
  }

}
