internal import MPEGAudio

/// One run of LAME over a part of the sound, and the frames that it has made.
///
/// Used by one thread at a time.
final class Lane {
  /// Which frame of the stream the first of `frames` is.
  private(set) var firstFrame: Int
  private(set) var frames: [UnpackedFrame] = []
  private var encoder: MP3Encoder
  private let samplesPerFrame: Int
  /// Which PCM frame of the stream comes next.
  private var position: Int
  private var isFlushed = false
  private var unpacker: FrameUnpacker
  private var bytes: [UInt8] = []

  /// A lane that starts with MP3 frame `firstFrame` of the stream.
  init(_ encoder: consuming MP3Encoder, firstFrame: Int) {
    samplesPerFrame = encoder.samplesPerFrame
    unpacker = FrameUnpacker(freeFormatBitRate: encoder.freeFormatBitRate)
    self.encoder = encoder
    self.firstFrame = firstFrame
    position = firstFrame * samplesPerFrame
  }

  /// Behind the last frame that was made.
  var endFrame: Int { firstFrame + frames.count }

  /// Frame `index` of the stream, which this lane must have made.
  func frame(_ index: Int) -> UnpackedFrame { frames[index - firstFrame] }

  /// Goes on with the sound of `chunk`, which holds what comes next, by so many MP3 frames; at the end
  /// of the last chunk makes the last frames. False where there is no more of it.
  func advance(in chunk: Chunk, by frameCount: Int) throws(LAMEError) -> Bool {
    guard let sound = chunk.sound, !isFlushed else { return false }
    let start = position - chunk.soundStart * samplesPerFrame
    let count = min(sound.count - start, frameCount * samplesPerFrame)
    if count > 0 {
      try encode(sound.planes, from: start, count: count)
    } else if chunk.isLast {
      try flush()
    } else {
      return false
    }
    return true
  }

  /// Goes on with `count` frames of sound from `start` on, which were found encodable before.
  func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, count: Int
  ) throws(LAMEError) {
    try encoder.encode(planes, from: start, count: count, into: &bytes)
    position += count
    try unpack()
  }

  /// Makes the last frames. Nothing may be encoded after it.
  func flush() throws(LAMEError) {
    try encoder.flush(into: &bytes)
    isFlushed = true
    try unpack()
  }

  /// Drops the frames before `frame`.
  func forget(to frame: Int) {
    frames.removeFirst(frame - firstFrame)
    firstFrame = frame
  }

  private func unpack() throws(LAMEError) {
    try unpacker.drain(&bytes, into: &frames)
  }

  /// What an Info frame says of its settings.
  var encoding: InfoFrame.Encoding { encoder.encoding }

  /// See `MP3Encoder`.
  var delay: Int { encoder.delay }

  /// See `MP3Encoder`; known after `flush`.
  var padding: Int { encoder.padding }
}
