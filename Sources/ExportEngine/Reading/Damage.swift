import Threads

/// Damage of one file, gathered from all streams that read it. One thread at a time.
final class Damage {
  /// Set when the sound of these streams is not needed any more: they stop then, however much is
  /// still to be decoded on the way to a frame.
  let cancellation: CancellationFlag

  init(unless cancellation: CancellationFlag = CancellationFlag()) {
    self.cancellation = cancellation
  }

  enum Place: Hashable {
    /// A packet that its decoder refused, by its offset in the file, or else by its timestamp.
    case packet(Int64)
    /// Missing frames between two packets, by the frame where they end.
    case hole(end: Int64)
  }

  private var places: Set<Place> = []
  /// Frames that were read, and those of them that are silent since their sound is missing. What is
  /// read twice counts twice in both.
  private(set) var readCount = 0
  private(set) var silentCount = 0
  /// Larger counts tell a reader no more.
  private static let most = 10_000

  var count: Int { places.count }

  /// Whether less than half of what was read is there.
  var isMostlySilent: Bool { silentCount > readCount / 2 }

  /// Counts frames that were read.
  func note(read count: Int) { readCount += count }

  /// Records a place where so many frames are silent, in this reading.
  func note(_ place: Place, silent count: Int) {
    silentCount += count
    note(place)
  }

  /// Records a place, which counts once however often it is passed.
  func note(_ place: Place) {
    if places.count < Self.most { places.insert(place) }
  }

  /// Records the places that another one has.
  func add(_ other: Damage) {
    for place in other.places { note(place) }
    readCount += other.readCount
    silentCount += other.silentCount
  }
}
