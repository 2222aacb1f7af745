/// What LAME is asked for, by LAME's names.
public struct MP3Settings: Sendable, Hashable {
  /// How bits are spent.
  public enum RateControl: Sendable, Hashable {
    /// `-V`: 0 (best) to 9.999, fractions allowed (`lame_set_VBR_quality`).
    case vbr(quality: Double)
    /// `--abr`: mean bits a second (`lame_set_VBR_mean_bitrate_kbps`).
    case abr(bitRate: Int)
    /// `--cbr`: bits a second (`lame_set_brate`).
    case cbr(bitRate: Int)
  }

  /// How bits are spent.
  public var rateControl: RateControl
  /// LAME's `-q`: 0 (slowest) to 9; nil is LAME's own choice.
  public var quality: Int?

  /// Settings that are checked by `problem(sampleRate:channelCount:)`, not here.
  public init(_ rateControl: RateControl, quality: Int? = nil) {
    self.rateControl = rateControl
    self.quality = quality
  }

  /// `-V2`, once `--preset standard`.
  public static let standard = MP3Settings(.vbr(quality: 2))
}

extension MP3Settings {
  /// The sample rates of Layer III in Hz (ISO 11172-3 §2.4.2.3, 13818-3 §2.4.2.3, MPEG-2.5).
  public static let sampleRates = FrameHeader.Version.allCases.flatMap(\.sampleRates).sorted()

  /// The constant bit rates at `sampleRate`, in bits a second: the standard's table, which LAME
  /// ends at 64 kbps below 16 kHz (`FindNearestBitrate`). Empty where Layer III has no such rate.
  public static func bitRates(forSampleRate sampleRate: Int) -> [Int] {
    guard
      let version = FrameHeader.Version.allCases.first(where: {
        $0.sampleRates.contains(sampleRate)
      })
    else { return [] }
    let rates = FrameHeader.bitRates(of: version, layer: .layer3).dropFirst().map { $0 * 1000 }
    return version == .mpeg25 ? rates.filter { $0 <= 64_000 } : rates
  }

  /// The mean bit rates at `sampleRate`, in bits a second: as far as its constant ones go, and no
  /// further than LAME's 310 kbps. nil where Layer III has no such sample rate.
  public static func meanBitRates(forSampleRate sampleRate: Int) -> ClosedRange<Int>? {
    let rates = bitRates(forSampleRate: sampleRate)
    guard let first = rates.first, let last = rates.last else { return nil }
    return first...min(last, 310_000)
  }

  /// The sample rate to resample to where Layer III does not have `sampleRate`: the lowest that
  /// keeps all of the sound, or above 48 kHz the one of its own family, 44.1 or 48 kHz.
  public static func nearestLegalSampleRate(for sampleRate: Int) -> Int {
    sampleRates.first { $0 >= sampleRate } ?? (sampleRate % 44100 == 0 ? 44100 : 48000)
  }

  /// Why LAME cannot do this for sound of `channelCount` channels at `sampleRate` Hz, and what it
  /// could; nil where it can. LAME itself would take the nearest it has, without a word.
  ///
  /// One line for the user, to stand after `file:line:column: error: `.
  public func problem(sampleRate: Int, channelCount: Int) -> String? {
    guard 1...2 ~= channelCount else {
      return "MP3 has one or two channels, not \(channelCount)"
    }
    guard let means = Self.meanBitRates(forSampleRate: sampleRate) else {
      return "MP3 has no sample rate of \(sampleRate) Hz: "
        + "the nearest is \(Self.nearestLegalSampleRate(for: sampleRate)) Hz "
        + "(it has \(Self.list(Self.sampleRates)))"
    }
    if let quality, !(0...9 ~= quality) {
      return "LAME's quality goes from 0 (slowest) to 9, not to \(quality)"
    }
    switch rateControl {
    case .vbr(let quality):
      return quality >= 0 && quality < 10
        ? nil : "LAME's VBR goes from V0 (best) to V9.999, not to \(self)"
    case .abr(let bitRate):
      if bitRate % 1000 != 0 { return "LAME's mean bit rates are whole kbps, not \(bitRate) bps" }
      guard !means.contains(bitRate) else { return nil }
      return "\(self) is not possible at \(sampleRate) Hz: "
        + "from \(means.lowerBound / 1000) to \(means.upperBound / 1000) kbps are"
        + alternatives { Self.meanBitRates(forSampleRate: $0)?.contains(bitRate) == true }
    case .cbr(let bitRate):
      let rates = Self.bitRates(forSampleRate: sampleRate)
      guard !rates.contains(bitRate) else { return nil }
      return "\(self) is not possible at \(sampleRate) Hz: "
        + "\(Self.list(rates.map { $0 / 1000 })) kbps are"
        + alternatives { Self.bitRates(forSampleRate: $0).contains(bitRate) }
    }
  }

  /// The sample rates at which a bit rate would do.
  private func alternatives(_ isPossible: (Int) -> Bool) -> String {
    let rates = Self.sampleRates.filter(isPossible)
    return rates.isEmpty ? "" : "; it is possible at \(Self.list(rates)) Hz"
  }

  private static func list(_ numbers: [Int]) -> String {
    guard let last = numbers.last, numbers.count > 1 else {
      return numbers.map(String.init).joined()
    }
    return numbers.dropLast().map(String.init).joined(separator: ", ") + " and \(last)"
  }
}

/// The names that LAME gives to some of its settings (`--preset`).
public enum MP3Preset: String, Sendable, Hashable, CaseIterable {
  case medium, standard, extreme, insane
  case phone
  case phonePlus = "phon+"
  case longWave = "lw"
  case mediumWaveEurope = "mw-eu"
  case shortWave = "sw"
  case mediumWaveUS = "mw-us"
  case voice, fm, radio, tape, hifi, cd, studio

  /// What the name stands for.
  public var settings: MP3Settings {
    switch self {
    case .medium: MP3Settings(.vbr(quality: 4))
    case .standard: .standard
    case .extreme: MP3Settings(.vbr(quality: 0))
    case .insane: MP3Settings(.cbr(bitRate: 320_000))
    case .phone: MP3Settings(.abr(bitRate: 16_000))
    case .phonePlus, .longWave, .mediumWaveEurope, .shortWave: MP3Settings(.abr(bitRate: 24_000))
    case .mediumWaveUS: MP3Settings(.abr(bitRate: 40_000))
    case .voice: MP3Settings(.abr(bitRate: 56_000))
    case .fm, .radio, .tape: MP3Settings(.abr(bitRate: 112_000))
    case .hifi: MP3Settings(.abr(bitRate: 160_000))
    case .cd: MP3Settings(.abr(bitRate: 192_000))
    case .studio: MP3Settings(.abr(bitRate: 256_000))
    }
  }

  /// Whether LAME also mixes down to one channel under this name. Settings do not say how many
  /// channels a file has: whoever takes a preset by its name has to.
  public var isMono: Bool {
    switch self {
    case .phone, .phonePlus, .longWave, .mediumWaveEurope, .shortWave, .mediumWaveUS, .voice: true
    default: false
    }
  }
}
