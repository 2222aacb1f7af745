import MediaComposition
import MediaTime
import Tagging

/// Tags of a source that would not be true of an output.
public struct StaleTags: Sendable, Hashable, Encodable {
  /// Their names.
  public var names: [String]
  /// Why, to stand behind them.
  public var reason: String

  /// Tags with a reason.
  public init(names: [String], reason: String) {
    self.names = names
    self.reason = reason
  }
}

extension Graph {
  /// Leaves out what sources say of their level and samples where that is not true of the output, puts
  /// gains into the output's own notation, and moves the time of the beginning.
  func settleTags(of sink: inout Sink, in export: Export) {
    // Few files have such tags.
    guard sink.metadata.items.contains(where: { TagClass(of: $0.key) != .content }) else { return }
    let assets = export.composition.assets
    let known = Set(assets.flatMap(\.metadata.items))
    func isInherited(_ item: Metadata.Item) -> Bool {
      known.contains(item)
        || export.inheritedTags.contains(item.key.lowercased())
          && sink.output.metadata[item.key] == nil
    }
    let inherited = sink.metadata.items.filter {
      TagClass(of: $0.key) != .content && isInherited($0)
    }
    guard !inherited.isEmpty else { return }
    let whole = untouchedWhole(of: sink)
    var stale: [String: [String]] = [:]
    var levels: [Metadata.Item] = []
    for item in inherited {
      let isOfWhole = whole.map { $0.asset.metadata.items.contains(item) } ?? false
      let reason: String?
      switch TagClass(of: item.key) {
      case .content: reason = nil
      case .level:
        reason = isOfWhole ? nil : Self.levelReason
        if isOfWhole { levels.append(item) }
      case .samples: reason = isOfWhole && whole?.keepsSamples == true ? nil : Self.sampleReason
      case .frames: reason = isOfWhole && whole?.keepsFrames == true ? nil : Self.sampleReason
      case .timeReference:
        let moved = timeReference(of: item, for: sink, in: export)
        sink.metadata[item.key] = moved
        sink.movedTags.append(item.key)
        reason = moved == nil ? Self.timeReason : nil
      }
      guard let reason else { continue }
      sink.metadata[item.key] = nil
      stale[reason, default: []].append(item.key)
    }
    convert(levels, of: &sink, &stale)
    sink.staleTags = [Self.levelReason, Self.sampleReason, Self.notationReason, Self.timeReason]
      .compactMap { reason in
        stale[reason].map { StaleTags(names: $0, reason: reason) }
      }
  }

  private static let levelReason = "its level or its length is not the source's"
  private static let sampleReason = "its samples are not the source's"
  private static let notationReason = "its format has no such tag"
  private static let timeReason = "it does not begin with the source's sound"

  /// In Opus gains are `R128_*`, in other formats `REPLAYGAIN_*` (RFC 7845, 5.2.1).
  private func convert(
    _ levels: [Metadata.Item], of sink: inout Sink, _ stale: inout [String: [String]]
  ) {
    let isOpus = sink.format.kind == .opus
    let reference = levels.first { $0.key.lowercased() == "replaygain_reference_loudness" }
    let isUsual = reference.map { LevelTag.isUsualReference($0.value) } ?? true
    let foreign = isOpus ? "replaygain_" : "r128_"
    for item in sink.metadata.items where item.key.lowercased().hasPrefix(foreign) {
      guard levels.contains(item) else { continue }
      let converted =
        isOpus ? LevelTag.opus(item.key, item.value) : LevelTag.replayGain(item.key, item.value)
      sink.metadata[item.key] = nil
      if let converted, isUsual {
        guard sink.metadata[converted.key] == nil else { continue }
        sink.metadata[converted.key] = converted.value
        sink.movedTags.append(converted.key)
      } else {
        stale[Self.notationReason, default: []].append(item.key)
      }
    }
  }

  /// The time of the beginning, in frames of the output: that of the source's frame which is heard
  /// first; nil where others or none are heard then.
  private func timeReference(
    of item: Metadata.Item, for sink: Sink, in export: Export
  ) -> String? {
    let start = export.timeRange?.start ?? .zero
    let moments = export.composition.sources(at: start)
    guard let moment = moments.first, moments.count == 1, !moment.isReversed,
      moment.asset.metadata.items.contains(item),
      let reference = Int64(item.value), reference >= 0, moment.time.isNumeric
    else { return nil }
    let (ticks, rate) = (Int128(moment.time.timescale), Int128(moment.asset.sampleRate))
    let outputRate = Int128(nodes[sink.node].format.sampleRate)
    let (sum, isTooLarge) = (Int128(reference) * ticks)
      .addingReportingOverflow(Int128(moment.time.value) * rate)
    let (product, isLarger) = sum.multipliedReportingOverflow(by: outputRate)
    guard !isTooLarge, !isLarger, sum >= 0 else { return nil }
    let divisor = rate * ticks
    return "\((product + divisor / 2) / divisor)"
  }
}

extension Export {
  /// The only source, and what of it no output has, if there is something: what comes with several is
  /// not expected in an output, as their tags are not. The texts that the words were read from are not
  /// missed where an output has a place for words.
  package var unread: (asset: Asset, parts: [String])? {
    let assets = composition.assets
    guard assets.count == 1, let asset = assets.first else { return nil }
    let isWritten = transcript?.cues.isEmpty == false && outputs.contains { !$0.transcript.isEmpty }
    let kept = isWritten ? keptTexts.filter { $0.location == asset.location } : []
    var parts = asset.unread.filter { part in
      !kept.contains { part.hasPrefix("subtitles of stream \($0.streamIndex) ") }
    }
    if !outputs.contains(where: \.keepsPicture) {
      let others = asset.tracks.filter { track in
        track.index != asset.streamIndex && track.mediaType != .video
          && !kept.contains { $0.streamIndex == track.index }
      }
      parts += others.prefix(20).map(\.text)
    }
    return parts.isEmpty ? nil : (asset, parts)
  }
}

extension Graph {
  /// A source of which all is an output, from its first frame to its last, at its own level.
  private struct Whole {
    var asset: Asset
    /// Whether the output has each of its samples.
    var keepsSamples: Bool
    /// Whether it has each of its frames of MP3.
    var keepsFrames: Bool
  }

  /// nil where more, less or other than all of one source is heard.
  private func untouchedWhole(of sink: Sink) -> Whole? {
    var id = sink.node
    guard nodes[id].frames == sink.frames else { return nil }
    while true {
      let node = nodes[id]
      guard node.level.isUnity else { return nil }
      switch node.kind {
      case .convert(let child):
        guard nodes[child].format.channelLayout == node.format.channelLayout,
          Self.keepsBand(from: nodes[child].format.sampleRate, to: node.format.sampleRate)
        else { return nil }
        id = child
      case .mix(let children):
        guard children.count == 1, nodes[children[0]].frames == node.frames else { return nil }
        id = children[0]
      case .source(let source, let start):
        let asset = source.asset
        let rates = FrameRatio(from: asset.sampleRate, to: node.format.sampleRate)
        guard start == 0, node.frames.lowerBound == 0, source.matrix.isPermutation,
          // Both are rounded.
          abs(Int64(node.frames.count) - source.frameCount) <= (rates == .one ? 0 : 1),
          source.ratio == rates,
          Self.keepsBand(from: asset.sampleRate, to: node.format.sampleRate)
        else { return nil }
        let isSame = UntouchedSpans(nodes, of: sink.node, in: sink.frames).only != nil
        let isCopied = sink.copied?.isWhole == true
        return Whole(
          asset: asset,
          keepsSamples: isSame
            && (isCopied
              || sink.format.kind.capabilities.isLossless && asset.holdsSamples(for: sink.format)),
          keepsFrames: isSame && isCopied && sink.format.kind == .mp3)
      case .process, .excerpt, .duck: return nil
      }
    }
  }

  /// Whether a conversion leaves all that has a say in loudness: ITU-R BS.1770 weighs what is below
  /// half of 32 kHz.
  private static func keepsBand(from old: Int, to new: Int) -> Bool { new >= min(old, 32_000) }
}
