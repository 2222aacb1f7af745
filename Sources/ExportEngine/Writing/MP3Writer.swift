import LAME
import MPEGAudio
import MediaComposition

/// Writes MP3: a tag, LAME's frames, and at the end the Info frame between them.
final class MP3Writer: SoundWriter {
  private let file: OutputFile
  private var encoder: MP3Encoder
  private var tally: SoundTally
  private let sampleRate: Int
  /// Where the Info frame will stand: behind the ID3 tag.
  private let start: Int64
  /// What it will say; nil until the first frame is there.
  private var info: InfoFrame?
  private var position: Int64
  /// Encoded and not yet written, from the beginning of a frame on.
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
      if pending.count >= Self.bufferSize { try writeFrames() }
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
      try writeFrames()
      guard pending.isEmpty, let info else {
        throw Failure(.reportBug, "LAME ended within a frame", path: file.path)
      }
      try file.put(info.encoded(delay: encoder.delay, padding: encoder.padding), at: start)
      try file.flush()
    } catch {
      throw abandoning(error)
    }
    return tally.result(of: file, sampleRate: sampleRate)
  }

  func commit() throws(Failure) { try file.commit() }

  func abandon() { file.discard() }

  /// Writes the frames that are whole, behind the Info frame's place.
  private func writeFrames() throws(Failure) {
    var end = 0
    while let header = FrameHeader(startOf: pending[end...]), let length = header.frameLength,
      end + length <= pending.count
    {
      if info == nil {
        let empty = InfoFrame(like: header, encoding: encoder.encoding)
        position += Int64(empty.length)
        info = empty
      }
      info?.add(frame: pending[end..<end + length])
      end += length
    }
    try file.put(pending[..<end], at: position)
    position += Int64(end)
    pending.removeFirst(end)
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
