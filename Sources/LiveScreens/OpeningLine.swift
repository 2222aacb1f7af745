import ExportEngine
import Reports
import Synchronization
import Terminal
import Threads

/// The line on standard error, where that is a terminal, that shows what a preview opens, measures and
/// fetches before anything is heard.
///
/// Safe from any thread.
package final class OpeningLine: Sendable {
  private struct State {
    var text = OpeningText()
    /// Nil: nothing.
    var shown: String?
    var isOver = false
    var lastMoment: ContinuousClock.Instant?

    mutating func erase() {
      guard shown != nil else { return }
      shown = nil
      StandardStream.error.write("\r\u{1B}[K")
    }
  }

  private let state = Mutex(State())
  /// Ends the measuring.
  let cancellation = CancellationFlag()

  /// Nothing is shown yet.
  package init() {}

  /// Between two drawings; a clock of 200 ms wakes a little early or late.
  private static let pause = Duration.milliseconds(180)

  /// Notes that an entry is opened.
  package func open(_ entry: PreviewEntry) {
    let text =
      if let url = entry.medium?.url {
        OpeningText(
          "\(url.host)/\(url.lastComponent)",
          receivedBefore: MediaNetwork.transfer.receivedBytes)
      } else {
        OpeningText(entry.name)
      }
    state.withLock { $0.text = text }
  }

  /// Notes that job files are read.
  package func read(_ names: String) { state.withLock { $0.text = OpeningText(names) } }

  /// Notes the share that is measured of an entry.
  func measure(_ name: String, _ share: Double) {
    state.withLock { state in
      // The first share replaces the opening with the next drawing.
      if state.text.share == nil { state.lastMoment = nil }
      state.text.measure(name, share)
    }
  }

  /// Measuring that is shown, and that ends with the opening.
  package var measuring: PreviewMeasuring { PreviewMeasuring(cancellation, progress: measure) }

  /// Erases the line, and runs `body`, which writes something else. After a cancellation it is not
  /// run: messages report the cancellation then.
  package func interrupt(_ body: () -> Void) {
    if cancellation.isCancelled { return }
    state.withLock { state in
      state.erase()
      body()
    }
  }

  /// Draws the line, some times a second.
  func draw() {
    guard let terminal = StandardStream.error.terminal else { return }
    let now = ContinuousClock.now
    state.withLock { state in
      guard !state.isOver, state.lastMoment.map({ now - $0 >= Self.pause }) ?? true else { return }
      state.lastMoment = now
      let line = state.text.line(
        columns: terminal.columns, MediaNetwork.transfer, at: now, in: terminal.characters)
      guard line != state.shown else { return }
      state.shown = line
      StandardStream.error.write("\r\(line)\u{1B}[K")
    }
  }

  /// Removes the line, until it is drawn again.
  func erase() { state.withLock { $0.erase() } }

  /// Removes the line for good.
  func end() {
    state.withLock { state in
      state.erase()
      state.isOver = true
    }
  }
}

/// What the line says.
struct OpeningText {
  /// The entry.
  private var name: String
  /// The share that is measured; nil: it is opened.
  private(set) var share: Double?
  private var meter = FetchMeter()
  /// Bytes that this process had received before it asked the entry's server; nil: the entry has none.
  private let receivedBefore: Int64?

  /// The text for an entry that is opened.
  init(_ name: String = "", receivedBefore: Int64? = nil) {
    (self.name, self.receivedBefore) = (name, receivedBefore)
  }

  /// Notes the share that is measured.
  mutating func measure(_ name: String, _ share: Double) {
    (self.name, self.share) = (name, share)
  }

  /// `opening example.org/a.wav, fetching 1.2 MB of 5.8 MB, 2.1 MB/s, 0:02 left`, narrower than so
  /// many columns: a line that is wrapped could not be drawn over.
  mutating func line(
    columns: Int, _ transfer: MediaNetwork.Transfer, at now: ContinuousClock.Instant,
    in characters: CharacterSet = .unicode
  ) -> String {
    let before = share == nil ? "opening " : "measuring "
    var after = share.map { ": \(Int($0 * 100)) %" } ?? ""
    if let fetching = meter.line(for: transfer, at: now) {
      after += ", " + fetching
    } else if share == nil, transfer.receivedBytes == receivedBefore {
      after += ", waiting for the server"
    }
    let room = columns - 1 - before.columns - after.columns
    let name = characters.text(name.printable)
      .shortened(to: max(0, room), marking: characters.ellipsis)
    return (before + name + after)
      .shortened(to: max(0, columns - 1), marking: characters.ellipsis)
  }
}
