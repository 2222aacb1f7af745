import MediaComposition

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

extension JoinedTrack {
  /// How a container has texts: Matroska as its sources do, where all have one form and, of ASS, the same
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

extension AssetTrack {
  /// What it is, in messages.
  var text: String {
    switch mediaType {
    case .audio: "stream \(index) (\(codec))"
    case .subtitle: "subtitles of stream \(index) (\(codec))"
    case .video, .data, .attachment: "\(mediaType.rawValue) of stream \(index)"
    }
  }
}
