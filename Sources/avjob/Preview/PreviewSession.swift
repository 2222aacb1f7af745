import ArgumentParser
import Glibc
import JobFile
import MediaComposition
import MediaTime
import Playback
import Threads

/// A preview while it goes on: one loop that waits for keys, signals, the player and the time.
final class PreviewSession {
  /// What other threads tell the loop.
  enum Message: Sendable {
    case player(PlayerEvent)
    /// An entry cannot be played.
    case refused(Failure)
    /// All entries are in the queue that can be.
    case loaded
  }

  private let door: Door
  private let signals: SignalQueue
  private let inbox: PreviewInbox<Message>
  private let terminal: TerminalMode
  private let hasKeys: Bool
  private var controls: PreviewControls
  private var view: PreviewView
  private var reader = KeyReader()
  private var keys = PreviewKeys()
  private var inputIsOpen: Bool
  private var lastInput = ContinuousClock.now
  /// How it ends; nil: it goes on.
  private var status: Int32?
  private var failures: Int
  private var hadDevice = false

  /// - Parameters:
  ///   - door: For messages.
  ///   - signals: Blocked since before the player was made.
  ///   - inbox: What the player and the roster tell.
  ///   - controls: Of the player.
  ///   - view: What shows it.
  ///   - failures: How much could not be played so far.
  init(
    _ door: Door, signals: SignalQueue, inbox: PreviewInbox<Message>, controls: PreviewControls,
    view: PreviewView, failures: Int
  ) {
    self.door = door
    self.signals = signals
    self.inbox = inbox
    self.controls = controls
    self.view = view
    self.failures = failures
    hasKeys = isatty(0) == 1
    inputIsOpen = hasKeys
    terminal = TerminalMode(
      input: hasKeys ? 0 : nil, output: StandardStream.output.terminal == nil ? nil : 1)
  }

  /// What follows Escape in a sequence follows sooner, also from far away.
  private static let escapePause = Duration.milliseconds(50)

  /// The signals that a preview answers.
  static let signals = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT]

  /// Plays to the end.
  ///
  /// - Returns: The exit status.
  func run() -> Int32 {
    // A reader that is gone is an error of a write, and not the end.
    signal(SIGPIPE, SIG_IGN)
    terminal.enter()
    defer { terminal.leave() }
    while status == nil {
      wait()
      while let signal = signals.next(), status == nil { handle(signal) }
      if inputIsOpen, terminal.isTaken { readKeys() }
      if controls.player.device.format != nil { hadDevice = true }
      for message in inbox.takeAll() { handle(message) }
      if status == nil { endIfHeard() }
      if status == nil, terminal.isTaken || !view.isScreen {
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

  /// Until something happens, or the screen is due.
  private func wait() {
    let input = inputIsOpen && terminal.isTaken ? Int32(0) : -1
    var polled = [input, signals.descriptor, inbox.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let pause = reader.isWaiting ? 50 : view.pause(controls)
    poll(&polled, nfds_t(polled.count), pause)
    // Nothing has followed for long enough.
    if reader.isWaiting, polled[0].revents == 0, lastInput.duration(to: .now) >= Self.escapePause {
      for key in reader.endOfPause() { press(key) }
    }
  }

  // MARK: Keys

  private func readKeys() {
    var polled = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, 0) > 0 else { return }
    var block = [UInt8](repeating: 0, count: 256)
    let count = read(0, &block, block.count)
    guard count > 0 else {
      // A terminal that was closed; it says so once more by SIGHUP.
      if count == 0 || errno != EINTR { inputIsOpen = false }
      return
    }
    lastInput = .now
    for key in reader.keys(block[..<count]) { press(key) }
  }

  private func press(_ key: Key) {
    let command = keys.command(for: key)
    view.isStale = true
    switch command {
    case nil: break
    case .quit: status = 0
    case .help: view.showsHelp.toggle()
    case .clear: view.clear()
    case .some(let command): controls.perform(command)
    }
  }

  // MARK: Signals

  private func handle(_ signal: Int32) {
    switch signal {
    case SIGWINCH: view.isStale = true
    case SIGTSTP: stop()
    case SIGCONT:
      // Whoever stopped us may have used the terminal.
      terminal.leave()
      if terminal.enter() { view.redrawBelow() }
    default: status = 128 + signal
    }
  }

  /// Ctrl-Z: silence, and the terminal is the shell's until it lets us go on.
  private func stop() {
    let wasPlaying = controls.isPlaying
    controls.setPlaying(false)
    view.update(controls, keys)
    terminal.leave()
    // What the device holds is dropped by another thread, which needs a moment to do it.
    usleep(50_000)
    signals.stopProcess()
    // Among them the one that woke us.
    while let signal = signals.next() {
      if signal != SIGCONT { handle(signal) }
    }
    if terminal.enter() { view.redrawBelow() }
    if wasPlaying { controls.setPlaying(true) }
  }

  // MARK: The player

  private func handle(_ message: Message) {
    switch message {
    case .loaded: break
    case .refused(let failure): fail(failure)
    case .player(let event):
      switch event {
      case .itemBegan(let item): controls.itemBegan(item)
      case .itemFailed(let item, let failure):
        let entry = controls.roster.index(of: item).map { controls.roster.entries[$0] }
        fail(failure.placed(at: entry?.origin ?? .unknown))
      case .deviceLost(let failure?) where !hadDevice:
        // Nobody has heard anything: it is not unplugged, but the wrong one.
        say(failure)
        status =
          (failure.remedy == .tryAgain ? Door.Status.temporary : Door.Status.jobFailed).rawValue
      default: break
      }
      if status == nil { view.tell(event, controls) }
    }
  }

  private func fail(_ failure: Failure) {
    failures += 1
    say(failure)
  }

  private func say(_ failure: Failure) {
    view.interrupt { door.report(Diagnostics(Diagnostic(failure))) }
  }

  /// The player stops by itself behind the last entry.
  private func endIfHeard() {
    guard controls.isPlaying, controls.player.status == .paused else { return }
    if controls.beginNext() { return }
    if !controls.roster.isLoading { status = 0 }
  }
}
