import Glibc
import MPEGAudio
import Splicing
import Synchronization
import TestSupport
import Testing
import Threads

@testable import LAME

/// The slow twin is one LAME instance over the whole sound.
@Suite("One stream, many encoders")
struct ChunkEncoderTests {
  /// Chunks so short that `frameCount` frames have three of them.
  static func short(_ setup: EncoderSetup) -> ChunkGrid {
    var grid = MP3Codec(setup: setup).grid
    grid.length = 147
    grid.shortest = 49
    return grid
  }

  /// MP3 frames, two seams among them, at any sample rate.
  static let frameCount = 2 * 147 + 60

  static let cases: [(String, rate: Int, channels: Int)] = [
    ("V0", 44100, 2), ("V2", 44100, 2), ("V5", 48000, 2), ("V9", 32000, 1), ("abr 128k", 44100, 2),
    ("abr 160k", 48000, 2), ("cbr 64k", 44100, 1), ("cbr 128k", 44100, 2), ("cbr 192k", 32000, 2),
    ("cbr 320k", 48000, 2), ("V5", 24000, 2), ("V2", 16000, 1), ("cbr 64k", 22050, 2),
    ("abr 128k", 22050, 2), ("cbr 128k", 24000, 1), ("cbr 64k", 16000, 2), ("V9", 8000, 1),
    ("cbr 64k", 8000, 1), ("abr 40k", 11025, 2),
  ]

  @Test(
    "the bytes are the same with 1, 2, 3 and 8 cores, and however the sound comes", arguments: cases
  )
  func width(_ text: String, rate: Int, channels: Int) throws {
    let setup = try EncoderSetup(
      MP3Settings(parsing: text), sampleRate: rate, channelCount: channels)
    let sound = Material.speechLike(
      rate: rate, channels: channels, count: Self.frameCount * setup.samplesPerFrame)
    let grid = Self.short(setup)
    let one = try chunked(sound, setup, grid, cores: 1)
    for (cores, blockLength) in [(2, 4096), (3, 50_000), (8, 1333)] {
      #expect(try chunked(sound, setup, grid, cores: cores, blockLength: blockLength) == one)
    }
  }

  @Test("frames are those of one encoder over the whole", arguments: cases)
  func twin(_ text: String, rate: Int, channels: Int) throws {
    let setup = try EncoderSetup(
      MP3Settings(parsing: text), sampleRate: rate, channelCount: channels)
    let sound = try Material.music(
      rate: rate, channels: channels, count: Self.frameCount * setup.samplesPerFrame)
    let twin = try serial(sound, setup)
    let frames = try unpacked(
      chunked(sound, setup, Self.short(setup), cores: 2))
    #expect(frames.count == twin.count)
    let alike = zip(frames, twin).count { $0.hasSameSound(as: $1) }
    // Ten times as many seams as a real grid has.
    #expect(Double(alike) >= 0.99 * Double(twin.count), "\(alike) of \(twin.count)")
  }

  @Test(
    "whole fixtures have one encoder's frames: 999 of 1000, 998 in a mean bit rate",
    arguments: ["V0", "V2", "abr 160k", "cbr 64k", "cbr 128k"],
    ["feelings.ogg", "librivox-sonnet.mp3"])
  func fixtures(_ text: String, _ file: String) throws {
    let sound = try Material.named(file)
    let setup = try EncoderSetup(MP3Settings(parsing: text), sampleRate: 44100, channelCount: 2)
    let twin = try serial(sound, setup)
    let frames = try unpacked(chunked(sound, setup, nil, cores: 2))
    #expect(twin.count > MP3Codec(setup: setup).grid.length && frames.count == twin.count)
    let alike = zip(frames, twin).count { $0.hasSameSound(as: $1) }
    let least = text.hasPrefix("abr") ? 0.998 : 0.999
    #expect(Double(alike) >= least * Double(twin.count), "\(alike) of \(twin.count)")
  }

  @Test(
    "no frame is more than 1 dB worse than one encoder's, nor all of them by 0.05 dB, nor larger",
    arguments: ["V0", "V2", "V5", "abr 128k", "cbr 128k"], Material.audible)
  func quality(_ text: String, _ name: String) throws {
    let sound = try Material.named(name)
    let setup = try EncoderSetup(MP3Settings(parsing: text), sampleRate: 44100, channelCount: 2)
    let ours = try chunked(sound, setup, Self.short(setup), cores: 2)
    let twins = try chunked(
      sound, setup, ChunkGrid(length: 1 << 20, warmUp: 0, agreement: 1, shortest: 1), cores: 1)
    let segments = zip(try ratios(of: ours, to: sound), try ratios(of: twins, to: sound))
    let losses = segments.map { $1 - $0 }
    #expect(losses.allSatisfy { $0 <= 1 }, "\(losses.max() ?? 0) dB")
    #expect(abs(losses.reduce(0, +) / Double(losses.count)) <= 0.05)
    #expect(abs(Double(ours.count) / Double(twins.count) - 1) <= 0.005)
  }

  @Test(
    "hard sound becomes a stream of the exact length that every decoder takes",
    arguments: Material.hard.map(\.name), ["V0", "V2", "abr 160k", "cbr 128k", "cbr 320k"])
  func hardSound(_ name: String, _ text: String) throws {
    let sound = try Material.named(name)
    let setup = try EncoderSetup(MP3Settings(parsing: text), sampleRate: 44100, channelCount: 2)
    let stream = try chunked(sound, setup, Self.short(setup), cores: 2)
    let folder = TestFolder()
    let path = folder.path("a.mp3")
    try writeFile(path, stream)
    for decoder in [
      ["ffmpeg", "-v", "warning", "-i", path, "-f", "s16le", "-"], ["mpg123", "-q", "-s", path],
      ["lame", "--quiet", "--decode", "-t", path, "-"],
    ] {
      let result = try Tool.run(decoder)
      #expect(result.errors.isEmpty && result.output.count / 4 == sound[0].count, "\(decoder[0])")
    }
    let warnings = try Tool.succeed("mp3val", path).text.split(separator: "\n")
      // It misses a tag of ID3, which is not LAME's to write.
      .filter { $0.hasPrefix("WARNING") && !$0.contains("No supported tags") }
    #expect(warnings == [])
  }

  @Test("a stream shorter than a chunk, than a frame, and of nothing has LAME's frames")
  func shortSound() throws {
    for text in ["V2", "cbr 128k", "abr 96k"] {
      let setup = try EncoderSetup(MP3Settings(parsing: text), sampleRate: 44100, channelCount: 2)
      for count in [0, 1, 575, 576, 1152, 1153, 147 * 1152, 147 * 1152 + 1, 196 * 1152 - 1] {
        let sound = Material.speechLike(rate: 44100, channels: 2, count: count)
        let stream = try chunked(sound, setup, Self.short(setup), cores: 2)
        let frames = try unpacked(stream)
        let twin = try serial(sound, setup)
        #expect(frames.count == twin.count, "\(text), \(count)")
        let index = try FrameIndex(byteCount: stream.count) { offset, target in
          target.copyBytes(from: stream[offset..<offset + target.count])
          return target.count
        }
        #expect(index.tag?.frameCount == frames.count && index.anomalies.isEmpty)
        #expect(Int(index.validFrameCount) == count)
      }
    }
  }

  @Test(
    "encoders that never agree leave the stream to the first of them, which keeps none of it back",
    arguments: ["V2", "abr 96k", "cbr 128k"])
  func noAgreement(_ text: String) throws {
    let sound = Material.speechLike(rate: 44100, channels: 2, count: Self.frameCount * 1152)
    let setup = try EncoderSetup(MP3Settings(parsing: text), sampleRate: 44100, channelCount: 2)
    let encoder = ChunkEncoder(
      setup, grid: ChunkGrid(length: 147, warmUp: 49, agreement: 197, shortest: 49))
    var bytes: [UInt8] = []
    try withPlanes(sound) { try encoder.encode($0, count: sound[0].count, into: &bytes) }
    let early = bytes.count
    let info = try encoder.finish(into: &bytes)
    bytes.replaceSubrange(..<info.count, with: info)
    // One chunk of three is certain before the last is complete.
    #expect(early * 10 > bytes.count * 3)
    let frames = try unpacked(bytes)
    let twin = try serial(sound, setup)
    #expect(frames.count == twin.count)
    #expect(zip(frames, twin).allSatisfy { $0.hasSameSound(as: $1) })
  }

  @Test("what is no number is refused with its place in the whole sound")
  func notFinite() throws {
    let setup = try EncoderSetup(MP3Settings(parsing: "V2"), sampleRate: 44100, channelCount: 2)
    for (bad, error) in [
      (Float.nan, LAMEError.notFinite(channel: 1, frame: 200_001)),
      (.infinity, .notFinite(channel: 1, frame: 200_001)),
      (-2000, .tooLoud(channel: 1, frame: 200_001)),
    ] {
      var sound = Material.speechLike(rate: 44100, channels: 2, count: 300_000)
      sound[1][200_001] = bad
      #expect(throws: error) {
        try chunked(sound, setup, Self.short(setup), cores: 2)
      }
    }
  }

  @Test("a cancelled encoder throws, leaves no thread behind and no core taken")
  func cancellation() throws {
    let setup = try EncoderSetup(MP3Settings(parsing: "V2"), sampleRate: 44100, channelCount: 2)
    let budget = CPUBudget(total: 3)
    let cancellation = CancellationFlag()
    Crew.gather(from: budget, unless: cancellation) { crew in
      let encoder = ChunkEncoder(setup, grid: Self.short(setup), crew: crew)
      let sound = Material.speechLike(rate: 44100, channels: 2, count: 200_000)
      var bytes: [UInt8] = []
      withPlanes(sound) { planes in
        for round in 0..<12 {
          if round == 8 { cancellation.cancel() }
          do throws(LAMEError) {
            try encoder.encode(planes, count: sound[0].count, into: &bytes)
          } catch {
            #expect(error == .cancelled && round >= 8)
            return
          }
        }
      }
      #expect(throws: LAMEError.cancelled) { try encoder.finish(into: &bytes) }
      encoder.cancel()
    }
    let leases = (0..<3).compactMap { _ in budget.tryLease() }
    #expect(leases.count == 3)
  }

  @Test("idle cores are given back to those who wait for one")
  func lending() throws {
    let setup = try EncoderSetup(MP3Settings(parsing: "V2"), sampleRate: 44100, channelCount: 2)
    let budget = CPUBudget(total: 2)
    let own = try #require(budget.tryLease())
    defer { own.release() }
    let encoder = ChunkEncoder(setup, grid: Self.short(setup), crew: Crew(budget: budget))
    let sound = Material.speechLike(rate: 44100, channels: 2, count: 500_000)
    let job = try Thread.spawn(name: "job") { budget.lease()?.release() }
    var bytes: [UInt8] = []
    let info = try withPlanes(sound) { planes in
      try encoder.encode(planes, count: sound[0].count, into: &bytes)
      return try encoder.finish(into: &bytes)
    }
    job.join()
    #expect(!info.isEmpty)
  }
}

/// Encodes in chunks; the whole stream, with its Info frame.
func chunked(
  _ sound: [[Float]], _ setup: EncoderSetup, _ grid: ChunkGrid?, cores: Int,
  blockLength: Int = 4096
) throws -> [UInt8] {
  let budget = CPUBudget(total: cores)
  let own = budget.tryLease()
  defer { own?.release() }
  let encoder = ChunkEncoder(setup, grid: grid, crew: Crew(budget: budget))
  var bytes: [UInt8] = []
  for start in stride(from: 0, to: sound[0].count, by: blockLength) {
    let end = min(sound[0].count, start + blockLength)
    try withPlanes(sound.map { Array($0[start..<end]) }) {
      try encoder.encode($0, count: end - start, into: &bytes)
    }
  }
  let info = try encoder.finish(into: &bytes)
  bytes.replaceSubrange(..<info.count, with: info)
  return bytes
}

/// The frames of one LAME instance.
func serial(_ sound: [[Float]], _ setup: EncoderSetup) throws -> [UnpackedFrame] {
  var encoder = try setup.open()
  var bytes: [UInt8] = []
  try withPlanes(sound) { try encoder.encode($0, count: sound[0].count, into: &bytes) }
  try encoder.flush(into: &bytes)
  return try unpacked(bytes, skippingInfo: false)
}

func unpacked(_ stream: [UInt8], skippingInfo: Bool = true) throws -> [UnpackedFrame] {
  var unpacker = FrameUnpacker()
  var frames: [UnpackedFrame] = []
  try stream.withUnsafeBufferPointer { try unpacker.unpack($0, into: &frames) }
  return skippingInfo ? Array(frames.dropFirst()) : frames
}

/// Signal to noise in dB, for each 1152 samples of what ffmpeg decodes, as far as there is a signal.
private func ratios(of stream: [UInt8], to sound: [[Float]]) throws -> [Double] {
  let folder = TestFolder()
  try writeFile(folder.path("a.mp3"), stream)
  let decoded = try Tool.succeed(
    "ffmpeg", "-v", "error", "-i", folder.path("a.mp3"), "-f", "f32le", "-"
  ).floats
  return decoded.withUnsafeBufferPointer { decoded in
    stride(from: 0, to: sound[0].count - 1152, by: 1152).compactMap { start in
      var (signal, noise): (Float, Float) = (1e-12, 1e-12)
      for (channel, plane) in sound.enumerated() {
        plane.withUnsafeBufferPointer { plane in
          var index = start
          while index < start + 1152 {
            let difference = plane[index] - decoded[index * 2 + channel]
            signal += plane[index] * plane[index]
            noise += difference * difference
            index += 1
          }
        }
      }
      return signal > 1e-4 ? 10 * log10(Double(signal / noise)) : nil
    }
  }
}

/// Sounds to encode.
enum Material {
  /// Those of which a signal-to-noise ratio says something.
  static let audible = ["music", "speech", "a full-scale square wave after silence", "a sweep"]

  /// One of those that are hard, the start of music or speech, or a whole fixture of that name; each
  /// is made once.
  static func named(_ name: String) throws -> [[Float]] {
    try made.withLock { made in
      if let sound = made[name] { return sound }
      let fixtures = ["speech": "librivox-sonnet.mp3", "music": "feelings.ogg"]
      let sound =
        try hard.first { $0.name == name }?.make()
        ?? decoded(
          fixtures[name] ?? name, rate: 44100, channels: 2,
          count: fixtures[name] == nil ? .max : count)
      made[name] = sound
      return sound
    }
  }

  private static let made = Mutex<[String: [[Float]]]>([:])

  struct Hard: Sendable {
    let name: String
    fileprivate let make: @Sendable () -> [[Float]]
  }

  /// Some seconds of stereo each, in which encoders have a hard time to agree.
  static let hard: [Hard] = [
    Hard(name: "silence") { stereo { _ in 0 } },
    Hard(name: "near-silence") { [noise(1, 1e-5), noise(2, 1e-5)] },
    Hard(name: "a full-scale square wave after silence") {
      stereo { $0 < count * 2 / 3 ? 0 : ($0 / 50) % 2 == 0 ? 1 : -1 }
    },
    Hard(name: "a sweep") {
      let glide = Signal.glide(sampleRate: 44100, count: count)
      return [glide, glide.reversed()]
    },
    Hard(name: "white noise") { [noise(3, 1), noise(4, 1)] },
    Hard(name: "clipping") {
      let loud = noise(5, 4).map { max(-1, min(1, $0)) }
      return [loud, loud.map { -$0 }]
    },
    Hard(name: "loud and silent by turns") {
      let loud = noise(6, 1)
      return [loud, loud].map { plane in
        plane.indices.map { ($0 / 60_000) % 2 == 0 ? plane[$0] : 0 }
      }
    },
  ]

  private static let count = ChunkEncoderTests.frameCount * 1152

  private static func stereo(_ sample: (Int) -> Float) -> [[Float]] {
    let plane = (0..<count).map(sample)
    return [plane, plane]
  }

  private static func noise(_ seed: UInt64, _ amplitude: Float) -> [Float] {
    Signal.noise(seed: seed * 1_000_000, count: count, amplitude: amplitude)
  }

  /// Tones that come and go over a little noise, other ones in each channel.
  static func speechLike(rate: Int, channels: Int, count: Int) -> [[Float]] {
    let glide = Signal.glide(sampleRate: rate, count: count)
    return (0..<channels).map { channel in
      var plane = Signal.noise(seed: UInt64(channel) << 40, count: count, amplitude: 0.02)
      plane.withUnsafeMutableBufferPointer { plane in
        glide.withUnsafeBufferPointer { glide in
          let period = rate / (3 + channel)
          var index = 0
          while index < count {
            let swell = Float(index % period) / Float(period)
            plane[index] += glide[channel == 0 ? index : count - 1 - index] * swell * swell
            index += 1
          }
        }
      }
      return plane
    }
  }

  static func music(rate: Int, channels: Int, count: Int) throws -> [[Float]] {
    try decoded("feelings.ogg", rate: rate, channels: channels, count: count)
  }

  /// The first `count` frames of a fixture, or all of them.
  fileprivate static func decoded(
    _ file: String, rate: Int, channels: Int, count: Int = .max
  ) throws -> [[Float]] {
    let floats = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path(file), "-t", "\(min(60, count / rate + 1))",
      "-ac",
      "\(channels)", "-ar", "\(rate)", "-f", "f32le", "-"
    ).floats
    return LAMETests.channels(channels, of: floats)
      .map { Array($0.prefix(count)) }
  }
}
