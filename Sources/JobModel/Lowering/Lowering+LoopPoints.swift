import MediaComposition
import MediaTime

extension Lowering {
  /// Gives a clip the loop that the item names, in place of those of its file. From there on it moves as
  /// they do, through all edits (`MarkMap`).
  mutating func setLoop(of item: Item, at place: ItemPlace, in lowered: inout LoweredItem) -> Bool {
    guard let points = item.loopPoints else { return true }
    guard case .asset(var asset) = lowered.content else {
      error(
        "'loop_points' of \(lowered.name), which is not one clip", at: points.origin,
        help: "write it beside the clip that is repeated")
      return false
    }
    var loops: [Range<Int64>] = []
    if case .range(let range) = points.value {
      guard let part = part(range, of: lowered, at: place, .edits, else: points.origin) else {
        return false
      }
      let first = (lowered.source.start + part.start).frames(atRate: asset.sampleRate)
      let end = (lowered.source.start + part.end).frames(atRate: asset.sampleRate)
      loops = [first..<max(first + 1, min(end, asset.frameCount))]
    }
    var marks = asset.marks ?? MediaMarks()
    marks.givenLoops = loops
    asset.marks = marks
    lowered.content = .asset(asset)
    return true
  }
}
