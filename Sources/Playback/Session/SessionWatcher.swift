import Threads

internal import PulseAudio

/// The thread of a session: it turns what the server does into events, in order.
struct SessionWatcher {
  private let core: SessionCore
  private var connection: PulseConnection?
  /// The address of the server that it is, or was, connected to.
  private var server: String?
  /// Whether the server was lost, and that was reported.
  private var isLost = false
  private var nextAttempt = ContinuousClock.now

  private static let retryPause = Duration.milliseconds(500)

  init(_ core: SessionCore) { (self.core, server) = (core, core.server) }

  /// Runs until the session is inactive.
  mutating func run() {
    while let signals = wait() {
      connect()
      for signal in signals { handle(signal) }
      updateRoute(isNewCategory: signals.contains { $0.isNewCategory })
    }
  }

  /// The next signals; nil at the end.
  private func wait() -> [SessionCore.Signal]? {
    let isConnected = connection?.isAlive == true
    return core.state.wait { state -> Monitor<SessionCore.State>.Answer<[SessionCore.Signal]?> in
      guard state.isActive else {
        (state.isRunning, state.route) = (false, nil)
        (state.causes, state.signals) = ([], [])
        return .now(nil)
      }
      let isDue = !isConnected && ContinuousClock.now >= nextAttempt
      guard isDue || !state.signals.isEmpty else {
        return .later(by: isConnected ? nil : nextAttempt)
      }
      defer { state.signals = [] }
      return .now(state.signals)
    }
  }

  // MARK: The server

  private mutating func connect() {
    if server != core.server {
      // The route is asked for anew, and a server that was left is not lost.
      (connection, server, nextAttempt) = (nil, core.server, .now)
      core.state.withLock { $0.route = nil }
    }
    if let connection, !connection.isAlive {
      self.connection = nil
      lose()
    }
    guard connection == nil, ContinuousClock.now >= nextAttempt else { return }
    nextAttempt = .now + Self.retryPause
    let core = core
    do throws(PulseError) {
      connection = try PulseConnection(
        server: server, properties: core.application,
        devicesChanged: { core.post(.devicesChanged) }, failed: { core.post(.devicesChanged) })
    } catch {
      // It is tried again; a session without a server so far has lost nothing.
      return
    }
    if isLost { core.observers.yield(.mediaServicesWereReset) }
    isLost = false
  }

  private mutating func lose() {
    isLost = true
    endInterruption { _ in true }
    // Streams have connections of their own, and may live.
    core.state.withLock { $0.route = SessionRoute.none }
    core.observers.yield(.mediaServicesWereLost)
  }

  // MARK: Signals

  private mutating func handle(_ signal: SessionCore.Signal) {
    switch signal {
    case .devicesChanged, .settingsChanged, .stream(_, .moved): break
    case .stream(let number, .corkRequested): interrupt(number, .default)
    case .stream(let number, .uncorkRequested):
      endInterruption { $0 == .init(stream: number, reason: .default) }
    case .stream(let number, .suspended(true)): interrupt(number, .deviceSuspended)
    case .stream(let number, .suspended(false)):
      endInterruption { $0 == .init(stream: number, reason: .deviceSuspended) }
    case .stream(let number, .ended):
      endInterruption { $0.stream == number }
      core.state.withLock { $0.devices[number] = nil }
    case .titleChanged:
      guard let title = core.state.withLock({ $0.title }) else { return }
      for sink in core.sinks { sink.stream.setProperties(["media.name": title]) }
    }
  }

  private func interrupt(_ stream: Int, _ reason: AudioSession.InterruptionReason) {
    let players = core.players
    let playing = players.filter { $0.timeControlStatus != .paused }
    let recording = core.recorders.filter(\.isActive)
    let isHeard = !playing.isEmpty || !recording.isEmpty
    let isFirst = core.state.withLock { state in
      defer { state.causes.insert(.init(stream: stream, reason: reason)) }
      let isFirst = state.causes.isEmpty
      state.wasPlaying = (!isFirst && state.wasPlaying) || isHeard
      return isFirst
    }
    // A player that was resumed meanwhile is interrupted anew. Observers first: so nobody takes the
    // pause for the end of a queue.
    if isFirst || isHeard { core.observers.yield(.interruption(.began(reason))) }
    for player in playing { player.pause() }
    for recorder in recording { recorder.interrupt(reason) }
  }

  private func endInterruption(_ isOver: (SessionCore.Cause) -> Bool) {
    let shouldResume: Bool? = core.state.withLock { state in
      guard !state.causes.isEmpty else { return nil }
      state.causes = state.causes.filter { !isOver($0) }
      return state.causes.isEmpty ? state.wasPlaying : nil
    }
    guard let shouldResume else { return }
    core.observers.yield(.interruption(.ended(shouldResume: shouldResume)))
    guard shouldResume else { return }
    for recorder in core.recorders { recorder.endInterruption() }
  }

  // MARK: The route

  private func updateRoute(isNewCategory: Bool) {
    guard let connection else { return }
    let devices: PulseDevices
    do throws(PulseError) {
      devices = try connection.devices()
    } catch {
      // The server's end is handled next; a server that hangs has no news.
      return
    }
    let (settings, used) = core.state.withLock { state in
      (state.settings, state.devices)
    }
    let route = SessionRoute(devices, settings, used: Set(used.values))
    let streams = Set(used.keys)
    let (previous, isSameStreams) = core.state.withLock { state in
      defer { (state.route, state.routeStreams) = (route, streams) }
      return (state.route, state.routeStreams == streams)
    }
    guard let previous, let reason = previous.reason(for: route) else { return }
    // Nobody has moved a stream that was opened at another device.
    if reason == .override, !isSameStreams, !isNewCategory { return }
    let told = isNewCategory ? .categoryChange : reason
    core.observers.yield(.routeChange(told, previousRoute: previous.description))
    for recorder in core.recorders {
      recorder.observers.yield(.routeChanged(told, previousRoute: previous.description))
    }
    if told == .oldDeviceUnavailable { for player in core.players { player.pause() } }
  }
}

extension SessionCore.Signal {
  fileprivate var isNewCategory: Bool { if case .settingsChanged = self { true } else { false } }
}
