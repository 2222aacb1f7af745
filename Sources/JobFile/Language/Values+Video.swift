import Diagnosis
import ExportGraph
import JobModel
import MediaComposition

/// The notation of `video`.
extension Values {
  /// How pictures are encoded, while its keys are read.
  private struct VideoDraft: Sendable {
    var settings = VideoSettings()
    var presetOrigin: Origin?
  }

  private static let videoWords = TextNotation(
    "video_word", [("copy", Output.Video.copy), ("copy strict", .strictCopy), ("none", .none)],
    refusal: "is nothing that becomes of a picture",
    help:
      "write 'copy' (the default of \(MovieContainer.listed("and"))), 'copy strict' (nothing is "
      + "encoded), 'none' for the sound alone, or { h264: crf 20 }")

  private static let pictureSize = TextNotation(
    "picture_size", "pixels across and down, as '1280x720'",
    Pattern.whole("[0-9]+[xX][0-9]+"), parse: Quantity.pictureSize)

  private static let frameRate = TextNotation(
    "frame_rate", "pictures a second, as '25', '30000/1001' or '29.97'",
    Pattern.whole(#"[0-9]+(\.[0-9]+|/[0-9]+)?"#), or: ["type": "number"],
    parse: Quantity.frameRate)

  private static let chapterImages = TextNotation(
    "chapter_images", [("images", true)], refusal: "is nothing of chapters that is shown")

  private static let fit = TextNotation(
    "fit", VideoSettings.Fit.allCases.map { ($0.rawValue, $0) },
    refusal: "is no way to fit a picture")

  private static let videoPreset = TextNotation(
    "video_preset", VideoSettings.presets.map { ($0, $0) }, refusal: "is no preset of x264 or x265")

  private static func codec(_ codec: VideoSettings.Codec, _ help: String) -> Key<VideoDraft> {
    let quality = TextNotation<Int>(
      "\(codec.rawValue)_quality", "a quality, as 'crf \(codec.usualQuality)'",
      Pattern.whole("crf [0-9]+")
    ) { text throws(QuantityError) in
      try Quantity.quality(text, of: codec)
    }
    return Key(codec.rawValue, quality, help) {
      ($0.settings.codec, $0.settings.quality) = (codec, $1.value)
    }
  }

  private static let videoMap: MapNotation<VideoDraft> = MapNotation(
    "an encoded picture", VideoDraft(), example: "{ h264: crf 20, preset: medium }",
    rules: [
      .atMostOne(
        of: VideoSettings.Codec.allCases.map(\.rawValue),
        beside: "a picture is encoded by one codec"),
      .some(
        of: VideoSettings.Codec.allCases.map(\.rawValue) + [
          "size", "frame_rate", "image", "chapters",
        ],
        missing: "a picture that is encoded needs a codec", help: "write { h264: crf 20 }"),
    ],
    [
      codec(.h264, "H.264, by libx264; the codec unless another one is named"),
      codec(.h265, "H.265, by libx265"),
      codec(.vp9, "VP9, by libvpx"),
      codec(.av1, "AV1, by libaom"),
      Key("preset", videoPreset, "the time that x264 and x265 take: 'medium' unless given") {
        $0.settings.preset = $1.value
        $0.presetOrigin = $1.origin
      },
      Key("size", pictureSize, "pixels across and down; else those of the first source") {
        $0.settings.size = $1.value
      },
      Key("frame_rate", frameRate, "pictures a second; else each one at its own time") {
        $0.settings.frameRate = $1.value
      },
      Key("image", as: cover, "a still picture, JPEG or PNG, instead of those of sources") {
        entry, decoder, scope, draft in
        guard let location = decoder.location(entry.value, scope)?.value else { return }
        if case .file(let path) = location { decoder.checkFile(path, at: entry.value.origin) }
        draft.settings.image = .picture(location)
      },
      Key("chapters", chapterImages, "'images': those of chapters, from their starts on") {
        $0.settings.showsChapterImages = $1.value
      },
      Key("fit", fit, "a picture of another shape between bars, or cut: 'contain' unless given") {
        $0.settings.fit = $1.value
      },
    ])

  /// What becomes of pictures.
  static let video: NodeNotation<Located<Output.Video>> = NodeNotation(
    "video", "'copy', 'copy strict', 'none', or a map, as { h264: crf 20 }", text: videoWords,
    convert: { $0 }, map: videoMap
  ) { draft, node, decoder in
    if let origin = draft.presetOrigin, !draft.settings.codec.hasPresets {
      decoder.sink.error(
        "'preset' is of h264 and h265", at: origin, help: "leave it out, or write 'h264: crf 20'")
      return nil
    }
    return Located(.encode(draft.settings), at: node.origin)
  }
}
