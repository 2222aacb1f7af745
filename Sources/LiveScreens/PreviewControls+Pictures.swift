import ExportGraph
import MediaTime
import Playback

/// Commands that go by pictures.
extension PreviewControls {
  /// Goes to the start of the next picture, or of the previous one, and pauses.
  mutating func goToPicture(isNext: Bool) {
    guard let item = player.currentItem else { return }
    setPlaying(false)
    guard let plan = mix(of: item).picture else {
      message = "'\(item.name)' shows no picture"
      return
    }
    guard plan.stills.isEmpty else {
      return goToStill(among: plan.stills.map(\.start), isNext: isNext)
    }
    guard let frame = plan.frame(at: player.currentTime) else {
      message = "the times of these pictures are not known: they do not last equally long"
      return
    }
    guard let next = plan.neighbour(of: frame, isNext: isNext) else {
      return reportNoPicture(isNext: isNext)
    }
    seek(to: next.start)
    message = "frame \(next.number) at \(next.start.clockText(decimals: 3))"
  }

  private mutating func goToStill(among starts: [Time], isNext: Bool) {
    let now = player.currentTime
    let found = isNext ? starts.firstIndex { $0 > now } : starts.lastIndex { $0 < now }
    guard let index = found else { return reportNoPicture(isNext: isNext) }
    seek(to: starts[index])
    message =
      "picture \(index + 1) of \(starts.count) at \(starts[index].clockText(decimals: 3))"
  }

  private mutating func reportNoPicture(isNext: Bool) {
    message = isNext ? "this is the last picture" : "this is the first picture"
  }
}

extension PicturePlan {
  /// The picture that is shown at a place, as `frame 307`, or those of both ends of a range; nil where
  /// their times are not known.
  func frames(in range: TimeRange) -> String? {
    guard let first = frame(at: range.start)?.number else { return nil }
    guard range.duration > .zero else { return "frame \(first)" }
    return frame(at: range.end).map { "frames \(first) to \($0.number)" }
  }
}
