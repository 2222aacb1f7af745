import MPEGAudio
import TestSupport
import Testing

@testable import LAME

/// A whole MP3 file in memory: what `MP3Encoding` does on disk.
func encoded(
  _ channels: [[Float]], _ settings: MP3Settings, sampleRate: Int, blockLength: Int = 4096
) throws -> [UInt8] {
  var encoder = try MP3Encoder.open(
    settings, sampleRate: sampleRate, channelCount: channels.count)
  var bytes: [UInt8] = []
  let count = channels[0].count
  for start in stride(from: 0, to: count, by: blockLength) {
    let length = min(blockLength, count - start)
    try withPlanes(channels.map { Array($0[start..<start + length]) }) {
      try encoder.encode($0, count: length, into: &bytes)
    }
  }
  try encoder.flush(into: &bytes)
  let frames = frames(of: bytes)
  let header = try #require(FrameHeader(startOf: bytes))
  var info = InfoFrame(like: header, encoding: encoder.encoding)
  for frame in frames { info.add(frame: frame) }
  return info.encoded(delay: encoder.delay, padding: encoder.padding) + bytes
}

/// Cuts a stream into its frames; what is no frame stays away.
func frames(of stream: some RandomAccessCollection<UInt8>) -> [[UInt8]] {
  var frames: [[UInt8]] = []
  var rest = stream[...]
  while let length = FrameHeader(startOf: rest)?.frameLength, length <= rest.count {
    frames.append(Array(rest.prefix(length)))
    rest = rest.dropFirst(length)
  }
  return frames
}

/// Lends planar copies of the channels.
func withPlanes<R>(
  _ channels: [[Float]], _ body: (UnsafePointer<UnsafeMutablePointer<Float>>) throws -> R
) rethrows -> R {
  let planes = channels.map { channel in
    let plane = UnsafeMutablePointer<Float>.allocate(capacity: max(1, channel.count))
    plane.initialize(from: channel, count: channel.count)
    return plane
  }
  defer { for plane in planes { plane.deallocate() } }
  return try body(planes)
}

/// The channels that ffmpeg decodes from a file.
func decoded(_ path: String, channelCount: Int) throws -> [[Float]] {
  channels(
    channelCount,
    of: try Tool.succeed("ffmpeg", "-v", "warning", "-i", path, "-f", "f32le", "-").floats)
}

/// The planes of interleaved samples.
func channels(_ channelCount: Int, of samples: [Float]) -> [[Float]] {
  let count = samples.count / channelCount
  return (0..<channelCount).map { channel in
    [Float](unsafeUninitializedCapacity: count) { plane, initialized in
      while initialized < count {
        plane[initialized] = samples[initialized * channelCount + channel]
        initialized += 1
      }
    }
  }
}

struct GainCase: Sendable, CustomTestStringConvertible {
  let settings: MP3Settings
  let sampleRate: Int
  var testDescription: String { "\(settings.rateControl) at \(sampleRate) Hz" }

  /// Decibels. From V6 on LAME's coarse quantisation loses energy by itself.
  var tolerance: Double {
    if case .vbr(let quality) = settings.rateControl, quality > 5 { 0.08 } else { 0.02 }
  }

  static let all: [GainCase] = {
    var all: [GainCase] = []
    func add(_ rateControl: MP3Settings.RateControl, at sampleRate: Int) {
      all.append(GainCase(settings: MP3Settings(rateControl), sampleRate: sampleRate))
    }
    for quality in 0...9 { add(.vbr(quality: Double(quality)), at: 44100) }
    for quality in [0.5, 2.7, 9.9] { add(.vbr(quality: quality), at: 48000) }
    for rate in [64, 128, 160, 192, 224, 256, 320] {
      add(.abr(bitRate: min(310, rate) * 1000), at: 44100)
      add(.cbr(bitRate: rate * 1000), at: 44100)
    }
    for sampleRate in [8000, 11025, 12000, 16000, 22050, 24000, 32000, 48000] {
      add(.vbr(quality: 0), at: sampleRate)
      add(.abr(bitRate: 64000), at: sampleRate)
      add(.cbr(bitRate: 64000), at: sampleRate)
    }
    return all
  }()
}

@Suite("MP3Encoder")
struct MP3EncoderTests {
  let folder = TestFolder()

  @Test("decoded sound is as loud as it was, at every setting", arguments: GainCase.all)
  func gain(_ example: GainCase) throws {
    let count = example.sampleRate
    let glide = Signal.glide(sampleRate: example.sampleRate, count: count)
    let sounds = [glide, glide.reversed()]
    let path = folder.path("glide.mp3")
    try writeFile(path, try encoded(sounds, example.settings, sampleRate: example.sampleRate))
    for (sound, output) in zip(sounds, try decoded(path, channelCount: 2)) {
      try #require(output.count == count)
      let middle = count / 8..<count * 7 / 8
      #expect(abs(Signal.gain(of: output[middle], over: sound[middle])) < example.tolerance)
      #expect(Signal.correlation(output[middle], sound[middle]) > 0.99)
    }
  }

  @Test("a setup is asked once, and each encoder of it gives the same bytes on any thread")
  func setups() async throws {
    let setup = try EncoderSetup(
      .init(.cbr(bitRate: 128_000)), sampleRate: 44100, channelCount: 1)
    let noise = Signal.noise(seed: 5, count: 12_000)
    let streams = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<3 {
        group.addTask {
          var encoder = try setup.open()
          var bytes: [UInt8] = []
          try withPlanes([noise]) { try encoder.encode($0, count: noise.count, into: &bytes) }
          try encoder.flush(into: &bytes)
          #expect(encoder.scale == 1)
          return bytes
        }
      }
      return try await group.reduce(into: [[UInt8]]()) { $0.append($1) }
    }
    let alone = try encoded([noise], .init(.cbr(bitRate: 128_000)), sampleRate: 44100)
    #expect(streams.count == 3 && streams.allSatisfy { $0 == alone.suffix($0.count) })
  }

  @Test("the bytes do not depend on how the sound is cut into blocks")
  func blocks() throws {
    let noise = [Signal.noise(seed: 1, count: 30_000), Signal.noise(seed: 2, count: 30_000)]
    let whole = try encoded(noise, .standard, sampleRate: 44100, blockLength: 30_000)
    #expect(try encoded(noise, .standard, sampleRate: 44100, blockLength: 1000) == whole)
    #expect(try encoded(noise, .standard, sampleRate: 44100, blockLength: 577) == whole)
  }

  @Test("delay and padding account for every decoded sample")
  func padding() throws {
    var encoder = try MP3Encoder.open(.standard, sampleRate: 44100, channelCount: 1)
    var bytes: [UInt8] = []
    try withPlanes([Signal.noise(seed: 3, count: 25_000)]) {
      try encoder.encode($0, count: 25_000, into: &bytes)
    }
    try encoder.flush(into: &bytes)
    #expect(encoder.delay == 576)
    #expect((encoder.delay + 25_000 + encoder.padding) % encoder.samplesPerFrame == 0)
    #expect(encoder.padding >= 576)
    #expect(encoder.frameCount == 25_000)
  }

  @Test(
    "samples that are not finite never reach LAME", arguments: [Float.nan, .infinity, -.infinity])
  func notFinite(_ value: Float) throws {
    var encoder = try MP3Encoder.open(.standard, sampleRate: 44100, channelCount: 2)
    var bytes: [UInt8] = []
    var right = [Float](repeating: 0, count: 100)
    try withPlanes([right, right]) { try encoder.encode($0, count: 100, into: &bytes) }
    right[7] = value
    let error = #expect(throws: LAMEError.self) {
      try withPlanes([[Float](repeating: 0, count: 100), right]) {
        try encoder.encode($0, count: 100, into: &bytes)
      }
    }
    #expect(error == .notFinite(channel: 1, frame: 107))
    #expect(error?.message == "channel 2 of frame 107 is not a finite number")
  }

  @Test("sound up to 60 dB over full scale is encoded", arguments: [0, 32, 128, 320])
  func loud(_ bitRate: Int) throws {
    let settings = MP3Settings(bitRate == 0 ? .vbr(quality: 2) : .cbr(bitRate: bitRate * 1000))
    let noise = Signal.noise(seed: 9, count: 20_000, amplitude: MP3Encoder.largestSample)
    #expect(try !encoded([noise, noise], settings, sampleRate: 44100).isEmpty)
  }

  @Test("louder sound, which would end the process inside LAME, is refused")
  func tooLoud() throws {
    var encoder = try MP3Encoder.open(.standard, sampleRate: 44100, channelCount: 1)
    var bytes: [UInt8] = []
    let error = #expect(throws: LAMEError.self) {
      try withPlanes([[0, 1000, -1000.1]]) { try encoder.encode($0, count: 3, into: &bytes) }
    }
    #expect(error?.message == "channel 1 of frame 2 is more than 60 dB over full scale")
  }

  @Test(
    "what LAME would change without a word is refused",
    arguments: [
      (
        MP3Settings.standard, 96000, 2,
        "MP3 has no sample rate of 96000 Hz, only 8000, 11025, "
          + "12000, 16000, 22050, 24000, 32000, 44100, 48000"
      ),
      (.standard, 44100, 6, "MP3 has one or two channels, not 6"),
      (.init(.vbr(quality: 10)), 44100, 2, "VBR quality is 0 … 9.999, not 10.0"),
      (.init(.vbr(quality: .nan)), 44100, 2, "VBR quality is 0 … 9.999, not nan"),
      (
        .init(.cbr(bitRate: 144_000)), 44100, 2,
        "at 44100 Hz LAME has no constant kbps of 144; it would take 128"
      ),
      (
        .init(.cbr(bitRate: 320_000)), 22050, 2,
        "at 22050 Hz LAME has no constant kbps of 320; it would take 160"
      ),
      (
        .init(.abr(bitRate: 8000)), 44100, 1,
        "at 44100 Hz LAME has no mean kbps of 8; it would take 32"
      ),
      (.init(.cbr(bitRate: 128_500)), 44100, 2, "LAME has no bit rate of 128500 b/s"),
      (.init(.cbr(bitRate: -1000)), 44100, 2, "LAME has no bit rate of -1000 b/s"),
      (.init(.vbr(quality: 2), quality: 10), 44100, 2, "LAME's quality is 0 … 9, not 10"),
    ])
  func refusals(_ settings: MP3Settings, rate: Int, channels: Int, message: String) {
    var words: String?
    do throws(LAMEError) {
      _ = try MP3Encoder.open(settings, sampleRate: rate, channelCount: channels)
    } catch {
      words = error.message
    }
    #expect(words == message)
  }
}
