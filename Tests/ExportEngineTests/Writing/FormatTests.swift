import Diagnosis
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Sound writers: lossless formats and channels")
struct FormatTests {
  let folder = TestFolder()

  @Test("ALAC is bit-exact, and has its exact length", arguments: [16, 24])
  func alac(bitDepth: Int) throws {
    for (rate, count) in [
      (44_100, 1), (48_000, 2), (8000, 959), (44_100, 4095), (44_100, 4096), (44_100, 4097),
      (96_000, 25_000), (192_000, 31_337),
    ] {
      let channels = (0..<2).map { integers(seed: UInt64($0), bits: bitDepth, count: count) }
      let path = folder.path("a.m4a")
      try writeSound(channels, to: path, .alac(bitDepth: bitDepth), sampleRate: rate)
      for channel in 0..<2 {
        #expect(try decode(path, channel: channel, of: 2) == channels[channel])
      }
      #expect(
        try probe(path, "stream=codec_name,sample_rate,bits_per_raw_sample,duration_ts")
          == "alac\n\(rate)\n\(count)\n\(bitDepth)")
      #expect(try MediaLibrary().asset(at: FilePath(path)).frameCount == Int64(count))
    }
  }

  @Test("each lossless format has a bit-exact copy of 16 bits in our own reading, too")
  func ours() throws {
    let sound = integers(seed: 4, bits: 16, count: 10_007)
    for format in [
      Output.Format.wav(.int16), .aiff(.int16), .caf(.int16), .flac(bitDepth: 16),
      .alac(bitDepth: 16),
    ] {
      let path = folder.path("a." + format.kind.capabilities.extensions[0])
      try writeSound([sound], to: path, format)
      let asset = try MediaLibrary().asset(at: FilePath(path))
      #expect(asset.frameCount == 10_007 && asset.bitDepth == 16, "\(format)")
    }
  }

  @Test(
    "every rate that lossless formats have is written, at the ends of what they have too",
    arguments: [
      (Output.Format.flac(bitDepth: 16), [8001, 65_534, 65_540, 96_000, 254_990, 655_340]),
      (.alac(bitDepth: 16), [8001, 44_101, 384_000]), (.wav(.int16), [8001, 768_000]),
    ])
  func rates(format: Output.Format, rates: [Int]) throws {
    let sound = integers(seed: 5, bits: 16, count: 5000)
    for rate in rates {
      let path = folder.path("a." + format.kind.capabilities.extensions[0])
      #expect(format.kind.capabilities.sampleRates.contains(rate))
      try writeSound([sound], to: path, format, sampleRate: rate)
      #expect(try decode(path) == sound, "\(rate)")
    }
  }

  @Test("dither is the same in every format of 16 bits, and over full scale is clamped")
  func dither() throws {
    var sound = Signal.sine(frequency: 997, sampleRate: 44_100, count: 5000)
    sound[17] = 1.5
    sound[18] = -2
    try writeSound([sound], to: folder.path("a.wav"), .wav(.int16), isDithered: true)
    let expected = try decode(folder.path("a.wav"))
    #expect(expected != sound && expected[17] == 32767.0 / 32768 && expected[18] == -1)
    for format in [
      Output.Format.aiff(.int16), .caf(.int16), .flac(bitDepth: 16), .alac(bitDepth: 16),
    ] {
      let path = folder.path("a." + format.kind.capabilities.extensions[0])
      let written = try writeSound([sound], to: path, format, isDithered: true)
      #expect(written.clippedSamples == 2)
      #expect(try decode(path) == expected, "\(format)")
    }
  }

  @Test(
    "a dithered part of a timeline is a slice of the dithered whole",
    arguments: [Output.Format.wav(.int16), .flac(bitDepth: 16), .alac(bitDepth: 16)])
  func ditheredParts(format: Output.Format) throws {
    let sound = Signal.noise(seed: 3, count: 9000, amplitude: 0.5)
    let path = folder.path("a." + format.kind.capabilities.extensions[0])
    try writeSound([sound], to: path, format, isDithered: true)
    let whole = try decode(path)
    var parts: [Float] = []
    for range in [0..<4097, 4097..<4098, 4098..<9000] {
      try writeSound(
        [Array(sound[range])], to: path, format, isDithered: true, from: Int64(range.lowerBound))
      parts += try decode(path)
    }
    #expect(parts == whole)
  }

  /// A format, and the layouts that its table offers.
  static let wide: [Output.Format] = [
    .wav(.int16), .aiff(.int24), .caf(.float32), .flac(bitDepth: 24), .alac(bitDepth: 16),
    .m4a(bitRate: 512_000), .vorbis(.quality(6)), .opus(bitRate: 512_000),
  ]

  @Test("each channel stays in its place, in every layout that a format offers", arguments: wide)
  func channels(format: Output.Format) throws {
    let offered = format.kind.capabilities.layouts ?? ChannelLayout.named.map(\.value)
    for (name, layout) in ChannelLayout.named where offered.contains(layout) {
      let count = layout.count
      // A tone of its own for each channel, low enough for the low-frequency one.
      let channels = (0..<count).map { channel in
        Signal.sine(
          frequency: 40 + 14 * Double(channel), sampleRate: 48_000, count: 24_000, amplitude: 0.4)
      }
      let path = folder.path("\(count)." + format.kind.capabilities.extensions[0])
      var format = format
      if case .m4a = format { format = .m4a(bitRate: 64_000 * count) }
      if case .opus = format { format = .opus(bitRate: 64_000 * count) }
      try writeSound(channels, to: path, format, sampleRate: 48_000, layout: layout)
      for channel in 0..<count {
        let decoded = try decode(path, channel: channel, of: count)[8000..<16_000]
        let likeness = channels.map { abs(Signal.correlation(decoded, $0[8000..<16_000])) }
        #expect(likeness[channel] > 0.95, "\(format), \(name), \(channel): \(likeness)")
      }
      // Side and back are one thing in some containers' tags; a WAV of two has no mask.
      guard count > 2 else { continue }
      #expect(try MediaLibrary().asset(at: FilePath(path)).channelLayout.name == name)
    }
  }
}
