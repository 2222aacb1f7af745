import Diagnosis
import MediaComposition
import MediaTime

/// Parts of a clip whose edges are moved to pictures.
extension Splitter {
  /// Whose pictures the edges are moved to.
  struct SnappedClip {
    var snap: Located<Snap>
    /// What the job plays; pictures of inserted items are none of its.
    var location: MediaLocation
  }

  /// Moves the starts and ends of parts, but for those of the whole; false where pictures are not found now,
  /// or after a report.
  mutating func snap(_ parts: inout [Placed], to clip: SnappedClip, at origin: Origin) -> Bool {
    var isWhole = true
    for index in parts.indices {
      let range = parts[index].range
      let ends = (moved(range.start, to: clip), moved(range.end, to: clip))
      guard let start = ends.0, let end = ends.1 else {
        isWhole = false
        continue
      }
      guard start < end else {
        let lengths = lowering.lengths(range.start, range.end)
        lowering.error(
          "'snap' leaves nothing of the part from \(lengths.a) to \(lengths.b): both are nearest to one "
            + (clip.snap.value == .keyframe ? "key picture" : "picture"),
          at: origin, help: "make the part longer")
        return false
      }
      parts[index].range = TimeRange(start: start, end: end)
    }
    return isWhole
  }

  private mutating func moved(_ time: Time, to clip: SnappedClip) -> Time? {
    guard time > .zero, time < end else { return time }
    return moved(time, in: timeline.composition, to: clip)
  }

  /// A moment of a composition, moved to a picture of what the clip plays there, as far as it plays that.
  private mutating func moved(
    _ time: Time, in composition: Composition, to clip: SnappedClip
  ) -> Time? {
    for track in composition.tracks {
      guard let segment = track.segment(forTrackTime: time), !segment.isReversed else { continue }
      let inner = segment.target.map(time, to: segment.source)
      let found: Time?
      switch segment.content {
      case .silence: continue
      case .asset(let asset):
        guard asset.location == clip.location, asset.hasMovingPicture else { continue }
        let whole = TimeRange(start: .zero, duration: asset.duration)
        found = lowering.snapped(inner, .start, of: asset, within: whole, by: clip.snap)
      case .composition(let part): found = moved(inner, in: part, to: clip)
      }
      guard let found else { return nil }
      // Nothing is there but the content's own time.
      guard found != inner else { continue }
      let moved = segment.source.map(found, to: segment.target)
      return min(max(moved, segment.target.start), segment.target.end)
    }
    return time
  }
}
