import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime

/// Counts the pictures of an output while they are made. One thread at a time.
final class PictureTally {
  /// Whose bits are a source's.
  var copied = 0
  /// Which are new.
  var encoded = 0
  /// Streams that are copied packet by packet, and count for themselves, and their source.
  var copies: (streams: CopiedStreams, source: Asset)?
  /// What of sources' subtitles the output does not have, in words.
  var textOmissions: [String] = []
  /// When pictures that were copied and of which a part is missing are shown by their files' clocks.
  private var damaged: [Asset: Set<Time>] = [:]

  /// All so far.
  var count: PictureCount {
    PictureCount(copied: copied + (copies?.streams.pictureCount ?? 0), encoded: encoded)
  }

  /// How many times a warning has.
  private static let mostNamed = 3

  /// Notes a picture that is copied, of which a part is missing.
  func note(damaged shown: Time, of source: Asset) {
    guard damaged[source, default: []].count < CopiedStreams.mostDamaged else { return }
    damaged[source, default: []].insert(shown)
  }

  /// Warnings of pictures that were copied and cannot be decoded as they were.
  var damageWarnings: [Warning] {
    var all = damaged
    if let copies {
      for (tick, base) in copies.streams.damaged {
        all[copies.source, default: []].insert(base.time(of: tick))
      }
    }
    return all.map { source, times in
      let named = times.sorted().prefix(Self.mostNamed).map {
        max(.zero, $0 - source.start).clockText(decimals: 3)
      }
      let others = times.count - named.count
      let isBounded = times.count >= CopiedStreams.mostDamaged
      let places =
        times.count == 1 ? "one place" : "\(isBounded ? "at least " : "")\(times.count) places"
      return Warning(
        "is damaged in \(places), where pictures are "
          + "missing or broken: at \(named.joined(separator: ", "))"
          + (others > 0 ? " and \(isBounded ? "at least " : "")\(others) more" : "")
          + "; copy or download it again",
        location: source.location)
    }.sorted { ($0.location?.description ?? "") < ($1.location?.description ?? "") }
  }
}
