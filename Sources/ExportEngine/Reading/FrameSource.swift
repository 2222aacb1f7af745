import Diagnosis
import MediaComposition
import Threads

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
  /// Set when nobody waits for what these streams read any more: they stop then, however far they
  /// have to decode to get to a frame.
  let cancellation: CancellationFlag

  init(unless cancellation: CancellationFlag = CancellationFlag()) {
    self.cancellation = cancellation
  }

  /// What may be missing.
  enum Place: Hashable {
    /// A packet that its decoder refused, by where it lies in the file, or else by its timestamp.
    case packet(Int64)
    /// Frames between two packets that are not there, by the frame where they end.
    case hole(end: Int64)
  }

  private var places: Set<Place> = []
  /// Whoever reads the number has understood by then.
  private static let most = 10_000

  /// Places that were noted.
  var count: Int { places.count }

  /// Notes a place, which counts once however often it is come by.
  func note(_ place: Place) {
    if places.count < Self.most { places.insert(place) }
  }
}
