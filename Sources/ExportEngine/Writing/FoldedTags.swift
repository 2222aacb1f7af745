import MPEGAudio
import MediaComposition
import Tagging

/// Tags in which each tag of a format stands once: sources have some under two names, as FLAC `DATE` and
/// `YEAR`, that are one there.
struct FoldedTags: Sendable, Hashable {
  /// The values of a tag that are left out, since the tag holds one.
  struct Loss: Sendable, Hashable {
    /// The tag's own name.
    var key: String
    var written: String
    var others: [String]

    /// For people, of the format of this name.
    func text(in format: String) -> String {
      "\(format) holds one value of the tag '\(key)': '\(written)' is written, \(others.quoted) left out"
    }
  }

  private(set) var tags = Metadata()
  private(set) var lost: [Loss] = []

  /// - Parameters:
  ///   - original: A sink's tags.
  ///   - own: The tags that the job says, which win over those of sources.
  ///   - capabilities: Of the format.
  /// - Complexity: O(tags²)
  init(_ original: Metadata, own: Metadata, in capabilities: OutputCapabilities) {
    switch capabilities.tagForm {
    case .id3, .itemList, .riff, .caf: break
    case .vorbisComments, .matroska, .none:
      // These have each name that a source has.
      tags = original
      return
    }
    var groups: [String: [Metadata.Item]] = [:]
    for item in original.items {
      guard let row = Self.row(of: item, in: capabilities) else { continue }
      groups[row.key, default: []].append(item)
    }
    for item in original.items {
      guard let row = Self.row(of: item, in: capabilities), let group = groups[row.key],
        group.count > 1 || row.holdsOneValue && item.values.count > 1
      else {
        tags.set(item.values, of: item.key)
        continue
      }
      // The first of them stands for all.
      if group.first == item { fold(group, of: row, own: own) }
    }
    tags.cover = original.cover
  }

  /// The tag that an item becomes; nil of one that keeps its name, or has no place.
  private static func row(
    of item: Metadata.Item, in capabilities: OutputCapabilities
  ) -> TagNames.Row? {
    guard capabilities.holds(item.key) else { return nil }
    if capabilities.hasID3 {
      let items = item.values.map { ID3Tag.Item(key: item.key, value: $0) }
      guard ID3Tag.misfits(among: items).isEmpty else { return nil }
    }
    return TagNames.row(of: capabilities.tagName(of: item.key))
  }

  private mutating func fold(_ group: [Metadata.Item], of row: TagNames.Row, own: Metadata) {
    let said = group.filter { own[$0.key] != nil }
    let items = said.isEmpty ? group : said
    let sorted =
      items.filter { $0.key.lowercased() == row.key }
      + items.filter { $0.key.lowercased() != row.key }
    var values: [String] = []
    for value in sorted.flatMap(\.values) where !values.contains(value) { values.append(value) }
    if row.holdsOneValue, var best = values.first {
      for value in values where Self.covers(value, best) && !Self.covers(best, value) {
        best = value
      }
      let others = values.filter { !Self.covers(best, $0) }
      if !others.isEmpty { lost.append(Loss(key: row.key, written: best, others: others)) }
      values = [best]
    }
    tags.set(values, of: row.key)
  }

  /// Whether a date or a number says all that another one does: `2001-05` and `2001`, `3/12` and `03`.
  static func covers(_ whole: String, _ part: String) -> Bool {
    func pieces(_ text: String) -> [String] {
      text.split { "-/T: ".contains($0) }.map { piece in
        Int(piece).map { "\($0)" } ?? String(piece)
      }
    }
    let (all, some) = (pieces(whole), pieces(part))
    return all.count >= some.count && zip(all, some).allSatisfy { $0 == $1 }
  }
}
