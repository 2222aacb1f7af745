import Glibc
import Synchronization
import Threads

/// What a program that nobody here wrote said and gave.
public struct ToolResult: Sendable {
  /// As a shell sees it: 128 + n where signal n ended it.
  public let status: Int32
  /// Everything from its standard output.
  public let output: [UInt8]
  /// Everything from its standard error.
  public let errors: String

  /// Standard output as UTF-8.
  public var text: String { String(decoding: output, as: UTF8.self) }

  /// Standard output as little-endian 32-bit floats, as `ffmpeg -f f32le -` writes them.
  public var floats: [Float] {
    [Float](unsafeUninitializedCapacity: output.count / 4) { samples, count in
      count = output.count / 4
      UnsafeMutableRawBufferPointer(samples).copyBytes(from: output.prefix(count * 4))
    }
  }

  /// Standard output as little-endian 16-bit integers, as `mpg123 -e s16 -s` writes them.
  public var steps: [Int16] {
    [Int16](unsafeUninitializedCapacity: output.count / 2) { samples, count in
      count = output.count / 2
      UnsafeMutableRawBufferPointer(samples).copyBytes(from: output.prefix(count * 2))
    }
  }
}

/// Why a tool could not be used.
public struct ToolFailure: Error, CustomStringConvertible {
  /// One line.
  public let description: String

  /// A failure of which `description` says all.
  public init(description: String) { self.description = description }
}

/// Runs the oracles: ffmpeg, lame, sox, flac and others, found on the PATH.
public enum Tool {
  /// What FFmpeg made of the repository's media and of its own signals, by its arguments.
  private static let known = Mutex<[[String]: ToolResult]>([:])

  /// Runs a program to its end; the first argument is its name. Its input is empty. What FFmpeg
  /// makes without a file of a test is made once in a run. What takes longer than `patience` is killed.
  ///
  /// - Throws: `ToolFailure` where it cannot be started; its own status is in the result.
  public static func run(
    _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil,
    patience: Duration? = nil
  ) throws -> ToolResult {
    let isRepeatable =
      arguments.first == "ffmpeg" && folder == nil && environment.isEmpty
      && !arguments.contains { $0.contains("/tmp/") }
    if isRepeatable, let result = known.withLock({ $0[arguments] }) { return result }
    let result = try execute(arguments, environment, in: folder, patience)
    if isRepeatable { known.withLock { $0[arguments] = result } }
    return result
  }

  private static func execute(
    _ arguments: [String], _ environment: [String: String], in folder: String?,
    _ patience: Duration?
  ) throws -> ToolResult {
    let folderPath = TestFolder()
    let outputPath = folderPath.path("stdout")
    let errorPath = folderPath.path("stderr")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT, 0o600)
    let arguments = (folder.map { ["env", "-C", $0] } ?? []) + arguments
    let process = try spawn(arguments, environment, &actions)
    if let patience { Watchdog.shared.watch(process, for: patience) }
    // It is ended and not yet forgotten by the kernel: nobody else has its number.
    var ended = siginfo_t()
    while waitid(P_PID, id_t(process), &ended, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    if patience != nil { Watchdog.shared.forget(process) }
    var result: Int32 = 0
    while waitpid(process, &result, 0) < 0, errno == EINTR {}
    let isSignalled = result & 0x7f != 0
    return ToolResult(
      status: isSignalled ? 128 + (result & 0x7f) : (result >> 8) & 0xff,
      output: try readFile(outputPath),
      errors: String(decoding: try readFile(errorPath), as: UTF8.self))
  }

  /// Runs a program that must succeed.
  @discardableResult
  public static func succeed(_ arguments: String..., in folder: String? = nil) throws -> ToolResult
  {
    let result = try run(arguments, in: folder)
    guard result.status == 0 else {
      throw ToolFailure(description: "\(arguments) gave \(result.status): \(result.errors)")
    }
    return result
  }

  /// Starts a program that is found on the PATH. No signal is blocked for it: threads of Swift's pool
  /// block most, which it would inherit. Those by which tests stop commands are not ignored, however the
  /// tests themselves were started.
  static func spawn(
    _ arguments: [String], _ environment: [String: String],
    _ actions: inout posix_spawn_file_actions_t, flags: Int32 = 0
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    var heard = mask
    for signal in [SIGINT, SIGHUP] { sigaddset(&heard, signal) }
    posix_spawnattr_setsigdefault(&attributes, &heard)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags))
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var variables = inheritedEnvironment(adding: environment).map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var process = pid_t()
    let status = posix_spawnp(
      &process, arguments.first ?? "", &actions, &attributes, &words, &variables)
    guard status == 0 else {
      throw ToolFailure(description: "\(arguments): \(String(cString: strerror(status)))")
    }
    return process
  }

  private static func inheritedEnvironment(adding added: [String: String]) -> [String] {
    var variables: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if !added.keys.contains(where: { variable.hasPrefix($0 + "=") }) {
        variables.append(variable)
      }
      entry += 1
    }
    return variables + added.map { "\($0.key)=\($0.value)" }
  }
}

/// Kills programs that take too long, as timeout(1) does, which costs a process for each.
private final class Watchdog: Sendable {
  static let shared = Watchdog()

  private let ends = Mutex<[pid_t: ContinuousClock.Instant]>([:])

  private init() {
    do { _ = try Thread.spawn(name: "watchdog") { [self] in look() } } catch {
      fatalError("\(error)")
    }
  }

  func watch(_ process: pid_t, for patience: Duration) {
    ends.withLock { $0[process] = .now + patience }
  }

  func forget(_ process: pid_t) { ends.withLock { $0[process] = nil } }

  private func look() {
    while true {
      sleep(1)
      ends.withLock { ends in
        for (process, end) in ends where end < .now { kill(process, SIGKILL) }
      }
    }
  }
}

/// A whole file's bytes.
public func readFile(_ path: String) throws -> [UInt8] {
  guard let file = fopen(path, "rb") else {
    throw ToolFailure(description: "\(path): \(String(cString: strerror(errno)))")
  }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&block, 1, block.count, file)
    if count == 0 { return bytes }
    bytes += block[..<count]
  }
}

/// Writes a file anew.
public func writeFile(_ path: String, _ bytes: some Collection<UInt8>) throws {
  guard let file = fopen(path, "wb") else {
    throw ToolFailure(description: "\(path): \(String(cString: strerror(errno)))")
  }
  defer { fclose(file) }
  let bytes = Array(bytes)
  guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
    throw ToolFailure(description: "\(path): short write")
  }
}

/// A folder of its own for one test, gone when the last reference is.
public final class TestFolder: Sendable {
  /// Its absolute path.
  public let root: String

  /// A new empty folder.
  public init() {
    var template = Array("/tmp/avjob-test-XXXXXX".utf8CString)
    root = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }

  deinit { removeTree(root) }

  /// The path of `name` inside the folder.
  public func path(_ name: String) -> String { root + "/" + name }

  /// The names of what it holds, in order.
  public var names: [String] { names(in: root).sorted() }

  private func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private func removeTree(_ path: String) {
    guard path.hasPrefix("/tmp/avjob-test-") else { return }
    for name in names(in: path) { removeTree(path + "/" + name) }
    remove(path)
  }
}

/// The repository's media.
public enum Fixture {
  /// The path of a file in `Fixtures/`.
  public static func path(_ name: String, from file: String = #filePath) -> String {
    let root = file.split(separator: "/").prefix { $0 != "Tests" }.joined(separator: "/")
    return "/" + root + "/Fixtures/" + name
  }
}
