import MediaComposition
import Tagging

/// Gains of sources in the notation of an output.
extension Graph {
  /// In Opus gains are `R128_*`, in other formats `REPLAYGAIN_*` (RFC 7845, 5.2.1). Where a source has both,
  /// those of its own format count.
  func convert(
    _ levels: [Metadata.Item], of sink: inout Sink, isFromOpus: Bool,
    _ stale: inout [String: [String]]
  ) {
    let isOpus = sink.format.kind == .opus
    var levels = levels
    func leaveOut(_ keys: [String], _ reason: String) {
      for key in keys { sink.metadata[key] = nil }
      levels.removeAll { keys.contains($0.key) }
      stale[reason, default: []] += keys
    }
    func keys(_ start: String) -> [String] {
      levels.map(\.key).filter { $0.lowercased().hasPrefix(start) }
    }
    let reference = levels.first { $0.key.lowercased() == "replaygain_reference_loudness" }
    let isUsual = reference.map { LevelTag.isUsualReference($0.value) } ?? true
    if isFromOpus, !isUsual, !keys("r128_").isEmpty {
      leaveOut(keys("replaygain_"), Self.opusReason)
    }
    let isPlain = isUsual || isFromOpus && !isOpus
    for item in levels where item.key.lowercased().hasPrefix(isOpus ? "replaygain_" : "r128_") {
      let converted =
        isOpus ? LevelTag.opus(item.key, item.value) : LevelTag.replayGain(item.key, item.value)
      guard let converted, isPlain else {
        leaveOut([item.key], Self.notationReason)
        continue
      }
      sink.metadata[item.key] = nil
      let other = levels.first { $0.key.lowercased() == converted.key.lowercased() }
      if let other, LevelTag.isSame(other.value, converted.value, asOpus: isOpus) { continue }
      // That of the job counts.
      if other == nil, sink.metadata[converted.key] != nil { continue }
      guard other == nil || isFromOpus != isOpus else {
        leaveOut([item.key], isOpus ? Self.opusReason : Self.replayGainReason)
        continue
      }
      if let other { leaveOut([other.key], isOpus ? Self.replayGainReason : Self.opusReason) }
      sink.metadata[converted.key] = converted.value
      sink.movedTags.append(converted.key)
    }
  }

  private static let opusReason = "in Opus the gains of R128 count"
  private static let replayGainReason = "in its source's format the gains of ReplayGain count"
}
