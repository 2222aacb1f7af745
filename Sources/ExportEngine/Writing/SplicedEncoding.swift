import Diagnosis
import LibAV
import MediaComposition
import Splicing
import Threads

/// Writes what FFmpeg's encoders make on many cores: FLAC, ALAC, AAC, Vorbis and Opus.
final class SplicedEncoding<Samples: EncodedSamples>: SoundEncoding {
  private let file: OutputFile
  private let muxer: Muxer
  let encoder: SplicedEncoder<LibAVCodec<Samples.Sample>>
  private var samples: Samples
  private var recipe: LibAVRecipe
  private let cancellation: CancellationFlag
  private let sounds: OtherSounds?

  /// `grid` is where encoders take over from one another; nil: the codec's. `streams` stand beside the
  /// sound.
  init(
    _ file: OutputFile, _ recipe: LibAVRecipe, _ samples: Samples, crew: Crew, grid: ChunkGrid?,
    beside streams: OpenedCompanions?
  ) throws(LibAVError) {
    (self.file, self.recipe, self.samples) = (file, recipe, samples)
    (cancellation, sounds) = (crew.cancellation, streams?.sounds)
    let first = try recipe.openEncoder()
    muxer = try self.recipe.openMuxer(of: file, for: .encoder(first), beside: streams?.streams)
    let codec = LibAVCodec<Samples.Sample>(self.recipe, like: first)
    let stream = MuxedStream<Samples.Sample>(
      file: file, muxer: muxer, header: codec.isFLAC ? FLACHeader() : nil)
    encoder = SplicedEncoder(codec, to: stream, grid: grid ?? codec.grid, crew: crew)
  }

  func encode(_ block: AudioBuffer) throws {
    try samples.convert(block) { planes, count throws(Failure) in
      try encoder.encode(planes, count: count)
    }
  }

  func end() throws {
    try encoder.end()
    if let digest = samples.finish() {
      encoder.stream.header?.sound = (encoder.frameCount, digest)
    }
  }

  func finish() throws -> [CopiedPart]? {
    _ = try encoder.finish()
    try muxer.finish()
    try recipe.complete(file, unless: cancellation)
    return recipe.copied
  }

  func cancel() { encoder.cancel() }

  var warnings: [Warning] { sounds?.warnings ?? [] }
}

/// Prepares the encoders of a recipe's codec, for so many channels.
func openSplicedEncoding(
  _ file: OutputFile, _ recipe: LibAVRecipe, channelCount: Int, crew: Crew, grid: ChunkGrid? = nil,
  beside streams: OpenedCompanions? = nil
) throws(LibAVError) -> any SoundEncoding {
  switch recipe.codec {
  case .flac(let bitDepth), .alac(let bitDepth):
    let samples = try IntegerSamples(
      recipe, bitDepth: bitDepth, channelCount: channelCount, crew: crew)
    return try SplicedEncoding(file, recipe, samples, crew: crew, grid: grid, beside: streams)
  case .aac, .vorbis, .opus, .amr, .ima4, .pcm, .muLaw, .aLaw, .g722, .gsm:
    return try SplicedEncoding(
      file, recipe, FloatSamples(), crew: crew, grid: grid, beside: streams)
  }
}
