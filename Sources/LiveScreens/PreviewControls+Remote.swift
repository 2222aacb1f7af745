import Glibc
import MediaTime
import NowPlaying
import Playback

/// What other programs see and change.
extension PreviewControls {
  /// The speeds that may be asked for.
  static var rateFactors: ClosedRange<Double> {
    PlaybackSpeed.slowest.factor...PlaybackSpeed.fastest.factor
  }

  /// Whether `next` would go somewhere, as far as that is known. O(1).
  var hasNextTrack: Bool {
    guard let item = player.currentItem, let index = items.index(of: item) else { return false }
    if let last = item.chapters.last, last.start > player.currentTime { return true }
    let count = items.count
    return index + 1 < count || isLooping && count > 1
  }

  /// Decibels are whole here: a factor is rounded, and a small step is a decibel.
  func volumeStep(to factor: Double) -> Int {
    let decibels = factor > 0 ? 20 * log10(factor) : -.infinity
    // Far beyond what the volume is limited to.
    let step = Int(max(-200, min(200, decibels)).rounded()) - volume
    let present = Double(player.volume)
    guard step == 0, abs(factor - present) > 0.001 else { return step }
    return factor > present ? 1 : -1
  }

  /// What is repeated, in the words of other programs: a loop between two places has none.
  var repeatType: RepeatType {
    if let loop, loop.start == .zero, loop.end == player.currentItem?.duration {
      return isLooping && items.count == 1 ? .all : .one
    }
    return isLooping ? .all : .off
  }

  mutating func setRepeat(_ type: RepeatType) {
    guard type != repeatType, let item = player.currentItem else { return }
    setLoop(nil)
    isLooping = type == .all
    player.repeatsQueue = isLooping && items.count > 1 && !items.isLoading
    guard type == .one || isLooping && items.count == 1 else { return }
    let whole = TimeRange(start: .zero, duration: item.duration)
    setLoop(PreviewModel.Loop(start: whole.start, end: whole.end))
    player.loopRange = whole
    // A sound of less than 10 ms is no loop.
    if player.loopRange == nil { setLoop(nil) }
  }
}
