import MediaComposition

/// Subtitles of an output whose picture is cut or joined: of each source those of one language, and of
/// several the one at the same place among them.
package struct TextTrack: Sendable, Hashable {
  /// The stream of each of the plan's sources; nil: it has none.
  package var streams: [AssetTrack?]

  /// The first source's that has one.
  var first: AssetTrack? { streams.lazy.compactMap(\.self).first }
}

extension PicturePlan {
  /// The texts that are cut and joined with the picture, in the order in which sources have them.
  package var texts: [TextTrack] {
    guard !spans.isEmpty, tracks.contains(where: { $0.mediaType == .subtitle }) else { return [] }
    return Self.texts(of: assets)
  }

  static func texts(of assets: [Asset]) -> [TextTrack] {
    struct Place: Hashable {
      var language: String?
      var number: Int
    }
    var texts: [TextTrack] = []
    var indexes: [Place: Int] = [:]
    for (asset, tracks) in assets.map(\.tracks).enumerated() {
      var counts: [String?: Int] = [:]
      for track in tracks where track.isText {
        let place = Place(language: track.language, number: counts[track.language, default: 0])
        counts[track.language] = place.number + 1
        let index = indexes[place] ?? texts.count
        if index == texts.count {
          indexes[place] = index
          texts.append(TextTrack(streams: Array(repeating: nil, count: assets.count)))
        }
        texts[index].streams[asset] = track
      }
    }
    return texts
  }
}

extension AssetTrack {
  /// Whether it is of texts, and not of pictures of texts.
  var isText: Bool {
    mediaType == .subtitle
      && ["mov_text", "subrip", "text", "ass", "ssa", "webvtt"].contains(codec)
  }
}

extension MovieContainer {
  /// Whether texts are cut and joined into it, as 3GPP's timed text.
  var holdsTexts: Bool {
    holds(AssetTrack(index: 0, mediaType: .subtitle, codec: "mov_text"))
  }
}
