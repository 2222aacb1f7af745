import Diagnosis
import SystemPackage

extension Output {
  /// A kind of file by the extension of its files (`AVFileType`).
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum FileType: String, Sendable, Hashable, CaseIterable, Codable {
    case mp4, m4v, mov, mkv, webm
    case m4a, mp3, wav, aiff, caf, flac, ogg, opus, aac, amr

    /// The kind of a file's extension, in any case, which may be another one of the kind's, as `aif`;
    /// nil where no output has it.
    public init?(extension text: String) {
      let text = text.lowercased()
      let usual = Kind(extension: text)?.capabilities.extensions.first
      guard let known = Self(rawValue: text) ?? usual.flatMap({ Self(rawValue: $0) }) else {
        return nil
      }
      self = known
    }

    /// The container of pictures; nil for files of sound.
    package var movie: MovieContainer? { MovieContainer(extension: rawValue) }

    /// The formats of sound that are written into it; the first is the usual one.
    package var soundKinds: [Kind] {
      if let movie { return movie.soundKinds }
      let usual = Kind(extension: rawValue)
      let all = Kind.allCases.filter { $0.capabilities.extensions.contains(rawValue) }
      return all.filter { $0 == usual } + all.filter { $0 != usual }
    }
  }

  /// The kind of its file (`AVAssetExportSession.outputFileType`); nil where its extension says none.
  public var fileType: FileType? { FileType(extension: path.extension ?? "") }

  /// An output at `path` in the usual format of its extension, with the settings that are usual for
  /// its sources.
  ///
  /// - Throws: `Failure` (`mendJob`) where no format has the extension.
  public init(path: FilePath) throws(Failure) {
    guard let kind = FileType(extension: path.extension ?? "")?.soundKinds.first else {
      let names = FileType.allCases.map { ".\($0.rawValue)" }.listed("or")
      throw Failure(
        .mendJob, "no output has such an extension: write \(names)", path: path,
        code: .outputUnsupported)
    }
    self.init(path: path, request: .usual(kind))
  }

  /// What becomes of picture and sound, by AVFoundation's names (`AVAssetExportSession.presetName`).
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Preset: Sendable, Hashable, CaseIterable, Codable {
    /// What sources have is copied (`AVAssetExportPresetPassthrough`).
    ///
    /// Of a picture nothing is encoded: where a cut would need it, the export is refused, with the key
    /// pictures on both sides. Sound is copied where all of it is one untouched range of a source whose
    /// packets can be copied. Else it is encoded: in the format of the source that is heard longest of
    /// those whose format the file holds, and where there is none in the usual format of the file.
    case passthrough
    /// H.264 in the size of the first picture, beside sound in the usual format of the file
    /// (`AVAssetExportPresetHighestQuality`).
    case highestQuality
    /// HEVC, likewise (`AVAssetExportPresetHEVCHighestQuality`).
    case hevcHighestQuality
    /// H.264 of at most 640 by 480 pixels (`AVAssetExportPreset640x480`).
    ///
    /// This and the other sized presets scale a larger picture down, in its shape, until it fits, and never
    /// scale one up: the size is that of the first picture, and pictures of another shape stand between
    /// bars. For a picture that is higher than wide the box is turned. Sound is in the usual format of the
    /// file.
    case size640x480
    /// H.264 of at most 960 by 540 pixels (`AVAssetExportPreset960x540`).
    case size960x540
    /// H.264 of at most 1280 by 720 pixels (`AVAssetExportPreset1280x720`).
    case size1280x720
    /// H.264 of at most 1920 by 1080 pixels (`AVAssetExportPreset1920x1080`).
    case size1920x1080
    /// H.264 of at most 3840 by 2160 pixels (`AVAssetExportPreset3840x2160`).
    case size3840x2160
    /// HEVC of at most 1920 by 1080 pixels (`AVAssetExportPresetHEVC1920x1080`).
    case hevc1920x1080
    /// HEVC of at most 3840 by 2160 pixels (`AVAssetExportPresetHEVC3840x2160`).
    case hevc3840x2160
    /// HEVC of at most 7680 by 4320 pixels (`AVAssetExportPresetHEVC7680x4320`).
    case hevc7680x4320
    /// AAC without a picture (`AVAssetExportPresetAppleM4A`).
    case appleM4A
  }

  /// An output that a preset asks for.
  ///
  /// - Parameters:
  ///   - path: Where the file will be; its extension decides what kind of file it is.
  ///   - preset: What becomes of picture and sound.
  ///   - composition: What is written.
  /// - Throws: `Failure` (`mendJob`) where the preset does not write such a file of this composition.
  /// - Complexity: O(segments)
  public init(path: FilePath, preset: Preset, of composition: Composition) throws(Failure) {
    let types = preset.supportedFileTypes(for: composition)
    guard let type = FileType(extension: path.extension ?? ""), types.contains(type) else {
      throw preset.refusal(of: path, types)
    }
    self.init(path: path, request: preset.request(for: type, of: composition))
    if case .copied = request { copying = Copying(isRequired: false) }
    if type.movie != nil { video = preset.encoding.map { .encode($0) } ?? .strictCopy }
  }
}

extension Output.Preset {
  /// The kinds of files that it writes of a composition (`AVAssetExportSession.supportedFileTypes`):
  /// where pictures are shown, `passthrough` writes files that hold their codec, if it is one for all of
  /// them, and else files of sound that lose none of it, or hold the format of the source that is heard
  /// longest. Presets that encode pictures write nothing without any. O(segments).
  public func supportedFileTypes(for composition: Composition) -> [Output.FileType] {
    let shown = composition.shownAssets
    switch self {
    case .passthrough where shown.isEmpty:
      let source = composition.longestHeard(in: Output.Kind.allCases)?.outputKind
      return Output.FileType.allCases.filter { type in
        type.movie == nil
          && type.soundKinds.contains { $0.capabilities.isLossless || $0 == source }
      }
    case .passthrough:
      let codecs = Set(shown.compactMap(\.videoCodec))
      guard codecs.count == 1, let codec = codecs.first else { return [] }
      return Output.FileType.allCases.filter { $0.holds(pictureOf: codec) }
    case .appleM4A: return [.m4a]
    default:
      guard !shown.isEmpty, let encoding else { return [] }
      return Output.FileType.allCases.filter { $0.holds(pictureOf: encoding.codec.codecName) }
    }
  }

  /// How it encodes pictures; nil: it does not.
  fileprivate var encoding: VideoSettings? {
    var settings = VideoSettings()
    switch self {
    case .passthrough, .appleM4A: return nil
    case .hevcHighestQuality, .hevc1920x1080, .hevc3840x2160, .hevc7680x4320:
      settings.codec = .h265
    default: break
    }
    settings.mostSize = mostSize
    return settings
  }

  /// The box that pictures fit into; nil: they keep their size.
  private var mostSize: VideoSettings.Size? {
    switch self {
    case .size640x480: VideoSettings.Size(width: 640, height: 480)
    case .size960x540: VideoSettings.Size(width: 960, height: 540)
    case .size1280x720: VideoSettings.Size(width: 1280, height: 720)
    case .size1920x1080, .hevc1920x1080: VideoSettings.Size(width: 1920, height: 1080)
    case .size3840x2160, .hevc3840x2160: VideoSettings.Size(width: 3840, height: 2160)
    case .hevc7680x4320: VideoSettings.Size(width: 7680, height: 4320)
    case .passthrough, .highestQuality, .hevcHighestQuality, .appleM4A: nil
    }
  }

  /// The sound of a file that it writes.
  fileprivate func request(
    for type: Output.FileType, of composition: Composition
  ) -> Output.Request {
    let kinds = type.soundKinds
    guard self == .passthrough else { return .usual(kinds[0]) }
    if let kind = composition.longestHeard(in: kinds)?.outputKind { return .copied(kind) }
    // Of sound alone, what loses none: MPEG-4 has ALAC beside AAC.
    let lossless = type.movie == nil ? kinds.first { $0.capabilities.isLossless } : nil
    return .usual(lossless ?? kinds[0])
  }

  fileprivate func refusal(of path: FilePath, _ types: [Output.FileType]) -> Failure {
    let names = types.map { ".\($0.rawValue)" }.listed("or")
    let message =
      switch (self, types.isEmpty) {
      case (_, false):
        "the preset does not write such a file of this composition: write \(names)"
      case (.passthrough, true):
        "no file holds all pictures of the composition as they are: choose a preset that encodes them"
      case (_, true):
        "the preset encodes pictures, and the composition shows none: choose another preset"
      }
    return Failure(.mendJob, message, path: path, code: .outputUnsupported)
  }
}

extension Output.FileType {
  /// Whether it is written with a picture of this codec, by FFmpeg's name of it.
  fileprivate func holds(pictureOf codec: String) -> Bool {
    movie?.holds(AssetTrack(index: 0, mediaType: .video, codec: codec)) ?? false
  }
}
