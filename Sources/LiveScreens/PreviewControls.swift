import Glibc
import JobModel
import MediaComposition
import MediaTime
import Playback

/// Controls a player by commands, and keeps the settings of the screen.
package struct PreviewControls {
  let player: QueuePlayer
  let items: PreviewItems
  /// Whether the queue begins anew after its end.
  var isLooping: Bool
  /// Whether the player is to play; it stops by itself at the end.
  private(set) var isPlaying = true
  /// In decibels.
  private(set) var volume = 0
  /// In hundredths, to the right.
  private(set) var pan = 0
  /// The loop; without an end until that is set.
  private(set) var loop: PreviewModel.Loop?
  /// The item of the loop.
  private var loopedItem: PlayerItem?
  /// The last item that could not be played since one was heard.
  private var failedItem: PlayerItem?
  /// The number of such items.
  private var failureCount = 0
  /// A message about the last command.
  var message: String?

  private static let volumes = -60...12
  private static let pans = -100...100
  private static let rates = PlaybackSpeed.slowest.percent...PlaybackSpeed.fastest.percent

  /// - Parameters:
  ///   - player: The player.
  ///   - items: The items of the preview.
  ///   - isLooping: Whether the queue begins anew after its end.
  package init(_ player: QueuePlayer, _ items: PreviewItems, isLooping: Bool) {
    self.player = player
    self.items = items
    self.isLooping = isLooping
    loop = player.loopRange.map { PreviewModel.Loop(start: $0.start, end: $0.end) }
    loopedItem = player.currentItem
  }

  /// Performs a command, if it is one for the player.
  mutating func perform(_ command: PreviewCommand) {
    message = nil
    switch command {
    case .playOrPause: setPlaying(!isPlaying)
    case .seek(let seconds):
      player.seek(to: player.currentTime + Time(frames: Int64(seconds), rate: 1))
    case .start: player.seek(to: .zero)
    case .go(let text): go(to: text)
    case .next: next()
    case .previous: previous()
    case .volume(let step):
      volume = Self.volumes.clamp(volume + step)
      player.volume = volume == Self.volumes.lowerBound ? 0 : Float(pow(10, Double(volume) / 20))
    case .pan(let step):
      pan = Self.pans.clamp(pan + step)
      player.pan = Float(pan) / 100
    case .rate(let step):
      player.speed = PlaybackSpeed(percent: Self.rates.clamp(player.speed.percent + step))
    case .mute(let index): withTrack(index) { $0.isEnabled.toggle() }
    case .solo(let index): withTrack(index) { $0.isSolo.toggle() }
    case .loopStart: setLoop(PreviewModel.Loop(start: player.currentTime))
    case .loopEnd: endLoop()
    case .noLoop: setLoop(nil)
    case .clear, .help, .quit: break
    }
  }

  mutating func setPlaying(_ isPlaying: Bool) {
    self.isPlaying = isPlaying
    if isPlaying { player.play() } else { player.pause() }
  }

  // MARK: Places

  private mutating func go(to text: String) {
    guard let item = player.currentItem else { return }
    do throws(QuantityError) {
      let time = try PreviewTime(text)
      guard let place = time.time(in: item.duration, rate: item.sampleRate) else {
        message = time.refusal(in: item.name, lasting: item.duration)
        return
      }
      player.seek(to: place)
    } catch {
      message = error.message + (error.help.map { "; \($0)" } ?? "")
    }
  }

  /// The targets of `n` and `p` in an item.
  static func places(in item: PlayerItem) -> PreviewPlaces {
    PreviewPlaces(
      chapters: item.chapters.map(\.start), segments: item.segments.map(\.timeRange.start))
  }

  private mutating func next() {
    guard let item = player.currentItem else { return }
    if let place = Self.places(in: item).next(after: player.currentTime) {
      player.seek(to: place)
    } else if let neighbour = neighbour(of: item, 1) {
      begin(neighbour)
    } else {
      message = items.isLoading ? "the next entry is not ready yet" : "this is the last entry"
    }
  }

  private mutating func previous() {
    guard let item = player.currentItem else { return }
    if let place = Self.places(in: item).previous(before: player.currentTime) {
      player.seek(to: place)
    } else if let neighbour = neighbour(of: item, -1) {
      begin(neighbour)
    } else {
      player.seek(to: .zero)
    }
  }

  /// The entry `step` entries later; nil at the ends of a queue without a loop.
  func neighbour(of item: PlayerItem, _ step: Int) -> PlayerItem? {
    let items = items.items
    guard let index = items.firstIndex(where: { $0 === item }) else { return nil }
    let other = index + step
    if items.indices.contains(other) { return items[other] }
    return isLooping && items.count > 1 ? items[(other + items.count) % items.count] : nil
  }

  mutating func begin(_ item: PlayerItem) {
    setLoop(nil)
    player.go(to: item)
  }

  /// Continues with an entry that was queued after the player had stopped at the end, or because
  /// the last entry could not be played.
  ///
  /// - Returns: Whether there is one.
  package mutating func beginNext() -> Bool {
    let items = player.items
    let current = player.currentItem
    // The failed item may come after the one that was heard last.
    guard let index = items.lastIndex(where: { $0 === current || $0 === failedItem }) else {
      return false
    }
    // The last entry may end before all others are loaded.
    let isRound = player.repeatsQueue && failedItem == nil
    guard index + 1 < items.count || isRound else { return false }
    player.go(to: items[(index + 1) % items.count])
    player.play()
    return true
  }

  /// Notes that an entry is skipped.
  package mutating func itemFailed(_ item: PlayerItem) {
    failedItem = item
    failureCount += 1
    // A queue without any sound must not repeat for ever.
    if failureCount >= player.items.count { player.repeatsQueue = false }
  }

  /// Notes that another entry is heard.
  package mutating func itemBegan(_ item: PlayerItem) {
    (failedItem, failureCount) = (nil, 0)
    if loop != nil, item !== loopedItem { setLoop(nil) }
  }

  /// Begins to repeat the queue, after all entries are in it. A single entry loops by its range.
  package func hasLoaded() { if isLooping, items.entries.count > 1 { player.repeatsQueue = true } }

  // MARK: Loops and tracks

  mutating func setLoop(_ loop: PreviewModel.Loop?) {
    self.loop = loop
    loopedItem = player.currentItem
    player.loopRange = nil
  }

  private mutating func endLoop() {
    let start = loop?.start ?? .zero
    let end = player.currentTime
    let range = TimeRange(start: start, end: end)
    player.loopRange = start < end ? range : nil
    guard player.loopRange != nil else {
      message = "a loop ends after its start: press [ first, and ] later"
      return
    }
    loop = PreviewModel.Loop(start: start, end: end)
    player.seek(to: start)
  }

  private mutating func withTrack(_ index: Int, _ body: (PlayerItemTrack) -> Void) {
    guard let tracks = player.currentItem?.tracks, tracks.indices.contains(index) else {
      message = "there is no track \(index + 1)"
      return
    }
    body(tracks[index])
  }
}

extension ClosedRange<Int> {
  /// The nearest number in it.
  fileprivate func clamp(_ number: Int) -> Int {
    Swift.max(lowerBound, Swift.min(upperBound, number))
  }
}
