import Diagnosis
import MediaComposition
import MediaTime
import Synchronization

/// A track of an item, for the listener to switch (`AVPlayerItemTrack`): no composition and no
/// export changes. Safe from any thread.
public final class PlayerItemTrack: Sendable {
  /// The name of the track.
  public let name: String
  /// Whether the track is enabled in the composition; otherwise it cannot be heard here.
  package let sounds: Bool
  private let enabled = Atomic<Bool>(true)
  private let solo = Atomic<Bool>(false)
  private let changes: TrackChanges

  init(name: String, sounds: Bool, _ changes: TrackChanges) {
    self.name = name
    self.sounds = sounds
    self.changes = changes
  }

  /// Whether the track is heard (`AVPlayerItemTrack.isEnabled`), or muted.
  public var isEnabled: Bool {
    get { enabled.load(ordering: .relaxed) }
    set { set(enabled, newValue) }
  }

  /// Whether only this track, and other solo tracks, are heard.
  package var isSolo: Bool {
    get { solo.load(ordering: .relaxed) }
    set { set(solo, newValue) }
  }

  private func set(_ setting: borrowing Atomic<Bool>, _ value: Bool) {
    if setting.exchange(value, ordering: .acquiringAndReleasing) != value { changes.note() }
  }
}

/// A segment of an item.
package struct PlayerSegment: Sendable, Hashable {
  /// The time in the item, cut to the part that is played.
  package var timeRange: TimeRange
  /// The name of the file, or of the track for a nested composition.
  package var name: String
  /// The index of its track.
  package var trackIndex: Int
  /// Where its item was written.
  package var origin = Origin.unknown

  /// The segments of the part of an export that is written, in order of time. O(n log n).
  /// `trackIndices` has the item's track for each of the composition's tracks of sound.
  static func all(of export: Export, _ trackIndices: [Int]) -> [PlayerSegment] {
    let range = export.timeRange ?? TimeRange(start: .zero, duration: export.composition.duration)
    var found: [PlayerSegment] = []
    // Adjacent clips are mostly of one file.
    var last: (location: MediaLocation, name: String)?
    func name(of location: MediaLocation) -> String {
      if let last, last.location == location { return last.name }
      let name = location.lastName ?? "\(location)"
      last = (location, name)
      return name
    }
    let tracks = export.composition.tracks(withMediaType: .audio)
    for (index, track) in zip(trackIndices, tracks) where track.isEnabled {
      for segment in track.segments where !segment.isEmpty {
        let start = max(segment.target.start, range.start)
        let end = min(segment.target.end, range.end)
        guard start < end else { continue }
        let name =
          if case .asset(let asset) = segment.content {
            name(of: asset.location)
          } else {
            track.name ?? "track \(index + 1)"
          }
        found.append(
          PlayerSegment(
            timeRange: TimeRange(start: start - range.start, end: end - range.start), name: name,
            trackIndex: index, origin: segment.origin))
      }
    }
    return found.sorted {
      ($0.timeRange.start, $0.trackIndex) < ($1.timeRange.start, $1.trackIndex)
    }
  }
}
