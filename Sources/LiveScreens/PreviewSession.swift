import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import NowPlaying
import Playback
import SystemPackage
import Terminal
import Threads

/// The loop of a preview, which waits for keys, signals, the player and the time.
package final class PreviewSession: LiveSession {
  /// How a preview ended.
  package enum End: Sendable {
    /// All entries were heard, or `q` was pressed.
    case heard
    /// The device has failed.
    case failed(Failure)
    /// A signal has come.
    case signal(Int32)
  }

  private let report: (Diagnostic) -> Void
  private let deviceHelp: String
  let console: Console
  private let inbox: Inbox<PreviewMessage>
  private var controls: PreviewControls
  private var view: PreviewView
  private let remote: PreviewRemote?
  private var keys = PreviewKeys()
  /// Nil before the end.
  private var end: End?
  /// Entries that could not be played.
  package private(set) var failures: PreviewFailures
  private var hadDevice = false
  /// Whether the player's stop was reported, and with it all earlier events.
  private var hasStopped = false
  /// Items whose failure was printed.
  private var failedItems: Set<ObjectIdentifier> = []
  /// Whether the preview stays open, paused, after the last entry.
  private let keepsOpen: Bool
  /// Asks for another version of the entries, since a medium has changed; nil: nobody makes one.
  private let renew: ((PlayerItem) -> Void)?
  /// Whether the job files are followed: a medium that is not what it was will be again.
  private let follows: Bool
  /// An item whose medium has changed or gone, and that waits for its next version.
  private var lost: PreviewControls.LostItem? {
    didSet { if lost == nil { view.waiting = nil } }
  }
  /// Items that were lost before, to be lost once.
  private var lostItems: Set<ObjectIdentifier> = []
  /// Items of which another version was asked for and has not come, and why they cannot be read.
  private var askedItems: [ObjectIdentifier: Failure] = [:]
  /// What was printed of mistakes.
  private var mistakes: PreviewMistakes?
  /// Files whose damage was printed.
  private var damages: Set<MediaLocation> = []

  /// - Parameters:
  ///   - signals: Of `Console.catchSignals`, since before the player was made.
  ///   - inbox: The messages of other threads.
  ///   - controls: The controls of the player.
  ///   - view: The screen, or the lines.
  ///   - remote: The commands of other programs; nil: there are none.
  ///   - failures: What could not be played before.
  ///   - deviceHelp: The remedy for a device that cannot be opened.
  ///   - keepsOpen: Whether the preview stays open, paused, after the last entry.
  ///   - following: Whether job files are followed, and what asks for another version of the entries;
  ///     nil: nobody makes one.
  ///   - report: Prints a message.
  package init(
    signals: SignalQueue, inbox: Inbox<PreviewMessage>, controls: PreviewControls,
    view: PreviewView, remote: PreviewRemote?, failures: PreviewFailures, deviceHelp: String,
    keepsOpen: Bool = false, following: (follows: Bool, renew: (PlayerItem) -> Void)? = nil,
    report: @escaping (Diagnostic) -> Void
  ) {
    (self.failures, self.deviceHelp, self.report) = (failures, deviceHelp, report)
    (self.keepsOpen, follows, renew) = (keepsOpen, following?.follows == true, following?.renew)
    console = Console(signals, drawingOn: .output)
    self.inbox = inbox
    self.controls = controls
    self.view = view
    self.view.hasKeys = console.hasKeyboard
    self.remote = remote
  }

  /// Plays to the end.
  ///
  /// - Returns: How it ended.
  package func run() -> End {
    console.enter()
    defer { console.end() }
    // Its `update` throws nothing.
    try? runLoop()
    // Silence first.
    let place = controls.player.currentTime
    // The report that there is a device may still be on its way.
    let hadDevice = hadDevice || controls.player.device.format != nil
    controls.player.pause()
    view.close(controls, at: hadDevice ? place : nil)
    controls.outputs.end()
    remote?.end(inbox.takeAll())
    return end ?? .heard
  }

  var messageDescriptor: Int32 { inbox.descriptor }
  var drawingPause: Int32 { view.pause(controls) }
  var isOver: Bool { end != nil }

  func update() {
    for message in inbox.takeAll() { handle(message) }
    if end == nil { endIfHeard() }
    if controls.tour != nil { advanceTour() }
    remote?.publish(controls)
    if end == nil, console.isTaken || !view.isScreen { view.update(controls, keys) }
  }

  // MARK: Keys and signals

  func press(_ key: Key) {
    view.message = nil
    if let command = keys.command(for: key) { perform(command) }
  }

  @discardableResult
  private func perform(_ command: PlayerCommand) -> RemoteCommandHandlerStatus {
    switch command {
    case .quit: end = .heard
    case .clear: view.clear(controls)
    default:
      if lost != nil { giveUpLost() }
      let status = controls.perform(command)
      view.message = controls.message
      return status
    }
    return .success
  }

  private func perform(_ request: PreviewRemoteRequest) {
    guard let remote else { return }
    let status: RemoteCommandHandlerStatus =
      switch remote.command(of: request) {
      case nil: .noSuchContent
      case .some(.quit): perform(.quit)
      case .some where controls.player.currentItem == nil: .noActionableNowPlayingItem
      case .some(let command): perform(command)
      }
    remote.answer(request, status, controls)
  }

  private func advanceTour() {
    controls.message = nil
    controls.advanceTour()
    if let message = controls.message { view.message = message }
  }

  func end(by signal: Int32) { end = .signal(signal) }

  func resize() { view.isStale = true }

  func redrawBelow() { view.redrawBelow() }

  func suspend() -> (() -> Void)? {
    let wasPlaying = controls.isPlaying
    controls.setPlaying(false)
    view.update(controls, keys)
    remote?.publish(controls)
    // The writing thread needs a moment to drop the device's frames.
    console.leave()
    usleep(50_000)
    return { if wasPlaying { self.controls.setPlaying(true) } }
  }

  // MARK: The player

  private func handle(_ message: PreviewMessage) {
    switch message {
    case .loaded:
      controls.hasLoaded()
      remote?.entriesHaveChanged(controls)
    case .remote(let request): perform(request)
    // What it changes is published after all messages.
    case .coverFound: break
    case .encoding(let percent): view.message = "encoding: \(percent) %"
    case .encoded(let encoded):
      controls.take(encoded)
      view.message = controls.message
    case .refused(let failure, let entry): fail(failure, of: entry)
    case .noted(let text): view.interrupt { StandardStream.error.write(text + "\n") }
    case .changed(let change): take(change)
    case .notRenewed(let item, let failure): giveUp(item, for: failure)
    case .mistaken(let mistakes): show(mistakes)
    case .warned(let warning): say(Diagnostic(warning))
    case .session(let event):
      view.show(controls.take(event), controls)
    case .player(let event):
      switch event {
      case .itemBegan(let item):
        // What follows a lost item is not heard in its place.
        if let lost, item !== lost.item { controls.player.pause() }
        controls.itemBegan(item)
      case .timeControlStatusChanged(let status, _): hasStopped = status == .paused
      case .deviceFound: (hadDevice, controls.formerDevice) = (true, nil)
      case .itemFailed(let item, let failure):
        // Of a version before.
        guard controls.items.index(of: item) != nil else { break }
        if lose(item, for: failure) { break }
        controls.itemFailed(item)
        fail(failure, of: item)
      case .damaged(let item, var warning):
        // As in a run: once for each file, in whichever entries it is.
        guard damages.insert(warning.location ?? .file(FilePath(item.name))).inserted else { break }
        let entry = controls.items.entry(of: item)?.made?.entry
        if warning.origin == .unknown { warning.origin = entry?.origin ?? .unknown }
        say(Diagnostic(warning), of: entry)
      case .deviceLost(let failure?):
        if let former = controls.formerDevice {
          controls.goBack(toDevice: former, for: failure)
          return view.message = controls.message
        }
        // No sound was heard: the device is not disconnected, but wrong.
        if !hadDevice { finish(by: failure, help: deviceHelp) }
      case .deviceFailed(let failure): finish(by: failure)
      default: break
      }
      if end == nil { view.show(event, controls) }
    }
  }

  /// Reports that an item cannot be played: once, also if the queue repeats.
  private func fail(_ failure: Failure, of item: PlayerItem) {
    guard failedItems.insert(ObjectIdentifier(item)).inserted else { return }
    let entry = controls.items.entry(of: item)?.made?.entry
    fail(failure.placed(at: entry?.origin ?? .unknown), of: entry)
  }

  private func fail(_ failure: Failure, of entry: PreviewEntry?) {
    failures.add(failure)
    say(Diagnostic(failure), of: entry)
  }

  /// Ends the preview for a failure of the device.
  private func finish(by failure: Failure, help: String? = nil) {
    var diagnostic = Diagnostic(failure)
    diagnostic.help = help
    say(diagnostic)
    end = .failed(failure)
  }

  private func say(_ diagnostic: Diagnostic, of entry: PreviewEntry? = nil) {
    view.interrupt { (entry?.report ?? report)(diagnostic) }
  }

  /// Ends the preview after the last entry. The player stops by itself after the last entry of its
  /// queue, or if that cannot be played. Its events decide: its state is ahead of them, and
  /// failures come first.
  private func endIfHeard() {
    guard hasStopped, controls.isPlaying, controls.player.timeControlStatus == .paused, lost == nil
    else { return }
    // Read first: an entry may be queued right after `beginNext`.
    let isLoading = controls.items.isLoading
    if controls.beginNext() {
      hasStopped = false
    } else if !isLoading {
      guard keepsOpen else { return end = .heard }
      // As mpv's keep-open: paused at the end.
      controls.setPlaying(false)
      view.message = "the end: space plays again, q quits"
    }
  }

  // MARK: Another version of the entries

  /// Takes over another version of the entries.
  private func take(_ change: Playlist.Difference) {
    view.isStale = true
    let isFound = controls.take(change, lost: lost)
    if let lost, isFound || controls.items.index(of: lost.item) == nil { self.lost = nil }
    if isFound { hasStopped = false }
    if let message = controls.message { view.message = message }
    remote?.versionHasChanged(controls)
    // Of what is gone, another item may have the identity now.
    let present = Set(controls.items.items.map { ObjectIdentifier($0) })
    failedItems.formIntersection(present)
    // Without job files that are followed, each version is one of a single item.
    if follows { askedItems.removeAll() }
    askedItems = askedItems.filter { present.contains($0.key) }
    lostItems.formIntersection(present)
  }

  /// Shows what is wrong with the job files, or that nothing is any more.
  private func show(_ mistakes: PreviewMistakes?) {
    view.notice = mistakes?.summary
    defer { self.mistakes = mistakes }
    if let mistakes, !view.isScreen, mistakes != self.mistakes {
      view.interrupt { StandardStream.error.write(mistakes.text + "\n") }
    }
  }

  /// Whether an item that failed is lost: its medium was changed, and what is there now is played as
  /// soon as its item is made. The first one of several is waited for, and then the next one; other
  /// versions of all are asked for meanwhile.
  private func lose(_ item: PlayerItem, for failure: Failure) -> Bool {
    let identity = ObjectIdentifier(item)
    guard let renew, failure.remedy == .tryAgain, failure.path != nil,
      askedItems[identity] != nil || lostItems.insert(identity).inserted
    else { return false }
    if lost == nil { wait(for: item, failure) }
    if askedItems.updateValue(failure, forKey: identity) == nil { renew(item) }
    return true
  }

  /// Waits for the next version of a lost item, in whose place nothing else is heard.
  private func wait(for item: PlayerItem, _ failure: Failure) {
    let player = controls.player
    let time = player.currentItem === item ? player.currentTime : .zero
    lost = PreviewControls.LostItem(
      item: item, time: time, end: player.renderedEnd(of: item) ?? time, failure: failure)
    view.show(
      waiting: "'\(item.name.printable)' has changed: waiting until it can be read",
      hint: "; a key goes on without it")
  }

  /// Notes that there is no other version of an item that was lost.
  private func giveUp(_ item: PlayerItem, for failure: Failure?) {
    let asked = askedItems.removeValue(forKey: ObjectIdentifier(item))
    if lost?.item === item {
      if let failure { lost?.failure = failure }
      giveUpLost(for: controls.items.items.first { askedItems[ObjectIdentifier($0)] != nil })
    } else if let asked, controls.items.index(of: item) != nil {
      fail(failure ?? asked, of: item)
    }
  }

  /// Reports a lost item as one that failed, and goes on without it, or waits for `next`.
  private func giveUpLost(for next: PlayerItem? = nil) {
    guard let lost else { return }
    self.lost = nil
    askedItems[ObjectIdentifier(lost.item)] = nil
    controls.itemFailed(lost.item)
    fail(lost.failure, of: lost.item)
    if let next, let failure = askedItems[ObjectIdentifier(next)] {
      return wait(for: next, failure)
    }
    if controls.player.currentItem !== lost.item { controls.playAgain() }
  }
}
