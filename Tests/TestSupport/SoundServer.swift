import Glibc
import Synchronization
import Threads

/// A PulseAudio of its own, whose sinks nobody hears; it ends with this object and with this process.
public final class SoundServer: Sendable {
  /// Whether it can be started.
  public static let isInstalled = ["pulseaudio", "pactl", "pacat", "parec"].allSatisfy { program in
    (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":")
      .contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  /// What it writes, and its socket.
  public let folder = TestFolder()
  private let processes = Mutex<[String: Program]>([:])
  private let modules: [String]

  /// Starts it.
  ///
  /// - Parameter modules: Modules with their arguments, beside that of the socket.
  /// - Throws: `ToolFailure`, `ChildProcess.SystemError`, `WaitFailure`
  public init(_ modules: String...) throws {
    self.modules = modules
    try start()
  }

  deinit { for program in processes.withLock({ Array($0.values) }) { program.end() } }

  /// Its address.
  public var address: String { "unix:\(folder.root)/native" }

  /// Starts it again after `kill`.
  ///
  /// - Throws: As `init`.
  public func start() throws {
    let socket = "module-native-protocol-unix auth-anonymous=1 socket=\(folder.root)/native"
    var words = [
      "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
      "--log-target=stderr", "--realtime=no",
    ]
    for module in modules + [socket] { words += ["-L", module] }
    try launch("server", words)
    try wait(until: "PulseAudio answers") { (try? pactl("info")) != nil }
  }

  /// Ends it as a crash does.
  ///
  /// - Throws: `ToolFailure`, `WaitFailure`
  public func kill() throws {
    end("server")
    unlink(folder.path("native"))
  }

  /// Runs `pactl`; what it prints.
  ///
  /// - Throws: `ToolFailure` if it fails.
  @discardableResult
  public func pactl(_ words: String...) throws -> String {
    let result = try Tool.run(["pactl", "-s", address] + words, environment: environment)
    guard result.status == 0 else { throw ToolFailure(description: "pactl: \(result.errors)") }
    return String(result.text.reversed().drop { $0.isWhitespace }.reversed())
  }

  /// Plays silence without end, under a name, until `end`.
  ///
  /// - Throws: `ChildProcess.SystemError`
  public func playSilence(_ name: String, _ options: String...) throws {
    try launch(name, ["pacat", "--raw", "-s", address] + options + ["/dev/zero"])
  }

  /// Writes the sound of a source into a file of `folder`, under the same name, until `end`. Returns
  /// when sound has come.
  ///
  /// - Throws: `ChildProcess.SystemError`, `WaitFailure`
  public func record(_ name: String, _ options: String...) throws {
    let file = folder.path(name)
    try launch(name, ["parec", "--raw", "-s", address] + options + [file])
    try wait(until: "parec has recorded something") { (try? readFile(file))?.isEmpty == false }
  }

  /// Ends what was started under a name.
  public func end(_ name: String) { processes.withLock { $0.removeValue(forKey: name) }?.end() }

  private var environment: [String: String] {
    [
      "HOME": folder.root, "XDG_RUNTIME_DIR": folder.root,
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=/",
    ]
  }

  private func launch(_ name: String, _ words: [String]) throws {
    let program = try Program(words, environment, log: folder.path("\(name).log"))
    processes.withLock { $0[name] = program }
  }
}

/// A program that runs until `end`, or until this process ends.
private final class Program: Sendable {
  private let process: Mutex<ChildProcess>

  init(_ words: [String], _ environment: [String: String], log: String) throws {
    // The shell ends it with this process, which closes the shell's input however it ends.
    let child = try ChildProcess.spawn(
      "/bin/sh",
      arguments: ["-c", #""$@" > "$0" 2>&1 & cat > /dev/null; kill -9 $!"#, log] + words,
      environment: environment)
    process = Mutex(child)
  }

  func end() {
    process.withLock { process in
      _ = process.send([])
      _ = process.wait(within: .seconds(60))
    }
  }
}
