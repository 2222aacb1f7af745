import Diagnosis
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Sound writers: Vorbis and Opus")
struct OggTests {
  let folder = TestFolder()

  /// What a decoder gives of a file: frames of one channel.
  private func oggdec(_ path: String, of channelCount: Int) throws -> [Float] {
    let raw = folder.path("oggdec.raw")
    try Tool.succeed("oggdec", "-Q", "-R", "-e", "0", "-s", "1", "-o", raw, path)
    return int16(try readFile(raw), of: channelCount)
  }

  private func sox(_ path: String, of channelCount: Int) throws -> [Float] {
    int16(try Tool.succeed("sox", path, "-t", "s16", "-").output, of: channelCount)
  }

  private func opusdec(_ path: String, of channelCount: Int) throws -> [Float] {
    let raw = folder.path("opusdec.raw")
    try Tool.succeed("opusdec", "--quiet", "--no-dither", "--rate", "48000", path, raw + ".wav")
    return int16(try Tool.succeed("sox", raw + ".wav", "-t", "s16", "-").output, of: channelCount)
  }

  private func int16(_ bytes: [UInt8], of channelCount: Int) -> [Float] {
    stride(from: 0, to: bytes.count - 1, by: 2 * channelCount).map { index in
      Float(Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)) / 32768
    }
  }

  /// What this reader gives: how many frames it says there are.
  private func ours(_ path: String) throws -> Int64 {
    try MediaLibrary().asset(at: FilePath(path)).frameCount
  }

  /// As `expected`, at the same place, as loud.
  private func expectAlike(_ decoded: [Float], _ expected: [Float], _ comment: Comment) {
    #expect(decoded.count == expected.count, comment)
    guard decoded.count == expected.count, expected.count > 20_000 else { return }
    // libvorbis makes tones a little louder, oggenc's files too: 997 Hz by 0.06 dB at q5 and by
    // 0.09 dB at q10, pink noise by 0.03 dB.
    #expect(abs(Signal.gain(of: decoded, over: expected)) < 0.1, comment)
    let window = 8000..<16_000
    let best = (-3...3).max { a, b in
      func likeness(_ lag: Int) -> Double {
        Signal.correlation(
          decoded[(window.lowerBound + lag)..<(window.upperBound + lag)], expected[window])
      }
      return likeness(a) < likeness(b)
    }
    #expect(best == 0, comment)
  }

  static let lengths = [1, 2, 129, 648, 649, 959, 961, 25_000, 48_001]

  @Test(
    "Vorbis has its exact length, level and place in oggdec, sox, ffmpeg and our own reading",
    arguments: [
      (44_100, 2, VorbisSettings.standard), (48_000, 1, .quality(10)), (8000, 1, .quality(4.5)),
      (44_100, 2, .bitRate(160_000)), (96_000, 2, .quality(6)),
    ])
  func vorbis(rate: Int, channelCount: Int, settings: VorbisSettings) throws {
    for count in Self.lengths {
      let sound = Signal.glide(sampleRate: rate, count: count)
      let path = folder.path("\(count).ogg")
      try writeSound(
        Array(repeating: sound, count: channelCount), to: path, .vorbis(settings),
        sampleRate: rate)
      let decoders = [
        ("oggdec", try oggdec(path, of: channelCount)), ("sox", try sox(path, of: channelCount)),
        ("ffmpeg", try decode(path, of: channelCount)),
      ]
      for (name, decoded) in decoders { expectAlike(decoded, sound, "\(name), \(count)") }
      #expect(try ours(path) == Int64(count))
      // Of two packets the first has a page without sound, for the others' sake.
      guard count > 10_000 else { continue }
      let words = try Tool.succeed("ogginfo", path).text.lowercased()
      #expect(!words.contains("warn") && !words.contains("error"), "\(words)")
    }
  }

  @Test(
    "Opus has its exact length, level and place in opusdec, ffmpeg and our own reading",
    arguments: [(1, 64_000), (2, 96_000), (2, 256_000)])
  func opus(channelCount: Int, bitRate: Int) throws {
    for count in Self.lengths {
      let sound = Signal.glide(sampleRate: 48_000, count: count)
      let path = folder.path("\(count).opus")
      try writeSound(
        Array(repeating: sound, count: channelCount), to: path, .opus(bitRate: bitRate))
      let decoders = [
        ("opusdec", try opusdec(path, of: channelCount)),
        ("ffmpeg", try decode(path, of: channelCount)),
      ]
      for (name, decoded) in decoders { expectAlike(decoded, sound, "\(name), \(count)") }
      #expect(try ours(path) == Int64(count))
      let words = try Tool.succeed("opusinfo", path).text.lowercased()
      #expect(!words.contains("warn") && !words.contains("error"), "\(words)")
    }
  }

  @Test("a long sound has its exact length, too: half a minute and a prime over")
  func long() throws {
    let count = 44_100 * 30 + 7
    let sound = Signal.noise(seed: 3, count: count, amplitude: 0.3)
    try writeSound([sound], to: folder.path("a.ogg"), .vorbis(.standard))
    #expect(try oggdec(folder.path("a.ogg"), of: 1).count == count)
    #expect(try decode(folder.path("a.ogg")).count == count)
    try writeSound([sound], to: folder.path("a.opus"), .opus(bitRate: 64_000))
    #expect(try opusdec(folder.path("a.opus"), of: 1).count == count)
    #expect(try decode(folder.path("a.opus")).count == count)
  }

  @Test("the stream's number depends on the job, and on nothing else")
  func serials() throws {
    func serial(_ name: String, _ title: String) throws -> [UInt8] {
      var metadata = Metadata()
      metadata["title"] = title
      let path = folder.path(name)
      try writeSound([[0.1, 0.2]], to: path, .vorbis(.standard), metadata: metadata)
      return Array(try readFile(path)[14..<18])
    }
    let first = try serial("a.ogg", "One")
    #expect(try serial("a.ogg", "One") == first)
    #expect(try serial("a.ogg", "Two") != first)
    #expect(try serial("b.ogg", "One") != first)
  }

  @Test("libvorbis accepts the limits of the table")
  func vorbisRates() throws {
    for rate in [8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000] {
      for (count, layout) in [(1, ChannelLayout.mono), (2, .stereo), (6, .surround51)] {
        let range = try #require(
          Output.Kind.vorbis.bitRates(sampleRate: rate, channelCount: count))
        for bitRate in [range.lowerBound, range.upperBound] {
          let sound = [Float](repeating: 0, count: 100)
          try writeSound(
            Array(repeating: sound, count: count), to: folder.path("a.ogg"),
            .vorbis(.bitRate(bitRate)), sampleRate: rate, layout: layout)
        }
      }
    }
  }
}
