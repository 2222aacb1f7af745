import Diagnosis
import Glibc
import ExportGraph
import LibAV
import MediaComposition
import Splicing
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

/// The slow twin is one encoder over the whole sound.
@Suite("Formats of FFmpeg's encoders, on many cores")
struct SplicedEncodingTests {
  private let folder = TestFolder()

  /// Writes sound; gives the bytes.
  private func write(
    _ sound: [[Float]], _ format: Output.Format, rate: Int, length: Int, cores: Int,
    blockLength: Int = 4096, seams: ClosedRange<Int>? = nil
  ) throws -> [UInt8] {
    LibAV.Library.silence()
    let path = folder.path("a." + (format.kind.capabilities.extensions.first ?? ""))
    let layout: ChannelLayout =
      sound.count == 1 ? .mono : sound.count == 2 ? .stereo : .surround51
    let sink = Sink(
      node: 0, frames: 0..<Int64(sound[0].count),
      output: Output(path: FilePath(path), format: format), metadata: Metadata(), chapters: [],
      isDithered: format.integerDepth == 16)
    let recipe = try recipe(
      for: sink, format: AudioFormat(sampleRate: rate, channelLayout: layout)
    ) { _, _ throws(Failure) in nil }
    let budget = CPUBudget(total: cores)
    let own = budget.tryLease()
    defer { own?.release() }
    let encoder = try LibAV.Encoder.open(
      recipe.codec, sampleRate: rate, channelMask: recipe.channelMask)
    var grid = LibAVCodec<Float>(recipe, like: encoder).grid
    grid.length = length
    grid.warmUp = min(grid.warmUp, length / 2)
    grid.shortest = min(grid.shortest, length / 2)
    let file = try OutputFile.create(at: FilePath(path))
    let encoding = try openSplicedEncoding(
      file, recipe, channelCount: sound.count, crew: Crew(budget: budget), grid: grid)
    let tally = SoundTally(expectedFrames: Int64(sound[0].count), channelCount: sound.count)
    let writer = SoundWriter(file, tally, encoding, sampleRate: rate)
    let block = AudioBuffer(channelCount: sound.count, capacity: blockLength)
    for start in stride(from: 0, to: sound[0].count, by: blockLength) {
      block.fill(sound, from: start, count: min(blockLength, sound[0].count - start))
      try writer.write(block)
    }
    _ = try writer.finish()
    if let seams {
      let count =
        (encoding as? SplicedEncoding<FloatSamples>)?.encoder.seamCount
        ?? (encoding as? SplicedEncoding<IntegerSamples>)?.encoder.seamCount
      #expect(count.map { seams ~= $0 } == true, "\(count ?? 0) seams")
    }
    try writer.commit()
    return try readFile(path)
  }

  /// A length of chunk that no test's sound fills.
  private static let serial = 1000

  static let cases: [(String, Output.Format, rate: Int, channels: Int)] = [
    ("FLAC", .flac(bitDepth: 16), 44_100, 2), ("FLAC 24", .flac(bitDepth: 24), 96_000, 1),
    ("FLAC 5.1", .flac(bitDepth: 24), 48_000, 6), ("ALAC", .alac(bitDepth: 16), 44_100, 2),
    ("ALAC 24", .alac(bitDepth: 24), 48_000, 2), ("q5", .vorbis(.quality(5)), 44_100, 2),
    ("q0", .vorbis(.quality(0)), 22_050, 1), ("q8 5.1", .vorbis(.quality(8)), 48_000, 6),
    ("Vorbis 96k", .vorbis(.bitRate(96_000)), 44_100, 2),
    ("Opus 96k", .opus(bitRate: 96_000), 48_000, 2),
    ("Opus 24k", .opus(bitRate: 24_000), 48_000, 1),
    ("AAC 128k", .m4a(bitRate: 128_000), 44_100, 2),
    ("AAC 32k", .m4a(bitRate: 32_000), 22_050, 1), ("AAC 5.1", .m4a(bitRate: 320_000), 48_000, 6),
  ]

  private func music(_ rate: Int, _ channels: Int, seconds: Int) throws -> [[Float]] {
    try decoded(
      Fixture.path("feelings.ogg"), "-t", "\(seconds)", "-ar", "\(rate)", channels: channels)
  }

  private func decoded(_ path: String, _ options: String..., channels: Int) throws -> [[Float]] {
    let result = try Tool.run(
      ["ffmpeg", "-v", "error", "-i", path] + options
        + ["-ac", "\(channels)", "-f", "f32le", "-"])
    try #require(result.status == 0 && result.output.count > 0, "\(result.errors)")
    return result.floats.channels(channels)
  }

  @Test("the bytes are the same on 1, 2, 3 and 8 cores, however the sound comes", arguments: cases)
  func width(_: String, _ format: Output.Format, rate: Int, channels: Int) throws {
    let sound = try music(rate, channels, seconds: 6)
    let (step, length) = format.integerDepth == nil ? (1024, 64) : (4608, 12)
    // An encoder takes over in most chunks.
    let one = try write(
      sound, format, rate: rate, length: length, cores: 1,
      seams: (3 * rate / length / step)...100)
    for (cores, blockLength) in [(2, 4096), (3, 50_000), (8, 1333)] {
      let isSame =
        try write(
          sound, format, rate: rate, length: length, cores: cores, blockLength: blockLength)
        == one
      #expect(isSame, "\(cores) cores")
    }
  }

  /// Ten kinds of sound, 3 s each, and what is unlike music in them.
  private func sounds() throws -> [(name: String, channels: [[Float]])] {
    let count = 3 * 44_100
    let noise = Signal.noise(seed: 5, count: count)
    let sine = (0..<count).map { Float(sin(Double($0) * 0.142)) }
    let voice = try decoded(
      Fixture.path("voice-8k.wav"), "-t", "3", "-ar", "44100", channels: 1)[0]
    return [
      ("silence", [[Float]](repeating: .init(repeating: 0, count: count), count: 2)),
      ("noise", [noise, noise.reversed()]), ("soft noise", [noise.map { $0 * 1e-5 }]),
      ("a tone", [sine.map { $0 * 0.5 }]), ("beyond full scale", [sine.map { $0 * 3 }]),
      ("a sweep", [(0..<count).map { Float(sin(Double($0) * Double($0) * 1e-5)) }]),
      ("clicks", [(0..<count).map { $0 % 9973 == 0 ? 1 : 0 }, sine.map { $0 > 0.99 ? 1 : 0 }]),
      ("bursts", [noise.enumerated().map { $1 * ($0 / 7001 % 3 == 0 ? 1 : 1e-3) }]),
      ("speech", [voice, voice.map { -$0 }]),
      ("a constant", [.init(repeating: 0.25, count: count)]),
    ]
  }

  @Test(
    "ten kinds of sound have the same bytes on 1, 2, 3 and 8 cores",
    arguments: [
      Output.Format.flac(bitDepth: 16), .alac(bitDepth: 24), .vorbis(.quality(4)),
      .opus(bitRate: 64_000), .m4a(bitRate: 96_000),
    ])
  func sounds(_ format: Output.Format) throws {
    let length = format.integerDepth == nil ? 32 : 6
    for (name, sound) in try sounds() {
      let rate = if case .opus = format { 48_000 } else { 44_100 }
      let one = try write(sound, format, rate: rate, length: length, cores: 1)
      for cores in [2, 3, 8] {
        let isSame = try write(sound, format, rate: rate, length: length, cores: cores) == one
        #expect(isSame, "\(name) on \(cores) cores")
      }
    }
  }

  @Test("FLAC, ALAC and Vorbis are the bytes of one encoder", arguments: cases[..<9])
  func twin(_: String, _ format: Output.Format, rate: Int, channels: Int) throws {
    let sound = try music(rate, channels, seconds: 8)
    let isSame =
      try write(
        sound, format, rate: rate, length: format.integerDepth == nil ? 64 : 12, cores: 2)
      == write(sound, format, rate: rate, length: Self.serial, cores: 1)
    #expect(isSame)
  }

  @Test(
    "Opus and AAC lose nothing beside one encoder: length, size, noise",
    arguments: cases.filter { $0.0.hasPrefix("Opus") || $0.0.hasPrefix("AAC") })
  func quality(_: String, _ format: Output.Format, rate: Int, channels: Int) throws {
    var sound = try music(rate, channels, seconds: 24)
    var chunk = 256
    if case .m4a = format {
      // An encoder that goes on is held to one whose rate control has come to rest, and needs the
      // whole warm-up of 512 packets.
      chunk = 1024
      sound = sound.map { Self.repeated($0, count: 1800 * 1024) }
    }
    var (sizes, ratios) = ([] as [Double], [] as [[Double]])
    for (length, cores) in [(2 * Self.serial, 1), (chunk, 2)] {
      let bytes = try write(
        sound, format, rate: rate, length: length, cores: cores,
        seams: cores == 1 ? 0...0 : 1...100)
      sizes.append(Double(bytes.count))
      let path = folder.path("a." + (format.kind.capabilities.extensions.first ?? ""))
      let back = try decoded(path, channels: channels)
      #expect(sound[0].count..<sound[0].count + 1024 ~= back[0].count)
      ratios.append(segmentRatios(back, to: sound, length: rate / 5))
    }
    #expect(abs(sizes[1] / sizes[0] - 1) < 0.02, "\(sizes)")
    let losses = zip(ratios[0], ratios[1]).map { $0 - $1 }
    let mean = losses.reduce(0, +) / Double(losses.count)
    // AAC's rate control leaves single segments of one encoder without bits, and others of two.
    let worse = Double(losses.count { $0 > 3 }) / Double(losses.count)
    #expect(mean < 0.1 && worse < 0.05, "\(mean) dB, \(worse) are worse")
  }

  @Test("behind a seam of AAC each half second has the noise of one encoder, within a decibel")
  func noiseBehindSeams() throws {
    let path = folder.path("pink.wav")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
      "anoisesrc=color=pink:seed=3:r=44100:a=0.3:d=42", "-f", "lavfi", "-i",
      "anoisesrc=color=pink:seed=4:r=44100:a=0.3:d=42", "-filter_complex", "[0][1]amerge",
      "-c:a", "pcm_f32le", path)
    let sound = try decoded(path, channels: 2)
    var ratios: [[Double]] = []
    for (length, seams) in [(3 * Self.serial, 0...0), (1024, 1...1)] {
      _ = try write(
        sound, .m4a(bitRate: 128_000), rate: 44_100, length: length, cores: 2, seams: seams)
      let back = try decoded(folder.path("a.m4a"), channels: 2)
      ratios.append(segmentRatios(back, to: sound, length: 22_050))
    }
    // It is at 23.8 s.
    let losses = zip(ratios[0], ratios[1]).map { $0 - $1 }.dropFirst(48)
    #expect(losses.count > 30 && losses.allSatisfy { abs($0) < 1 }, "\(losses)")
  }

  /// Sound that begins anew until there is enough of it.
  private static func repeated(_ sound: [Float], count: Int) -> [Float] {
    var all = sound
    while all.count < count { all += sound }
    return Array(all.prefix(count))
  }

  /// The signal beside what was changed, in decibels, of each segment.
  private func segmentRatios(_ back: [[Float]], to sound: [[Float]], length: Int) -> [Double] {
    stride(from: 0, to: sound[0].count - length, by: length).map { start in
      var (signal, error) = (1e-9, 1e-9)
      for (one, other) in zip(back, sound) {
        signal += Signal.energy(of: other[start..<start + length])
        error += Signal.energy(
          of: one[start..<start + length], without: other[start..<start + length])
      }
      return 10 * log10(signal / error)
    }
  }
}
