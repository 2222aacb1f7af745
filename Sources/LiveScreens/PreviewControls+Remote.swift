import Glibc
import MediaTime
import NowPlaying
import Playback

/// The commands of other programs.
extension PreviewControls {
  /// The speeds that may be asked for.
  static var rateFactors: ClosedRange<Double> {
    PlaybackSpeed.slowest.factor...PlaybackSpeed.fastest.factor
  }

  /// Performs a command of another program, if it is one for the player.
  mutating func perform(_ command: PreviewRemoteCommand) -> RemoteCommandHandlerStatus {
    message = nil
    guard let item = player.currentItem else { return .noActionableNowPlayingItem }
    switch command {
    case .play: setPlaying(true)
    case .pause: setPlaying(false)
    case .playOrPause: setPlaying(!isPlaying)
    case .stop:
      setPlaying(false)
      seek(to: .zero)
    case .next:
      let places = PreviewPlaces(chapters: item.chapters.map(\.start), segments: [])
      if let place = places.next(after: player.currentTime) {
        seek(to: place)
      } else {
        goToNeighbour(of: item, 1)
      }
    case .previous:
      let places = PreviewPlaces(chapters: item.chapters.map(\.start), segments: [])
      if let place = places.previous(before: player.currentTime) {
        seek(to: place)
      } else if !goToNeighbour(of: item, -1) {
        seek(to: .zero)
      }
    case .skip(let interval):
      let place = player.currentTime + interval
      if place > item.duration { goToNeighbour(of: item, 1) } else { seek(to: place) }
    case .go(let time): seek(to: time)
    case .rate(let factor):
      let limited = max(Self.rateFactors.lowerBound, min(Self.rateFactors.upperBound, factor))
      player.speed = PlaybackSpeed(percent: Int((limited * 100).rounded()))
    case .volume(let factor): setVolume(factor)
    case .repeats(let type): setRepeat(type, of: item)
    case .track, .quit, .coverFound: break
    }
    return .success
  }

  /// Goes to a track; nil: there is no such one.
  mutating func go(to target: PreviewTracks.Target?) -> RemoteCommandHandlerStatus {
    message = nil
    switch target {
    case nil: return .noSuchContent
    case .time(let time): seek(to: time)
    case .entry(let index):
      guard let item = items.item(ofEntry: index) else {
        message = "the entry is not ready yet"
        return .noSuchContent
      }
      begin(item)
    }
    return .success
  }

  /// Whether there is an entry in that direction.
  @discardableResult
  private mutating func goToNeighbour(of item: PlayerItem, _ step: Int) -> Bool {
    guard let neighbour = neighbour(of: item, step) else { return false }
    begin(neighbour)
    return true
  }

  /// Whether `next` would go somewhere, as far as that is known. O(1).
  var hasNextTrack: Bool {
    guard let item = player.currentItem, let index = items.index(of: item) else { return false }
    if let last = item.chapters.last, last.start > player.currentTime { return true }
    let count = items.entries.count
    return index + 1 < count || isLooping && count > 1
  }

  /// Decibels are whole here: a factor is rounded, and a small step is a decibel.
  private mutating func setVolume(_ factor: Double) {
    let decibels = factor > 0 ? 20 * log10(factor) : -.infinity
    // Far beyond what the volume is limited to.
    var step = Int(max(-200, min(200, decibels)).rounded()) - volume
    let present = Double(player.volume)
    if step == 0, abs(factor - present) > 0.001 { step = factor > present ? 1 : -1 }
    perform(.volume(by: step))
  }

  /// What is repeated, in the words of other programs: a loop between two places has none.
  var repeatType: RepeatType {
    if let loop, loop.start == .zero, loop.end == player.currentItem?.duration {
      return isLooping && items.entries.count == 1 ? .all : .one
    }
    return isLooping ? .all : .off
  }

  private mutating func setRepeat(_ type: RepeatType, of item: PlayerItem) {
    guard type != repeatType else { return }
    setLoop(nil)
    isLooping = type == .all
    player.repeatsQueue = isLooping && items.entries.count > 1 && !items.isLoading
    guard type == .one || isLooping && items.entries.count == 1 else { return }
    let whole = TimeRange(start: .zero, duration: item.duration)
    setLoop(PreviewModel.Loop(start: whole.start, end: whole.end))
    player.loopRange = whole
    // A sound of less than 10 ms is no loop.
    if player.loopRange == nil { setLoop(nil) }
  }
}
