internal import MPEGAudio
internal import Splicing

/// Frames of a stream, and the sound from which an encoder makes them.
struct LaneSpan {
  /// The frames to be made.
  let frames: Range<Int>
  /// The frame of the stream that the encoder's first one is: some before, with which it warms up.
  let firstFrame: Int
  /// PCM frames of the stream's sound that the encoder is fed.
  let sound: Range<Int64>
  /// PCM frames of silence before them.
  let silence: Int

  /// - Parameters:
  ///   - frames: Frames of the stream.
  ///   - warmUp: Frames before them.
  ///   - layout: The stream's.
  init(_ frames: Range<Int>, warmUp: Int, in layout: CopyLayout) {
    self.frames = frames
    firstFrame = max(0, frames.lowerBound - warmUp)
    let lag = Int64(layout.grid.encoderSkip)
    let start = layout.firstSample(ofFrame: firstFrame) + lag
    let end = layout.firstSample(ofFrame: frames.upperBound) + lag + Self.lookahead
    silence = Int(max(0, -start))
    let first = min(max(0, start), layout.length)
    sound = first..<max(first, min(end, layout.length))
  }

  /// What LAME reads ahead of a frame: less than two frames of 1152.
  private static let lookahead: Int64 = 2 * 1152

  /// The silence, as sound.
  func silence(channelCount: Int) -> ChunkSound<Float> {
    let silence = ChunkSound<Float>(channelCount: channelCount, capacity: silence)
    silence.fillWithSilence()
    return silence
  }
}
