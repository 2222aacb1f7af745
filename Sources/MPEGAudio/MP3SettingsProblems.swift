extension MP3Settings {
  /// A setting that LAME cannot make.
  package struct Problem: Sendable, Hashable {
    /// Which of the settings it is.
    package enum Setting: Sendable, Hashable {
      /// The number of channels or the sample rate, whatever is set.
      case sound
      case rateControl, quality, stereoMode, lowpass, highpass, minimumBitRate, maximumBitRate
    }

    /// Which of the settings it is.
    package let setting: Setting
    /// One line for the user, to stand after `file:line:column: error: `: what is not possible, and
    /// what is.
    package let message: String

    /// A problem with one setting.
    package init(_ setting: Setting, _ message: String) {
      self.setting = setting
      self.message = message
    }
  }

  /// Why LAME cannot do this for sound of `channelCount` channels at `sampleRate` Hz, and what is
  /// possible; nil where it can. LAME itself would silently take the nearest it has.
  ///
  /// One line for the user, to stand after `file:line:column: error: `.
  package func problem(sampleRate: Int, channelCount: Int) -> String? {
    problems(sampleRate: sampleRate, channelCount: channelCount).first?.message
  }

  /// All that LAME cannot do of this, no setting twice, in the order in which they are read; at other
  /// rates some of it may be possible.
  package func problems(sampleRate: Int, channelCount: Int) -> [Problem] {
    guard 1...2 ~= channelCount else {
      return [Problem(.sound, "MP3 has one or two channels, not \(channelCount)")]
    }
    guard Self.sampleRates.contains(sampleRate) else {
      return [
        Problem(
          .sound,
          "MP3 has no sample rate of \(sampleRate) Hz: "
            + "the nearest is \(Self.nearestLegalSampleRate(for: sampleRate)) Hz "
            + "(it has \(list(Self.sampleRates)))")
      ]
    }
    // First what is so at any rate.
    let found = [
      qualityProblem, modeProblem(channelCount), orderProblem, rateProblem(at: sampleRate),
      boundProblem(minimumBitRate, .minimumBitRate, at: sampleRate),
      boundProblem(maximumBitRate, .maximumBitRate, at: sampleRate),
      filterProblem(sampleRate: sampleRate, channelCount: channelCount),
    ].compactMap(\.self)
    var seen: Set<Problem.Setting> = []
    return found.filter { seen.insert($0.setting).inserted }
  }

  private var qualityProblem: Problem? {
    guard let quality, !(0...9 ~= quality) else { return nil }
    return Problem(.quality, "LAME's quality goes from 0 (slowest) to 9, not to \(quality)")
  }

  // MARK: Bit rates

  private func rateProblem(at sampleRate: Int) -> Problem? {
    switch rateControl {
    case .vbr(let quality):
      return 0...9.999 ~= quality
        ? nil
        : Problem(
          .rateControl, "LAME's VBR goes from V0 (best) to V9.999, not to \(rateControl)")
    case .abr(let bitRate):
      guard bitRate % 1000 == 0 else {
        return Problem(
          .rateControl, "LAME's mean bit rates are whole kbps, not \(bitRate) bps")
      }
      return impossible(.rateControl, "\(rateControl)", at: sampleRate) { rate in
        guard let means = Self.meanBitRates(forSampleRate: rate), !means.contains(bitRate) else {
          return nil
        }
        return "from \(means.lowerBound / 1000) to \(means.upperBound / 1000) kbps are"
      }
    case .cbr(let bitRate):
      return impossible(.rateControl, "\(rateControl)", at: sampleRate) { rate in
        refusal(of: bitRate, at: rate)
      }
    }
  }

  private func boundProblem(
    _ bitRate: Int?, _ setting: Problem.Setting, at sampleRate: Int
  ) -> Problem? {
    guard let bitRate else { return nil }
    let name = setting == .minimumBitRate ? "a least" : "a highest"
    return impossible(setting, "\(name) bit rate of \(kilobits(bitRate))", at: sampleRate) {
      refusal(of: bitRate, at: $0)
    }
  }

  /// What there is instead where frames cannot have `bitRate`; nil where they can.
  private func refusal(of bitRate: Int, at sampleRate: Int) -> String? {
    let rates = Self.bitRates(forSampleRate: sampleRate)
    return rates.contains(bitRate) ? nil : "\(list(rates.map { $0 / 1000 })) kbps are"
  }

  /// Bounds of a constant bit rate, or that contradict one another, or the mean.
  private var orderProblem: Problem? {
    if case .cbr = rateControl {
      guard minimumBitRate != nil || maximumBitRate != nil else { return nil }
      return Problem(
        minimumBitRate == nil ? .maximumBitRate : .minimumBitRate,
        "\(rateControl) has neither a least nor a highest bit rate: VBR and ABR have")
    }
    if let minimumBitRate, let maximumBitRate, minimumBitRate > maximumBitRate {
      return Problem(
        .minimumBitRate,
        "the least bit rate, \(kilobits(minimumBitRate)), is over the highest, "
          + kilobits(maximumBitRate))
    }
    guard case .abr(let bitRate) = rateControl else { return nil }
    if let minimumBitRate, bitRate < minimumBitRate {
      return Problem(
        .minimumBitRate,
        "\(rateControl) is under its least bit rate, \(kilobits(minimumBitRate))")
    }
    if let maximumBitRate, bitRate > maximumBitRate {
      return Problem(
        .maximumBitRate,
        "\(rateControl) is over its highest bit rate, \(kilobits(maximumBitRate))")
    }
    return nil
  }

  // MARK: Channels and filters

  /// LAME would forget the mode.
  private func modeProblem(_ channelCount: Int) -> Problem? {
    guard channelCount == 1, stereoMode != .joint else { return nil }
    return Problem(.stereoMode, "\(stereoMode) needs two channels, and there is one")
  }

  /// Why LAME would leave out a filter, take another one, or encode nothing; nil where it would not.
  package func filterProblem(sampleRate: Int, channelCount: Int) -> Problem? {
    if case .hertz(let frequency) = lowpass,
      let problem = impossible(
        .lowpass, "a lowpass of \(hertz(frequency))", at: sampleRate,
        { rate in
          let range = MP3Filters(sampleRate: rate, isVariable: isVariable).lowpasses
          return range.contains(frequency)
            ? nil : "from \(hertz(range.lowerBound)) to \(hertz(range.upperBound)) are"
        })
    {
      return problem
    }
    guard let highpass else { return nil }
    return impossible(.highpass, "a highpass of \(hertz(highpass))", at: sampleRate) { rate in
      let frequency = lowpassFrequency(sampleRate: rate, channelCount: channelCount)
      let filters = MP3Filters(sampleRate: rate, isVariable: isVariable)
      let range = filters.highpasses(below: frequency)
      return range.contains(highpass)
        ? nil
        : "from \(hertz(range.lowerBound)) to \(hertz(range.upperBound)) are, with a lowpass of "
          + hertz(frequency)
    }
  }

  // MARK: Words

  /// The problem with what `refusal` says at `sampleRate`, and the rates at which it says nothing.
  private func impossible(
    _ setting: Problem.Setting, _ subject: String, at sampleRate: Int,
    _ refusal: (Int) -> String?
  ) -> Problem? {
    guard let instead = refusal(sampleRate) else { return nil }
    let rates = Self.sampleRates.filter { refusal($0) == nil }
    let elsewhere = rates.isEmpty ? "" : "; it is possible at \(list(rates)) Hz"
    return Problem(
      setting, "\(subject) is not possible at \(sampleRate) Hz: \(instead)\(elsewhere)")
  }

  private func list(_ numbers: [Int]) -> String {
    guard let last = numbers.last, numbers.count > 1 else {
      return numbers.map(String.init).joined()
    }
    return numbers.dropLast().map(String.init).joined(separator: ", ") + " and \(last)"
  }

  private func hertz(_ frequency: Int) -> String { "\(frequency) Hz" }
}
