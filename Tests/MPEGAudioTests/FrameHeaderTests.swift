import MPEGAudio
import Testing

@Suite struct FrameHeaderTests {
  @Test(
    "Headers are read by the standard's tables",
    arguments: [
      // bits, Hz, bit/s, channels, bytes, PCM frames, side information
      (0xFFFB_9044, 44100, 128_000, 2, 417, 1152, 32),
      (0xFFFB_9244, 44100, 128_000, 2, 418, 1152, 32),
      (0xFFFB_94C4, 48000, 128_000, 1, 384, 1152, 17),
      (0xFFFB_E864, 32000, 320_000, 2, 1440, 1152, 32),
      (0xFFF3_80C4, 22050, 64_000, 1, 208, 576, 9),
      (0xFFF3_E444, 24000, 160_000, 2, 480, 576, 17),
      (0xFFE3_18C4, 8000, 8_000, 1, 72, 576, 9),
      (0xFFE3_1044, 11025, 8_000, 2, 52, 576, 17),
    ] as [(UInt32, Int, Int, Int, Int, Int, Int)])
  func layer3(
    bits: UInt32, sampleRate: Int, bitRate: Int, channels: Int, length: Int, samples: Int,
    sideInformation: Int
  ) throws {
    let header = try #require(FrameHeader(bits: bits))
    #expect(header.layer == .layer3)
    #expect(header.sampleRate == sampleRate && header.bitRate == bitRate)
    #expect(header.channelCount == channels && header.frameLength == length)
    #expect(header.samplesPerFrame == samples)
    #expect(header.sideInformationLength == sideInformation)
  }

  @Test("Layers I and II have lengths of their own")
  func otherLayers() throws {
    let one = try #require(FrameHeader(bits: 0xFFFF_C844))
    #expect(one.layer == .layer1 && one.samplesPerFrame == 384 && one.frameLength == 576)
    let two = try #require(FrameHeader(bits: 0xFFFD_A444))
    #expect(two.layer == .layer2 && two.samplesPerFrame == 1152 && two.frameLength == 576)
    let low = try #require(FrameHeader(bits: 0xFFF5_8444))
    #expect(low.layer == .layer2 && low.frameLength == 384)
  }

  @Test(
    "What the standard reserves is no header",
    arguments: [
      0x0000_0000, 0xFFEB_9044, 0xFFF9_9044, 0xFFFB_F044, 0xFFFB_9C44, 0xFFC3_9044,
    ] as [UInt32])
  func reserved(bits: UInt32) {
    #expect(FrameHeader(bits: bits) == nil)
  }

  @Test("Free format has no length, a checksum takes two bytes")
  func flags() throws {
    let free = try #require(FrameHeader(bits: 0xFFFB_0044))
    #expect(free.isFreeFormat && free.frameLength == nil && !free.hasChecksum)
    #expect(try #require(FrameHeader(bits: 0xFFFA_9044)).hasChecksum)
  }

  @Test("Frames of one stream may differ in bit rate, padding and channel mode only")
  func consistency() throws {
    let header = try #require(FrameHeader(bits: 0xFFFB_9044))
    #expect(header.isConsistent(with: try #require(FrameHeader(bits: 0xFFFA_E2C4))))
    #expect(!header.isConsistent(with: try #require(FrameHeader(bits: 0xFFFB_9444))))
    #expect(!header.isConsistent(with: try #require(FrameHeader(bits: 0xFFFD_9044))))
    #expect(!header.isConsistent(with: try #require(FrameHeader(bits: 0xFFF3_9044))))
  }
}
