import Diagnosis
import ExportGraph
import Glibc
import LAME
import LibAV
import MediaComposition
import SystemPackage

/// Opens a file for sound of unknown length that can be played at any time: a recording.
///
/// - Parameters:
///   - path: Its path.
///   - format: WAV, FLAC or MP3.
///   - sound: Rate and channels of the blocks.
///   - isDithered: Whether 16 bits need dither.
///   - isReplacing: Whether an existing file is emptied.
///   - flush: Flushes the file, or its folder, to the disk, as fsync(2); it may leave that to
///     another thread, and report its error the next time.
/// - Returns: A writer at frame 0 of a file without sound.
/// - Throws: `mendJob` for another format, settings that the format does not have, or an existing
///   file; otherwise the file system's error.
package func makeGrowingWriter(
  at path: FilePath, as format: Output.Format, _ sound: AudioFormat, isDithered: Bool,
  replacing isReplacing: Bool,
  flush: @escaping (_ descriptor: Int32) -> Int32 = { fsync($0) }
) throws(Failure) -> any GrowingWriter {
  do throws(Failure) {
    try requireGrowing(format.kind, at: path)
    if let problem = format.problem(sampleRate: sound.sampleRate, layout: sound.channelLayout) {
      throw Failure(.mendJob, problem)
    }
    let sink = Sink(
      node: 0, frames: 0..<0, output: Output(path: path, format: format), format: format,
      metadata: Metadata(), chapters: [], isDithered: isDithered)
    var calls = FileCalls.system
    calls.flush = flush
    let tally = SoundTally(expectedFrames: nil, channelCount: sound.channelLayout.count)
    if case .mp3(let settings) = format {
      let tag = try id3Tag(of: sink, sampleRate: sound.sampleRate, readPicture)
      let setup: EncoderSetup
      do throws(LAMEError) {
        setup = try EncoderSetup(
          settings, sampleRate: sound.sampleRate, channelCount: tally.channelCount)
      } catch {
        throw Failure(.mendJob, error.message)
      }
      let file = try OutputFile.grow(at: path, replacing: isReplacing, calls: calls)
      return try MP3Writer.openGrowing(file, setup, tally: tally, tag: tag)
    }
    let recipe = try recipe(for: sink, format: sound, readPicture)
    let file = try OutputFile.grow(at: path, replacing: isReplacing, calls: calls)
    return try LibAVWriter.openGrowing(file, recipe, tally: tally)
  } catch {
    throw error.about(path)
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
