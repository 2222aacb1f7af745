import Diagnosis
import Glibc
import MediaComposition
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("OutputFile: whole or absent")
struct OutputFileTests {
  let folder = TestFolder()

  /// Writes `text` to a path and commits it.
  private func write(_ text: String, to path: String, calls: FileCalls = .system) throws {
    let file = try OutputFile.create(at: FilePath(path), calls: calls)
    try file.put(text.utf8, at: 0)
    try file.flush()
    try file.commit()
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try readFile(path), as: UTF8.self)
  }

  private func mode(_ path: String) -> mode_t {
    var facts = stat()
    stat(path, &facts)
    return facts.st_mode & 0o7777
  }

  @Test("a committed file is there, and nothing else")
  func commit() throws {
    try write("new", to: folder.path("a.mp3"))
    #expect(try text(folder.path("a.mp3")) == "new")
    #expect(try entries(of: folder.root) == ["a.mp3"])
  }

  @Test("until the commit the old file stands untouched")
  func untouched() throws {
    let path = folder.path("a.mp3")
    try writeFile(path, "old".utf8)
    do {
      let file = try OutputFile.create(at: FilePath(path))
      try file.put("new".utf8, at: 0)
      #expect(try text(path) == "old")
      #expect(try entries(of: folder.root).count == 2)
    }
    #expect(try text(path) == "old")
    #expect(try entries(of: folder.root) == ["a.mp3"])
  }

  @Test("an existing file's mode is kept, and a new one's follows the umask")
  func modes() throws {
    let path = folder.path("a.mp3")
    try writeFile(path, "old".utf8)
    chmod(path, 0o640)
    try write("new", to: path)
    #expect(mode(path) == 0o640)
    try write("new", to: folder.path("b.mp3"))
    let plain = folder.path("plain")
    let descriptor = open(plain, O_CREAT | O_WRONLY, 0o666)
    close(descriptor)
    #expect(mode(folder.path("b.mp3")) == mode(plain))
  }

  @Test("symbolic links at the target are followed, also to a file that is not there yet")
  func links() throws {
    mkdir(folder.path("real"), 0o777)
    symlink("real/b.mp3", folder.path("a.mp3"))
    symlink("a.mp3", folder.path("c.mp3"))
    for words in ["first", "second"] {
      try write(words, to: folder.path("c.mp3"))
      #expect(try text(folder.path("real/b.mp3")) == words)
    }
    #expect(try entries(of: folder.path("real")) == ["b.mp3"])
    #expect(try Tool.succeed("readlink", folder.path("c.mp3")).text == "a.mp3\n")
  }

  @Test("missing folders are made, and taken away again if nothing comes of it")
  func folders() throws {
    try write("new", to: folder.path("x/y/a.mp3"))
    #expect(try text(folder.path("x/y/a.mp3")) == "new")
    do { _ = try OutputFile.create(at: FilePath(folder.path("x/z/w/a.mp3"))) }
    #expect(try entries(of: folder.path("x")) == ["y"])
    do {
      _ = try OutputFile.create(at: FilePath(folder.path("p/q/a.mp3")))
      // Somebody else uses the outer one meanwhile.
    }
    #expect(try entries(of: folder.root) == ["x"])
  }

  @Test("a folder that others use meanwhile stays")
  func sharedFolder() throws {
    do {
      let file = try OutputFile.create(at: FilePath(folder.path("p/q/a.mp3")))
      try writeFile(folder.path("p/other"), [])
      file.discard()
    }
    #expect(try entries(of: folder.path("p")) == ["other"])
  }

  @Test("no two files share a name, in whatever process they are")
  func unique() throws {
    let path = FilePath(folder.path("a.mp3"))
    let files = try (0..<3).map { _ in try OutputFile.create(at: path) }
    let names = try entries(of: folder.root)
    #expect(Set(names).count == 3)
    let mark = ProcessIdentity.current.mark
    #expect(names.allSatisfy { $0.hasPrefix(".a.mp3.avjob-\(mark)-") && $0.hasSuffix(".tmp") })
    withExtendedLifetime(files) {}
  }

  @Test("a file that another program has put in the unfinished one's place is not published")
  func replaced() throws {
    let path = folder.path("a.mp3")
    try writeFile(path, "old".utf8)
    let file = try OutputFile.create(at: FilePath(path))
    try file.put("new".utf8, at: 0)
    let name = try #require(try entries(of: folder.root).first { $0.hasSuffix(".tmp") })
    unlink(folder.path(name))
    try writeFile(folder.path(name), "stranger".utf8)
    let failure = #expect(throws: Failure.self) { try file.commit() }
    #expect(failure?.remedy == .tryAgain)
    #expect(
      failure?.message
        == "another program has removed or replaced the unfinished file; run it again")
    #expect(try text(path) == "old")
    #expect(try text(folder.path(name)) == "stranger")
  }

  @Test("several writers of one target do not disturb each other; the last commit stands")
  func concurrent() throws {
    let path = FilePath(folder.path("a.mp3"))
    let files = try (0..<5).map { _ in try OutputFile.create(at: path) }
    #expect(try entries(of: folder.root).count == 5)
    for (index, file) in files.enumerated() { try file.put("\(index)".utf8, at: 0) }
    for index in [3, 1, 4, 0, 2] { try files[index].commit() }
    #expect(try text(folder.path("a.mp3")) == "2")
    #expect(try entries(of: folder.root) == ["a.mp3"])
  }

  @Test("names of the greatest length, and of any bytes, can be written")
  func longNames() throws {
    let long = String(repeating: "ä", count: 125) + ".mp3"
    try write("new", to: folder.path(long))
    #expect(try entries(of: folder.root) == [long])
    let bytes = Array((folder.root + "/\u{1}").utf8CString.dropLast(2)) + [-1, 10, 0]
    let file = try OutputFile.create(at: FilePath(platformString: bytes))
    try file.commit()
    #expect(access(bytes, F_OK) == 0)
  }

  @Test("folders, devices and circles of links are refused")
  func refusals() throws {
    mkfifo(folder.path("pipe"), 0o600)
    symlink("loop", folder.path("loop"))
    try writeFile(folder.path("file"), [])
    let cases = [
      (folder.root, "is a folder; name a file"),
      (folder.path("pipe"), "is a device, pipe or socket; only files are written"),
      ("/dev/null", "is a device, pipe or socket; only files are written"),
      (folder.path("x/.."), "is a folder; name a file"),
      (
        folder.path("loop"),
        "cannot follow the link: Too many levels of symbolic links; the symbolic links there lead "
          + "in a circle"
      ),
      (
        folder.path("file/a.mp3"),
        "cannot write there: Not a directory; a part of the path before the name "
          + "is a file, not a folder"
      ),
      (
        folder.path(String(repeating: "x", count: 300)),
        "cannot write there: File name too long; use a shorter name"
      ),
    ]
    for (path, message) in cases {
      let failure = #expect(throws: Failure.self) { try write("new", to: path) }
      #expect(failure?.message == message)
      #expect(failure?.remedy == .mendJob)
      #expect(failure?.path == FilePath(path))
    }
    #expect(try entries(of: folder.root).sorted() == ["file", "loop", "pipe"])
  }

  @Test(
    "a full or failing disk is named, and leaves nothing behind",
    arguments: [
      (ENOSPC, "No space left on device; make room on that disk or write to another"),
      (EDQUOT, "Disk quota exceeded; make room within your quota or write to another disk"),
      (
        EFBIG,
        "File too large; raise the limit (--max-output, ulimit -f) or write to another file "
          + "system"
      ),
      (EIO, "Input/output error; check the disk"),
    ])
  func fullDisk(_ number: Int32, words: String) throws {
    var calls = FileCalls.system
    calls.write = { _, bytes, offset in
      guard offset >= 4 else { return min(4, bytes.count) }
      errno = number
      return -1
    }
    let path = folder.path("new/a.mp3")
    let failure = #expect(throws: Failure.self) { try write("0123456789", to: path, calls: calls) }
    #expect(failure?.message == "cannot write the file: " + words)
    #expect(failure?.remedy == .mendMachine)
    #expect(try entries(of: folder.root) == [])
  }

  @Test("a flush that fails loses the new file, not the old one")
  func failingFlush() throws {
    let path = folder.path("a.mp3")
    try writeFile(path, "old".utf8)
    var calls = FileCalls.system
    calls.flush = { _ in
      errno = EIO
      return -1
    }
    let failure = #expect(throws: Failure.self) { try write("new", to: path, calls: calls) }
    #expect(
      failure?.message == "cannot flush the file to the disk: Input/output error; check the disk")
    #expect(try text(path) == "old")
    #expect(try entries(of: folder.root) == ["a.mp3"])
  }

  @Test("writes that were cut short or interrupted go on")
  func shortWrites() throws {
    let calls = FileCalls(write: { descriptor, bytes, offset in
      if offset % 2 == 0, bytes.count % 3 == 0 {
        errno = EINTR
        return pwrite(descriptor, bytes.baseAddress, 1, off_t(offset)) == 1 ? 1 : -1
      }
      return pwrite(descriptor, bytes.baseAddress, min(2, bytes.count), off_t(offset))
    })
    try write("0123456789", to: folder.path("a.mp3"), calls: calls)
    #expect(try text(folder.path("a.mp3")) == "0123456789")
  }

  // MARK: Files of others

  @Test(
    "a file that another program makes meanwhile stays, on whatever file system",
    arguments: [0, EINVAL, ENOSYS])
  func meanwhile(_ refusal: Int32) throws {
    var calls = FileCalls.system
    if refusal != 0 {
      calls.renameNew = { _, _ in
        errno = refusal
        return -1
      }
    }
    let path = folder.path("a.mp3")
    func commit(_ words: String) throws {
      let file = try OutputFile.create(at: FilePath(path), calls: calls)
      try file.put(words.utf8, at: 0)
      try file.commit(replacing: .none)
    }
    try commit("first")
    #expect(try text(path) == "first")
    let failure = #expect(throws: Failure.self) { try commit("second") }
    #expect(failure?.remedy == .mendJob)
    #expect(
      failure?.message
        == "was made by another program while avjob was working, and stays; move it away, or choose "
        + "another path")
    #expect(try text(path) == "first")
    #expect(try entries(of: folder.root) == ["a.mp3"])
  }

  @Test("what was found is replaced as long as it is that, and nothing else is")
  func found() throws {
    let path = folder.path("a.mp3")
    func commit(_ words: String, _ interlude: () throws -> Void = {}) throws {
      let file = try OutputFile.create(at: FilePath(path))
      try file.put(words.utf8, at: 0)
      try interlude()
      try file.commit(replacing: .found)
    }
    try commit("first")
    try commit("second")
    #expect(try text(path) == "second")
    #expect(throws: Failure.madeMeanwhile(FilePath(path))) {
      try commit("third") { try writeFile(path, "another's".utf8) }
    }
    #expect(try text(path) == "another's")
    try commit("fourth") { unlink(path) }
    #expect(try text(path) == "fourth")
    unlink(path)
    #expect(throws: Failure.madeMeanwhile(FilePath(path))) {
      try commit("fifth") { try writeFile(path, "another's".utf8) }
    }
    #expect(try text(path) == "another's")
  }

  @Test(
    "the new file has the old one's attributes and access list, and never runs as its owner",
    .enabled(if: keepsAttributes, "this file system has no attributes or access lists"))
  func attributes() throws {
    let path = folder.path("a.mp3")
    try writeFile(path, "old".utf8)
    let before = try Tool.succeed("/usr/bin/python3", "-c", attributesScript, path, "set").text
    #expect(before.hasPrefix("['system.posix_acl_access', 'user.note'] "))
    try write("new", to: path)
    #expect(try Tool.succeed("/usr/bin/python3", "-c", attributesScript, path, "").text == before)
    #expect(mode(path) == 0o640)
    #expect(try text(path) == "new")
  }
}

/// Prints the attributes of a file, and sets them before. Named entries for user 1234: version 2, then
/// tag, permissions and number of each (acl(5)).
private let attributesScript = """
  import os, struct, sys
  path, what = sys.argv[1:]
  acl = 'system.posix_acl_access'
  entries = [(1, 6, -1), (2, 4, 1234), (4, 4, -1), (16, 4, -1), (32, 0, -1)]
  if what == 'set':
      os.setxattr(path, 'user.note', b'kept')
      os.setxattr(path, acl, struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *e) for e in entries))
      os.chmod(path, 0o7640)
  names = sorted(n for n in os.listxattr(path) if n != 'security.selinux')
  print(names, [os.getxattr(path, n)[-4:].hex() for n in names])
  """

private let keepsAttributes: Bool = {
  let folder = TestFolder()
  let path = folder.path("a")
  guard (try? writeFile(path, "".utf8)) != nil else { return false }
  return (try? Tool.succeed("/usr/bin/python3", "-c", attributesScript, path, "set")) != nil
}()
