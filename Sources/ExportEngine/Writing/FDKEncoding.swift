import Diagnosis
import ExportGraph
import FDKAAC
import LibAV
import MediaComposition
import Splicing
import Threads

/// Writes what libfdk-aac makes: with a variable bit rate on many cores, and else on one.
final class FDKEncoding: SoundEncoding {
  private enum Way {
    /// One encoder, with the packets that are not written yet.
    case alone(FDKPart, FDKStream)
    case spliced(SplicedEncoder<FDKCodec>)
  }

  private let file: OutputFile
  private let muxer: Muxer
  private var recipe: LibAVRecipe
  private let samples: IntegerSamples
  private let way: Way
  private let cancellation: CancellationFlag
  private let sounds: OtherSounds?

  /// `grid` is where encoders take over from one another; nil: the codec's. `streams` stand beside the
  /// sound.
  init(
    _ file: OutputFile, _ recipe: LibAVRecipe, _ settings: FDKEncoder.Settings, crew: Crew,
    grid: ChunkGrid? = nil, beside streams: OpenedCompanions?
  ) throws {
    let first: FDKEncoder
    do throws(FDKError) {
      first = try FDKEncoder(settings)
    } catch {
      throw error.failure(settings)
    }
    (self.file, self.recipe) = (file, recipe)
    (cancellation, sounds) = (crew.cancellation, streams?.sounds)
    samples = try IntegerSamples(
      recipe, bitDepth: 16, channelCount: settings.channelCount, crew: crew)
    let source = AACStream(
      configuration: first.configuration, sampleRate: settings.sampleRate,
      coreRate: settings.sampleRate / (first.frameLength > 1024 ? 2 : 1),
      channelMask: recipe.channelMask, frameLength: first.frameLength, delay: first.delay,
      bitRate: settings.bitRate ?? 0)
    muxer = try self.recipe.openMuxer(of: file, for: .aac(source), beside: streams?.streams)
    let stream = FDKStream(file: file, muxer: muxer)
    if settings.bitRate == nil {
      let codec = FDKCodec(settings: settings, framesPerPacket: first.frameLength)
      way = .spliced(SplicedEncoder(codec, to: stream, grid: grid ?? codec.grid, crew: crew))
    } else {
      way = .alone(FDKPart(first, at: 0), stream)
    }
  }

  func encode(_ block: AudioBuffer) throws {
    try samples.convert(block) { planes, count throws(Failure) in
      switch way {
      case .alone(let part, var stream):
        if cancellation.isCancelled { throw .cancelled }
        var packets: [Placed<Packet>] = []
        try part.encode(planes, from: 0, count: count, into: &packets)
        try stream.append(packets[...], of: part, before: nil)
      case .spliced(let encoder): try encoder.encode(planes, count: count)
      }
    }
  }

  func end() throws {
    if case .spliced(let encoder) = way { try encoder.end() }
  }

  func finish() throws -> [CopiedPart]? {
    switch way {
    case .alone(let part, var stream):
      var packets: [Placed<Packet>] = []
      try part.finish(into: &packets)
      try stream.append(packets[...], of: part, before: nil)
    case .spliced(let encoder): _ = try encoder.finish()
    }
    try muxer.finish()
    try recipe.complete(file, unless: cancellation)
    return recipe.copied
  }

  func cancel() {
    if case .spliced(let encoder) = way { encoder.cancel() }
  }

  var warnings: [Warning] { sounds?.warnings ?? [] }
}

extension FDKAACSettings {
  /// Finds out whether the library has these settings, the first time by opening an encoder.
  ///
  /// - Throws: `mendMachine` where the library is not there or lacks the profile; `mendJob` where it
  ///   refuses the settings.
  func requireEncoder(sampleRate: Int, channelCount: Int) throws(Failure) {
    let settings = encoderSettings(sampleRate: sampleRate, channelCount: channelCount)
    do throws(FDKError) {
      try FDKAnswers.shared.require(settings)
    } catch {
      throw error.failure(settings)
    }
  }
}

extension FDKError {
  /// The failure for this error of an encoder with such settings.
  func failure(_ settings: FDKEncoder.Settings) -> Failure {
    let profile =
      switch settings.objectType {
      case 5: FDKAACSettings.Profile.he
      case 29: FDKAACSettings.Profile.heV2
      default: FDKAACSettings.Profile.lc
      }
    let sound = AudioFormat.text(
      sampleRate: settings.sampleRate, channelCount: settings.channelCount)
    switch kind {
    case .libraryMissing:
      return Failure(
        .mendMachine,
        "'fdk' needs \(FDKLibrary.name), which is not installed; "
          + "\(OptionalLibrary.fdkAAC.installation), or \(FDKAACSettings.alternative)",
        code: .libraryMissing)
    case .noProfile:
      return Failure(
        .mendMachine,
        "the libfdk-aac that is installed has no \(profile.name), as Fedora's fdk-aac-free; "
          + "install the one of RPM Fusion, fdk-aac, or take 'profile: lc'")
    case .unsupported:
      return Failure(
        .mendJob,
        "libfdk-aac does not make \(profile.name) of \(sound) with these settings; write another "
          + "'profile' or 'sample_rate'")
    case .otherBitRate(let nearest):
      return Failure(
        .mendJob,
        "libfdk-aac has no \(settings.bitRate ?? 0) bits a second of \(profile.name) at \(sound): the "
          + "nearest is \(nearest); write another 'bit_rate'")
    case .noMemory:
      return Failure(
        .tryAgain, "not enough memory; close other programs or run fewer jobs at once")
    case .other: return Failure(.reportBug, "libfdk-aac failed (\(self))")
    }
  }
}
