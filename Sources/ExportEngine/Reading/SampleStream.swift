import MediaComposition

/// Planar float sound that can be read from any frame on.
///
/// What is read depends on the position alone, never on how it was reached: a range equals the
/// slice of the whole, bit for bit. One thread at a time.
protocol FrameSource: AnyObject {
  var channelCount: Int { get }
  /// The frame that the next read begins with.
  var position: Int64 { get }

  /// Goes to a frame. Cheap where it lies a little ahead.
  func seek(to frame: Int64) throws(Failure)

  /// Fills frames `offset ..< offset + count` of a buffer; fewer only at the end of the sound.
  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int
}

/// One asset's sound in its own rate and channels; frame 0 is the first after encoder delay.
protocol SampleStream: FrameSource {
  /// Packets so far that could not be decoded.
  var damagedPackets: Int { get }
}
