import Diagnosis
import MediaTime
import Threads

internal import PulseAudio

/// The state of a session, which its streams and its thread share. Safe from any thread.
final class SessionCore: Sendable {
  let state: Monitor<State>
  let observers = Observers<AudioSession.Event>()

  /// What the session's thread is to handle.
  enum Signal: Sendable, Hashable {
    /// A device was changed, or a stream opened or closed.
    case devicesChanged
    /// Of a stream, by its number.
    case stream(Int, PulseStreamEvent)
    /// The category was changed.
    case settingsChanged
    /// An attached player plays another item, or the thread starts.
    case titleChanged
  }

  /// A reason for silence, of one stream.
  struct Cause: Sendable, Hashable {
    let stream: Int
    let reason: AudioSession.InterruptionReason
  }

  struct State {
    /// The server's address, which is that of the last stream; nil: libpulse's default.
    var server: String?
    var settings = SessionSettings()
    var application: [String: String]
    var holding = Time.zero
    var title: String?
    /// Whether the thread is to run, and whether it does.
    var isActive = false
    var isRunning = false
    var signals: [Signal] = []
    /// Those that are being opened, and those that are open: each has an entry until its sink is
    /// released.
    var streams: [Int: WeakSink] = [:]
    var nextStream = 0
    /// The names of the devices of streams that are there.
    var devices: [Int: String] = [:]
    var players: [Attached] = []
    var recorders: [WeakRecorder] = []
    /// Nil before the thread has asked the server.
    var route: SessionRoute?
    /// The streams of that route.
    var routeStreams: Set<Int> = []
    var causes: Set<Cause> = []
    /// Whether a player played, or a recorder recorded, when the interruption began.
    var wasPlaying = false

    /// Passes something to the thread, if there is one: on a device of ALSA, there is none.
    mutating func append(_ signal: Signal) {
      guard isActive, isRunning else { return }
      switch signal {
      case .stream: signals.append(signal)
      case .devicesChanged, .settingsChanged, .titleChanged:
        // Many changes are handled as one.
        if !signals.contains(signal) { signals.append(signal) }
      }
    }
  }

  /// A player owns its sink.
  struct WeakSink {
    // The last reference may not be released with the lock: a sink's release takes it.
    weak var sink: PulseSink?
  }

  /// A recorder that belongs to the program.
  struct WeakRecorder {
    // As with a sink: a recorder's release waits for its threads, which report to observers.
    weak var recorder: Recorder?
  }

  /// A player that belongs to the program.
  struct Attached {
    // As with a sink: a player's release waits for the thread that releases its sink.
    weak var player: Player?
    let observation: PlayerObservation
  }

  init(server: String?) {
    let name = ProcessArguments.programName
    state = Monitor(
      State(server: server, application: ["application.name": name, "application.id": name]))
  }

  // MARK: For sessions

  var server: String? { state.withLock { $0.server } }

  /// Has the session use another server; nil: the one that it has.
  func use(_ server: String?) {
    guard let server else { return }
    state.withLock { state in
      guard server != state.server else { return }
      (state.server, state.route) = (server, nil)
      state.append(.devicesChanged)
    }
  }

  var settings: SessionSettings { state.withLock { $0.settings } }

  var application: [String: String] { state.withLock { $0.application } }

  var players: [Player] { state.withLock { $0.players.compactMap(\.player) } }

  var recorders: [Recorder] { state.withLock { $0.recorders.compactMap(\.recorder) } }

  var sinks: [PulseSink] { state.withLock { $0.streams.values.compactMap(\.sink) } }

  func set(_ settings: SessionSettings) {
    let isNew = state.withLock { state in
      defer { state.settings = settings }
      return settings != state.settings
    }
    if isNew { post(.settingsChanged) }
    updateProperties(of: sinks)
  }

  private func updateProperties(of sinks: [PulseSink]) {
    var properties = properties
    // An update keeps the properties that it does not name (`PA_UPDATE_REPLACE`).
    properties["filter.suppress"] = properties["filter.suppress"] ?? ""
    for sink in sinks { sink.stream.setProperties(properties) }
  }

  /// The properties of streams now.
  var properties: [String: String] {
    state.withLock { $0.settings.properties(title: $0.title) }
  }

  /// A connection of its own, for a question.
  func connection(
    patience: Duration = PulseConnection.patience
  ) throws(PulseError) -> PulseConnection {
    try PulseConnection(server: server, properties: application, patience: patience)
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
      guard case .itemBegan(let item) = event, let self else { return }
      state.withLock { $0.title = item.name }
      post(.titleChanged)
    }
    let title = player.currentItem?.name
    // What may be released now is returned, and so released without the lock.
    let (holding, before, alive) = state.withLock { state in
      let (before, alive) = (state.players, state.players.compactMap(\.player))
      state.title = title ?? state.title
      state.players.removeAll { $0.player == nil || $0.player === player }
      state.players.append(Attached(player: player, observation: observation))
      return (state.holding, before, alive)
    }
    withExtendedLifetime((before, alive)) {}
    if holding > .zero { player.preferredIOBufferDuration = holding }
  }

  func attach(_ recorder: Recorder) {
    // As above: what may be released now is released without the lock.
    let alive = state.withLock { state in
      let alive = state.recorders.compactMap(\.recorder)
      state.recorders.removeAll { $0.recorder == nil || $0.recorder === recorder }
      state.recorders.append(WeakRecorder(recorder: recorder))
      return alive
    }
    withExtendedLifetime(alive) {}
  }

  /// Opens a stream at the session's server, on the writing thread of a player.
  func open(_ request: SinkRequest, sink name: String?) throws(PulseError) -> PulseSink {
    let (number, application) = state.withLock { state in
      state.nextStream += 1
      state.streams[state.nextStream] = WeakSink()
      return (state.nextStream, state.application)
    }
    let sink: PulseSink
    let opened = properties
    do throws(PulseError) {
      // Weak: the stream belongs to a player, and may outlive the session.
      sink = try PulseSink(
        try PulseConnection(server: server, properties: application), request, device: name,
        properties: opened, report: { [weak self] in self?.post(.stream(number, $0)) },
        closed: { [weak self] in self?.close(number) })
    } catch {
      close(number)
      throw error
    }
    let device = sink.stream.deviceName
    state.withLock { state in
      state.streams[number] = WeakSink(sink: sink)
      // Unless it has been moved since.
      state.devices[number] = state.devices[number] ?? device
    }
    // They may have changed while the server was waited for.
    if properties != opened { updateProperties(of: [sink]) }
    start()
    post(.devicesChanged)
    return sink
  }

  /// Forgets a stream. What its player was interrupted by is over.
  private func close(_ number: Int) {
    state.withLock { state in
      (state.streams[number], state.devices[number]) = (nil, nil)
      state.append(.stream(number, .ended))
    }
  }

  /// Passes something to the thread; nothing happens while the session is inactive.
  func post(_ signal: Signal) {
    state.withLock { state in
      // A stream that is being closed may report something still, which nothing would end.
      if case .stream(let number, let event) = signal {
        guard state.streams[number] != nil else { return }
        if case .moved(let device) = event { state.devices[number] = device }
      }
      state.append(signal)
    }
  }

  // MARK: The thread

  /// Starts the thread, unless it runs.
  func start() {
    let isNew = state.withLock { state in
      state.isActive = true
      guard !state.isRunning else { return false }
      (state.isRunning, state.signals) = (true, [.titleChanged])
      return true
    }
    guard isNew else { return }
    do throws(Thread.SpawnError) {
      _ = try Thread.spawn(name: "audio-session") {
        var watcher = SessionWatcher(self)
        watcher.run()
      }
    } catch {
      // Without room for a thread there are no events; the next stream tries again.
      state.withLock { state in (state.isRunning, state.signals) = (false, []) }
    }
  }

  func stop() throws(Failure) {
    guard !players.contains(where: { $0.timeControlStatus != .paused }) else {
      throw Failure(
        .tryAgain, "the audio session has a player that plays; pause it, and try again")
    }
    guard !recorders.contains(where: \.isActive) else {
      throw Failure(
        .tryAgain, "the audio session has a recorder that records; pause it, and try again")
    }
    end()
  }

  /// Ends the thread, without waiting for it.
  func end() {
    state.withLock { $0.isActive = false }
  }
}
