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

/// What could not be decoded of one file, gathered from all streams that read it. One thread at a
/// time.
final class Damage {
  /// Packets that were refused by their decoder, and holes between packets.
  var count = 0
}
