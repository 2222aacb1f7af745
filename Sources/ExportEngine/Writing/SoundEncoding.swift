import Diagnosis
import MediaComposition

/// Makes a file's bytes of sound, and puts them into the file: an encoder, or a copy of what is
/// encoded already.
///
/// It belongs to a `SoundWriter`, which calls it as it is called itself, and checks and counts what
/// comes. Any error may be thrown: the writer makes it a failure of the file, and cancels.
protocol SoundEncoding: AnyObject {
  /// Warnings about the file.
  var warnings: [Warning] { get }

  /// As `SoundWriter.firstNeeded`.
  var firstNeeded: Int64 { get }

  /// Encodes the next frames, one or more: a block with some that are needed.
  func encode(_ block: AudioBuffer) throws

  /// Goes on without the sound of the next frames, none of which is needed.
  func skip(_ frameCount: Int64) throws

  /// Lets what is left be encoded on other cores; all frames have come.
  func end() throws

  /// Completes the bytes, after `end`.
  ///
  /// - Returns: The file's parts, if some may be copied from sources.
  func finish() throws -> [CopiedPart]?

  /// Ends all work on other cores, and cuts a file that grows behind its settled frames. May come at
  /// any time, and again.
  func cancel()
}

extension SoundEncoding {
  var warnings: [Warning] { [] }

  /// The sound of all frames is needed.
  var firstNeeded: Int64 { 0 }

  func skip(_: Int64) throws {
    preconditionFailure("an encoder that needs all frames skips none")
  }

  func end() throws {}

  func cancel() {}
}

/// An encoding whose file can be played at any time.
protocol GrowingEncoding: SoundEncoding {
  /// As `GrowingWriter.settledFrames`.
  var settledFrames: Int64 { get }

  /// Makes everything encoded so far part of the file.
  func settle() throws

  /// As `GrowingWriter.mark`.
  func mark(_ frame: Int64, _ label: String)
}
