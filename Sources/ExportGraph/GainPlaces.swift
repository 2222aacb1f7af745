import Diagnosis
import MediaComposition
import Tagging

/// Files that are measured as one sound, for one gain in the tags of all.
package struct Album: Sendable, Hashable, Encodable {
  /// As messages have it.
  package var title: String
  /// A name among groups of sounds that no job file gives to one.
  package var group: String

  fileprivate init(_ title: String, _ parts: [String]) {
    self.title = title
    group = (["album"] + parts).joined(separator: "\0")
  }
}

extension Sink {
  /// Whether gains in its tags are those of Opus.
  package var hasOpusGains: Bool { format.kind == .opus }

  /// Lets its tags have the gains that its output asks for, in place of those of its sources.
  ///
  /// - Throws: `mendJob` where the format has no place for them, a tag of the job has their name, or
  ///   nothing says which files are the album.
  mutating func settleGains(
    in export: Export, _ heard: inout HeardSources
  ) throws(Failure) {
    guard let wanted = output.gainTags else { return }
    func refusal(_ message: String) -> Failure {
      let place = output.origins.gainTags
      return Failure(
        .mendJob, message, path: output.path, origin: place == .unknown ? output.origin : place)
    }
    guard capabilities.holdsFreeTags else {
      throw refusal(
        "'gain_tags' of \(capabilities.name), where no player looks for a gain: leave it out, or write "
          + "FLAC, MP3, M4A, Ogg, Opus or AIFF")
    }
    gains = wanted == .album ? [.track, .album] : [.track]
    let names = Set(
      gains.flatMap { LevelTag.tags($0, of: nil, asOpus: hasOpusGains) }.map { $0.key.lowercased() }
    )
    let items = metadata.items.filter(\.key.isGain)
    let inherited =
      items.isEmpty ? [] : Set(export.inherits(items, of: heard.tags, in: output))
    for item in items {
      let isMoved = movedTags.contains { $0.lowercased() == item.key.lowercased() }
      guard !isMoved, !inherited.contains(item) else {
        metadata[item.key] = nil
        continue
      }
      guard names.contains(item.key.lowercased()) else { continue }
      throw refusal(
        "'gain_tags' measures '\(item.key)', which 'metadata' gives, too: leave one of them out")
    }
    // What is written anew is not missing.
    for index in staleTags.indices {
      staleTags[index].names.removeAll { names.contains($0.lowercased()) }
    }
    staleTags.removeAll(where: \.names.isEmpty)
    guard wanted == .album else { return }
    let target = output.loudness ?? export.loudness
    // The same files with another level are another album.
    let level = target.map { "\($0.level)" } ?? ""
    if let name = target?.group {
      album = Album("the album of the group '\(name)'", ["group", name, level])
    } else if let name = metadata["album"], !name.isEmpty {
      let artist = metadata["album_artist"] ?? ""
      album = Album("the album '\(name)'", ["tag", name, artist, level])
    } else {
      throw refusal(
        "'gain_tags: album' of an output without an album: write 'album' in its 'metadata', or 'group' "
          + "in its 'loudness'")
    }
  }
}

extension String {
  /// Whether a tag of this name is of ReplayGain or of R128, behind a name of its kind or alone.
  fileprivate var isGain: Bool {
    let name = lowercased().split(separator: ":").last ?? ""
    return ["replaygain_", "r128_", "rg_"].contains { name.hasPrefix($0) }
  }
}
