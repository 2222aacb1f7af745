/// How libfdk-aac, the encoder of Fraunhofer IIS, makes AAC.
public struct FDKAACSettings: Sendable, Hashable, Codable {
  /// What of AAC a decoder must have (ISO 14496-3, 1.5.2.1).
  public enum Profile: String, Sendable, Hashable, CaseIterable, Codable {
    /// Low Complexity, which every decoder has.
    case lc
    /// High Efficiency: half the sample rate is coded, and the frequencies above it are made of those
    /// below (spectral band replication).
    case he
    /// HE with one coded channel, of which a decoder makes two (parametric stereo).
    case heV2 = "he-v2"
  }

  /// How bits are spent.
  public enum RateControl: Sendable, Hashable, Codable {
    /// So many bits a second for all channels together, in the mean of a second or so.
    case bitRate(Int)
    /// A quality that is kept: 1 (smallest) to 5.
    case vbr(quality: Int)
  }

  /// The profile.
  package var profile: Profile
  /// How bits are spent.
  package var rateControl: RateControl

  /// Settings.
  public init(_ rateControl: RateControl, profile: Profile = .lc) {
    (self.rateControl, self.profile) = (rateControl, profile)
  }

  /// The qualities of a variable bit rate (`AACENC_BITRATEMODE`).
  package static let qualities = 1...5

  /// The bit rate that is asked for; nil for a variable one.
  package var bitRate: Int? {
    if case .bitRate(let bitRate) = rateControl { bitRate } else { nil }
  }

  /// The layouts that the encoder keeps in place: those of `channelConfiguration` 1 to 6 (ISO 14496-3,
  /// table 1.19).
  static let layouts: [ChannelLayout] = [
    .mono, .stereo, ChannelLayout(mask: 0x7), ChannelLayout(mask: 0x107), .surround50, .surround51,
  ]

  /// What to write for AAC without libfdk-aac, in whichever form the setting is written.
  package static let alternative = "write a bit rate alone for FFmpeg's encoder, as 'aac: 128k'"

  /// Why nothing can be encoded with these settings at a sample rate in a layout; nil where the
  /// library is to be asked.
  func problem(sampleRate: Int, layout: ChannelLayout) -> String? {
    if profile == .heV2, layout != .stereo {
      return "\(profile.name) is stereo, not \(layout.name): take 'profile: he'"
    }
    guard Self.layouts.contains(layout) || Self.layouts.contains(layout.surroundsAtBack ?? layout)
    else {
      return "libfdk-aac has no layout of \(layout.name): \(Self.alternative)"
    }
    // The core has half the rate, and 8 kHz at least.
    let least = profile == .lc ? 8_000 : 16_000
    guard sampleRate >= least else {
      return "\(profile.name) by libfdk-aac begins at \(least) Hz, not \(sampleRate)"
    }
    guard case .vbr(let quality) = rateControl, !Self.qualities.contains(quality) else {
      return nil
    }
    return "libfdk-aac's variable bit rate goes from 1 to 5, not \(quality)"
  }
}

extension FDKAACSettings.Profile {
  /// The usual name, as `HE-AAC`.
  package var name: String {
    switch self {
    case .lc: "AAC"
    case .he: "HE-AAC"
    case .heV2: "HE-AAC v2"
    }
  }

  /// How many frames a packet holds.
  package var packetLength: Int { self == .lc ? 1024 : 2048 }
}

extension Output.Format {
  /// Whether it is HE-AAC.
  package var isHighEfficiency: Bool {
    if case .fdkAAC(let settings) = self { settings.profile != .lc } else { false }
  }
}
