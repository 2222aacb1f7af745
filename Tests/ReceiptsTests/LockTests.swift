import Files
import Glibc
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import Receipts

@Suite("Locks among processes")
struct LockTests {
  private let project = Project()

  init() throws { try project.state.make() }

  private func book() -> LockBook { LockBook(in: project.state) }

  private func isFree(_ names: String...) throws -> Bool {
    guard case .held(let lock) = try book().take(names) else { return false }
    lock.release()
    return true
  }

  /// Puts a lock there as another process would.
  private func put(_ owner: ProcessIdentity, _ name: String = "a") throws {
    try project.write(".avjob/locks/\(name).lock", owner.text + "\n")
  }

  /// A process that has ended.
  private func deadProcess() throws -> ProcessIdentity {
    let fields = try Tool.succeed("sh", "-c", "cat /proc/$$/stat; :").text.split(separator: " ")
    var owner = ProcessIdentity.current
    owner.process = try #require(Int32(fields[0]))
    owner.start = try #require(UInt64(fields[21]))
    return owner
  }

  @Test("one has a lock, until it is given back; nothing is left of it then")
  func exclusive() throws {
    guard case .held(let lock) = try book().take(["a", "b"]) else {
      Issue.record("no lock")
      return
    }
    #expect(project.names(in: "locks") == ["a.lock", "b.lock"])
    #expect(try !isFree("b"))
    #expect(try isFree("c"))
    lock.release()
    #expect(project.names(in: "locks").isEmpty)
    #expect(try isFree("b"))
  }

  @Test("of several locks all are taken or none")
  func allOrNone() throws {
    try put(.current, "b")
    #expect(try !isFree("a", "b", "c"))
    #expect(project.names(in: "locks") == ["b.lock"])
  }

  @Test("a dead process's lock is taken over, also where another process has its number now")
  func dead() throws {
    try put(try deadProcess())
    #expect(try isFree("a"))
    var reused = ProcessIdentity.current
    reused.start += 1
    try put(reused)
    #expect(try isFree("a"))
    #expect(project.names(in: "locks").isEmpty)
  }

  @Test(
    "a lock of another machine or container counts as long as it is touched",
    arguments: [\ProcessIdentity.boot, \ProcessIdentity.namespace])
  func foreign(part: WritableKeyPath<ProcessIdentity, String> & Sendable) throws {
    var owner = ProcessIdentity.current
    owner[keyPath: part] = "other"
    try put(owner)
    #expect(try !isFree("a"))
    touch(project.path(".avjob/locks/a.lock"), at: 1_000_000)
    #expect(try isFree("a"))
    // A clock that was years ahead.
    try put(owner)
    touch(project.path(".avjob/locks/a.lock"), at: 4_000_000_000)
    #expect(try isFree("a"))
  }

  @Test("a lock that does not say whose it is counts while it is young")
  func unreadable() throws {
    for text in ["", "a.b.c", "....", "a.b.1.x", String(repeating: "x", count: 10_000)] {
      try project.write(".avjob/locks/a.lock", text)
      #expect(try !isFree("a"))
      touch(project.path(".avjob/locks/a.lock"), at: 1_000_000)
      #expect(try isFree("a"))
    }
  }

  @Test("a lock without content, as a power cut leaves it, counts for five seconds")
  func empty() throws {
    for text in ["", String(repeating: "\0", count: 80)] {
      try project.write(".avjob/locks/a.lock", text)
      #expect(try !isFree("a"))
      touch(project.path(".avjob/locks/a.lock"), at: time(nil) - 10)
      #expect(try isFree("a"))
    }
    // One with content may be of another version.
    try project.write(".avjob/locks/a.lock", "other")
    touch(project.path(".avjob/locks/a.lock"), at: time(nil) - 10)
    #expect(try !isFree("a"))
  }

  @Test("a lock is held whose making is told to have failed, as by NFS that asks twice")
  func repeatedLink() throws {
    let book = LockBook(in: project.state) { file, name in
      _ = file.withPlatformString { file in name.withPlatformString { link(file, $0) } }
      errno = EEXIST
      return -1
    }
    guard case .held(let lock) = try book.take(["a"]) else {
      Issue.record("waits for itself")
      return
    }
    guard case .busy = try book.take(["a"]) else {
      Issue.record("held twice")
      return
    }
    lock.release()
    #expect(project.names(in: "locks").isEmpty)
  }

  @Test("what dead processes left is swept, and what living ones have is not")
  func sweeping() throws {
    let dead = try deadProcess()
    let label = "a.mp3-0123456789abcde"
    try put(dead, label + "d")
    try put(.current, label + "f")
    let own = try TemporaryFile.create(for: "x", in: project.state.locks)
    var foreign = ProcessIdentity.current
    foreign.boot = "other"
    let (kept, oldName) = (".x.avjob-\(foreign.mark)-2.tmp", "\(dead.text).1.tmp")
    for name in [".x.avjob-\(dead.mark)-1.tmp", ".x.avjob-\(foreign.mark)-1.tmp", kept, oldName] {
      try project.write(".avjob/locks/\(name)", "x")
      if name != kept { touch(project.path(".avjob/locks/\(name)"), at: 1_000_000) }
    }
    try put(dead, "yarn")
    book().sweep()
    let names = [label + "f.lock", "yarn.lock", kept, own.path.lastComponent?.string ?? ""]
    #expect(project.names(in: "locks") == names.sorted())
    own.remove()
  }

  @Test("what a link leads to is not swept, and nothing is written there")
  func links() throws {
    let name = "a.mp3-0123456789abcdef.lock"
    try Tool.succeed("mkdir", project.path("elsewhere").string)
    try project.write("elsewhere/\(name)", "old")
    touch(project.path("elsewhere/\(name)"), at: 1_000_000)
    try Tool.succeed("rm", "-r", project.state.locks.string)
    try Tool.succeed("ln", "-s", "../elsewhere", project.state.locks.string)
    book().sweep()
    #expect(StateFolder.names(in: project.path("elsewhere")).map(\.string) == [name])
    #expect(throws: Errno.notDirectory) { try project.state.make() }
  }

  @Test("a process is known again by what it wrote")
  func owner() throws {
    let owner = ProcessIdentity.current
    #expect(ProcessIdentity(owner.text) == owner)
    #expect(ProcessIdentity.isAlive(mark: owner.mark) == true)
    #expect(ProcessIdentity.isAlive(mark: try deadProcess().mark) == false)
    for mark in ["", "1-2", "a-b-c", "0-1-1", owner.mark + "-1"] {
      #expect(ProcessIdentity.isAlive(mark: mark) == nil)
    }
    #expect(owner.isAlive == true)
    #expect(try deadProcess().isAlive == false)
  }

  @Test("who has a lock can be named, as far as it says")
  func holder() throws {
    guard case .held(let lock) = try book().take(["a"]),
      case .busy(let holder) = try book().take(["a"])
    else {
      Issue.record("no lock")
      return
    }
    lock.release()
    let host = try Tool.succeed("hostname").text.split(separator: "\n")[0]
    #expect("\(holder)" == "process \(getpid()) on '\(host)'")
    #expect(abs((holder.start ?? 0) - Int64(time(nil))) < 60)
    #expect(!holder.isStopped)
    let owner = ProcessIdentity.current.text
    let cases: [(text: String, name: String, start: Int64?)] = [
      ("", "another process", nil), (owner, "process \(getpid())", nil),
      (owner + "\nhost 77\n", "process \(getpid()) on 'host'", 77),
      (owner + "\nhost\n", "process \(getpid())", nil),
      (owner + "\n\u{1B}[2J 9\n", "process \(getpid())", 9),
      ("x\nhost 5", "another process on 'host'", 5),
      ("x\nhost \(Int64.min)", "another process on 'host'", nil),
      ("x\nhost -1", "another process on 'host'", nil),
      ("x\nhost \(Int64.max)", "another process on 'host'", nil),
    ]
    for (text, name, start) in cases {
      let holder = LockHolder(ofLock: text)
      #expect("\(holder)" == name)
      #expect(holder.start == start)
    }
  }

  @Test("a process that was stopped has its locks, and is seen to be stopped")
  func stopped() throws {
    let sleeper = try ChildProcess.spawn("/bin/sh", arguments: ["-c", "echo go; read x"])
    #expect(sleeper.readLine(within: .seconds(60)) == .line(Array("go".utf8)))
    guard case .running(let start, isStopped: false) = ProcessIdentity.state(of: sleeper.id) else {
      Issue.record("not there")
      return
    }
    var owner = ProcessIdentity.current
    (owner.process, owner.start) = (sleeper.id, start)
    try put(owner)
    sleeper.signal(SIGSTOP)
    for _ in 0..<10_000 where !owner.isStopped { usleep(1000) }
    guard case .busy(let holder) = try book().take(["a"]) else {
      Issue.record("taken from a living process")
      return
    }
    #expect(holder.isStopped)
    sleeper.signal(SIGKILL)
    _ = sleeper.wait()
    #expect(try isFree("a"))
  }

  @Test("a process that /proc hides may live: its lock's age decides")
  func hidden() {
    let stat = "7 (a) b) S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 1"
    #expect(ProcessIdentity.state(told: stat) { 0 } == .running(start: 4711, isStopped: false))
    let stopped = stat.replacing(" S ", with: " T ")
    #expect(ProcessIdentity.state(told: stopped) { 0 } == .running(start: 4711, isStopped: true))
    #expect(ProcessIdentity.state(told: stat.replacing(" S ", with: " Z ")) { 0 } == .ended)
    #expect(ProcessIdentity.state(told: nil) { ESRCH } == .ended)
    // Another user's: kill(2) may not reach it, or may, where /proc is not mounted.
    #expect(ProcessIdentity.state(told: nil) { EPERM } == .hidden)
    #expect(ProcessIdentity.state(told: nil) { 0 } == .hidden)
  }

  @Test("a wait is told after seconds, a minute, five, and then every ten; for another holder anew")
  func waits() {
    var waits = LockWaits()
    let start = ContinuousClock.now
    let holder = LockHolder(ofLock: ProcessIdentity.current.text + "\nhost 77")
    var other = holder
    other.process = 1
    func wait(_ seconds: Int, _ holder: LockHolder) -> LockWait {
      waits.note(holder, at: "a", now: start.advanced(by: .seconds(seconds)))
    }
    let told = (0...2000).filter { wait($0, holder).isReportDue }
    #expect(told == [5, 60, 300, 900, 1500])
    var halted = holder
    halted.isStopped = true
    #expect(wait(2001, halted).waited == .seconds(2001))
    #expect(wait(2001, halted).holder.isStopped)
    #expect(wait(2001, halted).pause == .seconds(2))
    #expect(wait(2002, other).waited == .zero)
    #expect(wait(2003, other).pause == .milliseconds(250))
    waits.end("a")
    #expect(wait(3000, other).waited == .zero)
  }

  @Test("a folder that may not be written has no locks")
  func unwritable() throws {
    let state = StateFolder(besideJobsIn: "/proc/self", currentDirectory: "/")
    #expect(throws: Errno.self) { _ = try LockBook(in: state).take(["a"]) }
  }
}
