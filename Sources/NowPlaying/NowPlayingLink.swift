import DBus
import Glibc
import Synchronization
import Threads

/// The thread of a session, which joins the bus and stays on it.
final class NowPlayingLink: Sendable {
  private let core: NowPlayingCore
  private let commands: RemoteCommandCenter
  private let application: String
  private let identity: String
  private let isEnded = CancellationFlag()
  private let state = Mutex(State())

  private struct State {
    var busName: String?
    var wakeUp: WakeUp?
  }

  /// Before the bus is tried again: after its end, and after each attempt in vain.
  private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(5), .seconds(30)]

  init(
    _ core: NowPlayingCore, _ commands: RemoteCommandCenter, application: String, identity: String
  ) {
    (self.core, self.commands) = (core, commands)
    (self.application, self.identity) = (application, identity)
  }

  var busName: String? { state.withLock { $0.busName } }

  /// Joins the bus of an address; nil: the session's.
  ///
  /// - Returns: Nil where the process has no thread or descriptor to spare.
  func start(onBusAt address: String?) -> Thread? {
    guard !isEnded.isCancelled, let wakeUp = try? WakeUp() else { return nil }
    state.withLock { $0.wakeUp = wakeUp }
    core.setAlarm(wakeUp)
    return try? Thread.spawn(name: "now-playing") { self.run(wakeUp, address) }
  }

  func end() {
    isEnded.cancel()
    core.setAlarm(nil)
    state.withLock { $0.wakeUp }?.signal()
  }

  private func run(_ wakeUp: WakeUp, _ address: String?) {
    // A session has its bus from its start: one that is not there does not come.
    guard serve(wakeUp, address) else { return }
    var attempts = 0
    while !isEnded.isCancelled {
      pause(Self.pauses[min(attempts, Self.pauses.count - 1)], wakeUp)
      attempts = serve(wakeUp, address) ? 0 : attempts + 1
    }
  }

  private func pause(_ duration: Duration, _ wakeUp: WakeUp) {
    let end = ContinuousClock.now + duration
    while !isEnded.isCancelled {
      let rest = ContinuousClock.now.duration(to: end)
      guard rest > .zero else { return }
      wakeUp.wait(milliseconds: Int32(rest / .milliseconds(1)) + 1)
    }
  }

  /// Joins the bus, and answers calls until the bus or the session ends.
  ///
  /// - Returns: Whether the bus was joined.
  private func serve(_ wakeUp: WakeUp, _ address: String?) -> Bool {
    guard !isEnded.isCancelled else { return false }
    var hasJoined = false
    do throws(DBusError) {
      let connection = try DBusConnection.open(at: address)
      let object = MediaPlayerObject(
        core, commands, application: application, identity: identity)
      let interfaces = MediaPlayerInterfaces.all(
        hasDesktopEntry: DesktopEntry.isInstalled(application))
      // Before the name: those who wait for it call at once.
      try connection.export(object, at: MediaPlayerInterfaces.path, interfaces)
      var announcer = MediaPlayerAnnouncer(object, core)
      let name = try takeName(on: connection)
      hasJoined = true
      state.withLock { $0.busName = name }
      while !isEnded.isCancelled {
        // Cleared before the state is read, so that no change is missed.
        wakeUp.clear()
        try announcer.announce(on: connection)
        if try !connection.process() { try connection.wait(orReadable: wakeUp.descriptor) }
      }
    } catch {
      // There is no bus, or no more.
    }
    state.withLock { $0.busName = nil }
    return hasJoined
  }

  /// Takes the program's name or, if another process has it, one with this process's number.
  private func takeName(on connection: DBusConnection) throws(DBusError) -> String {
    let name = MediaPlayerInterfaces.root + "." + application
    if try connection.requestName(name) { return name }
    // A process may have several sessions.
    for number in 1...100 {
      let instance = "\(name).instance\(getpid())" + (number > 1 ? "_\(number)" : "")
      if try connection.requestName(instance) { return instance }
    }
    throw .failed("no name is free")
  }
}

/// The entry of a program in menus (Desktop Entry Specification).
enum DesktopEntry {
  /// Whether `NAME.desktop` is where menus look (XDG Base Directory Specification).
  static func isInstalled(_ name: String) -> Bool {
    let home = variable("XDG_DATA_HOME") ?? variable("HOME").map { $0 + "/.local/share" }
    let shared = variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
    let folders = [home].compactMap { $0 } + shared.split(separator: ":").map(String.init)
    return folders.contains { access("\($0)/applications/\(name).desktop", R_OK) == 0 }
  }

  /// Nil if it is not set, or empty.
  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
