import MPEGAudio

extension Output.Format {
  /// Decibels that a limiter leaves below a ceiling of true peaks, since the error of a lossy encoder
  /// adds to the peaks; 0 for what gives back each sample.
  ///
  /// What nine of ten recordings need by `docs/loudness.md`, where the measurement is. The rest is
  /// found when the encoded file is measured, and is rendered again.
  ///
  /// - Parameter channelCount: Of the sound, among which the bits are shared.
  /// - Returns: The decibels.
  public func peakHeadroom(channelCount: Int) -> Double {
    func kilobits(_ bitRate: Int) -> Int { bitRate * 2 / (max(1, channelCount) * 1000) }
    switch self {
    case .wav(.muLaw), .wav(.aLaw), .wav(.uint8): return 0.5
    case .wav, .aiff, .caf, .flac, .alac: return 0
    case .mp3(let settings):
      switch settings.rateControl {
      case .vbr(let quality): return quality < 4 ? 0.4 : quality < 6 ? 0.8 : 1.2
      case .abr(let rate), .cbr(let rate):
        return Self.headroom(kilobits(rate), [256: 0.2, 192: 0.5, 128: 1.0], else: 1.2)
      }
    case .m4a(let bitRate):
      return Self.headroom(kilobits(bitRate), [192: 0.8, 96: 1.2], else: 2)
    case .vorbis(.quality(let quality)): return quality < 4 ? 0.9 : 0.5
    case .vorbis(.bitRate(let bitRate)):
      return Self.headroom(kilobits(bitRate), [128: 0.5], else: 0.9)
    case .opus(let bitRate):
      return Self.headroom(kilobits(bitRate), [128: 0.8, 80: 1.0], else: 1.4)
    }
  }

  /// The figure of the first step that so many kilobits reach.
  private static func headroom(
    _ kilobits: Int, _ steps: KeyValuePairs<Int, Double>, else other: Double
  ) -> Double {
    steps.first { kilobits >= $0.key }?.value ?? other
  }
}
