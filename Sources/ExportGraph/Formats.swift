import MediaComposition

extension AudioFormat {
  /// The mix's format where the export does not say: the highest rate among the sources, no higher
  /// than the outputs need; the layout of the output with most channels, where one asks for more
  /// than two; mono where all sources, or all outputs, are mono and nothing is panned; else stereo.
  static func ofMix(for export: Export) -> AudioFormat {
    let assets = export.composition.assets
    let sourceRate = assets.map(\.sampleRate).max() ?? 44_100
    let neededRate = export.outputs.map { $0.sampleRate(from: sourceRate) }.max() ?? sourceRate
    let layouts = export.outputs.compactMap(\.channelLayout)
    let widest = layouts.filter { $0.count > 2 }.max { $0.count < $1.count }
    let allMono = layouts.count == export.outputs.count && layouts.allSatisfy { $0 == .mono }
    let isNarrow = allMono && !layouts.isEmpty && !export.isPanned
    let narrow = isNarrow ? .mono : export.usualLayout(of: assets)
    return AudioFormat(
      sampleRate: export.sampleRate ?? min(sourceRate, neededRate),
      channelLayout: export.channelLayout ?? widest ?? narrow)
  }

  /// What `output` is fed with: as it says, else as the export, as far as its codec can.
  static func of(_ output: Output, of export: Export, mixedAs mix: AudioFormat) -> AudioFormat {
    AudioFormat(
      sampleRate: output.sampleRate(from: mix.sampleRate),
      channelLayout: output.channelLayout
        ?? (mix.channelLayout.count > 2
          ? export.usualLayout(of: export.composition.assets) : mix.channelLayout))
  }
}

extension Export {
  /// The layout of an output that does not say: the export's; mono where all sources, its `assets`,
  /// are mono and nothing is panned, else stereo.
  fileprivate func usualLayout(of assets: Set<Asset>) -> ChannelLayout {
    let isMono =
      !isPanned && !assets.isEmpty && assets.allSatisfy { $0.channelLayout.count == 1 }
    return channelLayout ?? (isMono ? .mono : .stereo)
  }
}

extension Output {
  /// As it says, else as a mix of `rate`, as far as its codec can.
  fileprivate func sampleRate(from rate: Int) -> Int {
    sampleRate ?? format.kind.capabilities.sampleRates.nearest(to: rate)
  }
}
