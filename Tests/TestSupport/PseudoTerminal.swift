import Glibc

/// A terminal that a program under test is started on: keys are typed, and what it draws is read.
///
/// Of one thread.
public final class PseudoTerminal {
  private let master: Int32
  /// Kept open, so that the terminal's settings outlive the program.
  private let slave: Int32
  private let path: String
  private var process: pid_t = 0
  /// All that was drawn, and how much of it `wait` has passed.
  public private(set) var transcript = ""
  private var bytes: [UInt8] = []
  private var passed = 0

  /// A terminal of a size.
  public init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
    // As posix_openpt(3), unlockpt(3) and ptsname(3) do it, which Swift does not see: TIOCSPTLCK and
    // TIOCGPTN (ioctl_tty(2)).
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number) = (Int32(0), UInt32(0))
    guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0,
      ioctl(master, 0x8004_5430, &number) == 0
    else { throw ToolFailure(description: "no terminal: \(String(cString: strerror(errno)))") }
    path = "/dev/pts/\(number)"
    slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw ToolFailure(description: "\(path) cannot be opened") }
    resize(columns: columns, rows: rows)
  }

  deinit {
    if process > 0 {
      kill(process, SIGKILL)
      _ = wait()
    }
    close(slave)
    close(master)
  }

  /// Changes the size, of which the program is told by SIGWINCH.
  public func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// The terminal's modes and special characters, to be compared.
  public var settings: String {
    var mode = termios()
    tcgetattr(slave, &mode)
    return "\(mode.c_iflag) \(mode.c_oflag) \(mode.c_cflag) \(mode.c_lflag) \(mode.c_cc)"
  }

  /// Those before the program was started, which may have changed them by the time it is asked for.
  public private(set) var settingsBefore = ""

  /// Starts a program whose controlling terminal this is.
  public func start(_ arguments: [String], environment: [String: String] = [:]) throws {
    settingsBefore = settings
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a new session opens is its own.
    posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    let added = environment.merging(
      ["TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"]) { mine, _ in mine }
    // POSIX_SPAWN_SETSID (spawn.h), which wants _GNU_SOURCE.
    process = try Tool.spawn(arguments, added, &actions, flags: 0x80)
  }

  /// Types keys.
  public func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// Takes nothing more from programs, as Ctrl-S does: what writes, waits.
  public func stopOutput() { tcflow(slave, TCOOFF) }

  /// Sends the program a signal.
  public func signal(_ number: Int32) { kill(process, number) }

  /// Reads until texts were drawn, in any order, that had not been passed before.
  ///
  /// - Throws: Where one does not come within two minutes.
  public func wait(for texts: String...) throws {
    let deadline = ContinuousClock.now + .seconds(120)
    var end = passed
    for text in texts {
      let wanted = Array(text.utf8)
      while true {
        if let found = find(wanted) {
          end = max(end, found)
          break
        }
        guard ContinuousClock.now < deadline, read(milliseconds: 100) else {
          throw ToolFailure(description: "'\(text)' was not drawn, but:\n\(transcript)")
        }
      }
    }
    passed = end
  }

  /// Passes all that was read.
  public func passAll() { passed = bytes.count }

  /// Waits for the program's end, reads nothing meanwhile, and gives its status as a shell sees it.
  public func waitUnread() -> Int32 { wait(isReading: false) }

  /// Reads to the program's end, and gives its status as a shell sees it.
  public func wait() -> Int32 { wait(isReading: true) }

  private func wait(isReading: Bool) -> Int32 {
    guard process > 0 else { return -1 }
    var result: Int32 = 0
    let deadline = ContinuousClock.now + .seconds(120)
    while waitpid(process, &result, WNOHANG) == 0 {
      if isReading { _ = read(milliseconds: 20) } else { usleep(20_000) }
      if ContinuousClock.now > deadline { kill(process, SIGKILL) }
    }
    process = 0
    while isReading, read(milliseconds: 0), poll(0) {}
    return result & 0x7f != 0 ? 128 + (result & 0x7f) : (result >> 8) & 0xff
  }

  private func poll(_ milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&polled, 1, milliseconds) > 0 && polled.revents & Int16(POLLIN) != 0
  }

  /// False where there is nothing more to come.
  private func read(milliseconds: Int32) -> Bool {
    guard poll(milliseconds) else { return true }
    var block = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(master, &block, block.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    bytes += block[..<count]
    transcript = String(decoding: bytes, as: UTF8.self)
    return true
  }

  private func find(_ wanted: [UInt8]) -> Int? {
    guard bytes.count >= passed + wanted.count else { return nil }
    for start in passed...(bytes.count - wanted.count)
    where bytes[start] == wanted[0] && bytes[start...].starts(with: wanted) {
      return start + wanted.count
    }
    return nil
  }
}
