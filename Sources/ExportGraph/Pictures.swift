import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// The moving picture of an output, copied from a source with all that stands beside it.
public struct PicturePlan: Sendable, Hashable, Encodable {
  /// The source, all of which is played.
  public var asset: Asset
  /// Its tracks that are copied beside the output's sound.
  public var tracks: [AssetTrack]
  /// Its tracks for which the output's container has no place.
  public var lost: [AssetTrack]

  /// The tracks of a source that a container takes, but for the sound that the output has anew.
  init(_ asset: Asset, in container: MovieContainer) {
    self.asset = asset
    let others = asset.tracks.filter { $0.index != asset.streamIndex }
    tracks = others.filter(container.holds)
    lost = others.filter { !container.holds($0) }
  }
}

extension PicturePlan {
  /// A note on the tracks for which an output has no place; nil where it has one for all.
  package func lossNote(in output: Output) -> Diagnostic? {
    guard !lost.isEmpty, let container = output.movie else { return nil }
    let names = lost.map(\.text).joined(separator: ", ")
    return Diagnostic(
      .note,
      "'\(output.path)': \(container.name) has no place for \(names) of '\(asset.location)': left out",
      at: output.origin)
  }

  /// What is copied, for people: `h264, aac (fre), mov_text of 'talk.mp4', copied`.
  var text: String {
    let names = tracks.map { $0.codec + ($0.language.map { " (\($0))" } ?? "") }
    return "\(names.joined(separator: ", ")) of '\(asset.location)', copied"
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

extension Export {
  /// The picture of an output; nil for one that has none.
  ///
  /// - Throws: Why the picture cannot be in it, at the output's place.
  func picture(of output: Output) throws(Diagnostics) -> PicturePlan? {
    guard output.keepsPicture, let container = output.movie else { return nil }
    let isPart = timeRange.map { $0 != TimeRange(start: .zero, duration: composition.duration) }
    func refuse(_ message: String, _ help: String) throws(Diagnostics) -> Never {
      throw Diagnostics(Diagnostic(message, at: output.origin, help: help))
    }
    let forSound = Output.pictureHelp(output.path.stem, "m4a")
    let shown = composition.shownSegments
    guard let first = shown.first, case .asset(let asset) = first.segment.content else {
      try refuse(
        "'.\(output.path.extension ?? "")' is a video's extension, and no source has a moving picture",
        forSound)
    }
    let name = "the picture of '\(asset.location)'"
    guard shown.count == 1 else {
      try refuse(
        "\(name) would be joined to others, which is not built yet: one is copied from its start to "
          + "its end", forSound)
    }
    let change = first.segment.change(of: asset) ?? first.change
    if let reason = isPart == true ? "cut" : change {
      try refuse(
        "\(name) would be \(reason), which is not built yet: one is copied from its start to its end",
        forSound)
    }
    guard asset.container.hasPrefix("mov,") else {
      try refuse(
        "\(name) is not copied from \(asset.container), which is not built yet: sources are MP4 and "
          + "MOV", forSound)
    }
    let plan = PicturePlan(asset, in: container)
    if let lost = plan.lost.first(where: { $0.mediaType == .video }) {
      let other = MovieContainer.allCases.first { $0 != container && $0.holds(lost) }
      try refuse(
        "\(container.name) holds no picture of \(lost.codec), as '\(asset.location)' has it",
        other.map { "write '\(output.path.stem ?? "").\($0.extensions[0])'" } ?? forSound)
    }
    return plan
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
        help: "write 'aac: 160k'")
    }
    guard let own = path.videoExtension else { return nil }
    let usual = kind.capabilities.extensions.first ?? "m4a"
    return Diagnostic(
      Self.pictureRefusal(of: own), at: origin, help: Self.pictureHelp(path.stem, usual))
  }

  /// What is wrong with a video's extension that is not written.
  package static func pictureRefusal(of videoExtension: String) -> String {
    "'.\(videoExtension)' is a video's extension, and videos are written as "
      + MovieContainer.allCases.map { ".\($0.extensions[0])" }.listed("or")
  }

  /// What to write instead of a video's name.
  package static func pictureHelp(_ stem: String?, _ soundExtension: String) -> String {
    "for the sound alone write '\(stem ?? "").\(soundExtension)'"
  }
}

/// A segment whose source has a moving picture.
private struct ShownSegment {
  var segment: Segment
  /// What the compositions around it do to its time; nil: nothing.
  var change: String?
}

extension Composition {
  /// The segments of all tracks, nested ones too, whose sources have moving pictures.
  fileprivate var shownSegments: [ShownSegment] {
    tracks.flatMap { track in
      track.segments.flatMap { segment -> [ShownSegment] in
        switch segment.content {
        case .silence: return []
        case .asset(let asset):
          return asset.videoCodec == nil ? [] : [ShownSegment(segment: segment)]
        case .composition(let inner):
          let change = segment.change(ofLength: inner.duration)
          return inner.shownSegments.map {
            ShownSegment(segment: $0.segment, change: $0.change ?? change)
          }
        }
      }
    }
  }
}

extension Segment {
  /// What an asset's picture would have to undergo for it; nil: nothing.
  fileprivate func change(of asset: Asset) -> String? { change(ofLength: asset.duration) }

  /// What its content's time undergoes, which lasts so long; nil: nothing.
  fileprivate func change(ofLength duration: Time) -> String? {
    if isReversed { return "reversed" }
    if isScaled { return "played at another speed" }
    if target.start != .zero { return "moved to \(target.start.readableText)" }
    if source.start != .zero { return "cut at \(source.start.readableText)" }
    return source.end == duration ? nil : "cut at \(source.end.readableText)"
  }
}

extension SourceFacts {
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
