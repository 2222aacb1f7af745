import ArgumentParser
import Diagnosis
import Glibc
import JobFile
import MediaComposition
import MediaTime
import Playback
import SystemPackage
import Terminal
import Threads

/// The loop of a preview, which waits for keys, signals, the player and the time.
final class PreviewSession {
  /// A message of another thread to the loop.
  enum Message: Sendable {
    case player(PlayerEvent)
    /// An entry cannot be played.
    case refused(Failure)
    /// A warning about an entry's file.
    case warned(Warning)
    /// All entries that can be played are in the queue.
    case loaded
  }

  private let door: Door
  private let console: Console
  private let inbox: Inbox<Message>
  private var controls: PreviewControls
  private var view: PreviewView
  private var keys = PreviewKeys()
  /// The exit status; nil before the end.
  private var status: Int32?
  private var failures: Int
  private var hadDevice = false
  /// Whether the player's stop was reported, and with it all earlier events.
  private var hasStopped = false
  /// Items whose failure was printed.
  private var failedItems: Set<ObjectIdentifier> = []
  /// Files whose damage was printed.
  private var damages: Set<FilePath> = []

  /// - Parameters:
  ///   - door: For messages.
  ///   - signals: Of `Console.catchSignals`, since before the player was made.
  ///   - inbox: The messages of other threads.
  ///   - controls: The controls of the player.
  ///   - view: The screen, or the lines.
  ///   - failures: The number of entries that could not be played so far.
  init(
    _ door: Door, signals: SignalQueue, inbox: Inbox<Message>, controls: PreviewControls,
    view: PreviewView, failures: Int
  ) {
    self.door = door
    console = Console(signals, drawingOn: .output)
    self.inbox = inbox
    self.controls = controls
    self.view = view
    self.failures = failures
  }

  /// Plays to the end.
  ///
  /// - Returns: The exit status.
  func run() -> Int32 {
    console.enter()
    defer { console.end() }
    while status == nil {
      console.wait(or: inbox.descriptor, milliseconds: view.pause(controls))
      if console.returns() { view.redrawBelow() }
      while let signal = console.nextSignal(), status == nil { handle(signal) }
      for key in console.keys() { press(key) }
      for message in inbox.takeAll() { handle(message) }
      if status == nil { endIfHeard() }
      if status == nil, console.isTaken || !view.isScreen {
        view.update(controls, keys)
      }
    }
    // Silence first.
    let place = controls.player.currentTime
    controls.player.pause()
    view.close(controls, at: hadDevice ? place : nil)
    let ended = status ?? 0
    return ended == 0 && failures > 0 ? Door.Status.jobFailed.rawValue : ended
  }

  // MARK: Keys

  private func press(_ key: Key) {
    let command = keys.command(for: key)
    view.isStale = true
    view.message = nil
    switch command {
    case nil: break
    case .quit: status = 0
    case .help: view.showsHelp.toggle()
    case .clear: view.clear(controls)
    case .some(let command):
      controls.perform(command)
      view.message = controls.message
    }
  }

  // MARK: Signals

  private func handle(_ signal: Int32) {
    switch signal {
    case SIGWINCH: view.isStale = true
    case SIGTSTP: stop()
    case SIGCONT:
      // Another program may have used the terminal, or still have it.
      console.enterAnew()
      view.redrawBelow()
    default: status = 128 + signal
    }
  }

  /// Ctrl-Z: silence, and the terminal for the shell until it continues the process.
  private func stop() {
    let wasPlaying = controls.isPlaying
    controls.setPlaying(false)
    view.update(controls, keys)
    // The writing thread needs a moment to drop the device's frames.
    console.leave()
    usleep(50_000)
    for signal in console.suspend() { handle(signal) }
    console.enter()
    view.redrawBelow()
    if wasPlaying { controls.setPlaying(true) }
  }

  // MARK: The player

  private func handle(_ message: Message) {
    switch message {
    case .loaded: controls.hasLoaded()
    case .refused(let failure): fail(failure)
    case .warned(let warning): say(Diagnostic(warning))
    case .player(let event):
      switch event {
      case .itemBegan(let item): controls.itemBegan(item)
      case .statusChanged(let status): hasStopped = status == .paused
      case .deviceFound: hadDevice = true
      case .itemFailed(let item, let failure):
        controls.itemFailed(item)
        // Once, also if the queue repeats.
        guard failedItems.insert(ObjectIdentifier(item)).inserted else { break }
        fail(failure.placed(at: origin(of: item)))
      case .damaged(let item, var warning):
        // As in a run: once for each file, in whichever entries it is.
        guard damages.insert(warning.path ?? FilePath(item.name)).inserted else { break }
        if warning.origin == .unknown { warning.origin = origin(of: item) }
        say(Diagnostic(warning))
      case .deviceLost(let failure?) where !hadDevice:
        // No sound was heard: the device is not disconnected, but wrong.
        end(by: failure, help: DeviceList.help(for: "preview"))
      case .deviceFailed(let failure): end(by: failure)
      default: break
      }
      if status == nil { view.show(event, controls) }
    }
  }

  private func fail(_ failure: Failure) {
    failures += 1
    say(Diagnostic(failure))
  }

  /// Ends the preview for a failure of the device.
  private func end(by failure: Failure, help: String? = nil) {
    var diagnostic = Diagnostic(failure)
    diagnostic.help = help
    say(diagnostic)
    status =
      (failure.remedy == .tryAgain ? Door.Status.temporary : Door.Status.jobFailed).rawValue
  }

  private func origin(of item: PlayerItem) -> Origin {
    controls.roster.index(of: item).map { controls.roster.entries[$0].origin } ?? .unknown
  }

  private func say(_ diagnostic: Diagnostic) {
    view.interrupt { door.report(Diagnostics(diagnostic)) }
  }

  /// Ends the preview after the last entry. The player stops by itself after the last entry of its
  /// queue, or if that cannot be played. Its events decide: its state is ahead of them, and
  /// failures come first.
  private func endIfHeard() {
    guard hasStopped, controls.isPlaying, controls.player.status == .paused else { return }
    // Read first: an entry may be queued right after `beginNext`.
    let isLoading = controls.roster.isLoading
    if controls.beginNext() {
      hasStopped = false
    } else if !isLoading {
      status = 0
    }
  }
}
