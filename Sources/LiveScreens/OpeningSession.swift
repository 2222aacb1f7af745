import ExportEngine
import Terminal
import Threads

/// The loop of a preview before there is a player: job files are read, and the first entry is opened
/// and measured, on another thread, while this one waits for keys and signals. `q` and a signal end
/// the loop at once, even if the other thread waits for a server.
package final class OpeningSession<Opened: Sendable>: LiveSession {
  /// How an opening ended.
  package enum End: Sendable {
    /// By itself: with the result, or the error, of the opening.
    case opened(Result<Opened, any Error>)
    /// `q` was pressed.
    case quit
    /// A signal has come.
    case signal(Int32)
  }

  let console: Console
  private let line: OpeningLine
  private let inbox: Inbox<Result<Opened, any Error>>
  /// Nil before the end.
  private var end: End?

  /// For the thread that opens, after a key or a signal.
  private static var patience: Duration { .milliseconds(200) }

  private init(
    _ signals: SignalQueue, _ line: OpeningLine
  ) throws(ChildProcess.SystemError) {
    console = Console(signals, drawingOn: .error)
    self.line = line
    inbox = try Inbox()
  }

  /// Opens.
  ///
  /// - Parameters:
  ///   - signals: Of `Console.catchSignals`, since before any thread was started.
  ///   - line: Drawn on the calling thread while the opening takes long; cancelled by a key or a signal.
  ///   - open: Called on a thread of its own, which may outlive the call after a key or a signal.
  /// - Returns: How it ended.
  /// - Throws: `SystemError` if the process gets no descriptor.
  package static func run(
    _ signals: SignalQueue, _ line: OpeningLine,
    _ open: @escaping @Sendable () throws -> Opened
  ) throws(ChildProcess.SystemError) -> End {
    // The console goes before the player's one takes the terminal.
    try OpeningSession(signals, line).run(open)
  }

  private func run(_ open: @escaping @Sendable () throws -> Opened) -> End {
    let inbox = inbox
    let work: @Sendable () -> Void = { inbox.put(Result(catching: open)) }
    let thread = try? Thread.spawn(name: "preview-open", work)
    // Without a thread to spare, keys and signals wait.
    if thread == nil { work() }
    console.enter()
    // Its `update` throws nothing.
    try? runLoop()
    line.end()
    console.leave()
    if case .opened? = end { return end ?? .quit }
    line.cancellation.cancel()
    MediaNetwork.cancel()
    // A library may be blocked in a system call.
    thread?.join(until: .now + Self.patience)
    return end ?? .quit
  }

  // MARK: LiveSession

  var messageDescriptor: Int32 { inbox.descriptor }
  /// Most openings take less: nothing is drawn of them.
  var drawingPause: Int32 { 200 }
  var isOver: Bool { end != nil }

  func update() {
    if end == nil, let result = inbox.takeAll().first { end = .opened(result) }
    // In the background the terminal is another program's.
    if end == nil, console.isTaken || !console.hasKeyboard { line.draw() }
  }

  func press(_ key: Key) { if key == .character("q") { end = .quit } }

  func end(by signal: Int32) { end = .signal(signal) }

  func suspend() -> (() -> Void)? {
    line.erase()
    return {}
  }
}
