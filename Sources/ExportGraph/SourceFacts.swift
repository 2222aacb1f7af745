import MediaComposition

/// The facts of an export's sources that its settings follow.
struct SourceFacts {
  /// In order of their places.
  let assets: [Asset]
  /// Those that have sound, which decide what outputs have; all where none has any.
  let sounding: [Asset]
  private let export: Export
  /// The highest; 44.1 kHz where there are none.
  let sampleRate: Int
  /// Whether any has more than 16 bits a sample, or floats without loss.
  let isDeep: Bool
  /// Of each source, in order of their places, as it comes to the mix; not those of which items select
  /// single channels alone.
  let heard: [HeardSound]
  /// The layout of all; surround at the back where some have it there and others at the side. Else
  /// stereo; also where a mono item is panned, or only some channels of surround are selected.
  let layout: ChannelLayout

  init(of export: Export) {
    self.export = export
    let found = export.composition.assets
    assets = found.count > 1 ? found.sorted { $0.location < $1.location } : Array(found)
    let audible = assets.filter(\.hasSound)
    sounding = audible.isEmpty ? assets : audible
    sampleRate = sounding.map(\.sampleRate).max() ?? 44_100
    isDeep = assets.contains { $0.bitDepth.map { $0 > 16 } ?? $0.holdsFloats }
    let selectsChannels = export.composition.selectsChannels
    if selectsChannels {
      var sounds: Set<HeardSound> = []
      export.composition.collectHeard(into: &sounds)
      heard = sounds.sorted { $0.asset.location < $1.asset.location }
    } else {
      heard = sounding.map { HeardSound(asset: $0) }
    }
    let common = ChannelLayout.common(of: sounding.map(\.channelLayout))
    let isChanged = common == .mono ? export.isPanned : selectsChannels
    layout = isChanged ? .stereo : common
  }

  /// The source of some kinds that is heard longest. O(segments)
  func longestHeard(of kinds: [Output.Kind]) -> Asset? {
    export.composition.longestHeard(in: kinds)
  }

  var fastest: Asset? { sounding.first { $0.sampleRate == sampleRate } }
}

extension ChannelLayout {
  /// The layout of all sounds; surround at the back where some have it there and others at the side. Stereo
  /// where they differ otherwise, where there are none, and where outputs do not hold it.
  static func common(of all: [ChannelLayout]) -> ChannelLayout {
    var layouts = Set(all.map { $0.count == 1 ? .mono : $0 })
    if layouts.count > 1 { layouts = Set(layouts.map { $0.surroundsAtBack ?? $0 }) }
    guard layouts.count == 1, let common = layouts.first, common == .mono || common.isSurround
    else { return .stereo }
    return common
  }

  /// Whether it has more than two channels, all in places that outputs have or all without.
  fileprivate var isSurround: Bool { 3...8 ~= count && isStorable }
}

extension Asset {
  /// Whether its samples are floats that no coding has changed: PCM, and WavPack, of which integers have
  /// a depth.
  fileprivate var holdsFloats: Bool {
    bitDepth == nil && (codec.hasPrefix("pcm_f") || codec == "wavpack")
  }
}
