import Diagnosis
import MediaTime
import Threads

internal import PulseAudio

/// The state of a session, which its streams and its thread share. Safe from any thread.
final class SessionCore: Sendable {
  /// The server's address; nil: libpulse's default.
  let server: String?
  let state: Monitor<State>
  let observers = SessionObservers()

  /// What the session's thread is to handle.
  enum Signal: Sendable {
    /// A device was changed, or a stream opened or closed.
    case devicesChanged
    /// Of a stream, by its number.
    case stream(Int, PulseStreamEvent)
    /// The category was changed.
    case settingsChanged
    /// An attached player plays another item.
    case titleChanged(String)
  }

  /// A reason for silence, of one stream.
  struct Cause: Sendable, Hashable {
    let stream: Int
    let reason: AudioSession.InterruptionReason
  }

  struct State {
    var settings = SessionSettings()
    var application: [String: String]
    var holding = Time.zero
    var title: String?
    /// Whether the thread is to run, and whether it does.
    var isActive = false
    var isRunning = false
    var signals: [Signal] = []
    var streams: [Int: WeakSink] = [:]
    var nextStream = 0
    /// The names of the streams' devices.
    var devices: [Int: String] = [:]
    var players: [Attached] = []
    /// Nil before the thread has asked the server.
    var route: SessionRoute?
    /// The streams of that route.
    var routeStreams: Set<Int> = []
    var causes: Set<Cause> = []
    /// Whether a player played when the interruption began.
    var wasPlaying = false
  }

  struct WeakSink {
    weak var sink: PulseSink?
  }

  struct Attached {
    weak var player: Player?
    let observation: PlayerObservation
  }

  init(server: String?) {
    self.server = server
    let name = CommandLine.arguments.first?.split(separator: "/").last.map { String($0) } ?? ""
    state = Monitor(
      State(application: ["application.name": name, "application.id": name]))
  }

  // MARK: For sessions

  var settings: SessionSettings { state.withLock { $0.settings } }

  var application: [String: String] { state.withLock { $0.application } }

  var players: [Player] { state.withLock { $0.players.compactMap(\.player) } }

  var sinks: [PulseSink] { state.withLock { $0.streams.values.compactMap(\.sink) } }

  func set(_ settings: SessionSettings) {
    state.withLock { state in
      guard settings != state.settings else { return }
      state.settings = settings
      if state.isRunning { state.signals.append(.settingsChanged) }
    }
    let properties = properties
    for sink in sinks { sink.stream.setProperties(properties) }
  }

  /// The properties of streams now.
  var properties: [String: String] {
    state.withLock { $0.settings.properties(title: $0.title) }
  }

  /// A connection of its own, for a question.
  func connection() throws(PulseError) -> PulseConnection {
    try PulseConnection(server: server, properties: application)
  }

  var currentRoute: SessionRoute {
    if let route = state.withLock({ $0.route }) { return route }
    do throws(PulseError) {
      return SessionRoute(try connection().devices(), settings, used: [])
    } catch {
      return .none
    }
  }

  func attach(_ player: Player) {
    let observation = player.addEventObserver { [weak self] event in
      if case .itemBegan(let item) = event { self?.post(.titleChanged(item.name)) }
    }
    let title = player.currentItem?.name
    let holding = state.withLock { state in
      state.title = title ?? state.title
      state.players.removeAll { $0.player == nil || $0.player === player }
      state.players.append(Attached(player: player, observation: observation))
      return state.holding
    }
    if holding > .zero { player.preferredIOBufferDuration = holding }
  }

  /// Opens a stream, on the writing thread of a player.
  func open(
    _ request: SinkRequest, server: String?, sink name: String?
  ) throws(PulseError) -> PulseSink {
    let (number, application) = state.withLock { state in
      state.nextStream += 1
      return (state.nextStream, state.application)
    }
    let connection = try PulseConnection(server: server, properties: application)
    let sink = try PulseSink(connection, request, device: name, properties: properties) {
      // Weak: the stream may outlive the session.
      [weak self] event in self?.post(.stream(number, event))
    }
    let device = sink.stream.deviceName
    state.withLock { state in
      state.streams = state.streams.filter { $0.value.sink != nil }
      state.streams[number] = WeakSink(sink: sink)
      state.devices[number] = device
      state.signals.append(.devicesChanged)
    }
    start()
    return sink
  }

  /// Passes something to the thread.
  func post(_ signal: Signal) { state.withLock { $0.signals.append(signal) } }

  // MARK: The thread

  /// Starts the thread, unless it runs.
  func start() {
    let isNew = state.withLock { state in
      state.isActive = true
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isNew else { return }
    do throws(Thread.SpawnError) {
      _ = try Thread.spawn(name: "audio-session") {
        var watcher = SessionWatcher(self)
        watcher.run()
      }
    } catch {
      // Without room for a thread there are no events; the next stream tries again.
      state.withLock { $0.isRunning = false }
    }
  }

  func stop() throws(Failure) {
    guard !players.contains(where: { $0.timeControlStatus != .paused }) else {
      throw Failure(
        .tryAgain, "the audio session has a player that plays; pause it, and try again")
    }
    end()
  }

  /// Ends the thread, without waiting for it.
  func end() {
    state.withLock { $0.isActive = false }
  }
}
