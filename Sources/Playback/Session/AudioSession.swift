import Diagnosis
import ExportEngine
import MediaTime
import Threads

internal import ALSA
internal import PulseAudio

/// How a program uses the sound of the machine, together with others (`AVAudioSession`): on
/// PulseAudio, and on PipeWire by its `pipewire-pulse`.
///
/// A session gives its streams properties, and reports what the server does to them. Players and
/// recorders that are attached pause by themselves. Plain devices of ALSA have no sessions: `setActive` refuses them, and
/// their players are played as without a session.
///
/// Safe from any thread. Events come from a thread of the session, which starts with the first stream
/// or with `setActive(true)`.
public final class AudioSession: Sendable {
  let core: SessionCore

  private static let shared = AudioSession(server: nil)

  /// The session of this process (`AVAudioSession.sharedInstance()`).
  public static func sharedInstance() -> AudioSession { shared }

  /// A session at a server.
  ///
  /// - Parameter server: Its address; nil: libpulse's default.
  package init(server: String?) { core = SessionCore(server: server) }

  deinit { core.end() }

  // MARK: Settings

  /// The category (`AVAudioSession.category`); `playback` at first. That of Apple's systems,
  /// `soloAmbient`, needs a module that not every server has.
  public var category: Category { core.settings.category }

  /// The mode (`AVAudioSession.mode`).
  public var mode: Mode { core.settings.mode }

  /// The options (`AVAudioSession.categoryOptions`).
  public var categoryOptions: CategoryOptions { core.settings.options }

  /// Sets category, mode and options (`setCategory(_:mode:options:)`), also of streams that play.
  ///
  /// The server is asked only for what a module of it does: `soloAmbient` and `duckOthers`.
  ///
  /// - Throws: `mendJob` for settings that exclude one another; `mendMachine` or `tryAgain` if the
  ///   server cannot do it. The settings stay as they were then.
  public func setCategory(
    _ category: Category, mode: Mode = .default, options: CategoryOptions = []
  ) throws(Failure) {
    let settings = SessionSettings(category, mode, options)
    try settings.check()
    guard let module = settings.neededModule else { return core.set(settings) }
    let modules: [PulseModule]
    do throws(PulseError) {
      modules = try core.connection().modules()
    } catch {
      throw Failure(error, of: module)
    }
    core.set(try settings.resolved(by: modules))
  }

  /// How servers and desktops show this program: properties `application.name`, `application.id`,
  /// such as `org.example.Player`, and `application.icon_name`, of streams that are opened later. At
  /// first, name and id are the command's.
  public func setApplication(name: String, identifier: String, iconName: String? = nil) {
    core.state.withLock { state in
      state.application["application.name"] = name
      state.application["application.id"] = identifier
      state.application["application.icon_name"] = iconName
    }
  }

  /// Begins to report events, or ends it (`setActive(_:)`). A stream of `opener` begins it, too.
  ///
  /// - Throws: `mendMachine` or `tryAgain` without a sound server, as with plain devices of ALSA; to
  ///   end it, `tryAgain` if an attached player plays or an attached recorder records; the code
  ///   `cancelled` where the task is cancelled: what was asked may still happen then.
  public func setActive(_ isActive: Bool) async throws(Failure) {
    try await onThread { [self] _ throws(Failure) in try activate(isActive) }
  }

  /// Begins to report events, or ends it: `setActive(_:)` of a program without tasks. Blocks while the
  /// server answers.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  public func setActive(_ isActive: Bool) throws(Failure) { try activate(isActive) }

  private func activate(_ isActive: Bool) throws(Failure) {
    guard isActive else { return try core.stop() }
    do throws(PulseError) {
      _ = try core.connection()
    } catch {
      throw Failure(error, of: "AudioSession")
    }
    core.start()
  }

  /// The sound that devices of attached players are to hold while they play
  /// (`setPreferredIOBufferDuration`), as `Player.preferredIOBufferDuration`.
  public var preferredIOBufferDuration: Time {
    get { core.state.withLock { $0.holding } }
    set {
      core.state.withLock { $0.holding = newValue }
      for player in core.players { player.preferredIOBufferDuration = newValue }
    }
  }

  // MARK: State

  /// The devices that the session uses, or would use (`currentRoute`); empty without a server. May
  /// wait for the server.
  public var currentRoute: RouteDescription { core.currentRoute.description }

  /// Frames a second of the output, or of the input where the category only records (`sampleRate`); 0
  /// without a device. May wait for the server.
  public var sampleRate: Double { Double(core.currentRoute.sampleRate ?? 0) }

  /// Seconds from the server to the ear, by the server's last report (`outputLatency`); 0 while
  /// nothing plays.
  public var outputLatency: Double {
    core.sinks.map(\.stream.deviceLatency).max() ?? 0
  }

  // MARK: Players

  /// The devices for `opener`: those of ALSA, `default` first, then the sinks of the sound server, as
  /// `pulse:NAME`. Waits for the server, which is left out if it takes longer than a second.
  ///
  /// - Throws: As `SoundDevice.all`.
  /// - Complexity: O(devices); queries all cards
  public func playbackDevices() async throws(Failure) -> [SoundDevice] {
    try await onThread { [self] _ throws(Failure) in try findDevices() }
  }

  /// The devices for `opener`: `playbackDevices()` of a program without tasks. Blocks while the server and
  /// the cards answer.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  public func playbackDevices() throws(Failure) -> [SoundDevice] { try findDevices() }

  private func findDevices() throws(Failure) -> [SoundDevice] {
    let devices = try SoundDevice.all(.playback)
    let sinks = (try? core.connection(patience: .seconds(1)).devices().sinks) ?? []
    return devices
      + sinks.map { SoundDevice(name: Self.sinkPrefix + $0.name, summary: $0.summary) }
  }

  /// Opens the devices of a player. Where alsa-lib's configuration has the address of a server for
  /// `default`, the session uses that server from then on.
  ///
  /// - Parameter device: `default`: the sound server, where alsa-lib's device `default` is one, and
  ///   ALSA otherwise. `pulse:`, or `pulse:NAME` with the name of a sink: the sound server. Any other
  ///   name is that of an ALSA device.
  /// - Returns: The opener for a player.
  public func opener(device: String = "default") -> SinkOpener {
    let core = core
    let plain = SoundDevice.opener(device)
    if let name = Self.sinkName(device) {
      return { request throws(Failure) in
        do throws(PulseError) {
          return try core.open(request, sink: name.isEmpty ? nil : name)
        } catch {
          throw Failure(error, of: device)
        }
      }
    }
    guard device == "default" else { return plain }
    // Settings that need the server come before the first stream.
    core.use(PCMServer.behind(device)?.address)
    return { request throws(Failure) in
      guard let server = PCMServer.behind(device) else { return try plain(request) }
      core.use(server.address)
      do throws(PulseError) {
        return try core.open(request, sink: server.device)
      } catch {
        guard error.kind == .noServer || error.kind == .libraryMissing else {
          throw Failure(error, of: device)
        }
        return try plain(request)
      }
    }
  }

  private static let sinkPrefix = "pulse:"

  /// The sink of a device's name; nil for devices of ALSA. alsa-lib's plugin has the same names.
  static func sinkName(_ device: String) -> String? {
    guard device.hasPrefix(sinkPrefix) else { return nil }
    let name = device.dropFirst(sinkPrefix.count)
    return String(name.hasPrefix("DEVICE=") ? name.dropFirst("DEVICE=".count) : name)
  }

  /// Has a player follow the session: an interruption pauses it, and so does a route change by
  /// `oldDeviceUnavailable`; streams bear the name of what it plays. The session does not keep the
  /// player.
  ///
  /// - Parameter player: A player whose devices the session opens.
  public func attach(_ player: Player) { core.attach(player) }

  /// Has a recorder follow the session: an interruption pauses it, and the end of the interruption, if it
  /// says so (`shouldResume`), continues it, unless it was paused or continued meanwhile; both are
  /// events of the recorder, and so is a route change. The session does not keep the recorder.
  ///
  /// A recorder's device is one of ALSA. A stream of the server that it reads through a plugin is given
  /// the session's role by the environment; the server interrupts streams that play, and the recorder
  /// with them. A device that disconnects is an event of the recorder in any case.
  ///
  /// - Parameter recorder: Before or while it records.
  public func attach(_ recorder: Recorder) { core.attach(recorder) }

  // MARK: Observing

  /// The events from now on. A slow reader misses the oldest of more than a thousand.
  public var events: AsyncStream<Event> { core.observers.events() }

  /// Calls `block` for each event from now on: `events` for programs without a task.
  ///
  /// - Parameter block: Called on the session's thread; it must return soon.
  /// - Returns: The observation, which lasts as long as this object.
  public func addEventObserver(
    using block: @escaping @Sendable (Event) -> Void
  ) -> PlayerObservation {
    core.observers.add(block)
  }
}
