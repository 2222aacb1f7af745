import Diagnosis
import MediaComposition
import SystemPackage
import Threads

/// One output being written: takes blocks of sound in order and becomes a file.
///
/// Made by `makeWriter`, which has opened the temporary file and written the headers. Then `write`
/// is called for each block, from frame 0 on, without gaps, in the format that the writer was made
/// for; then `finish` once, after exactly the announced number of frames; then `commit`, once all
/// outputs of the export are finished, so that they appear together or not at all. The caller keeps
/// the blocks: nothing of them is held after a call. A block may have any number of frames, none
/// included; the bytes of the file do not depend on how the sound is cut.
///
/// Once a call has thrown, or `abandon` was called, or the writer is released unfinished, the
/// target is as it was before. Nothing is to be called after `commit` or `abandon`. One thread at a
/// time, which blocks on encoding and on the disk.
package protocol SoundWriter: AnyObject {
  /// The file of the output, then those beside it in the order of `WrittenOutput.sidecars`. Between
  /// `finish` and `commit` they are whole.
  var files: [OutputFile] { get }

  /// Encodes one block.
  ///
  /// - Throws: `.reportBug` for samples that are not finite or more frames than announced;
  ///   otherwise what the encoder or the disk could not do.
  func write(_ block: AudioBuffer) throws(Failure)

  /// Completes the temporary file and flushes it to the disk.
  ///
  /// - Returns: What was written.
  /// - Throws: `.reportBug` where frames are missing; otherwise as `write`.
  func finish() throws(Failure) -> WrittenOutput

  /// Puts the finished file at its target.
  ///
  /// - Throws: What the system says.
  func commit() throws(Failure)

  /// Gives up: takes away what was written so far. Does nothing after `commit`.
  func abandon()
}

/// A sound writer whose file can be played at any time, whatever becomes of the process: a recording.
///
/// Made by `makeGrowingWriter`, for a number of frames that nobody knows. The file stands at its path
/// from the start. Once a call has thrown, or `abandon` was called, it holds what was settled before.
package protocol GrowingWriter: SoundWriter {
  /// Makes what was written so far part of the file, but for the frames that the encoder still
  /// holds: up to a tenth of a second, some more of MP3.
  ///
  /// - Throws: What the disk could not do.
  func settle() throws(Failure)

  /// Sees to it that all that was settled is on the disk; blocks as long as the flush does that
  /// `makeGrowingWriter` was given.
  ///
  /// - Throws: What the system says.
  func sync() throws(Failure)

  /// Frames of sound that the file holds, as far as they were settled: what is left once a call has
  /// thrown.
  var settledFrames: Int64 { get }

  /// Puts a label at a frame where the container has a place for labels: WAV, once it is finished.
  func mark(_ frame: Int64, _ label: String)
}

extension GrowingWriter {
  package func mark(_: Int64, _: String) {}
}

/// Where an encoder may find cores beside its caller's, and who may stop it.
package struct EncoderCores: Sendable {
  /// Of which idle cores are used; nil: none.
  package var budget: CPUBudget?
  /// Once set, writers throw within a fraction of a second.
  package var cancellation: CancellationFlag

  package init(budget: CPUBudget? = nil, cancellation: CancellationFlag = CancellationFlag()) {
    self.budget = budget
    self.cancellation = cancellation
  }
}

/// What a finished writer left behind.
public struct WrittenOutput: Sendable, Hashable, Codable {
  /// Where it is.
  @CodedPath public var path: FilePath
  /// Bytes.
  public var size: Int64
  /// Frames of sound.
  public var frameCount: Int64
  /// Frames a second.
  public var sampleRate: Int
  /// Channels in it.
  public var channelCount: Int
  /// Samples beyond full scale, over all channels. Integer formats hold them clamped to full
  /// scale; MP3, AAC, Vorbis, Opus and float hold them as they were, and most players will clamp
  /// them.
  public var clippedSamples: Int64
  /// The largest magnitude of any sample, 1 being full scale.
  public var peak: Float
  /// The files of chapters beside it.
  public var sidecars: [WrittenSidecar] = []
  /// The SHA-256 of its bytes; only known where the export has a record.
  public var sha256: [UInt8]?
}

/// A file of chapters that a finished writer left behind.
public struct WrittenSidecar: Sendable, Hashable, Codable {
  /// As what.
  public var kind: ChapterPlaces.Sidecar
  /// Where it is.
  @CodedPath public var path: FilePath
  /// Bytes.
  public var size: Int64
}

/// A file of an export, as it was when it took its place.
public struct WrittenFile: Sendable, Hashable, Codable {
  /// As it was asked for.
  @CodedPath public var path: FilePath
  /// By which it is known from a file that somebody puts there later.
  public var identity: FileIdentity

  /// A file at `path` that is `identity`.
  public init(path: FilePath, identity: FileIdentity) {
    self.path = path
    self.identity = identity
  }

  /// Nil for one that is not in its place.
  init?(_ file: OutputFile) {
    guard let identity = file.identity else { return nil }
    self.init(path: file.path, identity: identity)
  }
}
