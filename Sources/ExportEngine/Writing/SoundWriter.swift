import Diagnosis
import MediaComposition
import SystemPackage

/// One output being written: takes blocks of sound in order and becomes a file.
///
/// `makeWriter` opens the temporary file and writes the headers. Then call `write` for each block,
/// from frame 0 on, in the writer's format, or `skip` for frames before `firstNeeded`, without gaps;
/// then `finish` once, after exactly the announced number of frames; then `commit`, once all outputs
/// of the export are finished, so that no failure leaves a new file beside an old one. The caller
/// keeps the blocks: the writer holds none after a call. A block may have any number of frames, even
/// none; the file's bytes do not depend on the cuts.
///
/// If a call throws, `abandon` is called, or the writer is released unfinished, the target is as it
/// was before. Nothing may be called after `commit` or `abandon`. One thread at a time, which
/// blocks on encoding and on the disk.
package protocol SoundWriter: AnyObject {
  /// The output's file, then those beside it in the order of `WrittenOutput.sidecars`. Between
  /// `finish` and `commit` they are whole.
  var files: [OutputFile] { get }

  /// What there is to say of the file.
  var warnings: [Warning] { get }

  /// Encodes one block.
  ///
  /// - Throws: `.reportBug` for samples that are not finite or more frames than announced;
  ///   otherwise the error of the encoder or the disk.
  func write(_ block: AudioBuffer) throws(Failure)

  /// The next frame whose sound the writer needs, `Int64.max` where it needs no more: the frames
  /// before it need not be rendered.
  var firstNeeded: Int64 { get }

  /// Writes the next frames without their sound: none from `firstNeeded` on.
  ///
  /// - Throws: As `write`, and the failure of a source that is copied.
  func skip(_ frameCount: Int64) throws(Failure)

  /// Lets what is left be encoded on other cores while the calling thread does other things, such as
  /// ending other outputs. Comes after the last frame; `finish` does it, too.
  ///
  /// - Throws: As `finish`.
  func end() throws(Failure)

  /// Completes the temporary file and flushes it to the disk.
  ///
  /// - Returns: The output.
  /// - Throws: `.reportBug` where frames are missing; otherwise as `write`.
  func finish() throws(Failure) -> WrittenOutput

  /// Removes everything written so far. Does nothing after `commit`.
  func abandon()
}

extension SoundWriter {
  package var warnings: [Warning] { [] }

  /// The sound of all frames is needed.
  package var firstNeeded: Int64 { 0 }

  package func end() throws(Failure) {}

  package func skip(_: Int64) throws(Failure) {
    preconditionFailure("a writer that needs all frames skips none")
  }

  /// Puts the finished files at their targets.
  ///
  /// - Parameter replaced: Which files at the targets are replaced.
  /// - Throws: As `OutputFile.commit`.
  package func commit(replacing replaced: ExportSession.ReplacedFiles = .all) throws(Failure) {
    for file in files { try file.commit(replacing: replaced) }
  }
}

/// A sound writer whose file can be played at any time, even after a crash: a recording.
///
/// Begun by `GrowingTarget`, for an unknown number of frames. The file is at its path from the
/// start. After a call has thrown, or `abandon`, it has the frames settled before.
package protocol GrowingWriter: SoundWriter {
  /// Makes everything written so far part of the file, but for the frames that the encoder still
  /// holds: up to a tenth of a second, some more for MP3.
  ///
  /// - Throws: The disk's error.
  func settle() throws(Failure)

  /// Flushes all settled frames to the disk; blocks as long as the flush given to
  /// `GrowingTarget`.
  ///
  /// - Throws: The system's error.
  func sync() throws(Failure)

  /// Frames of sound settled in the file: those that remain after a call has thrown.
  var settledFrames: Int64 { get }

  /// Puts a label at a frame where the container has a place for labels: WAV, once it is finished.
  func mark(_ frame: Int64, _ label: String)
}

extension GrowingWriter {
  package func mark(_: Int64, _: String) {}
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
  public var joins: [Join]?
  /// How its sound was brought to its level; nil where it has none.
  public var correction: LoudnessCorrection?
  /// What the encoded file was checked by.
  public var conformances: [Conformance] = []
  /// Its parts, if some are copied from sources.
  public var copied: [CopiedPart]?
  /// Its files of chapters.
  public var sidecars: [WrittenSidecar] = []
  /// The SHA-256 of its bytes, if the export has a record.
  public var sha256: [UInt8]?
}

/// A written file of chapters.
public struct WrittenSidecar: Sendable, Hashable, Codable {
  /// Its format.
  public var kind: ChapterPlaces.Sidecar
  /// Its path.
  @CodedPath public var path: FilePath
  /// Bytes.
  public var size: Int64
}

/// A file of an export, as it was when it took its place.
public struct WrittenFile: Sendable, Hashable, Codable {
  /// The path, as requested.
  @CodedPath public var path: FilePath
  /// Distinguishes it from a file that is put there later.
  public var identity: FileIdentity

  /// A file at `path` with this identity.
  public init(path: FilePath, identity: FileIdentity) {
    self.path = path
    self.identity = identity
  }

  /// Nil for a file that is not in its place.
  init?(_ file: OutputFile) {
    guard let identity = file.identity else { return nil }
    self.init(path: file.path, identity: identity)
  }
}
