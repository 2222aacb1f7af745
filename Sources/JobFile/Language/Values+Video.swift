import Diagnosis
import ExportGraph
import JobModel
import MediaComposition
import MediaTime
import YAML

/// The notation of `video`.
extension Values {
  /// How pictures are encoded, or copied, while its keys are read.
  private struct VideoDraft: Sendable {
    var settings = VideoSettings()
    var presetOrigin: Origin?
    var rateOrigin: Origin?
    var isEdited = false
  }

  private static let videoWords = TextNotation(
    "video_word", [("copy", Output.Video.copy), ("copy strict", .strictCopy), ("none", .none)],
    refusal: "is nothing that becomes of a picture",
    help:
      "write 'copy' (the default of \(MovieContainer.listed("and"))), 'copy strict' (nothing is "
      + "encoded), { copy: edits } (MP4 and MOV hide what cuts leave over), 'none' for the sound "
      + "alone, or { h264: crf 20 }")

  private static let copying = TextNotation(
    "video_copying", [("edits", true)], refusal: "is no way to copy a picture",
    help: "write { copy: edits }, 'copy' or 'copy strict'")

  private static let pictureSize = TextNotation(
    "picture_size", "pixels across and down, as '1280x720'",
    Pattern.whole("[0-9]+[xX][0-9]+"), parse: Quantity.pictureSize)

  private static let frameRate = TextNotation(
    "frame_rate", "pictures a second, as '25', '30000/1001' or '29.97'",
    Pattern.whole(#"[0-9]+(\.[0-9]+|/[0-9]+)?"#), or: ["type": "number"],
    parse: Quantity.frameRate)

  private static let chapterImages = TextNotation(
    "chapter_images", [("images", true)], refusal: "is nothing of chapters that is shown")

  // MARK: Stills

  /// Times and pictures.
  private static let slides: NodeNotation<[VideoSettings.Slide]> = NodeNotation(
    Form("slides", [.map], "times and pictures, as { 0s: a.jpg, 30s: b.jpg }") {
      JSONForm.map(of: picture.form.reference, isEmptyFine: false)
        .with(["propertyNames": ["pattern": .text(Pattern.slide)]])
    }
  ) { node, decoder, scope in
    guard let entries = decoder.slideEntries(node) else { return nil }
    var (slides, origins) = ([VideoSettings.Slide](), [Time: Origin]())
    for entry in entries {
      guard let start = decoder.slideStart(entry),
        let picture = picture.read(entry.value, decoder, scope)
      else { continue }
      if let other = origins.updateValue(entry.keyOrigin, forKey: start) {
        decoder.sink.error(
          "two pictures at one time", at: entry.keyOrigin, help: "keep one of them",
          notes: [.init("the other one is here", at: other)])
      }
      slides.append(VideoSettings.Slide(.picture(picture.value), from: start))
    }
    return slides
  }

  private static let colour = TextNotation(
    "colour", "red, green and blue, as '#ffcc00'", Pattern.whole("#[0-9a-fA-F]{6}"),
    parse: Quantity.colour)

  private static let waveform: NodeNotation<VideoSettings.Waveform?> = NodeNotation(
    "waveform", "'true', 'false', or a map, as { color: '#ffcc00' }", text: boolean,
    convert: { $0.value ? VideoSettings.Waveform() : nil },
    map: MapNotation(
      "a waveform", VideoSettings.Waveform(), example: "{ color: '#ffcc00' }",
      [
        Key("color", colour, "the colour of its bars: white unless given") {
          $0.colour = $1.value
        }
      ])
  ) { waveform, _, _ in waveform }

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
    "a moving picture", VideoDraft(), example: "{ h264: crf 20, preset: medium }",
    rules: [
      .atMostOne(
        of: VideoSettings.Codec.allCases.map(\.rawValue),
        beside: "a picture is encoded by one codec"),
      .key(
        "copy", onlyBeside: [], help: "what is copied is not encoded: leave one of them out",
        note: "it is copied here"),
      .some(
        of: VideoSettings.Codec.allCases.map(\.rawValue) + [
          "size", "frame_rate", "image", "images", "chapters", "waveform", "copy",
        ],
        missing: "a picture that is encoded needs a codec", help: "write { h264: crf 20 }"),
      .key(
        "waveform", needs: ["image", "images", "chapters"],
        "a waveform is drawn over a still picture", help: "add 'image: cover.jpg'"),
    ],
    [
      codec(.h264, "H.264, by libx264; the codec unless another one is named"),
      codec(.h265, "H.265, by libx265"),
      codec(.vp9, "VP9, by libvpx"),
      codec(.av1, "AV1, by libaom, else librav1e or SVT-AV1"),
      Key("preset", videoPreset, "the time that x264 and x265 take: 'medium' unless given") {
        $0.settings.preset = $1.value
        $0.presetOrigin = $1.origin
      },
      Key("size", pictureSize, "pixels across and down; else those of the first source") {
        $0.settings.size = $1.value
      },
      Key("frame_rate", frameRate, "pictures a second; else each one at its own time") {
        $0.settings.frameRate = $1.value
        $0.rateOrigin = $1.origin
      },
      Key("image", as: cover, "a still picture, JPEG or PNG, instead of those of sources") {
        entry, decoder, scope, draft in
        guard let location = decoder.location(entry.value, scope)?.value else { return }
        if case .file(let path) = location { decoder.checkFile(path, at: entry.value.origin) }
        draft.settings.image = .picture(location)
      },
      Key("images", slides, "still pictures at their times, as { 0s: a.jpg, 30s: b.jpg }") {
        $0.settings.slides = $1
      },
      Key("chapters", chapterImages, "'images': those of chapters, from their starts on") {
        $0.settings.showsChapterImages = $1.value
      },
      Key("waveform", waveform, "bars of the sound over a still picture: 'true', or with a colour")
      {
        $0.settings.waveform = $1
      },
      Key("fit", fit, "a picture of another shape between bars, or cut: 'contain' unless given") {
        $0.settings.fit = $1.value
      },
      Key("copy", copying, "'edits': nothing is encoded; an edit list hides what cuts leave over") {
        $0.isEdited = $1.value
      },
    ])

  /// What becomes of pictures.
  static let video: NodeNotation<Located<Output.Video>> = NodeNotation(
    "video",
    "'copy', 'copy strict', 'none', or a map, as { h264: crf 20 }, { copy: edits } or { image: cover.jpg }",
    text: videoWords, convert: { $0 }, map: videoMap
  ) { draft, node, decoder in
    guard !draft.isEdited else { return Located(.editedCopy, at: node.origin) }
    if let origin = draft.presetOrigin, !draft.settings.codec.hasPresets {
      decoder.sink.error(
        "'preset' is of h264 and h265", at: origin, help: "leave it out, or write 'h264: crf 20'")
      return nil
    }
    if let origin = draft.rateOrigin, draft.settings.waveform != nil,
      let rate = draft.settings.frameRate, rate.isAbove(VideoSettings.Waveform.highestRate)
    {
      decoder.sink.error(
        "'waveform' is drawn \(VideoSettings.Waveform.highestRate) times a second at most",
        at: origin, help: "write 'frame_rate: \(VideoSettings.Waveform.highestRate)', or less")
      return nil
    }
    return Located(.encode(draft.settings), at: node.origin)
  }
}

extension VideoSettings.FrameRate {
  /// Whether there are more pictures a second than a number.
  fileprivate func isAbove(_ number: Int32) -> Bool {
    Int64(numerator) > Int64(number) * Int64(denominator)
  }
}

extension Decoder {
  /// The entries of a map of slides, of which there is one.
  fileprivate func slideEntries(_ node: YAMLNode) -> [YAMLEntry]? {
    if case .mapping(let entries) = node.kind, !entries.isEmpty { return entries }
    sink.error(
      "pictures at times are a map", at: node.origin, help: "write { 0s: a.jpg, 30s: b.jpg }")
    return nil
  }

  /// When a slide begins, counted from the start of the job.
  fileprivate func slideStart(_ entry: YAMLEntry) -> Time? {
    checked(at: entry.keyOrigin) { () throws(QuantityError) in
      guard case .time(let time) = try Self.time(entry.key) else {
        throw QuantityError(
          "'\(entry.key)' counts samples, and pictures begin at times",
          help: "write a time, as '30s'")
      }
      return time
    }
  }
}
