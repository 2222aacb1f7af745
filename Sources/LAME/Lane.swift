internal import MPEGAudio

/// One run of LAME over a part of the sound, and the frames that it has made and somebody may still need.
///
/// Used by one thread at a time.
final class Lane {
  /// Which frame of the stream the first of `frames` is.
  private(set) var firstFrame: Int
  private(set) var frames: [UnpackedFrame] = []
  private var encoder: MP3Encoder
  private var unpacker = FrameUnpacker()
  private var bytes: [UInt8] = []

  /// A lane whose sound starts at a multiple of the frame length.
  init(_ encoder: consuming MP3Encoder, firstFrame: Int) {
    self.encoder = encoder
    self.firstFrame = firstFrame
  }

  /// Behind the last frame that was made.
  var endFrame: Int { firstFrame + frames.count }

  /// Frame `index` of the stream, which this lane must have made.
  func frame(_ index: Int) -> UnpackedFrame { frames[index - firstFrame] }

  /// Drops the frames before frame `index` of the stream. O(frames that are left).
  func forget(before index: Int) {
    guard index > firstFrame else { return }
    frames.removeFirst(index - firstFrame)
    firstFrame = index
  }

  /// Goes on with `range` of `sound`, which follows what the lane was fed before.
  func feed(_ sound: ChunkSound, _ range: Range<Int>) throws(LAMEError) {
    try encoder.encode(sound.planes, from: range.lowerBound, count: range.count, into: &bytes)
    try unpack()
  }

  /// Makes the last frames. Nothing is to be fed after it.
  func flush() throws(LAMEError) {
    try encoder.flush(into: &bytes)
    try unpack()
  }

  private func unpack() throws(LAMEError) {
    do throws(FrameUnpacker.Problem) {
      try bytes.withUnsafeBufferPointer { bytes throws(FrameUnpacker.Problem) in
        try unpacker.unpack(bytes, into: &frames)
      }
    } catch {
      throw .damagedStream(error)
    }
    bytes.removeAll(keepingCapacity: true)
  }

  /// What an Info frame says of its settings.
  var encoding: InfoFrame.Encoding { encoder.encoding }

  /// See `MP3Encoder`.
  var delay: Int { encoder.delay }

  /// See `MP3Encoder`; known after `flush`.
  var padding: Int { encoder.padding }
}
