import Glibc

internal import CThreads

/// A process for work that may crash: a child of this process, which reads a text and writes lines.
///
/// The child has a process group of its own, so that Ctrl-C at a terminal is for the parent alone.
/// It has no signal handlers of its parent, and inherits no descriptor but the standard ones and
/// that of its `SharedNumber`. What it writes to standard error is not shown: the last lines are
/// kept. Used by one thread at a time; the thread that starts a child that calls `dieWith` should
/// live as long as the child (prctl(2), `PR_SET_PDEATHSIG`).
///
/// Nothing that a child does takes memory of its parent without bound, and no function but `wait()`
/// blocks for longer than its caller allows.
package final class ChildProcess {
  /// A system call that failed, and its errno.
  package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errno that the call left.
    package let errno: Int32
    /// The name of the call, such as `posix_spawn`.
    package let call: String
    /// One line, in the system's words.
    package var description: String { "\(call): \(String(cString: strerror(errno)))" }
  }

  /// How a process ended (wait4(2)).
  package enum End: Sendable, Hashable {
    /// It ended by itself, with this status.
    case exited(Int32)
    /// A signal of this number ended it.
    case signalled(Int32)
    /// The child is gone, and how cannot be learned: this process ignores SIGCHLD, or waited for
    /// the child elsewhere (`ECHILD`).
    case unknown
  }

  /// What a wait for the child's next line gave.
  package enum Reading: Sendable, Hashable {
    /// A line, without its line feed.
    case line([UInt8])
    /// No whole line was written in the time, or the child wrote to standard error meanwhile. The
    /// start of a line is kept for the next call.
    case nothing
    /// The child has closed its output, as it also does when it ends.
    case end
    /// The current line is longer than `longestLine`: nothing more can be read.
    case endless
  }

  /// The child's number, until `wait` has returned.
  package let id: pid_t
  private var input: Int32
  private let output: Int32
  /// -1 once the child has closed it.
  private var errors: Int32
  private let longestLine: Int
  /// Of the child's output, what is not given out yet.
  private var buffer: [UInt8] = []
  /// Bytes of it that hold no line feed.
  private var searched = 0
  private var end: End?
  private var usage = rusage()
  /// The end of what it wrote to standard error.
  private var complaint: [UInt8] = []
  private static let longestComplaint = 1 << 14

  private init(id: pid_t, input: Int32, output: Int32, errors: Int32, longestLine: Int) {
    self.id = id
    self.input = input
    self.output = output
    self.errors = errors
    self.longestLine = longestLine
  }

  /// One that was not waited for is killed.
  deinit {
    for descriptor in [input, output, errors] where descriptor >= 0 { close(descriptor) }
    guard end == nil else { return }
    signal(SIGKILL)
    _ = wait()
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: Its path; nil: this one.
  ///   - arguments: After the program's name.
  ///   - environment: Variables that the child has beside those of this process, or instead.
  ///   - number: A number that the child shares with this process; nil: none.
  ///   - longestLine: Bytes that a line of its output may have.
  /// - Returns: The child, which is killed when this object is released.
  /// - Throws: The system's error where there is no such program, or no room for another process.
  package static func spawn(
    _ program: String? = nil, arguments: [String],
    environment: [String: String] = [:], sharing number: SharedNumber? = nil,
    longestLine: Int = 16 << 20
  ) throws(SystemError) -> ChildProcess {
    let program = program ?? ProcessArguments.program
    var pipes: [(read: Int32, write: Int32)] = []
    do throws(SystemError) {
      for _ in 0..<3 { pipes.append(try pipe()) }
    } catch {
      for pipe in pipes {
        close(pipe.read)
        close(pipe.write)
      }
      throw error
    }
    let (input, output, errors) = (pipes[0], pipes[1], pipes[2])
    defer { for end in [input.read, output.write, errors.write] { close(end) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.read, 0)
    posix_spawn_file_actions_adddup2(&actions, output.write, 1)
    posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
    if let number {
      posix_spawn_file_actions_adddup2(&actions, number.descriptor, SharedNumber.inherited)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    sigaddset(&signals, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = Self.environment(with: environment).map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var id = pid_t()
    let status = posix_spawn(&id, program, &actions, &attributes, &words, &variables)
    guard status == 0 else {
      for end in [input.write, output.read, errors.read] { close(end) }
      throw SystemError(errno: status, call: "posix_spawn")
    }
    // The child's ends block, as programs expect.
    for end in [input.write, errors.read] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    return ChildProcess(
      id: id, input: input.write, output: output.read, errors: errors.read,
      longestLine: longestLine)
  }

  /// Gives the child its whole input, and closes the input; false if the child does not read all of
  /// it.
  ///
  /// Blocks until the child has read it, or `isCancelled`, which is called ten times a second.
  package func send(_ bytes: [UInt8], unless isCancelled: () -> Bool = { false }) -> Bool {
    defer {
      close(input)
      input = -1
    }
    return write(bytes, unless: isCancelled)
  }

  /// Gives the child a part of its input; false if the child does not read it.
  ///
  /// Blocks until the child has read it, or `isCancelled`, which is called ten times a second.
  package func write(_ bytes: [UInt8], unless isCancelled: () -> Bool = { false }) -> Bool {
    withoutPipeSignal { writeAll(bytes, unless: isCancelled) }
  }

  private func writeAll(_ bytes: [UInt8], unless isCancelled: () -> Bool) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        Glibc.write(input, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        if isCancelled() { return false }
        _ = Self.isReady([(input, POLLOUT), (errors, POLLIN)], for: 100)
        readErrors()
        continue
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// The child's next line, or `.nothing` after `time`; for a `time` of zero only what was written
  /// already is read.
  package func readLine(within time: Duration) -> Reading {
    // No longer than poll(2) can wait at once, some weeks.
    var left = min(max(.zero, time), .milliseconds(Int32.max))
    let last = ContinuousClock.now.advanced(by: left)
    while true {
      if let feed = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[..<feed])
        buffer.removeSubrange(...feed)
        searched = 0
        return .line(line)
      }
      searched = buffer.count
      guard buffer.count <= longestLine else { return .endless }
      guard left >= .zero,
        Self.isReady([(output, POLLIN), (errors, POLLIN)], for: Self.milliseconds(left))
      else { return .nothing }
      // A child that writes its line byte by byte gets no time for each.
      left = ContinuousClock.now.duration(to: last)
      readErrors()
      // A flood of errors must not keep the caller from its other duties.
      guard Self.isReady([(output, POLLIN)], for: 0) else { return .nothing }
      var block = [UInt8](repeating: 0, count: 1 << 14)
      let length = read(output, &block, block.count)
      if length < 0, errno == EINTR { continue }
      guard length > 0 else {
        readErrors()
        return .end
      }
      buffer += block[..<length]
    }
  }

  /// In whole milliseconds, rounded up, so that no rest of a time is spent in polls of none.
  private static func milliseconds(_ time: Duration) -> Int32 {
    let (seconds, attoseconds) = time.components
    return Int32(
      clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// Whether one of the descriptors can be used, or has been closed at its other end, within so many
  /// milliseconds (poll(2)); negative ones are left out.
  private static func isReady(
    _ descriptors: [(number: Int32, event: Int32)], for milliseconds: Int32
  ) -> Bool {
    var list = descriptors.map { pollfd(fd: $0.number, events: Int16($0.event), revents: 0) }
    return poll(&list, nfds_t(list.count), milliseconds) > 0
  }

  /// Takes what there is on the child's standard error, and keeps the end of it.
  private func readErrors() {
    var block = [UInt8](repeating: 0, count: 1 << 14)
    // As much as its pipe holds, so that it ends for a child that writes all the time.
    for _ in 0..<8 where errors >= 0 {
      let length = read(errors, &block, block.count)
      if length > 0 {
        complaint = (complaint + block[..<length]).suffix(Self.longestComplaint)
      } else if length == 0 {
        close(errors)
        errors = -1
      } else if errno != EINTR {
        return
      }
    }
  }

  /// Drops what the child has written to standard error so far.
  package func forgetComplaints() {
    readErrors()
    complaint = []
  }

  /// The last lines that the child has written to standard error, without blank lines: at most
  /// `count`, each cut off at 300 characters. Standard error is read while the child's output is
  /// read.
  package func lastComplaints(_ count: Int) -> [String] {
    String(decoding: complaint, as: UTF8.self).split(whereSeparator: \.isNewline)
      .filter { !$0.allSatisfy(\.isWhitespace) }
      .suffix(count)
      .map { String($0.prefix(300)) }
  }

  /// Sends the child a signal; does nothing once it has been waited for.
  package func signal(_ number: Int32) {
    if end == nil { kill(id, number) }
  }

  /// Waits for the child's end, no longer than `time`, polling a hundred times a second; nil if the
  /// child still runs.
  package func wait(within time: Duration) -> End? {
    let last = ContinuousClock.now.advanced(by: time)
    while end == nil {
      var status: Int32 = 0
      let found = wait4(id, &status, WNOHANG, &usage)
      if found == id { return note(status) }
      if found < 0, errno == ECHILD { return note(.unknown) }
      guard ContinuousClock.now < last else { return nil }
      var pause = timespec(tv_sec: 0, tv_nsec: 10_000_000)
      nanosleep(&pause, nil)
    }
    return end
  }

  /// Waits for the child's end.
  package func wait() -> End {
    if let end { return end }
    var status: Int32 = 0
    while wait4(id, &status, 0, &usage) < 0 {
      guard errno == EINTR else { return note(.unknown) }
    }
    return note(status)
  }

  /// Bytes of memory that the child had at its peak; 0 where that is not more than this program's own
  /// peak, and before the child was waited for. Linux counts the memory of the parent as the child's, too
  /// (`ru_maxrss`, posix_spawn(3)), so a smaller peak cannot be told.
  package var peakMemory: Int {
    let peak = Int(usage.ru_maxrss) * 1024
    return peak > Self.ownPeak ? peak : 0
  }

  /// Bytes that this program had at its peak (`VmHWM`, proc_pid_status(5)). Its own `ru_maxrss` has the peak
  /// of the program that execve(2) replaced by it as well, which no child is given.
  private static var ownPeak: Int {
    guard let status = fopen("/proc/self/status", "re") else { return .max }
    defer { fclose(status) }
    let length: Int32 = 256
    var line = [CChar](repeating: 0, count: Int(length))
    while fgets(&line, length, status) != nil {
      let words = line.prefix { $0 != 0 }.split { $0 == 9 || $0 == 32 || $0 == 10 }
        .map { String(decoding: $0.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
      if words.first == "VmHWM:", words.count > 1, let kilobytes = Int(words[1]) {
        return kilobytes * 1024
      }
    }
    return .max
  }

  private func note(_ status: Int32) -> End {
    let number = status & 0x7F
    return note(number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number))
  }

  private func note(_ found: End) -> End {
    end = found
    return found
  }

  /// Both ends of a pipe, closed in other children.
  private static func pipe() throws(SystemError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard avjob_pipe2(&ends, O_CLOEXEC) == 0 else {
      throw SystemError(errno: errno, call: "pipe2")
    }
    return (ends[0], ends[1])
  }

  private static func environment(with added: [String: String]) -> [String] {
    var variables: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if !added.keys.contains(where: { variable.utf8.starts(with: ($0 + "=").utf8) }) {
        variables.append(variable)
      }
      entry += 1
    }
    return variables + added.map { "\($0.key)=\($0.value)" }
  }
}

extension ChildProcess {
  /// The exit status of a process that a signal has ended, as a shell has it: 130 for SIGINT, 143 for
  /// SIGTERM.
  package static func exitStatus(ofSignal number: Int32) -> Int32 { 128 + number }

  /// Makes the child end when `parent` does; called in the child.
  ///
  /// - Parameter parent: The process that started this one; where it is gone already, this one ends
  ///   at once.
  package static func dieWith(parent: pid_t) {
    // PR_SET_PDEATHSIG is 1 (linux/prctl.h).
    _ = avjob_prctl(1, UInt(SIGKILL), 0, 0, 0)
    if getppid() != parent { _exit(exitStatus(ofSignal: SIGKILL)) }
  }
}
