import Diagnosis
import ExportGraph
import Glibc
import LAME
import LibAV
import MediaComposition
import SystemPackage

/// A sound writer whose file can be played at any time, even after a crash: a recording.
///
/// Begun by `GrowingTarget`, for an unknown number of frames. The file is at its path from the
/// start. After a call has thrown, or `abandon`, it has the frames settled before.
package final class GrowingWriter: SoundWriter {
  private let growing: any GrowingEncoding

  init(
    _ file: OutputFile, _ tally: SoundTally, _ encoding: any GrowingEncoding, sampleRate: Int
  ) {
    growing = encoding
    super.init(file, tally, encoding, sampleRate: sampleRate)
  }

  /// Makes everything written so far part of the file, but for the frames that the encoder still
  /// holds, up to a tenth of a second, some more for MP3, and up to half a second that is no fragment
  /// of M4A or page of Ogg yet.
  ///
  /// - Throws: The disk's error.
  package func settle() throws(Failure) { try attempt { try growing.settle() } }

  /// Flushes all settled frames to the disk; blocks as long as the flush given to
  /// `GrowingTarget`.
  ///
  /// - Throws: The system's error.
  package func sync() throws(Failure) { try file.flush() }

  /// Frames of sound settled in the file: those that remain after a call has thrown.
  package var settledFrames: Int64 { growing.settledFrames }

  /// Puts a label at a frame where the container has a place for labels: WAV, once it is finished.
  package func mark(_ frame: Int64, _ label: String) { growing.mark(frame, label) }
}

/// A file for sound of unknown length that can be played at any time: a recording.
///
/// It is locked, and not begun: what was at its path before is still there.
package struct GrowingTarget {
  private let file: OutputFile
  private let open: (OutputFile) throws -> GrowingWriter

  /// Locks the file, which is made if there is none.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - format: WAV, FLAC, MP3, M4A with AAC or ALAC, Vorbis or Opus in Ogg.
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

  /// What begins a file of sound of unknown length, whose path says what kind of file it is.
  ///
  /// - Throws: `mendJob` for settings that the format does not have.
  static func opener(
    _ path: FilePath, _ format: Output.Format, _ sound: AudioFormat, _ isDithered: Bool
  ) throws(Failure) -> (OutputFile) throws -> GrowingWriter {
    let sink = Sink(
      node: 0, frames: 0..<0, output: Output(path: path, format: format), format: format,
      metadata: Metadata(), chapters: [], isDithered: isDithered)
    let tally = SoundTally(expectedFrames: nil, channelCount: sound.channelLayout.count)
    guard case .mp3(let settings) = format else {
      let recipe = try recipe(for: sink, format: sound, readPicture)
      guard recipe.fdk == nil else {
        throw Failure(
          .mendJob,
          "libfdk-aac is not used for recordings; record AAC without 'encoder: fdk'")
      }
      return { file in
        GrowingWriter(
          file, tally, try LibAVEncoding.growing(file, recipe), sampleRate: sound.sampleRate)
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
    return { file in
      let encoding = try MP3Encoding(file, try StreamEncoder(setup), tag: tag)
      return GrowingWriter(file, tally, encoding, sampleRate: sound.sampleRate)
    }
  }

  /// Whether another file is lost by `begin`.
  package var isReplacing: Bool { file.isReplacing }

  /// Empties the file, and opens it. Once for a target.
  ///
  /// - Returns: A writer at frame 0 of a file without sound.
  /// - Throws: The file system's error.
  package func begin() throws(Failure) -> GrowingWriter {
    do {
      try file.empty()
      return try open(file)
    } catch {
      throw error.failure(writing: file.path)
    }
  }
}

/// Whether files of a kind can be played before they are finished.
///
/// - Throws: `mendJob` with the alternatives.
package func requireGrowing(_ kind: Output.Kind, at path: FilePath) throws(Failure) {
  let ending = path.extension ?? ""
  let movie = MovieContainer(extension: ending)
  let other = SoundContainer(extension: ending, for: kind)
  let grows =
    switch kind {
    case .wav, .flac, .mp3, .aac, .alac, .vorbis, .opus: movie == nil && other == nil
    case .aiff, .caf, .raw, .amr: false
    }
  guard !grows else { return }
  // Bare packets could be played at any time.
  let isBare = other == .adts || kind == .amr
  throw Failure(
    .mendJob,
    "\(movie?.name ?? other?.name ?? kind.capabilities.codecName) is not recorded"
      + (isBare ? "" : ", since such a file cannot be played before it is whole")
      + "; record WAV, FLAC, MP3, M4A, Opus or Ogg, and convert it afterwards",
    path: path)
}
