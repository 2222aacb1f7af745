import MediaComposition
import Testing

@testable import ExportGraph

@Suite("Formats of other sounds beside a picture") struct OtherSoundFormatTests {
  private static let own = AudioFormat(sampleRate: 48_000, channelLayout: .stereo)

  private func format(
    _ sources: [(Int, ChannelLayout)], like format: Output.Format
  ) -> OtherSoundFormat {
    let sounds = sources.map { AudioFormat(sampleRate: $0.0, channelLayout: $0.1) }
    return OtherSoundFormat(of: sounds, like: format, Self.own)
  }

  @Test("a sound of as many channels has the output's settings, and others those that are usual")
  func settings() {
    let aac = Output.Format.m4a(bitRate: 96_000)
    #expect(format([(44_100, .stereo)], like: aac).format == aac)
    #expect(format([(48_000, .surround51)], like: aac).format == .m4a(bitRate: 384_000))
    #expect(format([(48_000, .mono)], like: aac).format == .m4a(bitRate: 64_000))
    // More than AAC has at that rate.
    #expect(format([(8000, .stereo)], like: aac).format == .m4a(bitRate: 96_000))
    let loud = Output.Format.m4a(bitRate: 512_000)
    #expect(format([(8000, .stereo)], like: loud).format == .m4a(bitRate: 96_000))
    let flac = Output.Format.flac(bitDepth: 24)
    #expect(format([(96_000, .surround51)], like: flac).format == flac)
    // FFmpeg encodes them: settings that are libfdk-aac's alone are no settings of its encoder.
    for (settings, bitRate) in [
      (FDKAACSettings(.bitRate(96_000)), 96_000), (FDKAACSettings(.vbr(quality: 5)), 128_000),
      (FDKAACSettings(.bitRate(32_000), profile: .he), 128_000),
      (FDKAACSettings(.bitRate(24_000), profile: .heV2), 128_000),
    ] {
      #expect(
        format([(48_000, .stereo)], like: .fdkAAC(settings)).format == .m4a(bitRate: bitRate))
    }
    let quality = Output.Format.vorbis(.quality(7))
    #expect(format([(48_000, .mono)], like: quality).format == quality)
  }

  @Test("its rate and its channels are its own, as far as the codec has them and all sources do")
  func sounds() {
    let aac = Output.Format.m4a(bitRate: 96_000)
    let opus = Output.Format.opus(bitRate: 96_000)
    for (sources, like, rate, layout) in [
      ([(44_100, .surround51)], aac, 44_100, .surround51),
      ([(44_100, .surround51)], opus, 48_000, .surround51),
      ([(48_000, .surround50)], opus, 48_000, .stereo),
      ([(44_100, .mono), (48_000, .mono)], aac, 48_000, .mono),
      ([(48_000, .surround51), (44_100, .stereo)], aac, 48_000, .stereo),
      ([(48_000, ChannelLayout(mask: 0x60F))], aac, 48_000, ChannelLayout(mask: 0x60F)),
    ] as [([(Int, ChannelLayout)], Output.Format, Int, ChannelLayout)] {
      let sound = format(sources, like: like).sound
      #expect(sound == AudioFormat(sampleRate: rate, channelLayout: layout))
    }
  }
}
