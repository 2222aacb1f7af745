import Diagnosis
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import MediaCache

@Suite struct UpkeepTests {
  private func url(_ name: String) throws -> MediaURL {
    try MediaURL("https://example.org/\(name)")
  }

  @Test("what was not used for longest goes first, and nothing that is in use")
  func eviction() throws {
    let rig = try CacheRig(.init(bytes: [UInt8](repeating: 7, count: 300_000)))
    let cache = rig.cache()
    for name in ["a", "b", "c"] {
      _ = try CachedReader(try cache.medium(at: try url(name))).all()
      usleep(1_100_000)
    }
    let before = try cache.entries()
    try #require(before.count == 3)
    #expect(before.map(\.address) == ["c", "b", "a"].map { "https://example.org/\($0)" })
    #expect(before.allSatisfy { !$0.isInUse && $0.size == 300_000 && $0.bytes >= 300_000 })
    let used = try rig.cache().medium(at: try url("b"))
    #expect(try cache.entries().map(\.isInUse) == [true, false, false])
    let freed = try cache.prune(to: before[0].bytes * 2)
    #expect(freed == CacheRemoval(entries: 1, bytes: before[2].bytes))
    #expect(try cache.entries().map(\.address) == ["b", "c"].map { "https://example.org/\($0)" })
    #expect(try cache.prune(to: 0).entries == 1)
    #expect(try cache.entries().map(\.address) == ["https://example.org/b"])
    #expect(try CachedReader(used).all().count == 300_000)
  }

  @Test("a cache that outgrows its limit shrinks by itself")
  func limit() throws {
    let rig = try CacheRig(.init(bytes: [UInt8](repeating: 7, count: 300_000)))
    for name in ["a", "b", "c"] {
      let cache = rig.cache { $0.limit = 400_000 }
      _ = try CachedReader(try cache.medium(at: try url(name))).all()
      // The thread of the last fetch uses the entry a little longer than its reader.
      try wait(until: "it is not in use") {
        try rig.cache().entries().allSatisfy { !$0.isInUse }
      }
    }
    try wait(until: "the cache is small") {
      try rig.cache().entries().reduce(0) { $0 + $1.bytes } <= 400_000
    }
    #expect(try rig.cache().entries().map(\.address) == ["https://example.org/c"])
  }

  @Test("no secret is in the cache")
  func secrets() throws {
    let rig = try CacheRig(.init(bytes: [1, 2, 3]))
    _ = try CachedReader(try rig.cache().medium(at: rig.url)).all()
    let found = try Tool.run(["grep", "-rc", "secret\\|s3cret", rig.folder.string])
    let counts = found.text.split(separator: "\n")
    #expect(counts.allSatisfy { $0.hasSuffix(":0") }, "\(found.text)")
    let names = try Tool.succeed("find", rig.folder.string).text
    for name in ["/facts", ".data", ".map"] {
      #expect(names.contains("\(name)\n") && counts.contains { $0.hasSuffix("\(name):0") })
    }
    #expect(try readFile(try rig.path(".data")) == [1, 2, 3])
    #expect(!names.contains("secret") && !names.contains("ann"))
    #expect(try Tool.succeed("stat", "-c", "%a", rig.folder.string).text == "700\n")
  }

  @Test("a folder that is a link, or open to others, is refused")
  func folders() throws {
    let rig = try CacheRig(.init(bytes: [1]))
    _ = try rig.cache().medium(at: rig.url)
    let root = rig.folder.removingLastComponent()
    try Tool.succeed("ln", "-s", rig.folder.string, root.appending("link").string)
    try Tool.succeed("mkdir", "-m", "777", root.appending("open").string)
    try writeFile(root.appending("file").string, [])
    func refusal(_ name: String) throws -> String? {
      let failure = #expect(throws: Failure.self) {
        try rig.cache { $0.folder = root.pushing(FilePath(name)) }.medium(at: rig.url)
      }
      return failure.map { "\($0.remedy): \($0.message)" }
    }
    let remedy = "; name a folder of your own in AVJOB_CACHE, or 'chmod 700' this one"
    #expect(
      try refusal("link")
        == "mendMachine: the cache's folder is a symbolic link; name the folder that it leads to in "
        + "AVJOB_CACHE")
    #expect(
      try refusal("open") == "mendMachine: others may write into the cache's folder" + remedy)
    #expect(
      try refusal("file") == "mendMachine: the cache's folder cannot be opened: Not a directory"
        + "; name another folder in AVJOB_CACHE")
    #expect(
      try refusal("/proc/avjob") == "mendMachine: the cache's folder cannot be made; "
        + "name another folder in AVJOB_CACHE")
  }

  @Test(
    "failures of the cache's files have the remedies of other files",
    arguments: [
      (
        EMFILE,
        "tryAgain: Too many open files; raise the limit with ulimit -n or run fewer jobs at once"
      ),
      (ENOENT, "tryAgain: No such file or directory; try again"),
      (
        ENOSPC,
        "mendMachine: No space left on device; make room on that disk, or name another folder in "
          + "AVJOB_CACHE"
      ),
      (ENOLCK, "mendMachine: No locks available; name another folder in AVJOB_CACHE"),
      (EROFS, "mendMachine: Read-only file system; name another folder in AVJOB_CACHE"),
      (ELOOP, "mendMachine: Too many levels of symbolic links; name another folder in AVJOB_CACHE"),
    ])
  func remedies(_ code: Int32, _ message: String) {
    let failure = Failure(caching: Errno(rawValue: code), "cannot be read", in: "media")
    let start = "the media cache cannot be read: "
    #expect(failure.message.hasPrefix(start))
    #expect("\(failure.remedy): \(failure.message.dropFirst(start.utf8.count))" == message)
  }

  @Test("a folder that is removed while a process uses the cache is made again")
  func removedFolder() throws {
    let rig = try CacheRig(.init(bytes: [1, 2, 3]))
    let cache = rig.cache()
    let medium = try cache.medium(at: try url("a"))
    try Tool.succeed("rm", "-r", rig.folder.string)
    #expect(try CachedReader(try cache.medium(at: try url("b"))).all() == [1, 2, 3])
    #expect(try cache.entries().map(\.address) == ["https://example.org/b"])
    #expect(try CachedReader(medium).all() == [1, 2, 3])
  }

  @Test("a folder whose mark is empty is marked again")
  func mark() throws {
    let rig = try CacheRig(.init(bytes: [1]))
    _ = try rig.cache().medium(at: rig.url)
    let tag = rig.folder.appending("CACHEDIR.TAG").string
    let before = try readFile(tag)
    #expect(before.starts(with: "Signature: 8a477f597d28d172789f06886806bc55".utf8))
    try writeFile(tag, [])
    _ = try rig.cache().medium(at: rig.url)
    #expect(try readFile(tag) == before)
  }

  @Test("an entry whose folder is a link is refused")
  func entryLinks() throws {
    let rig = try CacheRig(.init(bytes: [1]))
    _ = try rig.cache().medium(at: rig.url)
    let key = try #require(try rig.cache().entries().first?.key)
    let entry = rig.folder.appending(key).string
    try Tool.succeed("mv", entry, entry + ".away")
    try Tool.succeed("ln", "-s", entry + ".away", entry)
    let failure = #expect(throws: Failure.self) { try rig.cache().medium(at: rig.url) }
    #expect(failure?.remedy == .mendMachine)
  }

  @Test("a folder that cannot be listed is reported, and is not an empty one")
  func listing() throws {
    let rig = try CacheRig(.init(bytes: [1]))
    _ = try rig.cache().medium(at: rig.url)
    let file = try FileDescriptor.open(FilePath(try rig.path(".data")), .readOnly)
    defer { try? file.close() }
    #expect(throws: Errno.notDirectory) { try CacheFolder.names(in: file) }
  }

  @Test("what was just brought is not in use any more when all is removed")
  func clearsWhatHasJustCome() throws {
    let rig = try CacheRig(.init(bytes: [1], pauseBeforeEnd: 100_000))
    let cache = rig.cache()
    #expect(try CachedReader(try cache.medium(at: rig.url)).all() == [1])
    #expect(try cache.clear().entries == 1)
  }

  @Test("an entry that cannot be removed is not counted as removed")
  func stubborn() throws {
    let rig = try CacheRig(.init(bytes: [1]))
    _ = try rig.cache().medium(at: rig.url)
    let folder = rig.folder.appending(try rig.entry().key)
    try Tool.succeed("mkdir", folder.appending("odd").string)
    #expect(try rig.cache().clear() == CacheRemoval())
    #expect(try rig.cache().entries().count == 1)
    try Tool.succeed("rmdir", folder.appending("odd").string)
    #expect(try rig.cache().clear().entries == 1)
    #expect(try rig.cache().entries().isEmpty)
  }

  @Test("records of lost or truncated data are removed, and the blocks are fetched again")
  func lostData() throws {
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 9) }
    let rig = try CacheRig(.init(bytes: bytes))
    _ = try CachedReader(try rig.cache().medium(at: rig.url)).all()
    for (call, cost) in [(["rm"], 300_000), (["truncate", "-s", "100000"], 300_000 - 6 * 16_384)] {
      #expect(try Tool.run(call + [try rig.path(".data")]).status == 0)
      try rig.server.forget()
      #expect(try CachedReader(try rig.cache().medium(at: rig.url)).all() == bytes)
      #expect(rig.server.bodyBytes == cost)
    }
  }
}
