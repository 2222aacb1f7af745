import MPEGAudio
import TestSupport
import Testing

@testable import LAME

/// A sample rate and a number of channels at which all bit rates are tried.
private struct GainGrid: Sendable, CustomTestStringConvertible {
  let sampleRate: Int
  let channelCount: Int

  var testDescription: String { "\(sampleRate) Hz, \(channelCount) channels" }

  /// Each constant bit rate, and means between them. With no more than a bit for two samples sound is
  /// lost, whoever encodes.
  var controls: [MP3Settings.RateControl] {
    let rates = MP3Settings.bitRates(forSampleRate: sampleRate)
      .filter { $0 > sampleRate * channelCount / 2 }
    return rates.map { .cbr(bitRate: $0) }
      + rates.dropLast().enumerated().filter { $0.offset % 3 == 0 }
      .map { .abr(bitRate: $0.element + 3000) }
      + [0, 1.5].map { .vbr(quality: $0) }
  }

  static let all = [
    (8000, 1), (8000, 2), (16000, 2), (22050, 1), (44100, 1), (44100, 2), (48000, 2),
  ]
  .map { GainGrid(sampleRate: $0.0, channelCount: $0.1) }
}

@Suite("Level through LAME")
struct GainTests {
  let folder = TestFolder()

  @Test("a tone comes back as loud as it was at each bit rate", arguments: GainGrid.all)
  fileprivate func tones(_ grid: GainGrid) throws {
    let count = grid.sampleRate / 2
    // Two tones that LAME keeps at any bit rate, of which neither lies on a line of its transform.
    let low = Signal.sine(
      frequency: 441.3, sampleRate: grid.sampleRate, count: count, amplitude: 0.31)
    let high = Signal.sine(
      frequency: 1127.9, sampleRate: grid.sampleRate, count: count, amplitude: 0.17)
    let tone = zip(low, high).map { $0 + $1 }
    for control in grid.controls {
      let path = folder.path("tone.mp3")
      try writeFile(
        path,
        try encoded(
          Array(repeating: tone, count: grid.channelCount), .init(control),
          sampleRate: grid.sampleRate))
      // It starts ten times as fast as ffmpeg, which decodes the other tests' files.
      let output = try Tool.succeed("mpg123", "-q", "-e", "f32", "-s", path).floats
      for channel in channels(grid.channelCount, of: output) {
        let middle = count / 8..<count * 7 / 8
        let gain = Signal.gain(of: channel[middle], over: tone[middle])
        #expect(channel.count == count && abs(gain) < 0.02, "\(control): \(gain) dB")
      }
    }
  }

  @Test(
    "mpg123 and lame find the same level",
    arguments: [
      MP3Settings.RateControl.cbr(bitRate: 64_000), .cbr(bitRate: 192_000),
      .cbr(bitRate: 224_000), .abr(bitRate: 100_000), .vbr(quality: 1),
    ])
  func otherDecoders(_ control: MP3Settings.RateControl) throws {
    let tone = Signal.sine(frequency: 997, sampleRate: 44100, count: 44100)
    let (path, raw) = (folder.path("a.mp3"), folder.path("a.raw"))
    try writeFile(path, try encoded([tone], .init(control), sampleRate: 44100))
    for command in [
      ["mpg123", "-q", "-e", "s16", "-O", raw, path],
      ["lame", "--quiet", "--decode", "-t", path, raw],
    ] {
      try #require(try Tool.run(command).status == 0)
      let bytes = try readFile(raw)
      let samples = bytes.withUnsafeBytes { raw in
        (0..<raw.count / 2).map {
          Float(Int16(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self)))
            / 32768
        }
      }
      let middle = 5000..<40_000
      #expect(samples.count == 44100)
      #expect(abs(Signal.gain(of: samples[middle], over: tone[middle])) < 0.02)
    }
  }
}
