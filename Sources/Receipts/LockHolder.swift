import Glibc
import SystemPackage
import Threads

/// The holder of a lock that this process waits for, as far as the lock says.
package struct LockHolder: Sendable, Hashable {
  /// The number of the process, as its own machine or container counts; nil: the lock does not say.
  package var process: Int32?
  /// The name of its machine or container; nil: the lock does not say.
  package var host: String?
  /// When it took the lock, in seconds since 1970 by its own clock, of 0...2^40; nil: the lock does not
  /// say, or says what no clock does.
  package var start: Int64?
  /// Whether the holder was stopped, as by SIGSTOP or Ctrl-Z; false where that cannot be seen from
  /// here.
  package var isStopped = false

  /// What locks say behind the first line, which names the process: the host, and the time in seconds
  /// since 1970.
  static func line(at seconds: Int64) -> String { "\(ownHost) \(seconds)" }

  /// Of a lock with this content.
  init(ofLock text: some StringProtocol) {
    let lines = text.split(separator: "\n", maxSplits: 2)
    let owner = lines.first.flatMap { ProcessIdentity($0) }
    process = owner?.process
    isStopped = owner?.isStopped ?? false
    guard lines.count > 1 else { return }
    let words = lines[1].split(separator: " ")
    guard words.count == 2 else { return }
    host = Self.plain(words[0])
    start = Int64(words[1]).flatMap { (0...(1 << 40)).contains($0) ? $0 : nil }
  }

  /// This machine's name.
  private static let ownHost: String = {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
    return plain(
      String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
      ?? "unknown"
  }()

  /// A valid name of a host (RFC 1123); nil for any other text.
  private static func plain(_ name: some StringProtocol) -> String? {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    return isPlain && (1...255).contains(name.utf8.count) ? String(name) : nil
  }
}

extension LockHolder: CustomStringConvertible {
  /// `process 4711 on 'studio'`, as far as it is known.
  package var description: String {
    let name = process.map { "process \($0)" } ?? "another process"
    return name + (host.map { " on '\($0)'" } ?? "")
  }
}

/// A wait for another process that has an export.
package struct LockWait: Sendable {
  /// The current holder.
  package var holder: LockHolder
  /// For how long this process has waited for the holder.
  package var waited: Duration
  /// Whether to report the wait: after some seconds, a minute, five minutes, and then every ten
  /// minutes.
  package var isReportDue: Bool

  /// When to try again: soon at first, and after a while every two seconds.
  package var pause: Duration { max(.milliseconds(250), min(.seconds(2), waited / 8)) }

  /// After how long a wait is reported for the first time, the second time, and so on.
  static func moment(_ number: Int) -> Duration {
    let first: [Duration] = [.seconds(5), .seconds(60), .seconds(300)]
    return number < first.count ? first[number] : .seconds(300 + 600 * (number - first.count + 1))
  }
}

/// Waits that are under way, of one folder.
struct LockWaits {
  private var waits: [FilePath: (holder: LockHolder, start: ContinuousClock.Instant, count: Int)] =
    [:]

  /// Notes that `holder` has the lock. A wait for another holder begins again.
  mutating func note(
    _ holder: LockHolder, at path: FilePath, now: ContinuousClock.Instant
  ) -> LockWait {
    // Whether it was stopped meanwhile makes it no other.
    var identity = holder
    identity.isStopped = false
    var wait = waits[path] ?? (identity, now, 0)
    if wait.holder != identity { wait = (identity, now, 0) }
    let waited = wait.start.duration(to: now)
    let isReportDue = waited >= LockWait.moment(wait.count)
    if isReportDue { wait.count += 1 }
    waits[path] = wait
    return LockWait(holder: holder, waited: waited, isReportDue: isReportDue)
  }

  /// The wait for something is over, or was given up.
  mutating func end(_ path: FilePath) { waits[path] = nil }
}
