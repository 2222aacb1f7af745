import Glibc
import JobModel
import MediaComposition
import MediaTime
import NowPlaying
import Playback

/// Controls a player by commands, and keeps the settings of the screen.
package struct PreviewControls {
  let player: QueuePlayer
  let items: PreviewItems
  /// Whether the queue begins anew after its end.
  var isLooping: Bool
  /// Whether the player is to play; it stops by itself at the end.
  private(set) var isPlaying = true
  /// Whether it is to play again after an interruption: it played before, and nobody has paused it since.
  private var resumes = false
  /// Whether it plays then although the interruption itself has paused nothing.
  private var isDue = false
  /// In decibels.
  private(set) var volume = 0
  /// In hundredths, to the right.
  private(set) var pan = 0
  /// The loop; without an end until that is set.
  var loop: PreviewModel.Loop?
  /// The identity of the loop's entry.
  var loopedEntry: Int?
  /// The tour of the joins, if one is under way.
  var tour: JoinTour?
  /// The identity of the tour's entry.
  var touredEntry: Int?
  /// The joins of the item that was asked for last.
  var knownJoins: (item: PlayerItem, ranges: [TimeRange])?
  /// The words of the item in which some were looked for last.
  var knownWords: (item: PlayerItem, words: PreviewWords)?
  /// What is looked for, and where it was found last.
  var wanted: WantedWords?
  /// The track under the cursor, from 0, while there is one.
  var trackCursor: Int?
  /// The name of the sound device.
  var device: String
  /// The device that was left for it, until it is open.
  var formerDevice: String?
  /// Opens a device by its name.
  let opener: (String) -> SinkOpener
  /// Encodes outputs.
  let outputs: EncodedOutputs
  /// The list, while it is open.
  var list: PreviewList?
  /// The marks.
  package internal(set) var marks = PreviewMarks()
  /// Where they are written; nil: nowhere.
  package internal(set) var markFiles: PreviewMarkFiles?
  /// The last item that could not be played since one was heard.
  var failedItem: PlayerItem?
  /// The number of such items.
  private var failureCount = 0
  /// A message about the last command.
  var message: String?

  private static let volumes = -60...12
  private static let pans = -100...100

  /// - Parameters:
  ///   - player: The player.
  ///   - items: The items of the preview.
  ///   - isLooping: Whether the queue begins anew after its end.
  ///   - device: The name of the sound device that is open.
  ///   - opener: Opens another device by its name.
  ///   - outputs: Encodes outputs; nil: nobody hears of them.
  ///   - markFiles: Where marks are written; nil: nowhere.
  package init(
    _ player: QueuePlayer, _ items: PreviewItems, isLooping: Bool, device: String = "default",
    opener: @escaping (String) -> SinkOpener = { SoundDevice.opener($0) },
    outputs: EncodedOutputs? = nil, markFiles: PreviewMarkFiles? = nil
  ) {
    self.outputs = outputs ?? EncodedOutputs(library: items.library) { _ in }
    self.player = player
    self.items = items
    self.isLooping = isLooping
    (self.device, self.opener) = (device, opener)
    self.markFiles = markFiles
    loop = player.loopRange.map { PreviewModel.Loop(start: $0.start, end: $0.end) }
    loopedEntry = currentEntry?.id
  }

  /// Performs a command, if it is one for the player.
  ///
  /// - Returns: `noSuchContent` for an entry that is not ready; otherwise `success`, also if a message
  ///   says that nothing was done.
  @discardableResult
  mutating func perform(_ command: PlayerCommand) -> RemoteCommandHandlerStatus {
    message = nil
    switch command {
    case .play: setPlaying(true)
    case .pause: setPlaying(false)
    case .playOrPause: setPlaying(!isPlaying)
    case .stop:
      setPlaying(false)
      seek(to: .zero)
    case .seek(.to(let time)): seek(to: time)
    case .seek(.by(let time)): seek(to: player.currentTime + time)
    case .skip(let time): skip(by: time)
    case .frame(let step): moveFrames(by: step)
    case .nextPicture: goToPicture(isNext: true)
    case .previousPicture: goToPicture(isNext: false)
    case .go(let text): go(to: text)
    case .next(let stops): next(stops)
    case .previous(let stops): previous(stops)
    case .entry(.by(let step)): goToEntry(by: step)
    case .entry(.to(let index)): return begin(entry: index) ? .success : .noSuchContent
    case .item(let step): goToItem(by: step)
    case .join(let step): goToJoin(by: step)
    case .tour: tour == nil ? beginTour() : endTour()
    case .volume(let change): changeVolume(change)
    case .pan(let step):
      pan = Self.pans.clamp(pan + step)
      player.pan = Float(pan) / 100
    case .rate(.by(let step)):
      player.speed = PlaybackSpeed(percent: player.speed.percent + step)
    case .rate(.to(let factor)):
      let limited = max(Self.rateFactors.lowerBound, min(Self.rateFactors.upperBound, factor))
      player.speed = PlaybackSpeed(limited) ?? .normal
    case .repeats(let type): setRepeat(type)
    case .mute(let index): withTrack(index) { $0.isEnabled.toggle() }
    case .solo(let index): withTrack(index) { $0.isSolo.toggle() }
    case .track(let command): perform(command)
    case .words(let command): perform(command)
    case .loopStart: startLoop()
    case .loopEnd: endLoop()
    case .noLoop: clearLoop()
    case .mark: mark()
    case .markLoop: markLoop()
    case .unmark: unmark()
    case .nameMark(let name): nameMark(name)
    case .list(let command): perform(command)
    case .encoded: toggleEncoded()
    case .leave: if tour != nil { endTour() }
    case .content, .clear, .quit: break
    }
    return .success
  }

  private mutating func changeVolume(_ change: PlayerCommand.Change<Int, Double>) {
    let step =
      switch change {
      case .by(let step): step
      case .to(let factor): volumeStep(to: factor)
      }
    volume = Self.volumes.clamp(volume + step)
    player.volume = volume == Self.volumes.lowerBound ? 0 : Float(pow(10, Double(volume) / 20))
  }

  mutating func setPlaying(_ isPlaying: Bool) {
    (self.isPlaying, resumes, isDue) = (isPlaying, false, false)
    if isPlaying { player.play() } else { player.pause() }
  }

  /// Plays again what the preview has paused by itself, if it is to play: during an interruption, after
  /// its end.
  mutating func playAgain() {
    if isPlaying { player.play() } else { isDue = resumes }
  }

  /// Follows an event of the session, as desktops' players do: an interruption pauses, and its end plays
  /// again what it has paused.
  ///
  /// - Returns: The event as it was followed: an end says whether it plays something again.
  mutating func take(_ event: AudioSession.Event) -> AudioSession.Event {
    switch event {
    case .interruption(.began):
      let (resumes, isDue) = (resumes || isPlaying, isDue)
      setPlaying(false)
      (self.resumes, self.isDue) = (resumes, isDue)
    case .interruption(.ended(let shouldResume)):
      guard resumes, shouldResume || isDue else {
        // What had stopped before goes on with the next entry, or with the item that is waited for.
        if resumes { (isPlaying, resumes) = (true, false) }
        return .interruption(.ended(shouldResume: false))
      }
      setPlaying(true)
      return .interruption(.ended(shouldResume: true))
    case .routeChange(.oldDeviceUnavailable, _): setPlaying(false)
    default: break
    }
    return event
  }

  // MARK: The queue

  /// The entry that is heard, or that is next.
  var currentEntry: PlaylistEntry? { items.entry(of: player.currentItem) }

  /// Continues with an entry that was queued after the player had stopped at the end, or because
  /// the last entry could not be played.
  ///
  /// - Returns: Whether there is one.
  mutating func beginNext() -> Bool {
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
  mutating func itemFailed(_ item: PlayerItem) {
    failedItem = item
    failureCount += 1
    // A queue without any sound must not repeat for ever.
    if failureCount >= player.items.count { player.repeatsQueue = false }
  }

  /// Notes that another entry is heard.
  mutating func itemBegan(_ item: PlayerItem) {
    (failedItem, failureCount) = (nil, 0)
    // A jump may be ahead of this event.
    let entry = items.entry(of: item)?.id
    if tour != nil, entry != touredEntry { tour = nil }
    if loop != nil, entry != loopedEntry { setLoop(nil) }
  }

  /// Begins to repeat the queue, after all entries are in it. A single entry loops by its range.
  func hasLoaded() { if isLooping, items.count > 1 { player.repeatsQueue = true } }
}

extension ClosedRange<Int> {
  /// The nearest number in it.
  fileprivate func clamp(_ number: Int) -> Int {
    Swift.max(lowerBound, Swift.min(upperBound, number))
  }
}
