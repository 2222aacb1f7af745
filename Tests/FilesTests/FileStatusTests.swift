import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Files

@Suite("The status of files")
struct FileStatusTests {
  private let folder = TestFolder()

  private func path(_ name: String) -> FilePath { FilePath(folder.path(name)) }

  @Test("a name begins with a dot, whatever makes one character with it")
  func dots() throws {
    for mark in JoinedTexts.behind + ["x"] {
      #expect(try #require(FilePath.Component(".\(mark)a")).beginsWithDot)
    }
    for name in ["a.b", "\u{301}.a", "\u{600}.a"] {
      #expect(try !#require(FilePath.Component(name)).beginsWithDot)
    }
  }

  @Test("a path, a descriptor and a name in a folder have one status")
  func ways() throws {
    try writeFile(folder.path("a"), "four".utf8)
    let status = try FileStatus(at: path("a"))
    #expect(status.kind == .file)
    #expect(status.size == 4)
    #expect(status.linkCount == 1)
    #expect(status.owner == geteuid())
    let file = try PathCalls.openToRead(path("a"))
    #expect(try FileStatus(of: file.rawValue) == status)
    let opened = try PathCalls.openToRead(FilePath(folder.root))
    #expect(try FileStatus(of: "a", in: opened.rawValue) == status)
    #expect(try FileStatus(of: opened.rawValue).kind == .folder)
    try file.close()
    try opened.close()
    try writeFile(folder.path("b"), "four".utf8)
    #expect(try !FileStatus(at: path("b")).isSameFile(as: status))
  }

  @Test("a link is followed, or looked at itself")
  func links() throws {
    try writeFile(folder.path("a"), [])
    symlink("a", folder.path("link"))
    symlink("nowhere", folder.path("broken"))
    #expect(try FileStatus(at: path("link")) == FileStatus(at: path("a")))
    #expect(try FileStatus(at: path("link"), followingLinks: false).kind == .link)
    #expect(throws: Errno.noSuchFileOrDirectory) { try FileStatus(at: path("broken")) }
    #expect(path("broken").isMissing)
    #expect(!path("link").isMissing)
    #expect(!path("a/b").isMissing)
  }

  @Test("what is no regular file is refused where one is needed")
  func kinds() throws {
    mkfifo(folder.path("pipe"), 0o600)
    #expect(try FileStatus(at: path("pipe")).kind == .pipe)
    #expect(throws: Errno.invalidArgument) { try FileStatus(at: path("pipe")).requireFile() }
    #expect(throws: Errno.isDirectory) { try FileStatus(at: path(".")).requireFile() }
    #expect(try FileStatus(at: "/dev/null").kind == .device)
  }

  @Test("times are exact, also before 1970", arguments: [0, 1, -1, 4_000_000_000])
  func times(seconds: Int) throws {
    try writeFile(folder.path("a"), [])
    var times = [timespec(tv_sec: seconds, tv_nsec: 5), timespec(tv_sec: seconds, tv_nsec: 5)]
    utimensat(AT_FDCWD, folder.path("a"), &times, 0)
    #expect(
      try FileStatus(at: path("a")).modificationTime == .seconds(seconds) + .nanoseconds(5))
  }
}
