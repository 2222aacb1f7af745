import LAME
import MPEGAudio
import MediaComposition

/// Writes MP3: a tag, LAME's frames, and the Info frame, which is written again at the end.
final class MP3Writer: SoundWriter {
  private let file: OutputFile
  private var encoder: MP3Encoder
  private var tally: SoundTally
  private let sampleRate: Int
  /// Where the first MP3 frame stands: behind the ID3 tag.
  private let start: Int64
  private var position: Int64
  /// Encoded and not yet written.
  private var pending: [UInt8] = []

  /// Bytes that are collected before they are written.
  private static let bufferSize = 1 << 16

  private init(
    _ file: OutputFile, _ encoder: consuming MP3Encoder, _ tally: SoundTally, sampleRate: Int,
    start: Int64
  ) {
    self.file = file
    self.encoder = encoder
    self.tally = tally
    self.sampleRate = sampleRate
    self.start = start
    position = start
  }

  /// Opens LAME. `tag` is a whole ID3v2 tag or nothing: the bytes that stand before the sound.
  static func open(
    _ file: OutputFile, _ settings: MP3Settings, sampleRate: Int, tally: SoundTally, tag: [UInt8]
  ) throws(Failure) -> MP3Writer {
    let encoder: MP3Encoder
    do throws(LAMEError) {
      encoder = try .open(settings, sampleRate: sampleRate, channelCount: tally.channelCount)
    } catch {
      throw error.failure(of: file)
    }
    try file.put(tag, at: 0)
    return MP3Writer(file, encoder, tally, sampleRate: sampleRate, start: Int64(tag.count))
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

  func finish() throws(Failure) -> WrittenOutput {
    do throws(Failure) {
      try tally.requireComplete()
      do throws(LAMEError) {
        try encoder.flush(into: &pending)
      } catch {
        throw error.failure(of: file)
      }
      try flush()
      try file.put(encoder.infoFrame(), at: start)
      try file.flush()
    } catch {
      throw abandoning(error)
    }
    return tally.result(of: file, sampleRate: sampleRate)
  }

  func commit() throws(Failure) { try file.commit() }

  func abandon() { file.discard() }

  private func flush() throws(Failure) {
    try file.put(pending, at: position)
    position += Int64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  private func abandoning(_ failure: Failure) -> Failure {
    abandon()
    return failure.about(file.path)
  }
}

extension LAMEError {
  /// What LAME's answer means to the one whose output it is.
  fileprivate func failure(of file: OutputFile) -> Failure {
    switch self {
    case .unsupported(let words): Failure(.mendJob, words, path: file.path)
    case .status(-10, _), .status(-2, _): Failure(.mendMachine, message, path: file.path)
    case .tooLoud:
      Failure(.mendJob, "\(message); lower the gain or check the source", path: file.path)
    case .status, .notFinite: Failure(.reportBug, message, path: file.path)
    }
  }
}
