import ExportEngine
import MediaTime
import Playback
import Synchronization
import Terminal
import Threads

/// The pictures of entries at the places that are heard, decoded one at a time, on a thread that yields to
/// all others.
///
/// One thread uses it. Without a thread to spare there are no pictures.
final class PreviewPictures {
  /// A decoded picture, of which no other one has the number. It keeps the lines that show it.
  final class Shown: Sendable {
    let number: Int
    let picture: TerminalPicture
    private let drawn = Mutex<Drawn?>(nil)

    private struct Drawn {
      var cells: TerminalPicture.Cells
      var way: PictureProtocol
      var lines: [String]
    }

    /// The picture of a number.
    init(_ number: Int, _ picture: TerminalPicture) {
      (self.number, self.picture) = (number, picture)
    }

    /// The lines that show it.
    func lines(_ cells: TerminalPicture.Cells, by way: PictureProtocol) -> [String] {
      drawn.withLock { drawn in
        if let drawn, drawn.cells == cells, drawn.way == way { return drawn.lines }
        let lines = picture.lines(cells, by: way)
        drawn = Drawn(cells: cells, way: way, lines: lines)
        return lines
      }
    }
  }

  private struct Request {
    // Weak: a picture does not keep an item that has left the queue.
    weak var item: PlayerItem?
    let time: Time
  }

  /// The pictures of an item.
  private final class Source {
    private(set) weak var item: PlayerItem?
    let stills: PictureStills?

    init(_ item: PlayerItem, unless cancellation: CancellationFlag) {
      self.item = item
      stills = item.pictureStills(unless: cancellation)
    }
  }

  private struct State {
    /// What is to be decoded next.
    var request: Request?
    var isDecoding = false
    weak var item: PlayerItem?
    /// The last picture of `item`; nil: none can be shown.
    var shown: Shown?
    var count = 0
    var isEnded = false
  }

  private let state = Monitor(State())
  private let cancellation = CancellationFlag()
  private var thread: Thread?
  /// What was asked for last.
  private weak var item: PlayerItem?
  private var time: Time?
  private var lastRequest: ContinuousClock.Instant?
  /// Whether another picture is to be asked for.
  private var isBehind = false
  /// How many pictures were decoded when one was last given out.
  private var seenCount = 0

  /// At most three pictures a second.
  private static let pause = Duration.milliseconds(333)

  /// Whether a picture is still to come, although nothing else moves.
  var isAwaited: Bool {
    guard thread != nil, !isBehind else { return isBehind }
    return state.withLock { $0.request != nil || $0.isDecoding || $0.count != seenCount }
  }

  deinit {
    cancellation.cancel()
    state.withLock { $0.isEnded = true }
  }

  /// The picture of an item that was decoded last; asks for that of a time, if there is another one.
  ///
  /// - Returns: The picture; nil before it is there, and for an item without any, or with media of
  ///   servers, of which nothing is fetched for a picture.
  func picture(
    of item: PlayerItem, at time: Time, now: ContinuousClock.Instant
  ) -> Shown? {
    guard let plan = item.picture, !item.isRemote else {
      isBehind = false
      return nil
    }
    let still = plan.stills.last { $0.start <= time }
    let start = still?.start ?? plan.frame(at: time)?.start ?? time
    if item !== self.item || start != self.time {
      isBehind = true
      if lastRequest.map({ $0.duration(to: now) >= Self.pause }) ?? true {
        (self.item, self.time, lastRequest, isBehind) = (item, start, now, false)
        ask(Request(item: item, time: start))
      }
    } else {
      isBehind = false
    }
    let (shown, count) = state.withLock { ($0.item === item ? $0.shown : nil, $0.count) }
    seenCount = count
    return shown
  }

  private func ask(_ request: Request) {
    state.withLock { $0.request = request }
    guard thread == nil else { return }
    thread = try? Thread.spawn(name: "preview-picture", urgency: .idle) {
      [state, cancellation] in Self.decode(state, cancellation)
    }
  }

  private static func decode(_ state: Monitor<State>, _ cancellation: CancellationFlag) {
    var source: Source?
    while let request = nextRequest(of: state) {
      guard let item = request.item else {
        source = nil
        state.withLock { $0.isDecoding = false }
        continue
      }
      if source?.item !== item { source = Source(item, unless: cancellation) }
      // What cannot be read is reported when it is heard.
      let image = try? source?.stills?.image(at: request.time)
      let picture = image.flatMap {
        TerminalPicture(width: $0.width, height: $0.height, pixels: $0.pixels)
      }
      state.withLock { state in
        state.isDecoding = false
        // A picture that has not changed keeps its number, and what was drawn of it.
        guard state.item !== item || state.shown?.picture != picture else { return }
        state.count += 1
        state.item = item
        state.shown = picture.map { Shown(state.count, $0) }
      }
    }
  }

  /// What is to be decoded next, as soon as something is; nil at the end.
  private static func nextRequest(of state: Monitor<State>) -> Request? {
    state.wait { state -> Request?? in
      if state.isEnded { return .some(nil) }
      guard let request = state.request else { return nil }
      (state.request, state.isDecoding) = (nil, true)
      return .some(request)
    }
  }

  /// Ends the decoding that is under way, and waits for its thread for a moment.
  func end() {
    cancellation.cancel()
    state.withLock { $0.isEnded = true }
    thread?.join(until: .now + .milliseconds(200))
  }
}
