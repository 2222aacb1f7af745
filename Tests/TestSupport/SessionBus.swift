import Glibc
import Synchronization
import Threads

/// A bus for one test, as a user's session has one: dbus-daemon, which starts no services. It ends
/// with this object, or with this process.
public final class SessionBus: Sendable {
  /// For `DBUS_SESSION_BUS_ADDRESS`.
  public var address: String { "unix:path=\(folder.path("bus"))" }

  private let folder = TestFolder()
  private let programs = Mutex<[ShellProgram]>([])

  deinit { stop() }

  /// Starts it.
  ///
  /// - Throws: `ToolFailure`, `ChildProcess.SystemError`, `WaitFailure`
  public init() throws {
    let configuration = """
      <busconfig>
        <type>session</type>
        <listen>\(address)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
      </busconfig>
      """
    try writeFile(folder.path("bus.conf"), Array(configuration.utf8))
    try start()
  }

  /// Starts it again, at the same address.
  ///
  /// - Throws: As `init`.
  public func start() throws {
    let program = try ShellProgram(
      #"dbus-daemon --config-file="$0/bus.conf" --nofork"#, folder.root)
    programs.withLock { $0 = [program] }
    try wait(until: "the bus answers") { try busctl("list").status == 0 }
  }

  /// Ends it, with all connections.
  public func stop() {
    programs.withLock { $0 = [] }
    unlink(folder.path("bus"))
  }

  /// Runs systemd's `busctl` on this bus.
  ///
  /// - Throws: `ToolFailure` where it cannot be started.
  public func busctl(_ arguments: String...) throws -> ToolResult {
    try busctl(arguments)
  }

  /// The same.
  public func busctl(_ arguments: [String]) throws -> ToolResult {
    try Tool.run(["busctl", "--address=\(address)"] + arguments)
  }

  /// Runs `playerctl` on this bus.
  ///
  /// - Throws: `ToolFailure` where it cannot be started.
  public func playerctl(_ arguments: String...) throws -> ToolResult {
    try Tool.run(["playerctl"] + arguments, environment: ["DBUS_SESSION_BUS_ADDRESS": address])
  }

  /// Writes down what is sent on this bus from now on.
  ///
  /// - Throws: `ToolFailure`, `ChildProcess.SystemError`, `WaitFailure`
  public func monitor(_ match: String) throws -> BusMonitor { try BusMonitor(of: self, match) }
}

/// A program that ends with this object, or with this process.
private final class ShellProgram: Sendable {
  private let process: Mutex<ChildProcess>

  init(_ script: String, _ arguments: String...) throws {
    // The shell ends it with this process, which closes the shell's input however it ends.
    process = Mutex(
      try ChildProcess.spawn(
        "/bin/sh", arguments: ["-c", script + " & cat > /dev/null; kill $!"] + arguments))
  }

  deinit {
    process.withLock { process in
      // With the programs of the shell.
      kill(-process.id, SIGKILL)
      _ = process.wait()
    }
  }
}

/// The messages of a bus, as `dbus-monitor` shows them.
public final class BusMonitor: Sendable {
  private let folder = TestFolder()
  private let program: ShellProgram

  fileprivate init(of bus: SessionBus, _ match: String) throws {
    program = try ShellProgram(
      #"dbus-monitor --address "$1" "$2" > "$0""#, folder.path("messages"), bus.address, match)
    // Its own name is lost when it begins.
    try wait(until: "the monitor listens") { text.contains("NameLost") }
  }

  /// What was sent so far.
  public var text: String {
    String(decoding: (try? readFile(folder.path("messages"))) ?? [], as: UTF8.self)
  }
}
