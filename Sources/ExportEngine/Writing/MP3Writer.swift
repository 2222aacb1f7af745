import Diagnosis
import LAME
import MediaComposition
import Threads

/// Writes MP3: a tag, frames that are encoded on many cores, or as the sound comes, and at the end
/// the Info frame between them.
final class MP3Writer: GrowingWriter {
  private let file: OutputFile
  private let encoder: any FrameEncoder
  private var tally: SoundTally
  private let sampleRate: Int
  /// The place of the Info frame: after the ID3 tag.
  private let start: Int64
  private var position: Int64
  private var pending: [UInt8] = []
  private let stream: StreamEncoder?
  private(set) var settledFrames: Int64 = 0

  private static let bufferSize = 1 << 16

  private init(
    _ file: OutputFile, _ encoder: any FrameEncoder, _ tally: SoundTally, sampleRate: Int,
    start: Int64
  ) {
    stream = encoder as? StreamEncoder
    self.file = file
    self.encoder = encoder
    self.tally = tally
    self.sampleRate = sampleRate
    self.start = start
    position = start
  }

  /// Prepares LAME. `tag` has the bytes before the sound: a whole ID3v2 tag or nothing.
  static func open(
    _ file: OutputFile, _ setup: EncoderSetup, tally: SoundTally, tag: [UInt8], crew: Crew
  ) throws(Failure) -> MP3Writer {
    try file.put(tag, at: 0)
    let encoder = ChunkEncoder(setup, crew: crew)
    return MP3Writer(
      file, encoder, tally, sampleRate: setup.sampleRate, start: Int64(tag.count))
  }

  /// Prepares LAME for sound of unknown length, encoded as it comes.
  static func openGrowing(
    _ file: OutputFile, _ setup: EncoderSetup, tally: SoundTally, tag: [UInt8]
  ) throws(Failure) -> MP3Writer {
    let encoder: StreamEncoder
    do throws(LAMEError) {
      encoder = try StreamEncoder(setup)
    } catch {
      throw error.failure(of: file)
    }
    try file.put(tag, at: 0)
    return MP3Writer(
      file, encoder, tally, sampleRate: setup.sampleRate, start: Int64(tag.count))
  }

  func write(_ block: AudioBuffer) throws(Failure) {
    do throws(Failure) {
      try tally.add(block)
      do throws(LAMEError) {
        try encoder.encode(block.planes, count: block.frameCount, into: &pending)
      } catch {
        throw error.failure(of: file)
      }
      if pending.count >= Self.bufferSize { try flush() }
    } catch {
      throw abandoning(error)
    }
  }

  func end() throws(Failure) {
    do throws(Failure) {
      try tally.requireComplete()
      do throws(LAMEError) { try encoder.end() } catch { throw error.failure(of: file) }
    } catch {
      throw abandoning(error)
    }
  }

  func finish() throws(Failure) -> WrittenOutput {
    try end()
    do throws(Failure) {
      let infoFrame: [UInt8]
      do throws(LAMEError) {
        infoFrame = try encoder.finish(into: &pending)
      } catch {
        throw error.failure(of: file)
      }
      try flush()
      try file.put(infoFrame, at: start)
      try file.flush()
    } catch {
      throw abandoning(error)
    }
    return tally.result(of: file, sampleRate: sampleRate)
  }

  func settle() throws(Failure) {
    do throws(Failure) { try flush() } catch { throw abandoning(error) }
  }

  func sync() throws(Failure) { try file.flush() }

  var files: [OutputFile] { [file] }

  func abandon() {
    encoder.cancel()
    // A file that stays keeps its whole frames.
    file.cut(to: position)
    file.discard()
  }

  private func flush() throws(Failure) {
    try file.put(pending, at: position)
    position += Int64(pending.count)
    settledFrames = stream?.givenCount ?? 0
    pending.removeAll(keepingCapacity: true)
  }

  private func abandoning(_ failure: Failure) -> Failure {
    abandon()
    return failure.about(file.path)
  }
}

extension LAMEError {
  /// The failure of the output for this error of LAME's.
  func failure(of file: OutputFile) -> Failure {
    switch self {
    case .unsupported(let words): Failure(.mendJob, words, path: file.path)
    case .status(-10, _), .status(-2, _): Failure(.tryAgain, message, path: file.path)
    case .tooLoud:
      Failure(.mendJob, "\(message); lower the gain or check the source", path: file.path)
    case .cancelled: Failure(.tryAgain, message, path: file.path)
    case .status, .notFinite, .damagedStream, .noRoom: Failure(.reportBug, message, path: file.path)
    }
  }
}
