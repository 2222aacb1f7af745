import Diagnosis
import LibAV
import MediaComposition
import Splicing
import Threads

/// Writes what FFmpeg's encoders make on many cores: FLAC, ALAC, AAC, Vorbis and Opus.
final class SplicedWriter<Samples: EncodedSamples>: SoundWriter {
  private let file: OutputFile
  private let muxer: Muxer
  let encoder: SplicedEncoder<LibAVCodec<Samples.Sample>>
  private var samples: Samples
  private var tally: SoundTally
  private let copied: [CopiedPart]?
  private let sampleRate: Int
  private let laterTags: WrittenTags

  private init(
    _ file: OutputFile, _ muxer: Muxer, _ encoder: SplicedEncoder<LibAVCodec<Samples.Sample>>,
    _ samples: Samples, _ tally: SoundTally, _ recipe: LibAVRecipe
  ) {
    (self.file, self.muxer, self.encoder, self.samples) = (file, muxer, encoder, samples)
    (self.tally, copied, sampleRate) = (tally, recipe.copied, recipe.sampleRate)
    laterTags = recipe.laterTags
  }

  /// `grid` is where encoders take over from one another; nil: the codec's.
  static func open(
    _ file: OutputFile, _ recipe: LibAVRecipe, tally: SoundTally, crew: Crew,
    grid: ChunkGrid? = nil, _ makeSamples: () throws(LibAVError) -> Samples
  ) throws(Failure) -> SplicedWriter {
    do throws(LibAVError) {
      let first = try LibAV.Encoder.open(
        recipe.codec, sampleRate: recipe.sampleRate, channelMask: recipe.channelMask,
        unplacedCount: recipe.unplacedCount)
      let muxer = try Muxer.open(
        recipe.container, to: file, for: .encoder(first), metadata: recipe.metadata,
        chapters: recipe.chapters, picture: recipe.picture)
      let codec = LibAVCodec<Samples.Sample>(recipe, like: first)
      let stream = MuxedStream<Samples.Sample>(
        file: file, muxer: muxer, header: codec.isFLAC ? FLACHeader() : nil)
      let encoder = SplicedEncoder(
        codec, to: stream, grid: grid ?? codec.grid, crew: crew)
      return SplicedWriter(
        file, muxer, encoder, try makeSamples(), tally, recipe)
    } catch {
      throw error.outputFailure(file)
    }
  }

  func write(_ block: AudioBuffer) throws(Failure) {
    do throws(Failure) {
      try tally.add(block)
      try samples.convert(block) { planes, count throws(Failure) in
        try encoder.encode(planes, count: count)
      }
    } catch {
      throw abandoning(error)
    }
  }

  func end() throws(Failure) {
    do throws(Failure) {
      try tally.requireComplete()
      if let digest = samples.finish() {
        encoder.stream.header?.sound = (tally.frameCount, digest)
      }
      try encoder.end()
    } catch {
      throw abandoning(error)
    }
  }

  func finish() throws(Failure) -> WrittenOutput {
    try end()
    do throws(Failure) {
      _ = try encoder.finish()
      do throws(LibAVError) { try muxer.finish() } catch { throw error.outputFailure(file) }
      try file.put(laterTags)
      try file.flush()
    } catch {
      throw abandoning(error)
    }
    var written = tally.result(of: file, sampleRate: sampleRate)
    written.copied = copied
    return written
  }

  var files: [OutputFile] { [file] }

  func abandon() {
    encoder.cancel()
    file.discard()
  }

  private func abandoning(_ failure: Failure) -> Failure {
    abandon()
    return failure.about(file.path)
  }
}

/// Prepares the encoders of a recipe's codec.
func openSplicedWriter(
  _ file: OutputFile, _ recipe: LibAVRecipe, tally: SoundTally, crew: Crew, grid: ChunkGrid? = nil
) throws(Failure) -> any SoundWriter {
  switch recipe.codec {
  case .flac(let bitDepth), .alac(let bitDepth):
    try SplicedWriter.open(file, recipe, tally: tally, crew: crew, grid: grid) {
      () throws(LibAVError) in
      try IntegerSamples(recipe, bitDepth: bitDepth, channelCount: tally.channelCount)
    }
  case .aac, .vorbis, .opus, .pcm, .muLaw, .aLaw:
    try SplicedWriter.open(file, recipe, tally: tally, crew: crew, grid: grid) { FloatSamples() }
  }
}
