import MediaComposition

/// Subtitles of an output whose picture is cut or joined: of each source those of one language, and of
/// several the one at the same place among them.
package struct TextTrack: Sendable, Hashable {
  /// The stream of each of the plan's sources; nil: it has none.
  package var streams: [AssetTrack?]

  /// The first source's that has one.
  var first: AssetTrack? { streams.lazy.compactMap(\.self).first }
}

/// How texts are coded, by FFmpeg's names.
package enum TextForm: String, Sendable, Hashable {
  /// 3GPP's timed text (TS 26.245).
  case timedText = "mov_text"
  case subRip = "subrip"
  case ass
  case webVTT = "webvtt"

  /// The form of a codec of texts.
  package init(ofCodec codec: String) {
    // Plain text is SubRip's without markup.
    self = codec == "ssa" ? .ass : TextForm(rawValue: codec) ?? .subRip
  }
}

extension TextTrack {
  /// How a container has it: Matroska as its sources do, where all have one form and, of ASS, the same
  /// styles, and else as SubRip.
  package func form(in container: MovieContainer) -> TextForm {
    switch container {
    case .mp4, .mov: return .timedText
    case .webm: return .webVTT
    case .mkv:
      let streams = streams.compactMap(\.self)
      let forms = Set(streams.map { TextForm(ofCodec: $0.codec) })
      guard let form = forms.first, forms.count == 1, Set(streams.map(\.styles)).count == 1,
        form != .timedText
      else { return .subRip }
      return form
    }
  }
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

  /// Whether styles of ASS are lost.
  var losesStyles: Bool {
    texts.contains { text in
      text.form(in: container) != .ass
        && text.streams.contains { $0.map { TextForm(ofCodec: $0.codec) } == .ass }
    }
  }
}

extension AssetTrack {
  /// Whether it is of texts, and not of pictures of texts.
  var isText: Bool {
    mediaType == .subtitle
      && ["mov_text", "subrip", "text", "ass", "ssa", "webvtt"].contains(codec)
  }
}
