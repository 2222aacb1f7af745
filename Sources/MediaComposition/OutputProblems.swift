import MPEGAudio

extension Output.Format {
  /// Why a file in this format cannot be written with so many frames a second in such a layout;
  /// nil where it can. One line for the user.
  package func problem(sampleRate: Int, layout: ChannelLayout) -> String? {
    problems(sampleRate: sampleRate, layout: layout).first?.message
  }

  /// All that a file in this format cannot have: one problem for each setting. Formats with a single
  /// setting have it at `rateControl`.
  package func problems(sampleRate: Int, layout: ChannelLayout) -> [MP3Settings.Problem] {
    if let problem = kind.problem(sampleRate: sampleRate, layout: layout) {
      return [MP3Settings.Problem(.sound, problem)]
    }
    if case .mp3(let settings) = self {
      return settings.problems(sampleRate: sampleRate, channelCount: layout.count)
    }
    let problem =
      if case .fdkAAC(let settings) = self {
        settings.problem(sampleRate: sampleRate, layout: layout)
      } else {
        settingProblem(sampleRate: sampleRate, channelCount: layout.count)
      }
    return problem.map { [MP3Settings.Problem(.rateControl, $0)] } ?? []
  }

  private func settingProblem(sampleRate: Int, channelCount: Int) -> String? {
    switch setting {
    case .mp3, .fdkAAC: return nil
    case .samples(let samples):
      let offered = kind.capabilities.sampleFormats
      guard offered.contains(samples) else {
        return "\(codecName) has no samples of \(samples.rawValue): it has "
          + offered.map(\.rawValue).listed("and")
      }
      if samples == .ima4, channelCount > 2 {
        return "IMA4 is one or two channels, not \(channelCount)"
      }
      guard case .rate(let rate)? = samples.telephoneSound, sampleRate != rate || channelCount != 1
      else { return nil }
      let channels = channelCount == 1 ? "1 channel" : "\(channelCount) channels"
      return "\(samples.rawValue) is one channel at \(rate) Hz, not \(channels) at \(sampleRate) Hz"
    case .bitDepth(let bitDepth):
      return bitDepth == 16 || bitDepth == 24
        ? nil : "\(codecName) is written with 16 or 24 bits a sample, not \(bitDepth)"
    case .quality(let quality):
      return -1...10 ~= quality ? nil : "Vorbis's quality goes from q-1 to q10"
    case .bitRate(let bitRate):
      return problem(bitRate, sampleRate: sampleRate, channelCount: channelCount)
    }
  }

  private func problem(_ bitRate: Int, sampleRate: Int, channelCount: Int) -> String? {
    guard let rates = kind.bitRates(sampleRate: sampleRate, channelCount: channelCount) else {
      return "\(codecName) has no bit rates at \(sampleRate) Hz: give it a quality, as 'q5'"
    }
    if let modes = kind.bitRateModes, !modes.contains(bitRate) {
      return
        "\(codecName) is written with \(modes.map(kilo).listed("or")) kbps, not \(kilo(bitRate))"
    }
    guard !rates.contains(bitRate) else { return nil }
    let channels = channelCount == 1 ? "1 channel" : "\(channelCount) channels"
    // Inward, so that what is offered is there.
    let (least, most) = ((rates.lowerBound + 999) / 1000, rates.upperBound / 1000)
    return "\(codecName) at \(sampleRate) Hz with \(channels) has \(least) to \(most) kbps, "
      + "not \(kilo(bitRate))"
  }

  private var codecName: String { kind.capabilities.codecName }
}

extension Output.Kind {
  /// Why no file of this kind can have so many frames a second in such a layout, whatever its
  /// settings; nil where one can.
  package func problem(sampleRate: Int, layout: ChannelLayout) -> String? {
    let name = capabilities.codecName
    guard 1...8 ~= layout.count else {
      return "outputs have one to eight channels, not \(layout.count)"
    }
    let placed = layout.channels.filter { $0 != .unplaced }
    guard Set(placed).count == placed.count else {
      return "the channel layout names a channel twice"
    }
    guard sampleRate > 0 else { return "no format has a sample rate of \(sampleRate) Hz" }
    if self == .mp3 {
      return MP3Settings.standard.problem(sampleRate: sampleRate, channelCount: layout.count)
    }
    if capabilities.stored(layout) == nil {
      let layouts = capabilities.layouts ?? []
      let named = ChannelLayout.named.filter { layouts.contains($0.value) }.map(\.key)
      return "\(name) has no layout of \(layout.name): it has \(named.listed("and"))"
    }
    guard !capabilities.sampleRates.contains(sampleRate) else { return nil }
    let refusal = "\(name) has no sample rate of \(sampleRate) Hz"
    return switch capabilities.sampleRates {
    case .only(let rates):
      refusal + ": it has " + rates.map(String.init).joined(separator: ", ")
    case .upTo(let limit, let farLimit) where sampleRate > max(limit, farLimit):
      refusal + ": it ends at \(max(limit, farLimit)) Hz"
    case .upTo(let limit, _): refusal + ": above \(limit) Hz it has tens"
    }
  }

  /// The bit rates that there are, in bits a second for all channels together; nil where the codec
  /// has no bit rate, or none at that sample rate.
  package func bitRates(sampleRate: Int, channelCount: Int) -> ClosedRange<Int>? {
    switch self {
    case .mp3: MP3Settings.meanBitRates(forSampleRate: sampleRate)
    // ISO 14496-3 4.5.3.3: a channel has at most 6144 bits for a frame of 1024 samples. Below 8k
    // nothing is left of the sound.
    case .aac: 8000...max(8000, 6144 * channelCount * sampleRate / 1024)
    case .vorbis: Self.vorbisBitRates(sampleRate: sampleRate, channelCount: channelCount)
    // RFC 6716 §2.1.1, and libopus's bound for a stream.
    case .opus: 6000 * channelCount...256_000 * channelCount
    case .amr: 4750...12_200
    default: nil
    }
  }

  /// The only bit rates that there are, in ascending order (3GPP TS 26.071, 5: the eight modes of AMR);
  /// nil where those of `bitRates` are.
  package var bitRateModes: [Int]? {
    self == .amr ? [4750, 5150, 5900, 6700, 7400, 7950, 10_200, 12_200] : nil
  }

  /// `rate_mapping_…` of the templates that libvorbis has for a rate (`lib/modes/setup_*.h`), for
  /// each channel, times the channels.
  private static func vorbisBitRates(sampleRate: Int, channelCount: Int) -> ClosedRange<Int>? {
    let (alone, inStereo): (ClosedRange<Int>, ClosedRange<Int>)
    switch sampleRate {
    case 8000...9000: (alone, inStereo) = (8000...42_000, 6000...42_000)
    case 9001...15_000: (alone, inStereo) = (12_000...50_000, 8000...50_000)
    case 15_001...19_000: (alone, inStereo) = (16_000...100_000, 12_000...100_000)
    case 19_001...26_000: (alone, inStereo) = (16_000...90_000, 15_000...90_000)
    case 26_001...40_000: (alone, inStereo) = (30_000...190_000, 18_000...190_000)
    case 40_001...50_000: (alone, inStereo) = (32_000...240_000, 22_500...250_000)
    default: return nil
    }
    let each = channelCount == 2 ? inStereo : alone
    return each.lowerBound * channelCount...each.upperBound * channelCount
  }
}

/// Thousands, as they are.
private func kilo(_ count: Int) -> String {
  count % 1000 == 0 ? "\(count / 1000)" : "\(Double(count) / 1000)"
}
