import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// The moving picture of an output, made of sources with all that can stand beside it.
package struct PicturePlan: Sendable, Hashable, Encodable {
  /// The sources whose pictures are shown, each once.
  package var assets: [Asset]
  /// What is shown of them, in order of time and without overlaps; empty where all of the only source is
  /// copied, packet by packet.
  package var spans: [PictureSpan] = []
  /// How long the output lasts: the last picture is shown to its end.
  package var duration: Time
  /// Pictures that are shown instead, each from its moment on; the first from the start.
  package var stills: [StillPicture] = []
  /// What holds it.
  package var container: MovieContainer
  /// How all of it is encoded; nil: it is copied.
  package var encoding: VideoSettings?
  /// Whether what would have to be encoded is refused.
  package var isStrict = false
  /// Whether nothing is encoded, and an edit list hides what is copied and not shown.
  package var isEdited = false
  /// The tracks that stand beside the output's sound: of a picture that is cut or joined it, and other
  /// sounds and texts, each track of which is made of those of all sources.
  package var tracks: [AssetTrack]
  /// The sources' tracks that the output does not get.
  package var lost: [AssetTrack]
  /// Tracks of texts of each source that the output may not have.
  var withheld: [[AssetTrack]]

  /// All tracks of a source that a container takes, but for the sound that the output has anew.
  init(
    whole asset: Asset, in container: MovieContainer,
    without isWithheld: (AssetTrack, Asset) -> Bool = { _, _ in false }
  ) {
    (assets, duration, self.container) = ([asset], asset.duration, container)
    let withheld = asset.tracks.filter { isWithheld($0, asset) }
    self.withheld = [withheld]
    let others = asset.tracks.filter { $0.index != asset.streamIndex && !withheld.contains($0) }
    tracks = others.filter(container.holds)
    lost = others.filter { !container.holds($0) }
  }

  /// Stills, which `addStills` gives it.
  fileprivate init(
    _ settings: VideoSettings, lasting duration: Time, in container: MovieContainer
  ) {
    (assets, self.duration, self.container, encoding) = ([], duration, container, settings)
    (tracks, lost, withheld) = ([], [], [])
  }

  /// Ranges of sources' pictures, in an output that lasts so long.
  fileprivate init(
    _ shown: [ShownSegment], lasting duration: Time, in container: MovieContainer,
    without isWithheld: (AssetTrack, Asset) -> Bool
  ) {
    (self.duration, self.container) = (duration, container)
    var sources = PictureSources()
    spans = shown.map { sources.span(of: $0) }
    let assets = sources.assets
    self.assets = assets
    let withheld = assets.map { asset in asset.tracks.filter { isWithheld($0, asset) } }
    self.withheld = withheld
    let first = assets.first
    // A sound is made faster or slower as its own item says, and others have none.
    let keepsSounds = !spans.contains(where: \.isScaled)
    tracks =
      [first?.pictureTrack].compactMap(\.self)
      + (keepsSounds ? Self.sounds(of: assets) : []).compactMap(\.first)
      + Self.texts(of: assets, without: withheld).compactMap(\.first)
    lost = zip(assets, withheld).flatMap { asset, withheld in
      asset.tracks.filter {
        $0 != asset.pictureTrack && $0.index != asset.streamIndex && !$0.isText
          && !withheld.contains($0)
          && !(keepsSounds && asset.isOtherSound($0))
      }
    }
  }
}

/// A picture that does not move.
package struct StillPicture: Sendable, Hashable, Encodable {
  /// In the output's time.
  package var start: Time
  /// What is shown.
  package var picture: Artwork
}

extension Asset {
  /// The track of the moving picture that is shown where it is cut or joined.
  package var pictureTrack: AssetTrack? { tracks.first { $0.mediaType == .video } }
}

extension AssetTrack {
  /// The timecode of the picture that is shown so long after the first; nil where there is none, or where
  /// pictures do not last equally long.
  package func timecode(after time: Time) -> Timecode? {
    guard let duration = frameDuration, let start = timecode.flatMap({ Timecode(stored: $0) })
    else { return nil }
    let rate = PictureRate(duration)
    return start.number(at: rate).flatMap {
      Timecode(number: $0 + rate.count(in: time), at: rate, isDropFrame: start.isDropFrame)
    }
  }
}

extension PicturePlan {
  /// Whether the tracks of its only source are copied, packet by packet.
  package var isCopiedWhole: Bool { spans.isEmpty && encoding == nil }

  /// What is copied beside a sound, for people: `h264, aac (fre), mov_text of 'talk.mp4', copied`.
  func text(beside own: AudioFormat, as format: Output.Format) -> String {
    func names(_ tracks: [AssetTrack]) -> [String] {
      tracks.map { track in
        let name = track.mediaType == .attachment ? "attachment" : track.codec
        return name + (track.language.map { " (\($0))" } ?? "")
      }
    }
    let encoded = spans.isEmpty ? [] : tracks.filter { $0.mediaType == .audio }
    let sounds = zip(names(encoded), encoded).map { name, track in
      name + layoutText(of: track, beside: own, as: format)
    }
    let all = names(tracks.filter { spans.isEmpty || $0.mediaType != .audio })
    let encodedSounds =
      sounds.isEmpty ? "" : "; \(sounds.joined(separator: ", ")) encoded as its sound"
    let first = assets.first.map { "'\($0.location)'" } ?? ""
    let sources = assets.count == 1 ? first : "\(assets.count) sources"
    let parts = spans.count == 1 ? "one part" : "\(spans.count) parts"
    if let encoding {
      let quality = encoding.quality ?? encoding.codec.usualQuality
      let picture = "\(encoding.codec.rawValue) (crf \(quality))"
      guard !encoding.isStill else {
        return (stills.count == 1 ? "a still picture" : "\(stills.count) still pictures")
          + (encoding.waveform == nil ? "" : " under a waveform") + " as \(picture)"
      }
      return ([picture] + names(tracks.filter { $0.mediaType == .subtitle }))
        .joined(separator: ", ") + " of \(sources) in \(parts), encoded throughout" + encodedSounds
    }
    let copied = all.joined(separator: ", ")
    guard !spans.isEmpty else { return "\(copied) of \(first), copied" }
    return "\(copied) of \(sources) in \(parts), copied" + copyingText + encodedSounds
  }
}

extension PicturePlan {
  /// Adds the stills that its settings ask for.
  ///
  /// - Parameters:
  ///   - chapters: Of the output, in order.
  ///   - range: What the output has of the timeline.
  ///   - timeline: How long the timeline lasts.
  ///   - output: The output.
  /// - Throws: `mendJob` where nothing is shown at the start, and for a slide behind the end.
  mutating func addStills(
    of chapters: [Chapter], in range: TimeRange, of timeline: Time, to output: Output
  ) throws(Failure) {
    guard let encoding, encoding.isStill else { return }
    if let late = encoding.slides.first(where: { $0.start >= timeline && $0.start > .zero }) {
      throw Failure(
        .mendJob,
        "'\(late.picture.location)' would be shown from \(late.start.readableText) on, and the sound ends "
          + "at \(timeline.readableText); give it an earlier time, or leave it out",
        path: output.path, origin: output.origin)
    }
    let slides = encoding.slides.filter { $0.start < range.end || $0.start == .zero }
      .map { StillPicture(start: $0.start - range.start, picture: $0.picture) }
    let images = encoding.showsChapterImages ? chapters : []
    let timed =
      slides
      + images.compactMap { chapter in
        chapter.image.map { StillPicture(start: chapter.start, picture: $0) }
      }
    stills = encoding.image.map { [StillPicture(start: .zero, picture: $0)] } ?? []
    for var still in timed.sorted(by: { $0.start < $1.start }) {
      if still.start <= .zero { stills = [] }
      still.start = max(.zero, still.start)
      stills.append(still)
    }
    guard let first = stills.first, first.start == .zero else {
      throw Failure(
        .mendJob, Self.gap(before: stills.first, encoding), path: output.path,
        origin: output.origin)
    }
  }

  /// What is said where nothing is shown at the start.
  private static func gap(before first: StillPicture?, _ settings: VideoSettings) -> String {
    if first == nil {
      return "no chapter has an image that could be shown; add one, or 'image: cover.jpg'"
    }
    return settings.slides.isEmpty
      ? "nothing is shown before the first chapter with an image; add 'image: cover.jpg'"
      : "nothing is shown before the first of its images; give one the time 0s, or add 'image: cover.jpg'"
  }
}

extension Export {
  /// The picture of an output; nil for one that has none.
  ///
  /// - Throws: Why the picture cannot be in it, at the output's place.
  func picture(of output: Output) throws(Diagnostics) -> PicturePlan? {
    guard output.keepsPicture, let container = output.movie else { return nil }
    do throws(PictureProblem) {
      let plan = try pictures(for: output, in: container)
      try plan.requireRoom(in: container, named: output.path.stem ?? "")
      return plan
    } catch {
      throw Diagnostics(
        Diagnostic(
          error.message, at: output.origin,
          help: error.help ?? output.soundHelp))
    }
  }

  /// What is shown of this export's sources.
  private func pictures(
    for output: Output, in container: MovieContainer
  ) throws(PictureProblem) -> PicturePlan {
    try output.requireEditList(in: container)
    let range = timeRange ?? TimeRange(start: .zero, duration: composition.duration)
    if case .encode(let settings) = output.video, settings.isStill {
      return PicturePlan(settings, lasting: range.duration, in: container)
    }
    let shown = try composition.shownSegments(in: range, under: mix)
    guard let first = shown.first else {
      let sources = composition.assets
      let only = sources.count == 1 ? sources.first.map { "'\($0.location)' has no" } : nil
      throw PictureProblem(
        message:
          "'.\(output.path.extension ?? "")' is a video's extension, and "
          + "\(only ?? "no source has a") moving picture",
        help: output.soundHelp
          + "; 'video: { image: cover.jpg }' makes a picture for it")
    }
    for segment in shown.flatMap({ [$0] + $0.entering.map(\.segment) }) {
      try segment.asset.requirePictureTimes()
    }
    let isWithheld = withheldTexts(of: output)
    var plan = PicturePlan(
      shown, lasting: range.duration, in: container, without: isWithheld)
    if case .encode(let settings) = output.video {
      plan.encoding = settings
    } else if shown.count == 1, first.isWhole, first.asset.container == container.demuxer,
      composition.duration == range.duration,
      // Texts in another form than the container's become that, as those of ranges do.
      first.asset.tracks.allSatisfy({
        !$0.isText || container.holds($0) || isWithheld($0, first.asset)
      })
    {
      plan = PicturePlan(whole: first.asset, in: container, without: isWithheld)
    }
    plan.isStrict = output.video == .strictCopy
    plan.isEdited = output.video == .editedCopy && !plan.spans.isEmpty
    try plan.requireEditable()
    return plan
  }
}

extension PicturePlan {
  /// Throws where a container cannot hold its picture; `stem` is of the output's name.
  fileprivate func requireRoom(
    in container: MovieContainer, named stem: String
  ) throws(PictureProblem) {
    if let encoding {
      let track = AssetTrack(index: 0, mediaType: .video, codec: encoding.codec.codecName)
      guard container.holds(track) else {
        throw PictureProblem(
          message: "\(container.name) holds no picture of \(encoding.codec.rawValue)",
          help: "write '\(container.usualPicture)'")
      }
      return
    }
    let pictures = spans.isEmpty ? lost : assets.compactMap(\.pictureTrack)
    if let lost = pictures.first(where: { $0.mediaType == .video && !container.holds($0) }),
      let first = assets.first
    {
      let other = MovieContainer.allCases.first { $0 != container && $0.holds(lost) }
      throw PictureProblem(
        message:
          "\(container.name) holds no picture of \(lost.codec), as '\(first.location)' has it",
        help: other.map { "write '\(stem).\($0.extensions[0])'" })
    }
    if let first = assets.first,
      let other = assets.first(where: { $0.videoCodec != first.videoCodec })
    {
      throw PictureProblem(
        message: "the picture of '\(other.location)' is \(other.videoCodec ?? "none") and that of "
          + "'\(first.location)' \(first.videoCodec ?? "none"): one file holds one kind",
        help: "encode all of it, as '\(container.usualPicture)'")
    }
  }
}

extension MovieContainer {
  /// A format of sound that it holds, as a job has it: `aac: 160k`.
  package var usualSound: String { isMatroska ? "opus: 128k" : "aac: 160k" }

  /// How a picture is encoded that it holds, as a job has it.
  package var usualPicture: String {
    self == .webm ? "video: { vp9: crf 31 }" : "video: { h264: crf 20 }"
  }

  /// The extensions of all, for people: `.mp4 or .mov`.
  package static func listed(_ word: String) -> String {
    allCases.map { ".\($0.extensions[0])" }.listed(word)
  }
}

extension Output {
  /// Why it may not have its name: that promises a picture in a format that is not written, or that does
  /// not hold the sound. `kind` is what the file would hold.
  func nameProblem(_ kind: Kind) -> Diagnostic? {
    if let movie, !movie.soundKinds.contains(kind) {
      return Diagnostic(
        "\(movie.name) is written with sound of "
          + movie.soundKinds.map(\.capabilities.codecName).listed("or"), at: origin,
        help: "write '\(movie.usualSound)'")
    }
    guard let own = path.videoExtension else { return nil }
    let usual = kind.capabilities.extensions.first ?? "m4a"
    return Diagnostic(
      Self.pictureRefusal(of: own), at: origin, help: Self.pictureHelp(path.stem, usual))
  }

  /// What is wrong with a video's extension that is not written.
  package static func pictureRefusal(of videoExtension: String) -> String {
    "'.\(videoExtension)' is a video's extension, and videos are written as "
      + MovieContainer.listed("or")
  }

  /// What to write for the sound alone, which keeps its format.
  fileprivate var soundHelp: String {
    Self.pictureHelp(path.stem, kind?.capabilities.extensions.first ?? "m4a")
  }

  /// What to write instead of a video's name.
  package static func pictureHelp(_ stem: String?, _ soundExtension: String) -> String {
    "for the sound alone write '\(stem ?? "").\(soundExtension)'"
  }
}

extension SourceFacts {
  /// What is wrong with a source without sound whose picture no output has.
  func silenceProblem(for outputs: [Output]) -> Diagnostic? {
    guard let failure = assets.lazy.compactMap(\.silence).first, let output = outputs.first,
      !outputs.contains(where: \.keepsPicture)
    else { return nil }
    return Diagnostic(failure.placed(at: output.origin))
  }

  /// A note where no source has sound, at the place of the first output.
  func silenceNote(for outputs: [Output]) -> Diagnostic? {
    guard !assets.isEmpty, !assets.contains(where: \.hasSound), let output = outputs.first else {
      return nil
    }
    return Diagnostic(.note, "no source has sound: it is silence", at: output.origin)
  }

  /// A note on moving pictures of sources that no output has, at the place of the first output; nil
  /// where there is none.
  func pictureNote(for outputs: [Output]) -> Diagnostic? {
    let videos = assets.filter { $0.videoCodec != nil }
    guard let first = videos.first, let codec = first.videoCodec, let output = outputs.first,
      !outputs.contains(where: \.keepsPicture)
    else { return nil }
    let name = "'\(first.location)' (\(codec))"
    let subject =
      videos.count == 1
      ? "the picture of \(name) is" : "the pictures of \(name) and of \(videos.count - 1) more are"
    return Diagnostic(
      .note, "\(subject) left out: no output holds a picture", at: output.origin)
  }
}
