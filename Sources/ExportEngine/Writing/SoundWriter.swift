import Diagnosis
import ExportGraph
import MediaComposition
import SystemPackage
import Tagging

/// One output being written: takes blocks of sound in order and becomes a file.
///
/// `makeWriter` opens the temporary file and writes the headers. Then call `write` for each block,
/// from frame 0 on, in the output's format, or `skip` for frames before `firstNeeded`, without gaps;
/// then `finish` once, after exactly the announced number of frames; then `commit`, once all outputs
/// of the export are finished, so that no failure leaves a new file beside an old one. The caller
/// keeps the blocks: the writer holds none after a call. A block may have any number of frames, even
/// none; the file's bytes do not depend on the cuts.
///
/// If a call throws, `abandon` is called, or the writer is released unfinished, the target is as it
/// was before. Failures are about the output, and at its place in the job. Nothing may be called
/// after `commit` or `abandon`. One thread at a time, which blocks on encoding and on the disk.
package class SoundWriter {
  /// A file beside the output, with all its bytes.
  typealias OpenSidecar = (kind: Sidecar, file: OutputFile)

  let file: OutputFile
  private var tally: SoundTally
  private let encoding: any SoundEncoding
  private let sampleRate: Int
  /// nil where the file has no picture.
  private let pictures: PictureTally?
  private let origin: Origin
  private let sidecars: [OpenSidecar]

  /// A writer at frame 0.
  ///
  /// - Parameters:
  ///   - file: The output's file, in which the encoding has begun.
  ///   - tally: Counts the frames.
  ///   - encoding: Makes the file's bytes.
  ///   - sampleRate: Frames a second.
  ///   - pictures: Counts the pictures of a file that has some.
  ///   - origin: The output's place in the job.
  ///   - sidecars: The files beside it.
  init(
    _ file: OutputFile, _ tally: SoundTally, _ encoding: any SoundEncoding, sampleRate: Int,
    pictures: PictureTally? = nil, origin: Origin = .unknown, sidecars: [OpenSidecar] = []
  ) {
    (self.file, self.tally, self.encoding, self.sampleRate) = (file, tally, encoding, sampleRate)
    (self.pictures, self.origin, self.sidecars) = (pictures, origin, sidecars)
  }

  /// The output's file, then those beside it in the order of `WrittenOutput.sidecars`. Between
  /// `finish` and `commit` they are whole.
  package final var files: [OutputFile] { [file] + sidecars.map(\.file) }

  /// Warnings about the file.
  package final var warnings: [Warning] {
    let omitted = (pictures?.textOmissions ?? []).map { Warning($0, path: file.path) }
    let damage = pictures?.damageWarnings ?? []
    return (encoding.warnings + omitted + damage).map { warning in
      var placed = warning
      placed.origin = origin
      return placed
    }
  }

  /// The next frame whose sound the writer needs, `Int64.max` where it needs no more: the frames
  /// before it need not be rendered.
  package final var firstNeeded: Int64 { encoding.firstNeeded }

  /// Encodes one block.
  ///
  /// - Throws: `.reportBug` for samples that are not finite or more frames than announced;
  ///   otherwise the error of the encoder or the disk.
  package final func write(_ block: AudioBuffer) throws(Failure) {
    let count = Int64(block.frameCount)
    guard count > 0 else { return }
    // The block may have been rendered for another output.
    guard firstNeeded < tally.frameCount + count else { return try skip(count) }
    try attempt {
      try tally.add(block)
      try encoding.encode(block)
    }
  }

  /// Writes the next frames without their sound: none from `firstNeeded` on.
  ///
  /// - Throws: As `write`, and the failure of a source that is copied.
  package final func skip(_ frameCount: Int64) throws(Failure) {
    try attempt {
      tally.skip(frameCount)
      try encoding.skip(frameCount)
    }
  }

  /// Lets what is left be encoded on other cores while the calling thread does other things, such as
  /// ending other outputs. Comes after the last frame; `finish` does it, too.
  ///
  /// - Throws: As `finish`.
  package final func end() throws(Failure) {
    try attempt {
      try tally.requireComplete()
      try encoding.end()
    }
  }

  /// Completes the temporary file and flushes it to the disk.
  ///
  /// - Returns: The output.
  /// - Throws: `.reportBug` where frames are missing; otherwise as `write`.
  package final func finish() throws(Failure) -> WrittenOutput {
    try end()
    return try attempt {
      let copied = try encoding.finish()
      for file in files { try file.flush() }
      return WrittenOutput(
        path: file.path, size: file.size, frameCount: tally.frameCount, sampleRate: sampleRate,
        channelCount: tally.channelCount, clippedSamples: tally.clippedSamples, peak: tally.peak,
        copied: copied, pictures: pictures?.count,
        sidecars: sidecars.map {
          WrittenSidecar(kind: $0.kind, path: $0.file.path, size: $0.file.size)
        })
    }
  }

  /// Puts gains into the tags of the finished file.
  ///
  /// - Parameters:
  ///   - levels: One for each gain of the sink.
  ///   - sink: The output.
  /// - Throws: As `finish`.
  final func put(
    _ levels: [LevelTag.Scope: LevelTag.Level], of sink: Sink
  ) throws(Failure) {
    try attempt {
      try sink.put(levels, into: file)
      try file.flush()
    }
  }

  /// Puts the finished files at their targets.
  ///
  /// - Parameter replaced: Which files at the targets are replaced.
  /// - Throws: As `OutputFile.commit`.
  package final func commit(
    replacing replaced: ExportSession.ReplacedFiles = .all
  ) throws(Failure) {
    do throws(Failure) {
      for file in files { try file.commit(replacing: replaced) }
    } catch {
      throw error.placed(at: origin)
    }
  }

  /// Removes everything written so far, but for settled frames of a file that grows. Does nothing
  /// after `commit`.
  package final func abandon() {
    encoding.cancel()
    file.discard()
    // In reverse, so that folders made for the first are empty again.
    for (_, file) in sidecars.reversed() { file.discard() }
  }

  /// Does a part of the work; if it fails, the output is abandoned.
  final func attempt<Result>(_ work: () throws -> Result) throws(Failure) -> Result {
    do {
      return try work()
    } catch {
      abandon()
      throw error.failure(writing: file.path).placed(at: origin)
    }
  }
}

/// The result of a finished writer.
public struct WrittenOutput: Sendable, Hashable, Codable {
  /// Its path.
  @CodedPath public var path: FilePath
  /// Bytes.
  public var size: Int64
  /// Frames of sound.
  public var frameCount: Int64
  /// Frames a second.
  public var sampleRate: Int
  /// Channels of the sound.
  public var channelCount: Int
  /// Samples beyond full scale, over all channels. Integer formats clamp them to full scale; MP3,
  /// AAC, Vorbis, Opus and float keep them, and most players clamp them. Packets that are copied are
  /// not decoded, and their samples not counted.
  public var clippedSamples: Int64
  /// The largest magnitude of any encoded sample, 1 being full scale; nil where all is copied.
  public var peak: Float?
  /// The levels of the encoded file; nil where nothing asks for them.
  public var loudness: LoudnessMeasurement?
  /// The encoded file in columns; nil where that is not asked for.
  public var overview: SoundOverview?
  /// Its joins, but for those in copied sound; nil where nobody looked.
  package var joins: [Join]?
  /// How its sound was brought to its level; nil where it has none.
  package var correction: LoudnessCorrection?
  /// What the encoded file was checked by.
  package var conformances: [Conformance] = []
  /// Its parts, if some are copied from sources.
  package var copied: [CopiedPart]?
  /// How many of its pictures are copied and encoded; nil where it has none.
  package var pictures: PictureCount?
  /// The pictures on both sides of each join; nil where nobody looked.
  package var pictureJoins: [PictureJoin]?
  /// The files beside it.
  package var sidecars: [WrittenSidecar] = []
  /// The SHA-256 of its bytes, if the export has a record.
  public var sha256: [UInt8]?
}

/// A written file beside an output.
package struct WrittenSidecar: Sendable, Hashable, Codable {
  /// What it holds, and in which format.
  package var kind: Sidecar
  /// Its path.
  @CodedPath package var path: FilePath
  /// Bytes.
  package var size: Int64
}

/// A file of an export, as it was when it took its place.
package struct WrittenFile: Sendable, Hashable, Codable {
  /// The path, as requested.
  @CodedPath package var path: FilePath
  /// Distinguishes it from a file that is put there later.
  package var identity: FileIdentity

  /// A file at `path` with this identity.
  package init(path: FilePath, identity: FileIdentity) {
    self.path = path
    self.identity = identity
  }

  /// Nil for a file that is not in its place.
  init?(_ file: OutputFile) {
    guard let identity = file.identity else { return nil }
    self.init(path: file.path, identity: identity)
  }
}
