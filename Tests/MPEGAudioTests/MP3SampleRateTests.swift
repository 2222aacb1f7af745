import MPEGAudio
import TestSupport
import Testing

/// The sample rate that settings prefer is the one that `lame` resamples to.
@Suite struct MP3SampleRateTests {
  let folder = TestFolder()

  /// The sample rate and the channels that `lame` gives a file of a tenth of a second.
  private func lame(
    _ options: [String], sampleRate: Int, channelCount: Int
  ) throws -> (sampleRate: Int, channelCount: Int) {
    let source = folder.path("\(sampleRate)-\(channelCount).wav")
    if (try? readFile(source)) == nil {
      try Tool.succeed(
        "sox", "-n", "-r", "\(sampleRate)", "-c", "\(channelCount)", "-b", "16", source, "synth",
        "0.1", "sine", "500")
    }
    let path = folder.path("a.mp3")
    let result = try Tool.run(["lame", "--quiet", "-t"] + options + [source, path])
    try #require(result.status == 0, "\(options): \(result.errors)")
    let bits = try readFile(path).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    let header = try #require(FrameHeader(bits: bits))
    return (header.sampleRate, header.channelCount)
  }

  @Test(
    "A name of LAME's stands for the rate and the channels that LAME gives it",
    arguments: MP3Preset.allCases)
  func presets(preset: MP3Preset) throws {
    for sampleRate in [8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000] {
      for channelCount in 1...2 {
        let file = try lame(
          ["--preset", preset.rawValue], sampleRate: sampleRate, channelCount: channelCount)
        let channels = preset.isMono ? 1 : channelCount
        #expect(file.channelCount == channels)
        let preferred = preset.settings.preferredSampleRate(
          for: sampleRate, channelCount: channels)
        #expect(preferred == file.sampleRate, "\(channelCount) channels at \(sampleRate) Hz")
      }
    }
  }

  @Test("Bit rates prefer the sample rate that LAME gives them", arguments: [1, 2])
  func bitRates(channelCount: Int) throws {
    for bitRate in [8, 16, 20, 24, 28, 31, 32, 36, 40, 48, 56, 64, 80, 96, 104, 112, 128, 160] {
      let mean = MP3Settings(.abr(bitRate: bitRate * 1000))
      let abr = try lame(["--abr", "\(bitRate)"], sampleRate: 44100, channelCount: channelCount)
      #expect(
        mean.preferredSampleRate(for: 44100, channelCount: channelCount) == abr.sampleRate,
        "\(mean)")
      let constant = MP3Settings(.cbr(bitRate: bitRate * 1000))
      let cbr = try lame(
        ["--cbr", "-b", "\(bitRate)"], sampleRate: 48000, channelCount: channelCount)
      #expect(
        constant.preferredSampleRate(for: 48000, channelCount: channelCount) == cbr.sampleRate,
        "\(constant)")
    }
  }

  @Test("A lowpass that is asked for chooses, too, and none keeps the rate")
  func lowpasses() throws {
    for hertz in [-1, 2000, 3970, 3971, 4510, 5420, 7230, 9970, 11220, 15250, 15960, 15961] {
      var settings = MP3Settings(.abr(bitRate: 64_000))
      settings.lowpass = hertz < 0 ? .off : .hertz(hertz)
      // In kHz, of which LAME makes whole hertz.
      let frequency = hertz < 0 ? "-1" : "\(Double(hertz) / 1000)"
      let file = try lame(
        ["--abr", "64", "--lowpass", frequency], sampleRate: 48000, channelCount: 2)
      #expect(
        settings.preferredSampleRate(for: 48000, channelCount: 2) == file.sampleRate, "\(hertz) Hz")
    }
  }

  @Test("A lower rate is never followed by a higher one, and VBR keeps its own")
  func neverHigher() {
    for sampleRate in MP3Settings.sampleRates {
      for bitRate in 8...320 {
        let settings = MP3Settings(.abr(bitRate: bitRate * 1000))
        let rate = settings.preferredSampleRate(for: sampleRate, channelCount: 2)
        #expect(rate <= sampleRate && MP3Settings.sampleRates.contains(rate))
      }
      let vbr = MP3Settings(.vbr(quality: 9))
      #expect(vbr.preferredSampleRate(for: sampleRate, channelCount: 2) == sampleRate)
    }
  }
}
