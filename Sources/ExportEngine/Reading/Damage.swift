import MediaTime
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

  /// Each with the first frame of the asset that it concerns, where that is known.
  private var places: [Place: Int64?] = [:]
  /// The frame of the asset that frame 0 of the stream that is read lies at; nil where edits move its
  /// parts.
  var origin: Int64? = 0
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
  func note(_ place: Place, silent count: Int, at frame: Int64? = nil) {
    silentCount += count
    note(place, at: frame)
  }

  /// Records a place, which counts once however often it is passed, and the frame of the stream where it
  /// begins.
  func note(_ place: Place, at frame: Int64? = nil) {
    let frame = frame.flatMap { frame in origin.map { $0 + frame } }
    if let known = places[place] {
      guard let frame else { return }
      places[place] = min(known ?? frame, frame)
    } else if places.count < Self.most {
      places[place] = .some(frame)
    }
  }

  /// What warnings say of it: in how many places, and when the first ones are heard.
  ///
  /// - Parameter rate: The asset's frames a second.
  /// - Returns: A phrase to follow what is wrong.
  /// - Complexity: O(n log n) in the number of places
  func text(atRate rate: Int) -> String {
    let frames = places.values.compactMap { $0 }.sorted()
    let text = count == 1 ? "in one place" : "in \(count) places"
    guard !frames.isEmpty, frames.count == count else { return text + ", where sound is missing" }
    let named = frames.prefix(Self.mostNamed).map {
      Time(frames: max(0, $0), rate: rate).clockText(decimals: 3)
    }
    let others = count - named.count
    return text + ", where sound is missing: at " + named.joined(separator: ", ")
      + (others > 0 ? " and \(others) more" : "")
  }

  /// How many times a warning has.
  private static let mostNamed = 3

  /// Records the places that another one has.
  func add(_ other: Damage) {
    let own = origin
    origin = 0
    for (place, frame) in other.places { note(place, at: frame) }
    origin = own
    readCount += other.readCount
    silentCount += other.silentCount
  }
}
