import Diagnosis
import MediaComposition

/// What an output does to the channels of its sources, by the matrices to the mix and from there to
/// the output.
struct LayoutNotes {
  var output: Output
  var kind: Output.Kind
  /// The output's.
  var layout: ChannelLayout
  var mix: ChannelLayout
  /// Whether the job has a word for the layout.
  var isRequested: Bool

  private enum Change: Equatable {
    /// Each channel is one of the output's, or this is what the job requests.
    case none
    /// Two channels with other positions are heard as stereo is.
    case countsAsStereo
    /// Channels are mixed with others, or left out.
    case isMixed(without: [ChannelLayout.Channel])
  }

  /// One note on all sources that are mixed, and one on all that count as stereo.
  func notes(on sources: SourceFacts) -> [Diagnostic] {
    var known: [ChannelLayout: [ChannelLayout?: Change]] = [:]
    var pairs: [Asset] = []
    var mixed: [Asset] = []
    var left: Set<ChannelLayout.Channel> = []
    for sound in sources.heard {
      let source = sound.asset.channelLayout
      let change = known[source]?[sound.layout] ?? change(of: source, as: sound.layout)
      known[source, default: [:]][sound.layout] = change
      switch change {
      case .none: continue
      case .countsAsStereo where pairs.last != sound.asset: pairs.append(sound.asset)
      case .isMixed(let channels):
        left.formUnion(channels)
        if mixed.last != sound.asset { mixed.append(sound.asset) }
      case .countsAsStereo: continue
      }
    }
    let notes = [mixingNote(mixed, without: left), pairNote(pairs)]
    return notes.compactMap(\.self)
  }

  private func change(of source: ChannelLayout, as selected: ChannelLayout?) -> Change {
    guard source.count > 1 else { return .none }
    let matrix = matrix(from: source, as: selected)
    let lost = matrix.silentChannels.map { source.channels[$0] }
    if source == .stereo {
      let isSeen = isRequested || selected != nil || layout.count > 1
      return lost.isEmpty && isSeen ? .none : .isMixed(without: lost)
    }
    guard source.count == 2 else {
      return matrix.keepsEachChannel ? .none : .isMixed(without: lost)
    }
    if matrix.keepsEachChannel, matrix.keepsPlaces(of: source, in: layout) { return .none }
    return matrix.keepsEachChannel && matrix == self.matrix(from: .stereo, as: selected)
      ? .countsAsStereo : .isMixed(without: lost)
  }

  private func matrix(from source: ChannelLayout, as selected: ChannelLayout?) -> ChannelMatrix {
    var first = ChannelMatrix(from: selected ?? source, to: mix)
    if let selected { first = first.after(ChannelMatrix(from: source, to: selected)) }
    return ChannelMatrix(from: mix, to: layout).after(first)
  }

  private func mixingNote(
    _ assets: [Asset], without left: Set<ChannelLayout.Channel>
  ) -> Diagnostic? {
    guard let first = assets.first else { return nil }
    let source = first.channelLayout
    let help = isRequested ? nil : mixingHelp(source)
    let isNarrower = assets.contains { $0.channelLayout.count > layout.count }
    let names = left.sorted { $0.rawValue < $1.rawValue }.map(\.adjective)
    return Diagnostic(
      .note,
      "'\(output.path)' is \(layout.name): \(text(assets)), "
        + "\(source.isUnplaced ? "\(source.count) channels without positions" : source.name), "
        + "\(assets.count > 1 ? "are" : "is") mixed \(isNarrower ? "down" : "to its channels")"
        + (names.isEmpty
          ? ""
          : ", without the \(names.joined(separator: " and the ")) "
            + (names.count == 1 ? "channel" : "channels")),
      at: output.origin, help: help)
  }

  /// How all channels of a source are kept, or why they are not.
  private func mixingHelp(_ source: ChannelLayout) -> String? {
    if source.count > 8 {
      return
        "outputs have eight channels at most; for one of these write 'channels: channel 1', or another"
    }
    let held = kind.capabilities
    if held.stored(source) != nil {
      return source.nameInJobs.map { "for all channels write 'channels: \($0)'" }
    }
    if source.isUnplaced, let name = held.layoutName(ofCount: source.count) {
      return "for all channels write 'channels: \(name)', which gives them places"
    }
    return "\(held.codecName) has no layout of \(source.name)"
  }

  private func pairNote(_ assets: [Asset]) -> Diagnostic? {
    guard let first = assets.first else { return nil }
    let names = first.channelLayout.channels.map(\.adjective).joined(separator: " and ")
    return Diagnostic(
      .note,
      "'\(output.path)' is \(layout.name): the channels of \(text(assets)), \(names), count as left "
        + "and right", at: output.origin)
  }

  private func text(_ assets: [Asset]) -> String {
    "'\(assets[0].location)'" + (assets.count > 1 ? " and \(assets.count - 1) more" : "")
  }
}

/// An asset, of which more is heard than a single channel.
struct HeardSound: Hashable {
  var asset: Asset
  /// To which its items bring it before the mix, if they do.
  var layout: ChannelLayout?
}

extension Composition {
  /// The assets of which more is heard than single channels that items select. O(segments).
  func collectHeard(into found: inout Set<HeardSound>) {
    for track in tracks where track.sounds {
      for segment in track.segments {
        switch (segment.content, segment.channels) {
        case (.silence, _), (.asset, .channel): continue
        case (.asset(let asset), .layout(let layout)):
          found.insert(HeardSound(asset: asset, layout: layout))
        case (.asset(let asset), nil): found.insert(HeardSound(asset: asset))
        case (.composition(let inner), _): inner.collectHeard(into: &found)
        }
      }
    }
  }
}

extension ChannelMatrix {
  /// The source's channels that are not heard.
  fileprivate var silentChannels: [Int] {
    (weights.first ?? []).indices.filter { source in weights.allSatisfy { $0[source] == 0 } }
  }

  /// Whether each channel of the source is one of the target's, alone and unchanged.
  var keepsEachChannel: Bool {
    isPermutation
      && (weights.first ?? []).indices.allSatisfy { source in
        weights.count { $0[source] == 1 } == 1
      }
  }

  /// Whether each channel of `source` is heard where it was.
  fileprivate func keepsPlaces(of source: ChannelLayout, in target: ChannelLayout) -> Bool {
    source.channels.enumerated().allSatisfy { index, channel in
      zip(target.channels, weights).allSatisfy { place, row in
        row[index] == 0 || place == channel || place == Self.twin(of: channel)
      }
    }
  }
}

extension ChannelLayout {
  /// What 'channels' calls it, or a layout of as many channels where it has no positions.
  fileprivate var nameInJobs: String? {
    let named = Self.named.map(\.key)
    guard isUnplaced else { return named.contains(name) ? name : nil }
    return Self.named.first { $0.value.count == count }?.key
  }
}

extension ChannelLayout.Channel {
  /// Its place, in front of 'channel'.
  var adjective: String {
    switch self {
    case .frontLeft: "front left"
    case .frontRight: "front right"
    case .frontCenter: "centre"
    case .lowFrequency: "low-frequency"
    case .backLeft: "back left"
    case .backRight: "back right"
    case .frontLeftOfCenter: "left of centre"
    case .frontRightOfCenter: "right of centre"
    case .backCenter: "back centre"
    case .sideLeft: "side left"
    case .sideRight: "side right"
    case .topCenter: "top centre"
    case .topFrontLeft: "top front left"
    case .topFrontCenter: "top front centre"
    case .topFrontRight: "top front right"
    case .topBackLeft: "top back left"
    case .topBackCenter: "top back centre"
    case .topBackRight: "top back right"
    case .wideLeft: "wide left"
    case .wideRight: "wide right"
    case .surroundDirectLeft: "direct surround left"
    case .surroundDirectRight: "direct surround right"
    case .lowFrequency2: "second low-frequency"
    case .topSideLeft: "top side left"
    case .topSideRight: "top side right"
    case .bottomFrontCenter: "bottom front centre"
    case .bottomFrontLeft: "bottom front left"
    case .bottomFrontRight: "bottom front right"
    case .unplaced: "unplaced"
    }
  }
}
