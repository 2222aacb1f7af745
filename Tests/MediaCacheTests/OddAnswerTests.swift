import Diagnosis
import Glibc
import HTTP
import LibAV
import Synchronization
import TestSupport
import Testing
import Threads

@testable import MediaCache

/// Servers whose answers are allowed but odd, or forbidden but common.
@Suite struct OddAnswerTests {
  private static let bytes: [UInt8] = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 / 7) }

  @Test("answers that end too early without saying so lead to the whole, or to an error")
  func endsEarly() throws {
    var behaviour = FakeServer.Behaviour(bytes: Array(Self.bytes.prefix(200_000)))
    behaviour.endsAfter = 30_000
    let rig = try CacheRig(behaviour)
    #expect(try CachedReader(rig.cache().medium(at: rig.url)).all() == behaviour.bytes)

    behaviour.endsAfter = 0
    let other = try CacheRig(behaviour)
    let reader = CachedReader(try other.cache().medium(at: other.url))
    let failure = #expect(throws: Failure.self) { try reader.bytes(0..<10) }
    #expect(
      failure?.message == "the connection ended too early, after 0 bytes; try again later")
    // The one that opened it, and three more.
    #expect(other.server.requests.count == 4)
  }

  @Test("a part that answers If-Range without validators is of the same entity")
  func hushedParts() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.hushesParts = true
    let rig = try CacheRig(behaviour)
    #expect(try CachedReader(rig.cache().medium(at: rig.url)).all() == Self.bytes)
  }

  @Test(
    "answers with nothing in common are of one entity only where If-Range was answered",
    arguments: [
      (#""a""#, nil, nil, "today", false), (nil, "today", #""a""#, nil, false),
      (nil, nil, nil, nil, true), (#""a""#, "today", #""a""#, "never", true),
      (#""a""#, "today", #""b""#, "today", false), (nil, "today", #""b""#, "today", true),
    ] as [(String?, String?, String?, String?, Bool)])
  func allow(_ tag: String?, _ date: String?, _ other: String?, _ later: String?, _ same: Bool) {
    let first = EntryFacts.Validators(entityTag: tag, lastModified: date)
    let second = EntryFacts.Validators(entityTag: other, lastModified: later)
    #expect(first.allow(second, answersIfRange: false) == same)
    let isNamedOtherwise = tag != nil && other != nil && tag != other
    #expect(first.allow(second, answersIfRange: true) == !isNamedOtherwise)
  }

  @Test("the whole is not received for a part from far behind")
  func wholeForPart() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    let reader = CachedReader(try rig.cache().medium(at: rig.url))
    _ = try reader.bytes(0..<10)
    try rig.server.forget()
    rig.server.change { $0.hasRanges = false }
    // Near the beginning, what comes before is no loss.
    #expect(try reader.bytes(500_000..<500_010) == Array(Self.bytes[500_000..<500_010]))
    let failure = #expect(throws: Failure.self) { try reader.bytes(2_900_000..<2_900_010) }
    #expect(failure?.remedy == .tryAgain)
    #expect(
      failure?.message == "the server sent the whole file where a part was requested; "
        + "run again, or download the file and name the copy")
  }

  @Test("cancelling ends all who wait, and nothing more is asked")
  func cancelling() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.pause = 20_000
    let rig = try CacheRig(behaviour)
    let cache = rig.cache()
    let medium = try cache.medium(at: rig.url)
    let failures = Mutex<[Failure]>([])
    let threads = try (0..<3).map { number in
      try Thread.spawn(name: "reader") {
        do {
          _ = try CachedReader(medium).bytes(Int64(1_000_000 * number)..<3_000_001)
        } catch let failure as Failure {
          failures.withLock { $0.append(failure) }
        } catch {}
      }
    }
    try wait(until: "all ask") { rig.server.requests.count >= 3 }
    cache.cancel()
    for thread in threads { thread.join() }
    #expect(failures.withLock { $0.map(\.message) }.count == 3)
    #expect(
      failures.withLock { $0 }.allSatisfy {
        $0.message == "the download was cancelled; run the job again"
      })
    let asked = rig.server.requests.count
    #expect(throws: Failure.self) { try CachedReader(medium).bytes(0..<3_000_001) }
    #expect(rig.server.requests.count == asked)
  }

  @Test("what may not be stored stays for the process, and leaves nothing")
  func secret() throws {
    for tellsSize in [true, false] {
      var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
      (behaviour.isSecret, behaviour.secondsFresh) = (true, 3600)
      (behaviour.hasRanges, behaviour.tellsSize) = (tellsSize, tellsSize)
      let rig = try CacheRig(behaviour)
      let cache = rig.cache()
      for _ in 1...2 {
        #expect(try CachedReader(cache.medium(at: rig.url)).all() == Self.bytes)
      }
      #expect(rig.server.bodyBytes == Self.bytes.count)
      #expect(try rig.cache().entries().map(\.address) == [nil])
      #expect(try rig.cache().entries().map(\.bytes) == [0])
      let asked = rig.server.requests.count
      _ = try rig.cache().medium(at: rig.url)
      #expect(rig.server.requests.count == asked + 1)
      #expect(!rig.server.requests.contains { $0.isConditional })
    }
  }

  @Test("a server may be asked in spite of max-age")
  func distrust() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.secondsFresh = 3600
    let rig = try CacheRig(behaviour)
    _ = try CachedReader(rig.cache().medium(at: rig.url)).all()
    try rig.server.forget()
    rig.server.change { $0.errors = [.status(401, retryAfter: nil)] }
    #expect(throws: Failure.self) {
      try rig.cache { $0.trustsMaxAge = false }.medium(at: rig.url)
    }
    _ = try rig.cache().medium(at: rig.url)
    #expect(rig.server.requests.count == 1)
  }

  @Test("who meets a change leaves alone what another one has begun anew")
  func newerGeneration() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    let old = CachedReader(try rig.cache().medium(at: rig.url))
    _ = try old.bytes(0..<10)
    try rig.server.forget()
    rig.server.change { $0.tag = #""two""# }
    let new = CachedReader(try rig.cache().medium(at: rig.url))
    #expect(try new.all() == Self.bytes)
    let failure = #expect(throws: Failure.self) { try old.bytes(2_000_000..<2_000_010) }
    #expect(failure?.remedy == .tryAgain)
    try rig.server.forget()
    #expect(try CachedReader(rig.cache().medium(at: rig.url)).all() == Self.bytes)
    #expect(rig.server.bodyBytes == 0)
  }

  @Test("an entity of any length that a server claims costs what is read of it, at any offset")
  func claimedLength() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    rig.server.change { $0.claimedSize = 1 << 42 }
    let medium = try rig.cache().medium(at: rig.url)
    let reader = CachedReader(medium)
    #expect(try reader.bytes(0..<10) == Array(Self.bytes[..<10]))
    #expect(medium.missingBytes(of: [0..<100_000]) <= 114_688)
    var byte: [UInt8] = [0]
    for offset in [1 << 42, Int64.max - 1, Int64.max] {
      let count = try byte.withUnsafeMutableBytes { try reader.read(at: offset, into: $0) }
      #expect(count == 0)
    }
    rig.server.change { ($0.claimedSize, $0.tag) = (1 << 43, #""two""#) }
    #expect(throws: Failure.self) { try rig.cache().medium(at: rig.url) }
  }

  @Test("any max-age is remembered")
  func longMaxAge() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.secondsFresh = 1 << 32
    let rig = try CacheRig(behaviour)
    _ = try CachedReader(rig.cache().medium(at: rig.url)).all()
    try rig.server.forget()
    #expect(try CachedReader(rig.cache().medium(at: rig.url)).all() == Self.bytes)
    #expect(rig.server.requests.isEmpty)
  }

  @Test("a server that answers a condition with the same entity does not cost what is there")
  func unconditional() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.heedsConditions = false
    let rig = try CacheRig(behaviour)
    _ = try CachedReader(rig.cache().medium(at: rig.url)).all()
    try rig.server.forget()
    #expect(try CachedReader(rig.cache().medium(at: rig.url)).all() == Self.bytes)
    try rig.server.settle()
    #expect(rig.server.requests.count == 1 && rig.server.bodyBytes == 0)
  }

  @Test("who reads again where nobody read any more waits for a new fetch")
  func abandoned() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.pause = 1000
    let rig = try CacheRig(behaviour)
    let medium = try rig.cache().medium(at: rig.url)
    for _ in 0..<5 {
      CachedReader(medium).prefetch(0..<3_000_001)
      usleep(2000)
      let reader = CachedReader(medium)
      #expect(try reader.bytes(70_000..<70_010) == Array(Self.bytes[70_000..<70_010]))
    }
    #expect(try CachedReader(medium).all() == Self.bytes)
  }
}
