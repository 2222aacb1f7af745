import MediaComposition
import MediaTime

/// A track beside the picture of an output that is cut or joined: of each source the one in a language,
/// and of several in it the one at the same place among them.
package struct JoinedTrack: Sendable, Hashable {
  /// The stream of each of the plan's sources; nil: it has none.
  package var streams: [AssetTrack?]

  /// The first source's that has one.
  package var first: AssetTrack? { streams.lazy.compactMap(\.self).first }
}

extension PicturePlan {
  /// The texts that are cut and joined with the picture, in the order in which sources have them.
  package var texts: [JoinedTrack] {
    guard !spans.isEmpty, tracks.contains(where: { $0.mediaType == .subtitle }) else { return [] }
    return Self.texts(of: assets, without: withheld)
  }

  /// The sounds that are cut and joined with the picture beside the output's own.
  package var sounds: [JoinedTrack] {
    guard !spans.isEmpty, tracks.contains(where: { $0.mediaType == .audio }) else { return [] }
    return Self.sounds(of: assets)
  }

  /// Those of sources, each of which may have tracks that are withheld.
  static func texts(of assets: [Asset], without withheld: [[AssetTrack]]) -> [JoinedTrack] {
    joined(assets) { track, number in track.isText && !withheld[number].contains(track) }
  }

  static func sounds(of assets: [Asset]) -> [JoinedTrack] {
    joined(assets) { track, number in assets[number].isOtherSound(track) }
  }

  private static func joined(
    _ assets: [Asset], where isPart: (AssetTrack, _ source: Int) -> Bool
  ) -> [JoinedTrack] {
    struct Place: Hashable {
      var language: String?
      var number: Int
    }
    var joined: [JoinedTrack] = []
    var indexes: [Place: Int] = [:]
    for (number, asset) in assets.enumerated() {
      var counts: [String?: Int] = [:]
      for track in asset.tracks where isPart(track, number) {
        let place = Place(language: track.language, number: counts[track.language, default: 0])
        counts[track.language] = place.number + 1
        let index = indexes[place] ?? joined.count
        if index == joined.count {
          indexes[place] = index
          joined.append(JoinedTrack(streams: Array(repeating: nil, count: assets.count)))
        }
        joined[index].streams[number] = track
      }
    }
    return joined
  }
}

extension Asset {
  /// Whether a track of its file is a sound, and not this one.
  func isOtherSound(_ track: AssetTrack) -> Bool {
    track.mediaType == .audio && track.index != streamIndex
  }
}

extension PictureSpan {
  /// Whether it, or what comes in over it, is shown faster or slower than in its source.
  var isScaled: Bool {
    source.duration != target.duration || entering.contains { $0.span.isScaled }
  }

  /// What is heard with it: from the middle of a fade on what comes in. It is not scaled.
  package var heard: [PictureSpan] {
    var (parts, current, start) = ([] as [PictureSpan], self, target.start)
    for coming in entering {
      let (fade, seen) = (coming.fade.range, coming.span.target)
      let middle = fade.start + fade.duration.multiplied(by: 1, over: 2)
      let border = min(max(middle, seen.start), seen.end)
      parts.append(current.limited(to: TimeRange(start: start, end: border)))
      (current, start) = (coming.span, border)
    }
    return parts + [current.limited(to: TimeRange(start: start, end: target.end))]
  }

  /// Its part within a range, without what comes in over it.
  private func limited(to range: TimeRange) -> PictureSpan {
    let common = target.intersection(range)
    return PictureSpan(
      asset: asset,
      source: TimeRange(
        start: source.start + (common.start - target.start), duration: common.duration),
      target: common)
  }
}
