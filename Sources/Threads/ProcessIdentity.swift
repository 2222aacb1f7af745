import Glibc
import SystemPackage

/// A process, identified so that others can see whether it still lives.
///
/// A process number alone is given to another process sooner or later. An identity,
/// `boot.namespace.process.start`, is not: it has the identity of the running kernel, the namespace
/// to which the number belongs, the number, and the moment at which the process started, counted
/// from the kernel's start.
package struct ProcessIdentity: Sendable, Hashable {
  /// `/proc/sys/kernel/random/boot_id`; another one at each start of a machine.
  package var boot: String
  /// The inode of `/proc/PID/ns/pid`: numbers of processes are those of a container.
  package var namespace: String
  package var process: Int32
  /// Clock ticks from the kernel's start to the process's (`/proc/PID/stat`, field 22).
  package var start: UInt64

  /// This process.
  package static let current = ProcessIdentity(
    boot: firstLine(of: "/proc/sys/kernel/random/boot_id") ?? "unknown",
    namespace: namespaceNumber ?? "unknown", process: getpid(),
    start: currentStart)

  private static var currentStart: UInt64 {
    guard case .running(let start, isStopped: _) = state(of: getpid()) else { return 0 }
    return start
  }

  /// Whether the process lives; nil where that cannot be known from here, because it is another
  /// machine's or another container's, or hidden (`hidepid`, proc(5)).
  package var isAlive: Bool? { isOfThisKernel ? Self.isAlive(process, since: start) : nil }

  private static func isAlive(_ process: Int32, since start: UInt64) -> Bool? {
    switch state(of: process) {
    case .running(let present, isStopped: _): present == start
    case .ended: false
    case .hidden: nil
    }
  }

  /// Whether the process lives and was stopped, as by SIGSTOP or Ctrl-Z; false where that cannot be
  /// known from here.
  package var isStopped: Bool {
    guard isOfThisKernel, case .running(start: start, isStopped: true) = Self.state(of: process)
    else { return false }
    return true
  }

  private var isOfThisKernel: Bool {
    let here = ProcessIdentity.current
    return boot != "unknown" && boot == here.boot && namespace != "unknown"
      && namespace == here.namespace
  }

  /// How long a process that cannot be seen from here is taken for alive after its last sign of life,
  /// by the clock of the disk.
  package static let patience = Duration.seconds(120)

  /// The identity as it stands in locks and in names: hexadecimal digits, `-`, and `.` between the
  /// parts.
  package var text: String { "\(boot).\(namespace).\(process).\(start)" }

  /// The identity that has this `text`; nil for other texts.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let process = Int32(parts[2]), let start = UInt64(parts[3]) else {
      return nil
    }
    self.init(
      boot: String(parts[0]), namespace: String(parts[1]), process: process, start: start)
  }

  package init(boot: String, namespace: String, process: Int32, start: UInt64) {
    self.boot = boot
    self.namespace = namespace
    self.process = process
    self.start = start
  }

  /// This identity in at most 45 bytes, for names of files: a digest of the kernel and its
  /// namespace, the number and the start, with `-` between them.
  package var mark: String { "\(kernel)-\(process)-\(start)" }

  /// FNV-1a of boot and namespace, in hexadecimal digits.
  private var kernel: String { String("\(boot).\(namespace)".utf8.fnv1a(), radix: 16) }

  /// Whether the process with this `mark` lives (`isAlive`); nil also for a text that is no mark.
  package static func isAlive(mark: String) -> Bool? {
    let parts = mark.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let process = Int32(parts[1]), let start = UInt64(parts[2]),
      current.isOfThisKernel, parts[0] == current.kernel
    else { return nil }
    return isAlive(process, since: start)
  }

  // MARK: /proc

  private static var namespaceNumber: String? {
    var buffer = [CChar](repeating: 0, count: 64)
    // `pid:[4026531836]`
    let count = readlink("/proc/self/ns/pid", &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    let digits = buffer[..<count].map { UInt8(bitPattern: $0) }.filter { (0x30...0x39) ~= $0 }
    return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
  }

  private static func firstLine(of path: FilePath) -> String? {
    procText(path)?.split(separator: "\n").first.map(String.init)
  }

  /// What can be seen of a process of this machine.
  package enum ProcessState: Equatable {
    /// The process runs, or was stopped; `start` is in clock ticks since the kernel's start.
    case running(start: UInt64, isStopped: Bool)
    /// There is no such process, or one that ended and was not waited for yet.
    case ended
    /// There is a process with that number, and `/proc` does not show it to us.
    case hidden
  }

  /// Looks at a process.
  package static func state(of process: Int32) -> ProcessState {
    state(told: procText(FilePath("/proc/\(process)/stat"))) {
      // No signal: only whether there is one to send it to (kill(2)).
      kill(process, 0) == 0 ? 0 : errno
    }
  }

  /// The state by the text of `/proc/PID/stat`, nil where it cannot be read, and by `probe`: 0 or an
  /// errno of kill(2).
  package static func state(told text: String?, probing probe: () -> Int32) -> ProcessState {
    // The name of the program stands in parentheses, and may hold anything (proc(5)).
    guard let text, let end = text.lastIndex(of: ")") else {
      return probe() == ESRCH ? .ended : .hidden
    }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 19, let start = UInt64(fields[19]), fields[0] != "X" else {
      return .ended
    }
    // A process whose first thread has ended, and others have not, still holds its files.
    if fields[0] == "Z", Int(fields[17]) ?? 0 <= 1 { return .ended }
    return .running(start: start, isStopped: fields[0] == "T" || fields[0] == "t")
  }

  /// Files of `/proc` say that they have no bytes.
  private static func procText(_ path: FilePath) -> String? {
    guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else {
      return nil
    }
    defer { try? file.close() }
    var bytes = [UInt8](repeating: 0, count: 4096)
    guard let count = try? bytes.withUnsafeMutableBytes({ try file.read(into: $0) }) else {
      return nil
    }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
