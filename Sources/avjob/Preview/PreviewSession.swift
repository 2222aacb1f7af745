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

/// A preview while it goes on: one loop that waits for keys, signals, the player and the time.
final class PreviewSession {
  /// What other threads tell the loop.
  enum Message: Sendable {
    case player(PlayerEvent)
    /// An entry cannot be played.
    case refused(Failure)
    /// Something is odd about an entry's file.
    case warned(Warning)
    /// All entries are in the queue that can be.
    case loaded
  }

  private let door: Door
  private let console: Console
  private let inbox: Inbox<Message>
  private var controls: PreviewControls
  private var view: PreviewView
  private var keys = PreviewKeys()
  /// How it ends; nil: it goes on.
  private var status: Int32?
  private var failures: Int
  private var hadDevice = false
  /// Whether the player has told that it stopped, and with that all that came before.
  private var hasStopped = false
  /// Of what it was said that it cannot be played.
  private var failedItems: Set<ObjectIdentifier> = []
  /// Of what it was said that it is damaged.
  private var damages: Set<FilePath> = []

  /// - Parameters:
  ///   - door: For messages.
  ///   - signals: Of `Console.catchSignals`, since before the player was made.
  ///   - inbox: What the player and the roster tell.
  ///   - controls: Of the player.
  ///   - view: What shows it.
  ///   - failures: How much could not be played so far.
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
      // Whoever stopped us may have used the terminal, also where it stays his.
      console.enterAnew()
      view.redrawBelow()
    default: status = 128 + signal
    }
  }

  /// Ctrl-Z: silence, and the terminal is the shell's until it lets us go on.
  private func stop() {
    let wasPlaying = controls.isPlaying
    controls.setPlaying(false)
    view.update(controls, keys)
    // What the device holds is dropped by another thread, which needs a moment to do it.
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
        // Once, also where the queue comes round to it again.
        guard failedItems.insert(ObjectIdentifier(item)).inserted else { break }
        fail(failure.placed(at: origin(of: item)))
      case .damaged(let item, var warning):
        // As a run says it: of each file once, whichever entries it is in.
        guard damages.insert(warning.path ?? FilePath(item.name)).inserted else { break }
        if warning.origin == .unknown { warning.origin = origin(of: item) }
        say(Diagnostic(warning))
      case .deviceLost(let failure?) where !hadDevice:
        // Nobody has heard anything: it is not unplugged, but the wrong one.
        end(by: failure, help: DeviceList.help(for: "preview"))
      case .deviceFailed(let failure): end(by: failure)
      default: break
      }
      if status == nil { view.tell(event, controls) }
    }
  }

  private func fail(_ failure: Failure) {
    failures += 1
    say(Diagnostic(failure))
  }

  /// Ends, since nothing can be heard.
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

  /// The player stops by itself behind the last entry that is there, and where the last cannot be
  /// played. Its events say so: by its state, which is ahead of them, a failure would not be known yet.
  private func endIfHeard() {
    guard hasStopped, controls.isPlaying, controls.player.status == .paused else { return }
    // First, since one may come into the queue right behind the look at it.
    let isLoading = controls.roster.isLoading
    if controls.beginNext() {
      hasStopped = false
    } else if !isLoading {
      status = 0
    }
  }
}
