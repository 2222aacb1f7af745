import Files
import Glibc
import MediaComposition
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Files that processes left beside an output")
struct LeftoverTests {
  private let folder = TestFolder()

  /// Puts a file of a process there; gives its name.
  private func leave(_ process: ProcessIdentity, _ target: String = "a.mp3") throws -> String {
    let name = ".\(target).avjob-\(process.mark)-7f.tmp"
    try writeFile(folder.path(name), "left".utf8)
    return name
  }

  private func touch(_ name: String, secondsAgo: Int) {
    var times = [timespec(tv_sec: time(nil) - secondsAgo, tv_nsec: 0), timespec()]
    times[1] = times[0]
    utimensat(AT_FDCWD, folder.path(name), &times, 0)
  }

  private func remove(beside name: String = "a.mp3") throws -> [String] {
    LeftoverCache().removeLeftovers(beside: FilePath(folder.path(name)))
    return try entries(of: folder.root).sorted()
  }

  private var dead: ProcessIdentity {
    var process = ProcessIdentity.current
    process.start += 1
    return process
  }

  @Test("are removed if the process is dead, and kept if it lives")
  func ofDeadProcesses() throws {
    _ = try leave(dead)
    let kept = [try leave(.current), try leave(dead, "b.mp3"), try leave(dead, "a.mp3.mp3")]
    #expect(try remove() == kept.sorted())
  }

  @Test(
    "of another machine or container are removed two minutes after the last write",
    arguments: [\ProcessIdentity.boot, \ProcessIdentity.namespace])
  func foreign(part: WritableKeyPath<ProcessIdentity, String> & Sendable) throws {
    var other = ProcessIdentity.current
    other[keyPath: part] = "other"
    let name = try leave(other)
    touch(name, secondsAgo: 90)
    #expect(try remove() == [name])
    // A clock that goes wrong may be ahead, too.
    touch(name, secondsAgo: -90)
    #expect(try remove() == [name])
    touch(name, secondsAgo: -150)
    #expect(try remove() == [])
    _ = try leave(other)
    touch(name, secondsAgo: 150)
    #expect(try remove() == [])
  }

  @Test("are found for names of the greatest length, and of any bytes")
  func names() throws {
    for name in [String(repeating: "ä", count: 125) + ".mp3", "x.avjob-1.tmp", "\u{1}\n.mp3"] {
      let target = FilePath(folder.path(name))
      let stem = TemporaryFile.stem(ofTarget: target)
      let left = stem + Array(".avjob-\(dead.mark)-ffffffffffffffff.tmp".utf8)
      // As much as eCryptfs allows.
      #expect(left.count <= 143)
      try writeFile(folder.path(String(decoding: left, as: UTF8.self)), [])
      #expect(try remove(beside: name) == [])
    }
  }

  @Test("that no process of avjob is named by are kept")
  func strangers() throws {
    let names = [
      ".a.mp3.avjob-.tmp", ".a.mp3.avjob-x-1-2-3", ".a.mp3.tmp", "a.mp3.avjob-x-1-2-3.tmp",
    ]
    for name in names { try writeFile(folder.path(name), []) }
    #expect(try remove() == names.sorted())
  }

  @Test("are looked for once in each folder")
  func once() throws {
    let cache = LeftoverCache()
    cache.removeLeftovers(beside: FilePath(folder.path("b.mp3")))
    let name = try leave(dead)
    cache.removeLeftovers(beside: FilePath(folder.path("a.mp3")))
    #expect(try entries(of: folder.root) == [name])
  }
}
