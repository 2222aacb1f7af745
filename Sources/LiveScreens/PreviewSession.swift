import Diagnosis
import Glibc
import MediaComposition
import MediaTime
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
  /// Files whose damage was printed.
  private var damages: Set<MediaLocation> = []

  /// - Parameters:
  ///   - signals: Of `Console.catchSignals`, since before the player was made.
  ///   - inbox: The messages of other threads.
  ///   - controls: The controls of the player.
  ///   - view: The screen, or the lines.
  ///   - failures: What could not be played before.
  ///   - deviceHelp: The remedy for a device that cannot be opened.
  ///   - report: Prints a message.
  package init(
    signals: SignalQueue, inbox: Inbox<PreviewMessage>, controls: PreviewControls,
    view: PreviewView, failures: PreviewFailures, deviceHelp: String,
    report: @escaping (Diagnostic) -> Void
  ) {
    (self.failures, self.deviceHelp, self.report) = (failures, deviceHelp, report)
    console = Console(signals, drawingOn: .output)
    self.inbox = inbox
    self.controls = controls
    self.view = view
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
    controls.player.pause()
    view.close(controls, at: hadDevice ? place : nil)
    return end ?? .heard
  }

  var messageDescriptor: Int32 { inbox.descriptor }
  var drawingPause: Int32 { view.pause(controls) }
  var isOver: Bool { end != nil }

  func update() {
    for message in inbox.takeAll() { handle(message) }
    if end == nil { endIfHeard() }
    if end == nil, console.isTaken || !view.isScreen { view.update(controls, keys) }
  }

  // MARK: Keys and signals

  func press(_ key: Key) {
    let command = keys.command(for: key)
    view.isStale = true
    view.message = nil
    switch command {
    case nil: break
    case .quit: end = .heard
    case .help: view.showsHelp.toggle()
    case .clear: view.clear(controls)
    case .some(let command):
      controls.perform(command)
      view.message = controls.message
    }
  }

  func end(by signal: Int32) { end = .signal(signal) }

  func resize() { view.isStale = true }

  func redrawBelow() { view.redrawBelow() }

  func suspend() -> () -> Void {
    let wasPlaying = controls.isPlaying
    controls.setPlaying(false)
    view.update(controls, keys)
    // The writing thread needs a moment to drop the device's frames.
    console.leave()
    usleep(50_000)
    return { if wasPlaying { self.controls.setPlaying(true) } }
  }

  // MARK: The player

  private func handle(_ message: PreviewMessage) {
    switch message {
    case .loaded: controls.hasLoaded()
    case .refused(let failure): fail(failure)
    case .warned(let warning): say(Diagnostic(warning))
    case .session(let event):
      if let isPlaying = event.playsOn { controls.setPlaying(isPlaying) }
      view.show(event, controls)
    case .player(let event):
      switch event {
      case .itemBegan(let item): controls.itemBegan(item)
      case .timeControlStatusChanged(let status, _): hasStopped = status == .paused
      case .deviceFound: hadDevice = true
      case .itemFailed(let item, let failure):
        controls.itemFailed(item)
        // Once, also if the queue repeats.
        guard failedItems.insert(ObjectIdentifier(item)).inserted else { break }
        fail(failure.placed(at: controls.items.origin(of: item)))
      case .damaged(let item, var warning):
        // As in a run: once for each file, in whichever entries it is.
        guard damages.insert(warning.location ?? .file(FilePath(item.name))).inserted else { break }
        if warning.origin == .unknown { warning.origin = controls.items.origin(of: item) }
        say(Diagnostic(warning))
      case .deviceLost(let failure?) where !hadDevice:
        // No sound was heard: the device is not disconnected, but wrong.
        finish(by: failure, help: deviceHelp)
      case .deviceFailed(let failure): finish(by: failure)
      default: break
      }
      if end == nil { view.show(event, controls) }
    }
  }

  private func fail(_ failure: Failure) {
    failures.add(failure)
    say(Diagnostic(failure))
  }

  /// Ends the preview for a failure of the device.
  private func finish(by failure: Failure, help: String? = nil) {
    var diagnostic = Diagnostic(failure)
    diagnostic.help = help
    say(diagnostic)
    end = .failed(failure)
  }

  private func say(_ diagnostic: Diagnostic) {
    view.interrupt { report(diagnostic) }
  }

  /// Ends the preview after the last entry. The player stops by itself after the last entry of its
  /// queue, or if that cannot be played. Its events decide: its state is ahead of them, and
  /// failures come first.
  private func endIfHeard() {
    guard hasStopped, controls.isPlaying, controls.player.timeControlStatus == .paused else {
      return
    }
    // Read first: an entry may be queued right after `beginNext`.
    let isLoading = controls.items.isLoading
    if controls.beginNext() {
      hasStopped = false
    } else if !isLoading {
      end = .heard
    }
  }
}
