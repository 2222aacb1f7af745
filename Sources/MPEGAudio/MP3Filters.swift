/// What LAME encodes of the spectrum: its filters leave out some of the 32 bands of Layer III's
/// filter bank (`lame_init_params_ppflt` in lame.c).
struct MP3Filters {
  /// Frames a second.
  let sampleRate: Int
  /// Whether the bits are VBR's.
  let isVariable: Bool

  /// The lowpasses that LAME applies, in hertz. Below one band all are the same; above, it takes
  /// the highest it has, without a word, and at half the sample rate none.
  var lowpasses: ClosedRange<Int> {
    (sampleRate + 61) / 62...min(isVariable ? 24_000 : 20_500, sampleRate / 2 - 1)
  }

  /// The highpasses that LAME applies below a lowpass of `lowpass` hertz so that a band is left
  /// between them. It leaves out those below nine tenths of three quarters of a band.
  ///
  /// - Parameter lowpass: At least the lowest of `lowpasses`.
  /// - Returns: Hertz.
  func highpasses(below lowpass: Int) -> ClosedRange<Int> {
    let least = (675 * sampleRate + 61_999) / 62_000
    // The first band that the lowpass leaves out; band k stands at k/31 of half the sample rate.
    let band = min(32, (62 * lowpass + sampleRate - 1) / sampleRate)
    return least...max(least, ((band - 1) * sampleRate - 1) / 62)
  }
}

extension MP3Settings {
  /// Hertz up to which sound is encoded, as `lame_get_lowpassfreq` says it: the settings' own, or
  /// LAME's choice. Half the sample rate where nothing is left out.
  package func lowpassFrequency(sampleRate: Int, channelCount: Int) -> Int {
    switch lowpass {
    case .off: return sampleRate / 2
    case .hertz(let frequency): return min(frequency, sampleRate / 2)
    case .automatic:
      let most = isVariable ? 24_000 : 20_500
      return min(usualLowpass(channelCount: channelCount), most, sampleRate / 2)
    }
  }

  /// LAME's choice before it looks at the sample rate (`lame_init_params`).
  private func usualLowpass(channelCount: Int) -> Int {
    switch rateControl {
    case .vbr(let quality):
      // `vbr_mtrh`; LAME interpolates in single precision.
      let table = [
        24_000, 19_500, 18_500, 18_000, 17_500, 17_000, 16_500, 15_600, 15_200, 7230, 3950,
      ]
      guard quality >= 0, quality < 10 else { return 21_500 }
      let index = Int(Float(quality))
      let fraction = Double(Float(quality) - Float(index))
      let (from, to) = (Double(table[index]), Double(table[min(10, index + 1)]))
      return Int(from + fraction * (to - from))
    case .abr(let bitRate), .cbr(let bitRate):
      // `optimum_bandwidth`, by the nearest of its bit rates, of two the higher one.
      let table = [
        8: 2000, 16: 3700, 24: 3900, 32: 5500, 40: 7000, 48: 7500, 56: 10_000, 64: 11_000,
        80: 13_500, 96: 15_100, 112: 15_600, 128: 17_000, 160: 17_500, 192: 18_600, 224: 19_400,
        256: 19_700, 320: 20_500,
      ]
      let rate = bitRate / 1000
      let nearest = table.min { (abs($0.key - rate), -$0.key) < (abs($1.key - rate), -$1.key) }
      let frequency = nearest?.value ?? 20_500
      return channelCount == 1 ? frequency * 3 / 2 : frequency
    }
  }

  /// The sample rate that LAME would resample to, were it free to: a low bit rate carries little of
  /// the spectrum, and frames of a lower rate carry that better (`optimum_samplefreq`).
  ///
  /// VBR keeps the rate, as LAME's presets of VBR do. Never above `sampleRate`.
  ///
  /// - Parameters:
  ///   - sampleRate: Of the sound, in hertz; one of `sampleRates`.
  ///   - channelCount: Of the sound, 1 or 2.
  /// - Returns: One of `sampleRates`, in hertz. Whether LAME has the bit rate there is another
  ///   question: `problem(sampleRate:channelCount:)` answers it.
  package func preferredSampleRate(for sampleRate: Int, channelCount: Int) -> Int {
    let lowpass: Int
    switch (rateControl, self.lowpass) {
    case (.vbr, _), (_, .off): return sampleRate
    case (_, .hertz(let frequency)): lowpass = min(frequency, sampleRate / 2)
    case (_, .automatic): lowpass = min(usualLowpass(channelCount: channelCount), sampleRate / 2)
    }
    let best =
      switch lowpass {
      case ...3970: 8000
      case ...4510: 11_025
      case ...5420: 12_000
      case ...7230: 16_000
      case ...9970: 22_050
      case ...11_220: 24_000
      case ...15_250: 32_000
      case ...15_960: 44_100
      default: sampleRate
      }
    return min(best, sampleRate)
  }
}
