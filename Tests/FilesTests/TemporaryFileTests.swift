import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Files

@Suite("Temporary files")
struct TemporaryFileTests {
  private let folder = TestFolder()

  private func path(_ name: String) -> FilePath { FilePath(folder.path(name)) }

  @Test("a file is known again by its name, as this process's and as its target's")
  func names() throws {
    let file = try TemporaryFile.create(for: path("a.mp3"), in: FilePath(folder.root))
    defer { file.close() }
    #expect(TemporaryFile.isOwn(file.path))
    #expect(!TemporaryFile.isOwn(path("a.mp3")))
    #expect(
      TemporaryFile.stem(ofTemporary: file.path) == TemporaryFile.stem(ofTarget: path("a.mp3")))
    #expect(TemporaryFile.stem(ofTemporary: path(".a.mp3.tmp")) == nil)
    #expect(TemporaryFile.newPath(for: "a", in: "b") != TemporaryFile.newPath(for: "a", in: "b"))
  }

  @Test("where a target has room, its path and those of its temporary files are short enough")
  func room() {
    for length in [1, 2, 60, 69, 70, 71, 100, 142, 143, 144, 200, 255] {
      let name = String(repeating: "n", count: length)
      func target(_ folder: Int) -> FilePath {
        FilePath("/" + String(repeating: "f", count: folder - 1)).appending(name)
      }
      let longest = (3000...4096).last { TemporaryFile.hasRoom(for: target($0)) } ?? 0
      let path = target(longest)
      #expect(path.length < PATH_MAX)
      let temporary =
        (0..<100).map { _ in
          TemporaryFile.newPath(for: path, in: path.removingLastComponent()).length
        }.max() ?? 0
      #expect(temporary < PATH_MAX)
      // A process's mark may be longer than this one's.
      #expect(max(path.length, temporary + 45) >= PATH_MAX - 1)
    }
  }

  @Test("a file is removed by its own name alone")
  func removal() throws {
    let file = try TemporaryFile.create(for: "a", in: FilePath(folder.root))
    #expect(file.isAt(file.path) == true)
    let other = try TemporaryFile.create(for: "a", in: FilePath(folder.root))
    #expect(file.isAt(other.path) == false)
    #expect(file.isAt(path("none")) == false)
    PathCalls.unlink(file.path)
    #expect(PathCalls.rename(other.path, to: file.path) == 0)
    file.remove()
    #expect(file.path.exists)
    other.close()
  }

  @Test("a lock of a whole file keeps other openings from any of it")
  func wholeFile() throws {
    try writeFile(folder.path("a"), [])
    let files = try (0..<2).map { _ in try PathCalls.openFile(path("a"), O_RDWR) }
    #expect(try RangeLock.tryLock(RangeLock.wholeFile, of: files[0]))
    #expect(try !RangeLock.tryLock(RangeLock.wholeFile, of: files[1]))
    #expect(try !RangeLock.tryLock(9..<10, of: files[1]))
    try files[0].close()
    #expect(try RangeLock.tryLock(RangeLock.wholeFile, of: files[1]))
    try files[1].close()
  }
}
