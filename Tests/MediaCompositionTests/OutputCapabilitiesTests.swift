import MPEGAudio
import MediaComposition
import SystemPackage
import Testing

@Suite("What outputs can hold")
struct OutputCapabilitiesTests {
  @Test(
    "a rate that a format lacks becomes one that divides it, or the next above",
    arguments: [
      (Output.Kind.aac, 176_400, 88_200), (.aac, 192_000, 96_000), (.aac, 50_000, 64_000),
      (.aac, 44_100, 44_100), (.aac, 705_600, 88_200), (.mp3, 96_000, 48_000),
      (.mp3, 88_200, 44_100), (.mp3, 176_400, 44_100), (.mp3, 30_000, 32_000),
      (.mp3, 64_000, 48_000), (.mp3, 4000, 8000), (.opus, 44_100, 48_000), (.opus, 8000, 48_000),
      (.vorbis, 192_000, 192_000), (.vorbis, 384_000, 200_000), (.flac, 768_000, 655_340),
      (.flac, 96_001, 96_010), (.flac, 65_535, 65_540), (.flac, 65_533, 65_533),
      (.wav, 768_000, 768_000),
    ])
  func nearest(kind: Output.Kind, rate: Int, expected: Int) {
    #expect(kind.capabilities.sampleRates.nearest(to: rate) == expected)
  }

  @Test("the rate that is nearest to any is one that the format has")
  func nearestIsThere() {
    for kind in Output.Kind.allCases {
      let rates = kind.capabilities.sampleRates
      for rate in stride(from: 1000, through: 768_000, by: 50) {
        #expect(rates.contains(rates.nearest(to: rate)))
        if rates.contains(rate) { #expect(rates.nearest(to: rate) == rate) }
      }
    }
  }

  @Test("every extension leads to a kind that has it, whatever its case")
  func extensions() {
    for kind in Output.Kind.allCases {
      for name in kind.capabilities.extensions {
        #expect(
          Output.Kind(extension: name.uppercased())?.capabilities.extensions.contains(name) == true)
      }
    }
    let usual: [(String, Output.Kind)] = [
      ("m4a", .aac), ("ogg", .vorbis), ("oga", .vorbis), ("opus", .opus), ("aif", .aiff),
      ("aiff", .aiff), ("aifc", .aiff), ("caf", .caf), ("WAV", .wav), ("mp4", .aac), ("mkv", .opus),
      ("webm", .opus), ("aac", .aac), ("amr", .amr),
    ]
    for (name, kind) in usual { #expect(Output.Kind(extension: name) == kind) }
    #expect(Output.Kind(extension: "mka") == nil)
  }

  @Test("every movie's usual sound has its extensions, and Matroska its own place for tags")
  func movies() {
    for movie in MovieContainer.allCases {
      for kind in Output.Kind.allCases {
        let isHeld = kind.capabilities.extensions.contains(movie.extensions[0])
        #expect(isHeld == movie.soundKinds.contains(kind))
      }
      let output = Output(
        path: FilePath("a.\(movie.extensions[0])"), request: .usual(movie.soundKinds[0]))
      let held = output.capabilities(as: movie.soundKinds[0])
      let isMatroska = movie == .mkv || movie == .webm
      #expect(held.container == (isMatroska ? "matroska,webm" : "mov,mp4,m4a,3gp,3g2,mj2"))
      #expect(held.holdsCover == (movie != .webm) && held.holdsChapters)
    }
  }

  @Test("what a format has by itself, it can do, at every rate and in every layout")
  func usualFormats() {
    for kind in Output.Kind.allCases {
      for rate in [8000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000] {
        let rate = kind.capabilities.sampleRates.nearest(to: rate)
        for layout in kind.capabilities.layouts ?? ChannelLayout.named.map(\.value) {
          let format = kind.usualFormat(
            isDeep: true, sampleRate: rate, channelCount: layout.count)
          #expect(format.kind == kind)
          #expect(format.problem(sampleRate: rate, layout: layout) == nil, "\(format) \(rate)")
        }
      }
    }
  }

  @Test("a layout may have several channels without a position, and each position once")
  func repeatedChannels() {
    let sound = [ChannelLayout.Channel.frontLeft, .frontRight]
    let format = Output.Format.wav(.int16)
    for channels in [sound + [.unplaced, .unplaced], sound + [.wideLeft, .wideRight]] {
      #expect(format.problem(sampleRate: 48_000, layout: ChannelLayout(channels)) == nil)
    }
    #expect(
      format.problem(sampleRate: 48_000, layout: ChannelLayout(sound + [.frontLeft]))
        == "the channel layout names a channel twice")
  }

  @Test("files of any layout have the positions that WAVE has, or none")
  func storedPositions() {
    let others: [(ChannelLayout, ChannelLayout)] = [
      (ChannelLayout(mask: 0x1_8000_003F), .unplaced(8)),
      (ChannelLayout([.frontLeft, .frontRight, .unplaced]), .unplaced(3)),
      (ChannelLayout([.wideLeft, .wideRight]), .stereo), (ChannelLayout([.topSideLeft]), .mono),
    ]
    for kind in [Output.Kind.wav, .flac, .caf, .aiff] {
      for mask in [0x503F, 0x2_D00F, 0x3_F800] as [UInt64] {
        let layout = ChannelLayout(mask: mask)
        #expect(kind.capabilities.stored(layout) == layout)
      }
      for (layout, stored) in others { #expect(kind.capabilities.stored(layout) == stored) }
    }
  }

  @Test("a format of each kind takes each setting of its own")
  func settings() {
    let settings: [Output.Format.Setting] = [
      .mp3(MP3Settings(.vbr(quality: 4))), .samples(.float32), .bitDepth(24), .bitRate(96_000),
      .quality(7), .fdkAAC(FDKAACSettings(.vbr(quality: 3))),
    ]
    for kind in Output.Kind.allCases {
      let usual = kind.usualFormat(isDeep: false, sampleRate: 48_000, channelCount: 1)
      let taken = settings.map { usual.with($0) }.filter { $0 != usual }
      #expect(taken.allSatisfy { $0.kind == kind && settings.contains($0.setting) })
      #expect(taken.count == ([.vorbis, .aac].contains(kind) ? 2 : 1), "\(kind)")
    }
  }

  @Test("the error of a codec adds least to peaks where it has most bits")
  func headroom() {
    let formats: [(Output.Format, Double)] = [
      (.m4a(bitRate: 192_000), 0.8), (.m4a(bitRate: 191_000), 1.2), (.m4a(bitRate: 8_000), 2),
      (.opus(bitRate: 80_000), 1), (.opus(bitRate: 79_000), 1.4), (.flac(bitDepth: 16), 0),
      (.mp3(MP3Settings(.cbr(bitRate: 320_000))), 0.2), (.vorbis(.bitRate(64_000)), 0.9),
      (.wav(.uint8), 0.5), (.fdkAAC(FDKAACSettings(.bitRate(128_000))), 0.8),
      (.fdkAAC(FDKAACSettings(.bitRate(127_000))), 1.5),
      (.fdkAAC(FDKAACSettings(.vbr(quality: 4))), 0.8),
      (.fdkAAC(FDKAACSettings(.bitRate(64_000), profile: .he)), 2),
    ]
    for (format, decibels) in formats {
      #expect(format.peakHeadroom(channelCount: 2) == decibels)
    }
    #expect(Output.Format.m4a(bitRate: 96_000).peakHeadroom(channelCount: 1) == 0.8)
  }

  @Test("what a format has not is said, with what it has")
  func problems() {
    let cases: [(Output.Format, Int, ChannelLayout, String?)] = [
      (.wav(.int16), 192_000, .surround71, nil),
      (.fdkAAC(FDKAACSettings(.vbr(quality: 5))), 44_100, .surround51, nil),
      (
        .fdkAAC(FDKAACSettings(.vbr(quality: 6))), 44_100, .stereo,
        "libfdk-aac's variable bit rate goes from 1 to 5, not 6"
      ),
      (
        .fdkAAC(FDKAACSettings(.vbr(quality: 5))), 44_100, .quad,
        "libfdk-aac has no layout of quad: write a bit rate alone for FFmpeg's encoder, as "
          + "'aac: 128k'"
      ),
      (
        .fdkAAC(FDKAACSettings(.bitRate(32_000), profile: .heV2)), 44_100, .mono,
        "HE-AAC v2 is stereo, not mono: take 'profile: he'"
      ),
      (
        .fdkAAC(FDKAACSettings(.bitRate(32_000), profile: .he)), 12_000, .mono,
        "HE-AAC by libfdk-aac begins at 16000 Hz, not 12000"
      ),
      (.flac(bitDepth: 20), 44_100, .mono, "FLAC is written with 16 or 24 bits a sample, not 20"),
      (
        .flac(bitDepth: 16), 700_000, .mono,
        "FLAC has no sample rate of 700000 Hz: it ends at 655340 Hz"
      ),
      (
        .opus(bitRate: 96_000), 44_100, .stereo, "Opus has no sample rate of 44100 Hz: it has 48000"
      ),
      (
        .opus(bitRate: 520_000), 48_000, .stereo,
        "Opus at 48000 Hz with 2 channels has 12 to 512 kbps, not 520"
      ),
      (
        .vorbis(.bitRate(20_000)), 44_100, .mono,
        "Vorbis at 44100 Hz with 1 channel has 32 to 240 kbps, not 20"
      ),
      (.vorbis(.quality(11)), 44_100, .mono, "Vorbis's quality goes from q-1 to q10"),
      (
        .m4a(bitRate: 1_000_000), 44_100, .stereo,
        "AAC at 44100 Hz with 2 channels has 8 to 529 kbps, not 1000"
      ),
      (.mp3(.standard), 44_100, .surround51, "MP3 has one or two channels, not 6"),
      // FFmpeg's 5.1(side).
      (.alac(bitDepth: 16), 44_100, ChannelLayout(mask: 0x60F), nil),
      (
        .alac(bitDepth: 16), 44_100, .surround71,
        "ALAC has no layout of 7.1: it has mono, stereo, 5.0 and 5.1"
      ),
    ]
    for (format, rate, layout, words) in cases {
      #expect(format.problem(sampleRate: rate, layout: layout) == words)
    }
  }
}
