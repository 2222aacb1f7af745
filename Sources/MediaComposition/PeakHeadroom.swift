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
  package func peakHeadroom(channelCount: Int) -> Double {
    switch setting {
    case .samples(.muLaw), .samples(.aLaw), .samples(.uint8): return 0.5
    case .samples(.g722), .samples(.gsm), .samples(.ima4): return 1
    case .samples, .bitDepth: return 0
    case .quality(let quality): return quality < 4 ? 0.9 : 0.5
    case .bitRate(let rate): return headroom(rate, channelCount)
    case .fdkAAC(let settings): return settings.peakHeadroom(channelCount: channelCount)
    case .mp3(let settings):
      switch settings.rateControl {
      case .vbr(let quality): return quality < 4 ? 0.4 : quality < 6 ? 0.8 : 1.2
      case .abr(let rate), .cbr(let rate): return headroom(rate, channelCount)
      }
    }
  }

  private func headroom(_ bitRate: Int, _ channelCount: Int) -> Double {
    let kilobits = max(0, bitRate * 2 / (max(1, channelCount) * 1000))
    return kind.capabilities.peakErrors.filter { $0.key <= kilobits }.max { $0.key < $1.key }?.value
      ?? 0
  }
}

extension FDKAACSettings {
  /// As of `Output.Format`.
  fileprivate func peakHeadroom(channelCount: Int) -> Double {
    guard profile == .lc else { return 2 }
    switch rateControl {
    case .vbr(let quality): return quality >= 4 ? 0.8 : quality == 3 ? 1.5 : 2
    case .bitRate(let rate):
      let kilobits = rate * 2 / (max(1, channelCount) * 1000)
      return kilobits >= 192 ? 0.2 : kilobits >= 128 ? 0.8 : kilobits >= 96 ? 1.5 : 2
    }
  }
}
