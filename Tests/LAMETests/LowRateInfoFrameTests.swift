import MPEGAudio
import TestSupport
import Testing

@testable import LAME

@Suite("Info frames of low constant bit rates")
struct LowRateInfoFrameTests {
  let folder = TestFolder()

  /// Every bit rate, sample rate and number of channels.
  static let streams: [(Int, Int, Int)] = MP3Settings.sampleRates.flatMap { rate in
    let bitRates =
      rate >= 32000
      ? [32, 40, 48, 56, 64, 80, 96, 112, 128] : [8, 16, 24, 32, 40, 48, 56, 64]
    return bitRates.flatMap { bitRate in [(rate, bitRate * 1000, 1), (rate, bitRate * 1000, 2)] }
  }

  @Test("LAME writes its own where we say that it fits, and only there")
  func fits() throws {
    for (rate, bitRate, channels) in Self.streams {
      let info = try stream(rate, bitRate, channels, reservesInfoFrame: true).info
      let fits = LowRateInfoFrame.fits(
        bitRate: bitRate, sampleRate: rate, channelCount: channels)
      let header = try #require(
        FrameHeader(bits: info.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }))
      #expect(
        fits == (header.bitRate == bitRate), "\(rate) Hz, \(bitRate) b/s, \(channels) channels")
      #expect(info.count == header.frameLength)
    }
  }

  @Test("where LAME writes one, ours has the same bytes", arguments: [1, 2])
  func likeLAME(channels: Int) throws {
    // The lowest bit rate at which LAME writes one.
    for rate in [44100, 48000, 32000, 22050, 24000] {
      let bitRate = try #require(
        Self.streams.first {
          $0.0 == rate && $0.2 == channels
            && LowRateInfoFrame.fits(bitRate: $0.1, sampleRate: rate, channelCount: channels)
        }?.1)
      let own = try stream(rate, bitRate, channels, reservesInfoFrame: true)
      let bare = try stream(rate, bitRate, channels, reservesInfoFrame: false)
      #expect(bare.bytes == Array(own.bytes.dropFirst(own.info.count)))
      var ours = LowRateInfoFrame(bitRate: bitRate)
      let placeholder = ours.add(bare.bytes)
      #expect(placeholder?.count == own.info.count)
      let frame = ours.frame(bare.facts)
      // LAME's table of contents is an estimate from the frames it has seen; ours is exact.
      let start = 4 + (rate >= 32000 ? (channels == 1 ? 17 : 32) : (channels == 1 ? 9 : 17))
      let contents = start + 16..<start + 116
      let checksum = start + 154..<start + 156
      for index in frame.indices where !contents.contains(index) && !checksum.contains(index) {
        // LAME's has the last frame's mode extension, which says nothing of an empty frame.
        let mask: UInt8 = index == 3 ? 0xCF : 0xFF
        #expect(frame[index] == own.info[index] & mask, "byte \(index - start) at \(rate) Hz")
      }
    }
  }

  @Test("streams of low bit rates decode to their exact length")
  func lengths() throws {
    for (rate, bitRate, channels) in [(44100, 32_000, 1), (44100, 48_000, 2), (22050, 24_000, 1)] {
      for count in [25_000, 12_345] {
        let path = folder.path("a.mp3")
        let tone = Signal.sine(frequency: 300, sampleRate: rate, count: count)
        try writeFile(
          path,
          try encoded(
            Array(repeating: tone, count: channels), .init(.cbr(bitRate: bitRate)), sampleRate: rate
          ))
        #expect(try decoded(path, channelCount: channels)[0].count == count)
        let raw = folder.path("a.raw")
        try Tool.succeed("mpg123", "-q", "-e", "s16", "-O", raw, path)
        #expect(try readFile(raw).count == count * channels * 2)
        let lame = try Tool.succeed("lame", "--quiet", "--decode", "-t", path, raw)
        #expect(try readFile(raw).count == count * channels * 2 && lame.errors == "")
        let info = try Tool.succeed("mediainfo", path).text
        #expect(info.contains("LAME3.100"))
      }
    }
  }

  private func stream(
    _ rate: Int, _ bitRate: Int, _ channels: Int, reservesInfoFrame: Bool
  ) throws -> (bytes: [UInt8], info: [UInt8], facts: LowRateInfoFrame.Facts) {
    var encoder = try MP3Encoder.open(
      .init(.cbr(bitRate: bitRate)), sampleRate: rate, channelCount: channels,
      reservesInfoFrame: reservesInfoFrame)
    var bytes: [UInt8] = []
    let noise = Signal.noise(seed: 1, count: 6000)
    try withPlanes(Array(repeating: noise, count: channels)) {
      try encoder.encode($0, count: noise.count, into: &bytes)
    }
    try encoder.flush(into: &bytes)
    return (bytes, encoder.infoFrame(), encoder.facts)
  }
}
