import Glibc
import JobFile
import JobModel
import MediaComposition
import MediaTime
import Playback

/// Does with a player what keys ask for, and knows what has been set.
struct PreviewControls {
  let player: QueuePlayer
  let roster: PreviewItems
  /// Whether the queue begins anew after its end.
  let isLooping: Bool
  /// Whether sound is wanted; the player stops by itself at the end.
  private(set) var isPlaying = true
  /// In decibels.
  private(set) var volume = 0
  /// In hundredths, to the right.
  private(set) var pan = 0
  /// What is looped; without an end while that was not said.
  private(set) var loop: PreviewModel.Loop?
  /// Of what.
  private var loopedItem: PlayerItem?
  /// What could not be played since something was heard last.
  private var failedItem: PlayerItem?
  /// How many could not since then.
  private var failureCount = 0
  /// What there is to be read about the last command.
  var message: String?

  private static let volumes = -60...12
  private static let pans = -100...100
  private static let rates = 50...200

  /// - Parameters:
  ///   - player: What is steered.
  ///   - roster: Its entries.
  ///   - isLooping: Whether the queue begins anew after its end.
  init(_ player: QueuePlayer, _ roster: PreviewItems, isLooping: Bool) {
    self.player = player
    self.roster = roster
    self.isLooping = isLooping
    loop = player.loopRange.map { PreviewModel.Loop(start: $0.start, end: $0.end) }
    loopedItem = player.currentItem
  }

  /// Does it; what is not of the player is left to others.
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

  /// Where `n` and `p` lead in an item.
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
      message = roster.isLoading ? "the next one is not ready yet" : "nothing comes after this"
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

  /// The entry so many before or behind; nil at the end of a queue that does not begin anew.
  private func neighbour(of item: PlayerItem, _ step: Int) -> PlayerItem? {
    let items = roster.items
    guard let index = items.firstIndex(where: { $0 === item }) else { return nil }
    let other = index + step
    if items.indices.contains(other) { return items[other] }
    return isLooping && items.count > 1 ? items[(other + items.count) % items.count] : nil
  }

  private mutating func begin(_ item: PlayerItem) {
    setLoop(nil)
    player.go(to: item)
  }

  /// Goes on with an entry that came into the queue after the player had stopped behind the last, or
  /// because that could not be played.
  ///
  /// - Returns: Whether there is one.
  mutating func beginNext() -> Bool {
    let items = player.items
    let current = player.currentItem
    // The one that failed may come after the one that was heard last.
    guard let index = items.lastIndex(where: { $0 === current || $0 === failedItem }) else {
      return false
    }
    // Where the last was over before the others had been loaded, or refused.
    let isRound = player.repeatsQueue && failedItem == nil
    guard index + 1 < items.count || isRound else { return false }
    player.go(to: items[(index + 1) % items.count])
    player.play()
    return true
  }

  /// An entry is left out.
  mutating func itemFailed(_ item: PlayerItem) {
    failedItem = item
    failureCount += 1
    // A round without a sound would be followed by others without end.
    if failureCount >= player.items.count { player.repeatsQueue = false }
  }

  /// Something else is heard now.
  mutating func itemBegan(_ item: PlayerItem) {
    (failedItem, failureCount) = (nil, 0)
    if loop != nil, item !== loopedItem { setLoop(nil) }
  }

  /// All entries are in the queue: from now on the first follows the last.
  ///
  /// Not before, since it would follow one that is not the last. A single entry loops by its range.
  func hasLoaded() { if isLooping, roster.entries.count > 1 { player.repeatsQueue = true } }

  // MARK: Loops and tracks

  private mutating func setLoop(_ loop: PreviewModel.Loop?) {
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
