import Diagnosis
import ExportGraph
import Glibc
import LAME
import LibAV
import MediaComposition
import SystemPackage

/// A file for sound of unknown length that can be played at any time: a recording.
///
/// It is locked, and not begun: what was at its path before is still there.
package struct GrowingTarget {
  private let file: OutputFile
  private let open: (OutputFile) throws(Failure) -> any GrowingWriter

  /// Locks the file, which is made if there is none.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - format: WAV, FLAC or MP3.
  ///   - sound: Rate and channels of the blocks.
  ///   - isDithered: Whether 16 bits need dither.
  ///   - isReplacing: Whether an existing file is emptied when it is begun.
  ///   - flush: Flushes the file, or its folder, to the disk, as fsync(2); it may leave that to
  ///     another thread, and report its error the next time.
  /// - Throws: `mendJob` for another format, settings that the format does not have, or an existing
  ///   file; otherwise the file system's error.
  package init(
    at path: FilePath, as format: Output.Format, _ sound: AudioFormat, isDithered: Bool,
    replacing isReplacing: Bool,
    flush: @escaping (_ descriptor: Int32) -> Int32 = { fsync($0) }
  ) throws(Failure) {
    do throws(Failure) {
      try requireGrowing(format.kind, at: path)
      if let problem = format.problem(sampleRate: sound.sampleRate, layout: sound.channelLayout) {
        throw Failure(.mendJob, problem)
      }
      open = try Self.opener(path, format, sound, isDithered)
      var calls = FileCalls.system
      calls.flush = flush
      file = try OutputFile.claim(path, replacing: isReplacing, calls: calls)
    } catch {
      throw error.about(path)
    }
  }

  private static func opener(
    _ path: FilePath, _ format: Output.Format, _ sound: AudioFormat, _ isDithered: Bool
  ) throws(Failure) -> (OutputFile) throws(Failure) -> any GrowingWriter {
    let sink = Sink(
      node: 0, frames: 0..<0, output: Output(path: path, format: format), format: format,
      metadata: Metadata(), chapters: [], isDithered: isDithered)
    let tally = SoundTally(expectedFrames: nil, channelCount: sound.channelLayout.count)
    guard case .mp3(let settings) = format else {
      let recipe = try recipe(for: sink, format: sound, readPicture)
      return { file throws(Failure) in
        try LibAVWriter.openGrowing(file, recipe, tally: tally)
      }
    }
    let tag = try id3Tag(of: sink, sampleRate: sound.sampleRate, readPicture)
    let setup: EncoderSetup
    do throws(LAMEError) {
      setup = try EncoderSetup(
        settings, sampleRate: sound.sampleRate, channelCount: tally.channelCount)
    } catch {
      throw Failure(.mendJob, error.message)
    }
    return { file throws(Failure) in
      try MP3Writer.openGrowing(file, setup, tally: tally, tag: tag)
    }
  }

  /// Whether another file is lost by `begin`.
  package var isReplacing: Bool { file.isReplacing }

  /// Empties the file, and opens it. Once for a target.
  ///
  /// - Returns: A writer at frame 0 of a file without sound.
  /// - Throws: The file system's error.
  package func begin() throws(Failure) -> any GrowingWriter {
    do throws(Failure) {
      try file.empty()
      return try open(file)
    } catch {
      throw error.about(file.path)
    }
  }
}

/// Whether files of a kind can be played before they are finished.
///
/// - Throws: `mendJob` with the alternatives.
package func requireGrowing(_ kind: Output.Kind, at path: FilePath) throws(Failure) {
  guard kind != .wav, kind != .flac, kind != .mp3 else { return }
  throw Failure(
    .mendJob,
    "\(kind.capabilities.codecName) is not recorded, since such a file cannot be played before it "
      + "is whole; record WAV, FLAC or MP3, and convert it afterwards",
    path: path)
}
