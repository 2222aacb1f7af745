/// Settings of LAME, by LAME's names.
public struct MP3Settings: Sendable, Hashable, Codable {
  /// How bits are spent.
  public enum RateControl: Sendable, Hashable, Codable {
    /// `-V`: 0 (best) to 9.999, fractions allowed (`lame_set_VBR_quality`).
    case vbr(quality: Double)
    /// `--abr`: mean bits a second (`lame_set_VBR_mean_bitrate_kbps`).
    case abr(bitRate: Int)
    /// `--cbr`: bits a second (`lame_set_brate`).
    case cbr(bitRate: Int)
  }

  /// How the two channels of stereo are coded; of one channel, nothing is.
  public enum StereoMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// `-m j`: as sides or as middle and difference, whichever is better, frame by frame.
    case joint
    /// `-m f`: as middle and difference, always (`lame_set_force_ms`).
    case forced
    /// `-m s`: as left and right, always.
    case simple
  }

  /// Up to which frequency sound is encoded.
  public enum Lowpass: Sendable, Hashable, Codable {
    /// As far as LAME finds that the bits suffice.
    case automatic
    /// `--lowpass`: up to so many hertz (`lame_set_lowpassfreq`).
    case hertz(Int)
    /// `--lowpass -1`: all of it.
    case off
  }

  /// How bits are spent.
  public var rateControl: RateControl
  /// LAME's `-q`: 0 (slowest) to 9; nil is LAME's own choice.
  public var quality: Int?
  /// LAME's `-m`.
  public var stereoMode = StereoMode.joint
  /// LAME's `--lowpass`.
  public var lowpass = Lowpass.automatic
  /// LAME's `--highpass`: below so many hertz nothing is encoded; nil: all of it.
  public var highpass: Int?
  /// LAME's `-b` with `-F`: bits a second that no frame has less than, silence included; of VBR and
  /// ABR. nil: the least of the standard.
  public var minimumBitRate: Int?
  /// LAME's `-B`: bits a second that no frame has more than; of VBR and ABR. nil: the most.
  public var maximumBitRate: Int?

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
  package static let sampleRates = FrameHeader.Version.allCases.flatMap(\.sampleRates).sorted()

  /// The constant bit rates at `sampleRate`, in bits a second: the standard's table, which LAME
  /// ends at 64 kbps below 16 kHz (`FindNearestBitrate`). Empty where Layer III has no such rate.
  package static func bitRates(forSampleRate sampleRate: Int) -> [Int] {
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
  package static func meanBitRates(forSampleRate sampleRate: Int) -> ClosedRange<Int>? {
    let rates = bitRates(forSampleRate: sampleRate)
    guard let first = rates.first, let last = rates.last else { return nil }
    return first...min(last, 310_000)
  }

  /// The sample rate to resample to where Layer III does not have `sampleRate`: the lowest that
  /// keeps all of the sound, or above 48 kHz the one of its own family, 44.1 or 48 kHz.
  package static func nearestLegalSampleRate(for sampleRate: Int) -> Int {
    sampleRates.first { $0 >= sampleRate } ?? (sampleRate % 44100 == 0 ? 44100 : 48000)
  }

  /// Whether a LAME of a major version works at the asked quality when it says that it works at
  /// `reported` (`lame_get_quality`): LAME 4 has one quality for 0 to 4 of constant and mean bit
  /// rates.
  package func isQuality(_ reported: Int, ofLAME version: Int) -> Bool {
    reported == (version >= 4 && !isVariable ? max(workingQuality, 4) : workingQuality)
  }

  /// The quality that LAME works with: of the ten that `-q` names some are others under another
  /// name (`lame_init_params` for VBR, `lame_init_qval`).
  package var workingQuality: Int {
    // LAME_DEFAULT_QUALITY
    let asked = quality ?? 3
    guard isVariable else { return asked == 8 ? 7 : asked }
    return asked < 5 ? 0 : min(asked, 7)
  }

  /// Whether this is VBR.
  var isVariable: Bool { if case .vbr = rateControl { true } else { false } }
}
