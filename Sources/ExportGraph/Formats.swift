import MPEGAudio
import MediaComposition

extension AudioFormat {
  /// The mix's format where the export does not say: the highest rate among the sources, no higher
  /// than the outputs need; mono where all sources, or all outputs, are mono and nothing is panned.
  static func ofMix(for export: Export) -> AudioFormat {
    let assets = export.composition.assets
    let sourceRate = assets.map(\.sampleRate).max() ?? 44_100
    let neededRate =
      export.outputs.map { $0.sampleRate ?? $0.format.sampleRate(for: sourceRate) }.max()
      ?? sourceRate
    let isMono =
      !export.isPanned
      && (!assets.isEmpty && assets.allSatisfy { $0.channelLayout.count == 1 }
        || !export.outputs.isEmpty && export.outputs.allSatisfy { $0.channelLayout == .mono })
    return AudioFormat(
      sampleRate: export.sampleRate ?? min(sourceRate, neededRate),
      channelLayout: export.channelLayout ?? (isMono ? .mono : .stereo))
  }

  /// What `output` is fed with: as it says, else as the mix, as far as its codec can.
  static func of(_ output: Output, from mix: AudioFormat) -> AudioFormat {
    AudioFormat(
      sampleRate: output.sampleRate ?? output.format.sampleRate(for: mix.sampleRate),
      channelLayout: output.channelLayout ?? mix.channelLayout)
  }
}

extension Output.Format {
  /// The rate nearest to `rate` that the codec can store, a divisor of it where there is one.
  func sampleRate(for rate: Int) -> Int {
    let rates: [Int]
    switch self {
    case .mp3:
      rates = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
    case .m4a:
      // ISO 14496-3 table 1.18.
      rates = [
        7_350, 8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000,
        88_200, 96_000,
      ]
    case .wav, .flac:
      return rate
    }
    if rates.contains(rate) { return rate }
    if let divisor = rates.last(where: { $0 < rate && rate % $0 == 0 && $0 >= 44_100 }) {
      return divisor
    }
    return rates.first { $0 > rate } ?? rates[rates.count - 1]
  }

  /// Whether samples are stored as 16-bit integers.
  var storesInt16: Bool {
    switch self {
    case .wav(let format): format == .int16
    case .flac(let bitDepth): bitDepth == 16
    case .mp3, .m4a: false
    }
  }
}
