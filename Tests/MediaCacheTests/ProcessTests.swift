import Diagnosis
import Glibc
import HTTP
import LibAV
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import MediaCache

/// Processes that share an entry, and that stand still, end, or go wrong meanwhile.
@Suite struct ProcessTests {
  private static let bytes: [UInt8] = (0..<1_000_001).map { UInt8(truncatingIfNeeded: $0 / 13) }

  @Test("a process that stands still in the midst of a fetch does not hold up others")
  func stoppedFetch() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    do { _ = try CachedReader(rig.cache().medium(at: rig.url)).bytes(0..<10) }
    try rig.server.settle()
    let stopped = try rig.files()
    #expect(try stopped.claim(0..<stopped.blockCount))
    let cache = rig.cache { $0.patience = .milliseconds(20) }
    let reader = CachedReader(try cache.medium(at: rig.url))
    #expect(try reader.all() == Self.bytes)
    // It goes on, with the same bytes.
    try Self.bytes[0..<16_384].withUnsafeBytes { bytes in
      try stopped.write(bytes, at: 0)
      try stopped.record(0, bytes)
    }
    #expect(try rig.cache().verify().damaged.isEmpty)
  }

  @Test("a process that stands still while it opens an address does not hold up others")
  func stoppedOpening() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    do { _ = try CachedReader(rig.cache().medium(at: rig.url)).bytes(0..<10) }
    let lock = try #require(try rig.entry().use())
    defer { try? lock.close() }
    #expect(try Opening.tryBegin(lock))
    let cache = rig.cache { $0.patience = .milliseconds(20) }
    #expect(try CachedReader(cache.medium(at: rig.url)).all() == Self.bytes)
  }

  @Test("a process that stops while it removes an entry does not hold up others without limit")
  func stoppedRemoval() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    _ = try rig.cache().medium(at: rig.url)
    let lock = try rig.entry().open("lock", O_RDWR)
    #expect(flock(lock.rawValue, LOCK_EX) == 0)
    let looks = Counter()
    let failures = Mutex<[Failure]>([])
    let threads = try [true, false].map { keepsWaiting in
      let cache = rig.cache { $0.patience = keepsWaiting ? .milliseconds(20) : .seconds(1000) }
      return try Thread.spawn(name: "opener") {
        do throws(Failure) {
          try ByteWaiting.watched {
            looks.add(1)
            return keepsWaiting
          } _: {
            Result { () throws(Failure) in _ = try cache.medium(at: rig.url) }
          }.get()
        } catch {
          failures.withLock { $0.append(error) }
        }
      }
    }
    defer { for thread in threads { thread.join() } }
    defer { try? lock.close() }
    try wait(until: "both have failed") { failures.withLock { $0.count == 2 } }
    #expect(looks.value > 1)
    #expect(
      Set(failures.withLock { $0.map(\.message) }) == [
        "the download was cancelled; run the job again",
        "another process began to remove it from the cache, and does not go on; "
          + "continue or end that process, and try again",
      ])
    #expect(failures.withLock { $0.allSatisfy { $0.remedy == .tryAgain } })
  }

  @Test("what a process writes into data that were removed is not taken for what is there")
  func removedData() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    do { _ = try CachedReader(rig.cache { $0.boot = "b" }.medium(at: rig.url)).bytes(0..<10) }
    try rig.server.settle()
    let running = try rig.files()
    #expect(try Tool.run(["rm", try rig.path(".data")]).status == 0)
    let reader = CachedReader(try rig.cache { $0.boot = "b" }.medium(at: rig.url))
    try Self.bytes[20 << 14..<21 << 14].withUnsafeBytes { bytes in
      try running.write(bytes, at: 20 << 14)
      try running.record(20, bytes)
    }
    #expect(try reader.all() == Self.bytes)
  }

  @Test("a process that claims blocks is waited for, though one before stood still")
  func nextHolder() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    let medium = try rig.cache { $0.patience = .zero }.medium(at: rig.url)
    try rig.server.settle()
    let stopped = try rig.files()
    #expect(try stopped.claim(20..<30))
    #expect(!medium.hasIdleHolder(20))
    #expect(medium.hasIdleHolder(20))
    #expect(medium.holders.withLock { Array($0.keys) } == [20..<30])
    stopped.release(20..<30)
    #expect(!medium.hasIdleHolder(20))
    #expect(medium.holders.withLock { $0.isEmpty })
  }

  @Test("a map is made and removed before its data, so that no two processes share a map alone")
  func order() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    _ = try rig.cache().medium(at: rig.url)
    let entry = try rig.entry()
    let folder = rig.folder.appending(entry.key)
    func names() throws -> [Substring] {
      try Tool.succeed("ls", folder.string).text.split(separator: "\n")
        .filter { $0.hasPrefix("0123456789abcdef") }
    }
    var facts = try #require(try entry.facts())
    let known = facts.generation
    facts.generation = "0123456789abcdef"
    // What cannot be made, and cannot be removed, shows what is done before.
    try Tool.succeed("mkdir", folder.appending("0123456789abcdef.data").string)
    #expect(throws: Errno.isDirectory) {
      try EntryFiles(of: facts, in: entry, boot: "b")
    }
    #expect(try names() == ["0123456789abcdef.data", "0123456789abcdef.map"])
    #expect(throws: Errno.self) { try entry.removeOthers(than: known) }
    #expect(try names() == ["0123456789abcdef.data"])
  }

  @Test("a process that gets on is waited for, and one that stands still is not")
  func patience() {
    var patience = Patience<Int>(.zero)
    #expect(!patience.hasEnded { 2 })
    #expect(!patience.hasEnded { 3 })
    #expect(patience.hasEnded { 3 })
    #expect(patience.hasEnded { 4 })
    var longer = Patience<Int>(.seconds(1000))
    for _ in 1...2 { #expect(!longer.hasEnded { 1 }) }
  }

  @Test("a fetch that ends before its first request leaves no claim behind")
  func claims() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    let medium = try rig.cache().medium(at: rig.url)
    try rig.server.settle()
    let fetch = medium.fetchUnderWay(200_000..<1_000_001)
    let other = try rig.files()
    #expect(try !other.claim(20..<21))
    #expect(other.claim(of: 20) == 12..<62)
    medium.hasEnded(fetch, of: 196_608..<1_000_001, nil)
    #expect(other.claim(of: 20) == nil)
    #expect(try other.claim(12..<62))
    #expect(throws: Errno.invalidArgument) { try other.claim(3..<3) }
  }

  @Test("an opening ends at once when the cache is cancelled, whatever its server does")
  func cancelledOpening() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.isStuck = true
    let rig = try CacheRig(behaviour)
    let cache = rig.cache()
    let failures = Mutex<[Failure]>([])
    let threads = try (0..<2).map { _ in
      try Thread.spawn(name: "opener") {
        do throws(Failure) {
          _ = try cache.medium(at: rig.url)
        } catch {
          failures.withLock { $0.append(error) }
        }
      }
    }
    try wait(until: "it is asked") { rig.server.requests.count == 1 }
    cache.cancel()
    for thread in threads { thread.join() }
    #expect(
      failures.withLock { $0 } == Array(repeating: Failure(.cancelled, of: rig.url), count: 2))
    rig.server.change { $0.isStuck = false }
  }

  @Test("an answer that did not come whole costs nothing of what was there before")
  func brokenWhole() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes, tag: nil))
    do { _ = try CachedReader(rig.cache().medium(at: rig.url)).all() }
    try rig.server.settle()
    rig.server.change { ($0.hasRanges, $0.sendsLength, $0.dropsAfter) = (false, false, 50_000) }
    #expect(throws: Failure.self) { try rig.cache().medium(at: rig.url) }
    let reader = CachedReader(try rig.cache { $0.isOffline = true }.medium(at: rig.url))
    #expect(try reader.all() == Self.bytes)
  }
}
