import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import Files

@Suite struct FileWatcherTests {
  private let folder = TestFolder()
  private let watcher: FileWatcher

  init() throws {
    watcher = try FileWatcher()
    try writeFile(folder.path("job.yaml"), "one".utf8)
  }

  private func path(_ name: String) -> FilePath { FilePath(folder.path(name)) }

  /// Whether something has changed. The kernel queues an event before the call that causes it returns.
  private var isChanged: Bool { watcher.changes().hasAny }

  @Test("a file that is written in place is seen, and is under way until it is closed")
  func inPlace() throws {
    watcher.watch(files: [path("job.yaml")])
    #expect(!isChanged)
    try writeFile(folder.path("job.yaml"), "two".utf8)
    let written = watcher.changes()
    #expect(written.hasAny)
    #expect(!written.isUnderWay)
    let file = open(folder.path("job.yaml"), O_WRONLY | O_APPEND)
    write(file, "three", 5)
    let open = watcher.changes()
    #expect(open.hasAny)
    #expect(open.isUnderWay)
    close(file)
    let closed = watcher.changes()
    #expect(closed.hasAny)
    #expect(!closed.isUnderWay)
    #expect(!isChanged)
  }

  @Test("a file that is open for writing is not settled, and another one that changes is")
  func openBesides() throws {
    watcher.watch(files: [path("job.yaml"), path("table.csv")])
    let file = open(folder.path("job.yaml"), O_WRONLY | O_APPEND)
    write(file, "two", 3)
    futimens(file, nil)
    #expect(!watcher.changes().hasSettled)
    try writeFile(folder.path("table.csv"), "one".utf8)
    let other = watcher.changes()
    #expect(other.hasSettled)
    #expect(other.isUnderWay)
    write(file, "three", 5)
    #expect(!watcher.changes().hasSettled)
    close(file)
    #expect(watcher.changes().hasSettled)
    #expect(!watcher.changes().hasSettled)
  }

  @Test("a file that is closed while the kernel has no room for events is not under way")
  func overflow() throws {
    watcher.watch(files: [path("job.yaml"), path("table.csv")])
    let file = open(folder.path("job.yaml"), O_WRONLY | O_APPEND)
    write(file, "two", 3)
    #expect(watcher.changes().isUnderWay)
    let limit = try readFile("/proc/sys/fs/inotify/max_queued_events")
    let count = try #require(Int(String(decoding: limit, as: UTF8.self).dropLast()))
    let other = open(folder.path("table.csv"), O_WRONLY | O_CREAT, 0o600)
    // Events in a row that are alike are one.
    for number in 0...count { pwrite(number % 2 == 0 ? file : other, "x", 1, 0) }
    close(file)
    close(other)
    // The last ones tell: a debug build takes long for each.
    var most = [UInt8](repeating: 0, count: 32 * max(0, count - 100))
    read(watcher.descriptor, &most, most.count)
    var changes = watcher.changes()
    var hasSettled = false
    while changes.hasAny {
      hasSettled = changes.hasSettled
      changes = watcher.changes()
    }
    #expect(hasSettled)
    #expect(!changes.isUnderWay)
  }

  @Test("a file that is renamed over the watched one is seen, each time")
  func renamedOver() throws {
    watcher.watch(files: [path("job.yaml")])
    for count in 0..<3 {
      try writeFile(folder.path("new"), "\(count)".utf8)
      #expect(!isChanged)
      rename(folder.path("new"), folder.path("job.yaml"))
      #expect(isChanged)
    }
  }

  @Test("a file that is removed, and one that is made in its place, are seen")
  func removed() throws {
    watcher.watch(files: [path("job.yaml")])
    unlink(folder.path("job.yaml"))
    #expect(isChanged)
    try writeFile(folder.path("job.yaml"), "two".utf8)
    #expect(isChanged)
    utimensat(AT_FDCWD, folder.path("job.yaml"), nil, 0)
    #expect(isChanged)
  }

  @Test("other files in the folder are no change")
  func others() throws {
    watcher.watch(files: [path("job.yaml")])
    try writeFile(folder.path("other"), "two".utf8)
    rename(folder.path("other"), folder.path("another"))
    unlink(folder.path("another"))
    #expect(!isChanged)
  }

  @Test("a file in a folder that is made later is seen")
  func laterFolder() throws {
    watcher.watch(files: [path("a/b/job.yaml")])
    mkdir(folder.path("a"), 0o700)
    #expect(isChanged)
    mkdir(folder.path("a/b"), 0o700)
    #expect(isChanged)
    try writeFile(folder.path("a/b/job.yaml"), "one".utf8)
    #expect(isChanged)
  }

  @Test("a folder on the way that another one replaces is seen, and the file in the new one, too")
  func replacedFolder() throws {
    for name in ["here", "there"] {
      mkdir(folder.path(name), 0o700)
      try writeFile(folder.path(name + "/job.yaml"), name.utf8)
    }
    watcher.watch(files: [path("here/job.yaml")])
    rename(folder.path("here"), folder.path("old"))
    #expect(isChanged)
    rename(folder.path("there"), folder.path("here"))
    #expect(isChanged)
    try writeFile(folder.path("here/job.yaml"), "new".utf8)
    #expect(isChanged)
    try writeFile(folder.path("old/job.yaml"), "new".utf8)
    #expect(!isChanged)
  }

  @Test("behind a symbolic link the target is watched, and the new target when the link changes")
  func links() throws {
    for name in ["here", "there"] {
      mkdir(folder.path(name), 0o700)
      try writeFile(folder.path(name + "/real.yaml"), name.utf8)
    }
    symlink("here", folder.path("current"))
    symlink("current/real.yaml", folder.path("link.yaml"))
    watcher.watch(files: [path("link.yaml")])
    try writeFile(folder.path("here/real.yaml"), "new".utf8)
    #expect(isChanged)
    symlink("there", folder.path("next"))
    rename(folder.path("next"), folder.path("current"))
    #expect(isChanged)
    try writeFile(folder.path("there/real.yaml"), "new".utf8)
    #expect(isChanged)
    try writeFile(folder.path("here/real.yaml"), "newer".utf8)
    #expect(!isChanged)
  }

  @Test("links and folders that are made in the place of a file are not under way")
  func madeLinks() throws {
    try writeFile(folder.path("other"), "two".utf8)
    let makers: [(String, String) -> Int32] = [
      { link($0, $1) }, { symlink($0, $1) }, { mkdir($1, 0o700) },
    ]
    for (count, make) in makers.enumerated() {
      watcher.watch(files: [path("new\(count)")])
      _ = watcher.changes()
      #expect(make(folder.path("other"), folder.path("new\(count)")) == 0)
      let changes = watcher.changes()
      #expect(changes.hasAny)
      #expect(!changes.isUnderWay)
    }
  }

  @Test("a folder that cannot be watched is named, unless it does not exist")
  func unwatched() {
    let name = String(repeating: "x", count: 300)
    #expect(
      watcher.watch(files: [path("\(name)/job.yaml")])
        == [FileWatcher.Unwatched(folder: path(name), error: .fileNameTooLong)])
    symlink("loop", folder.path("loop"))
    let absent = ["no/job.yaml", "job.yaml/job.yaml", "loop/job.yaml"].map { path($0) }
    #expect(watcher.watch(files: Set(absent)).isEmpty)
  }

  @Test(
    "a folder that may not be read is named beside others, unless it is only on the way to another")
  func unreadable() throws {
    mkdir(folder.path("in"), 0o755)
    chmod(folder.path(""), 0o311)
    // Of this thread alone: root may read everything (setfsuid(2)).
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setfsuid = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)
    let user = uid_t(setfsuid(65534))
    defer {
      _ = setfsuid(user)
      chmod(folder.path(""), 0o700)
    }
    #expect(watcher.watch(files: [path("in/job.yaml")]).isEmpty)
    let unreadable = FileWatcher.Unwatched(
      folder: path("job.yaml").removingLastComponent(), error: .permissionDenied)
    #expect(watcher.watch(files: [path("job.yaml")]) == [unreadable])
    // Another reason is not hidden by it.
    let name = String(repeating: "x", count: 300)
    let tooLong = FileWatcher.Unwatched(folder: path("in/\(name)"), error: .fileNameTooLong)
    let unwatched = watcher.watch(
      files: [path("job.yaml"), path("table.csv"), path("in/\(name)/job.yaml")])
    #expect(unwatched == [unreadable, tooLong])
  }

  @Test("links that lead to one another end the search")
  func circle() {
    symlink("b", folder.path("a"))
    symlink("a", folder.path("b"))
    watcher.watch(files: [path("a")])
    unlink(folder.path("b"))
    #expect(isChanged)
  }

  @Test("of a folder that is listed, entries that come and go count, and their contents do not")
  func listed() throws {
    mkdir(folder.path("jobs"), 0o700)
    watcher.watch(files: [], folders: [path("jobs")])
    try writeFile(folder.path("jobs/a.yaml"), "one".utf8)
    #expect(isChanged)
    try writeFile(folder.path("jobs/a.yaml"), "two".utf8)
    #expect(!isChanged)
    unlink(folder.path("jobs/a.yaml"))
    #expect(isChanged)
  }

  /// The events that each folder is watched for, as the kernel has them.
  private var masks: [UInt32] {
    get throws {
      let facts = try readFile("/proc/self/fdinfo/\(watcher.descriptor)")
      return String(decoding: facts, as: UTF8.self).split(separator: "\n").compactMap { line in
        guard line.hasPrefix("inotify"), let mask = line.split(separator: "mask:").dropFirst().first
        else { return nil }
        return UInt32(mask.prefix { $0 != " " }, radix: 16)
      }
    }
  }

  @Test("nothing is missed while the same folders are watched for another set of files")
  func watchedAnew() throws {
    let sets: [Set<FilePath>] = [[path("job.yaml")], [path("job.yaml"), path("table.csv")]]
    watcher.watch(files: sets[0])
    for _ in 0..<200 {
      let isWritten = Atomic(false)
      let writer = try Thread.spawn(name: "writer") { [file = folder.path("job.yaml")] in
        utimensat(AT_FDCWD, file, nil, 0)
        isWritten.store(true, ordering: .releasing)
      }
      var count = 0
      while !isWritten.load(ordering: .acquiring) {
        watcher.watch(files: sets[count % 2])
        count += 1
      }
      writer.join()
      #expect(isChanged)
    }
  }

  @Test("writes in a folder of which no file is watched any more wake nobody")
  func writesOfOthers() throws {
    watcher.watch(files: [path("job.yaml")], folders: [path("")])
    // IN_MODIFY
    #expect(try masks.contains { $0 & 0x2 != 0 })
    watcher.watch(files: [], folders: [path("")])
    #expect(try !masks.contains { $0 & 0x2 != 0 })
    try writeFile(folder.path("new.yaml"), "one".utf8)
    #expect(isChanged)
    watcher.watch(files: [path("job.yaml")])
    try writeFile(folder.path("job.yaml"), "two".utf8)
    #expect(isChanged)
  }

  @Test("files that are not watched any more are no change, and a thousand sets take no more room")
  func replacedSets() throws {
    watcher.watch(files: [path("job.yaml")])
    for count in 0..<1000 {
      mkdir(folder.path("\(count)"), 0o700)
      watcher.watch(files: [path("\(count)/job.yaml")])
    }
    _ = watcher.changes()
    try writeFile(folder.path("job.yaml"), "two".utf8)
    try writeFile(folder.path("3/job.yaml"), "two".utf8)
    #expect(!isChanged)
    // The folders on the way: /, /tmp, the test's, and one in it.
    #expect(try masks.count == 4)
  }
}
