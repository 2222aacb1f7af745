import MPEGAudio
import Testing

/// Settings, a sample rate, a number of channels, and what is said of them.
struct MP3Problem: Sendable, CustomTestStringConvertible {
  var settings: MP3Settings
  var sampleRate: Int
  var channelCount: Int
  var setting: MP3Settings.Problem.Setting
  var message: String

  init(
    _ rateControl: MP3Settings.RateControl, _ sampleRate: Int, channels: Int = 2,
    _ setting: MP3Settings.Problem.Setting, _ message: String,
    _ change: (inout MP3Settings) -> Void = { _ in }
  ) {
    settings = MP3Settings(rateControl)
    change(&settings)
    self.sampleRate = sampleRate
    channelCount = channels
    self.setting = setting
    self.message = message
  }

  var testDescription: String { message }

  static let ofRates = [
    MP3Problem(.vbr(quality: 2), 44100, channels: 6, .sound, "MP3 has one or two channels, not 6"),
    MP3Problem(
      .vbr(quality: 2), 96000, .sound,
      "MP3 has no sample rate of 96000 Hz: the nearest is 48000 Hz "
        + "(it has 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100 and 48000)"),
    MP3Problem(
      .cbr(bitRate: 320_000), 22050, .rateControl,
      "CBR 320 kbps is not possible at 22050 Hz: "
        + "8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144 and 160 kbps are; "
        + "it is possible at 32000, 44100 and 48000 Hz"),
    MP3Problem(
      .cbr(bitRate: 100_000), 8000, channels: 1, .rateControl,
      "CBR 100 kbps is not possible at 8000 Hz: 8, 16, 24, 32, 40, 48, 56 and 64 kbps are"),
    MP3Problem(
      .abr(bitRate: 16_000), 44100, channels: 1, .rateControl,
      "ABR 16 kbps is not possible at 44100 Hz: from 32 to 310 kbps are; "
        + "it is possible at 8000, 11025, 12000, 16000, 22050 and 24000 Hz"),
    MP3Problem(
      .abr(bitRate: 320_000), 48000, .rateControl,
      "ABR 320 kbps is not possible at 48000 Hz: from 32 to 310 kbps are"),
    MP3Problem(
      .abr(bitRate: 96_500), 48000, .rateControl,
      "LAME's mean bit rates are whole kbps, not 96500 bps"),
    MP3Problem(
      .vbr(quality: 10), 48000, .rateControl,
      "LAME's VBR goes from V0 (best) to V9.999, not to V10"),
    MP3Problem(
      .vbr(quality: .nan), 48000, .rateControl,
      "LAME's VBR goes from V0 (best) to V9.999, not to Vnan"),
    MP3Problem(
      .vbr(quality: 2), 48000, .quality, "LAME's quality goes from 0 (slowest) to 9, not to 10"
    ) { $0.quality = 10 },
  ]

  static let ofTheRest = [
    MP3Problem(
      .vbr(quality: 2), 44100, channels: 1, .stereoMode,
      "forced joint stereo needs two channels, and there is one"
    ) { $0.stereoMode = .forced },
    MP3Problem(
      .cbr(bitRate: 64_000), 8000, channels: 1, .stereoMode,
      "simple stereo needs two channels, and there is one"
    ) { $0.stereoMode = .simple },
    MP3Problem(
      .cbr(bitRate: 128_000), 44100, .minimumBitRate,
      "CBR 128 kbps has neither a least nor a highest bit rate: VBR and ABR have"
    ) { $0.minimumBitRate = 128_000 },
    MP3Problem(
      .cbr(bitRate: 128_000), 44100, .maximumBitRate,
      "CBR 128 kbps has neither a least nor a highest bit rate: VBR and ABR have"
    ) { $0.maximumBitRate = 128_000 },
    MP3Problem(
      .vbr(quality: 2), 48000, .minimumBitRate,
      "a least bit rate of 144 kbps is not possible at 48000 Hz: "
        + "32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256 and 320 kbps are; "
        + "it is possible at 16000, 22050 and 24000 Hz"
    ) { $0.minimumBitRate = 144_000 },
    MP3Problem(
      .vbr(quality: 2), 8000, .maximumBitRate,
      "a highest bit rate of 64500 bps is not possible at 8000 Hz: "
        + "8, 16, 24, 32, 40, 48, 56 and 64 kbps are"
    ) { $0.maximumBitRate = 64_500 },
    MP3Problem(
      .vbr(quality: 2), 44100, .minimumBitRate,
      "the least bit rate, 192 kbps, is over the highest, 128 kbps"
    ) { ($0.minimumBitRate, $0.maximumBitRate) = (192_000, 128_000) },
    MP3Problem(
      .abr(bitRate: 96_000), 44100, .minimumBitRate,
      "ABR 96 kbps is under its least bit rate, 112 kbps"
    ) { $0.minimumBitRate = 112_000 },
    MP3Problem(
      .abr(bitRate: 96_000), 44100, .maximumBitRate,
      "ABR 96 kbps is over its highest bit rate, 80 kbps"
    ) { $0.maximumBitRate = 80_000 },
    MP3Problem(
      .vbr(quality: 2), 44100, .lowpass,
      "a lowpass of 22050 Hz is not possible at 44100 Hz: from 712 Hz to 22049 Hz are; "
        + "it is possible at 48000 Hz"
    ) { $0.lowpass = .hertz(22_050) },
    MP3Problem(
      .cbr(bitRate: 320_000), 48000, .lowpass,
      "a lowpass of 21000 Hz is not possible at 48000 Hz: from 775 Hz to 20500 Hz are"
    ) { $0.lowpass = .hertz(21_000) },
    MP3Problem(
      .vbr(quality: 2), 44100, .lowpass,
      "a lowpass of 300 Hz is not possible at 44100 Hz: from 712 Hz to 22049 Hz are; "
        + "it is possible at 8000, 11025, 12000 and 16000 Hz"
    ) { $0.lowpass = .hertz(300) },
    MP3Problem(
      .vbr(quality: 2), 44100, .highpass,
      "a highpass of 80 Hz is not possible at 44100 Hz: from 481 Hz to 18493 Hz are, "
        + "with a lowpass of 18500 Hz"
    ) { $0.highpass = 80 },
    MP3Problem(
      .abr(bitRate: 96_000), 44100, .highpass,
      "a highpass of 4000 Hz is not possible at 44100 Hz: from 481 Hz to 3556 Hz are, "
        + "with a lowpass of 4000 Hz"
    ) { ($0.highpass, $0.lowpass) = (4000, .hertz(4000)) },
    MP3Problem(
      .abr(bitRate: 16_000), 8000, .highpass,
      "a highpass of 3800 Hz is not possible at 8000 Hz: from 88 Hz to 3612 Hz are, "
        + "with a lowpass of 3700 Hz"
    ) { $0.highpass = 3800 },
  ]
}

@Suite struct MP3ProblemTests {
  @Test(
    "What LAME cannot do is refused with what it can",
    arguments: MP3Problem.ofRates + MP3Problem.ofTheRest)
  func problems(_ example: MP3Problem) {
    let problem = example.settings.problems(
      sampleRate: example.sampleRate, channelCount: example.channelCount
    ).first
    #expect(problem?.message == example.message)
    #expect(problem?.setting == example.setting)
    let message = example.settings.problem(
      sampleRate: example.sampleRate, channelCount: example.channelCount)
    #expect(message == example.message)
  }

  @Test("Each setting that is not possible is told, and told once")
  func several() {
    var settings = MP3Settings(.cbr(bitRate: 321_000), quality: 10)
    settings.stereoMode = .simple
    settings.minimumBitRate = 65_000
    settings.lowpass = .hertz(21_000)
    let problems = settings.problems(sampleRate: 44_100, channelCount: 1)
    #expect(
      problems.map(\.setting) == [
        .quality, .stereoMode, .minimumBitRate, .rateControl, .lowpass,
      ])
  }
}
