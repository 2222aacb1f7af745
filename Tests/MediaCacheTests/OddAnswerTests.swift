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
    // The one that opened it, and three more, perhaps before the reader came.
    #expect([4, 7].contains(other.server.requests.count))
  }

  @Test("a part that answers If-Range without validators is of the same entity")
  func hushedParts() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.omitsValidatorsOfParts = true
    let rig = try CacheRig(behaviour)
    #expect(try CachedReader(rig.cache().medium(at: rig.url)).all() == Self.bytes)
  }

  @Test(
    "answers with nothing in common are of one entity only where If-Range was answered",
    arguments: [
      (#""a""#, nil, nil, "today", false), (nil, "today", #""a""#, nil, false),
      (nil, nil, nil, nil, true), (#""a""#, "today", #""a""#, "never", true),
      (#""a""#, "today", #""b""#, "today", false), (nil, "today", #""b""#, "today", true),
      (nil, "today", nil, "never", false), (#""a""#, "today", nil, "never", false),
    ] as [(String?, String?, String?, String?, Bool)])
  func allow(_ tag: String?, _ date: String?, _ other: String?, _ later: String?, _ same: Bool) {
    let first = EntryFacts.Validators(entityTag: tag, lastModified: date)
    let second = EntryFacts.Validators(entityTag: other, lastModified: later)
    #expect(first.allow(second, answersIfRange: false) == same)
    let haveTags = tag != nil && other != nil
    let isNamedOtherwise =
      haveTags ? tag != other : date != nil && later != nil && date != later
    #expect(first.allow(second, answersIfRange: true) == !isNamedOtherwise)
  }

  @Test(
    "answers with one weak tag are of one entity only if their dates do not differ",
    arguments: [("today", "today", true), ("today", "later", false), ("today", nil, true)]
      as [(String, String?, Bool)])
  func weakTags(_ date: String, _ later: String?, _ same: Bool) {
    let first = EntryFacts.Validators(entityTag: #"W/"a""#, lastModified: date)
    let second = EntryFacts.Validators(entityTag: #"W/"a""#, lastModified: later)
    #expect(first.allow(second, answersIfRange: false) == same)
  }

  @Test("a server that sends a byte for each request is given up after a few")
  func drips() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.dropsAfter = 1
    let rig = try CacheRig(behaviour)
    let reader = CachedReader(try rig.cache().medium(at: rig.url))
    // What has come is there, a byte of each request.
    #expect(try reader.bytes(0..<10) == Array(Self.bytes[..<10]))
    let failure = #expect(throws: Failure.self) { try reader.bytes(10..<1000) }
    #expect(failure?.message.hasPrefix("the connection ended after 1 of ") == true)
    // Once for the opening, which fetches on, and once more where that has given up before a read.
    #expect([17, 34, 51].contains(rig.server.requests.count))
  }

  @Test("a server is asked again as long as blocks come, and not before it asks for")
  func retries() {
    let busy = HTTPError.status(503, retryAfter: 7)
    var retries = Retries([.seconds(1), .seconds(9)])
    #expect(retries.pause(after: .stalled, receiving: 0) == .seconds(1))
    #expect(retries.pause(after: .stalled, receiving: 1) == .zero)
    #expect(retries.pause(after: busy, receiving: 0) == .seconds(9))
    #expect(retries.pause(after: busy, receiving: 16_383) == .seconds(7))
    #expect(retries.pause(after: busy, receiving: 0) == .seconds(7))
    #expect(retries.pause(after: .status(503, retryAfter: 31), receiving: 1 << 20) == nil)
    #expect(retries.pause(after: .status(404, retryAfter: nil), receiving: 1 << 20) == nil)
  }

  @Test("the whole is not received for a part from far behind, and asked for by the next reader")
  func wholeForPart() throws {
    for tag in [#""one""#, nil] {
      let rig = try CacheRig(.init(bytes: Self.bytes, tag: tag))
      let start = MediaCache.now - 5000
      let cache = rig.cache { $0.freshSince = start }
      let reader = CachedReader(try cache.medium(at: rig.url))
      _ = try reader.bytes(0..<10)
      try rig.server.forget()
      rig.server.change { $0.hasRanges = false }
      if tag != nil {
        // Near the beginning, what comes before is no loss.
        #expect(try reader.bytes(500_000..<500_010) == Array(Self.bytes[500_000..<500_010]))
      }
      let failure = #expect(throws: Failure.self) { try reader.bytes(2_900_000..<2_900_010) }
      #expect(failure?.remedy == .tryAgain)
      #expect(
        failure?.message == "the server sent the whole file where a part was requested; "
          + "run again, or download the file and name the copy")
      #expect(try CachedReader(cache.medium(at: rig.url)).all() == Self.bytes)
    }
  }

  @Test("a server that refuses parts is asked for the whole, and its file is not taken for empty")
  func refusedParts() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes, refusesParts: true))
    #expect(try CachedReader(rig.cache().medium(at: rig.url)).all() == Self.bytes)
    #expect(rig.server.requests.map(\.range) == [0..<65_536, nil])
  }

  @Test("a failure stays until the readers that waited for it have it")
  func failures() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    let medium = try rig.cache().medium(at: rig.url)
    let reader = CachedReader(medium)
    _ = try reader.bytes(0..<10)
    try rig.server.settle()
    rig.server.change { $0.errors = [.status(404, retryAfter: nil)] }
    #expect(throws: Failure.self) { try reader.bytes(2_000_000..<2_000_010) }
    rig.server.change { $0.errors = [.status(404, retryAfter: nil)] }
    reader.prefetch(now: 2_000_000..<3_000_001)
    try wait(until: "that has failed, too") { medium.remainingBytes == 0 }
    #expect(medium.state.withLock { $0.awaited.isEmpty })
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
    for sendsLength in [true, false] {
      var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
      (behaviour.isSecret, behaviour.secondsFresh) = (true, 3600)
      (behaviour.hasRanges, behaviour.sendsLength) = (sendsLength, sendsLength)
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

  @Test("data that may not be stored have no name while they arrive")
  func nameless() throws {
    for sendsLength in [true, false] {
      var behaviour = FakeServer.Behaviour(bytes: Self.bytes, hasRanges: false, isSecret: true)
      (behaviour.sendsLength, behaviour.holdsAfter) = (sendsLength, 100_000)
      let rig = try CacheRig(behaviour)
      let cache = rig.cache()
      let reader = try Thread.spawn(name: "reader") {
        _ = try? CachedReader(cache.medium(at: rig.url)).all()
      }
      try wait(until: "bytes have come") { cache.receivedBytes >= 100_000 }
      let names = try Tool.succeed("find", rig.folder.string, "-type", "f", "-printf", "%f\n").text
      #expect(Set(names.split(separator: "\n")) == ["CACHEDIR.TAG", "lock"])
      cache.cancel()
      reader.join()
    }
  }

  @Test("data that may not be stored are given up above the limit once nothing reads them")
  func unkeptLimit() throws {
    let bytes = [UInt8](repeating: 7, count: 300_000)
    let rig = try CacheRig(.init(bytes: bytes, isSecret: true))
    let cache = rig.cache { $0.limit = 400_000 }
    let urls = try ["a", "b"].map { try MediaURL("https://example.org/\($0)") }
    for url in urls { #expect(try CachedReader(cache.medium(at: url)).all() == bytes) }
    try wait(until: "the first is given up") { cache.openMedium(at: urls[0]) == nil }
    #expect(try CachedReader(cache.medium(at: urls[0])).all() == bytes)
  }

  @Test("a reader that finds the server's file changed keeps the entry that another has begun anew")
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
    let missing = medium.missingBytes(of: [0..<10, 5..<1 << 42, 16_384..<100_000])
    #expect(((1 << 42) - 114_688...(1 << 42) - 16_384).contains(missing))
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
    for isMeasured in [true, false] {
      var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
      behaviour.answersConditions = false
      (behaviour.hasRanges, behaviour.sendsLength) = (isMeasured, isMeasured)
      let rig = try CacheRig(behaviour)
      _ = try CachedReader(rig.cache().medium(at: rig.url)).all()
      try rig.server.forget()
      #expect(try CachedReader(rig.cache().medium(at: rig.url)).all() == Self.bytes)
      try rig.server.settle()
      #expect(rig.server.requests.count == 1 && rig.server.bodyBytes == 0)
    }
  }

  @Test("a reader that comes after a fetch was given up waits for a new one")
  func abandoned() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.pause = 1000
    let rig = try CacheRig(behaviour)
    let medium = try rig.cache().medium(at: rig.url)
    for _ in 0..<5 {
      CachedReader(medium).prefetch(now: 0..<3_000_001)
      usleep(2000)
      let reader = CachedReader(medium)
      #expect(try reader.bytes(70_000..<70_010) == Array(Self.bytes[70_000..<70_010]))
    }
    #expect(try CachedReader(medium).all() == Self.bytes)
  }

  @Test("a fetch that is given up ends, though its server sends nothing")
  func givenUp() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    behaviour.holdsAfter = 100_000
    let rig = try CacheRig(behaviour)
    let medium = try rig.cache().medium(at: rig.url)
    let reader = CachedReader(medium)
    _ = try reader.bytes(0..<10)
    try rig.server.forget()
    #expect(medium.prefetch([1_000_000..<3_000_001]) == .isUnderWay)
    try wait(until: "bytes have come") { rig.server.bodyBytes == 100_000 }
    _ = medium.prefetch([])
    try rig.server.settle()
    rig.server.change { $0.holdsAfter = nil }
    #expect(try reader.all() == Self.bytes)
  }

  @Test("a fetch ends where another one begins, and a block counts once")
  func overlap() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    let cache = rig.cache()
    let medium = try cache.medium(at: rig.url)
    try rig.server.settle()
    rig.server.change { $0.holdsAfter = 0 }
    defer { cache.cancel() }
    let later = try #require(try medium.begin(983_040..<1_500_000))
    let sooner = try #require(try medium.begin(200_000..<1_200_000))
    #expect(
      medium.state.withLock { [$0.rests[later], $0.rests[sooner]] } == [
        983_040..<1_507_328, 196_608..<983_040,
      ])
    let before = medium.state.withLock { $0.brought }
    for _ in 1...2 { medium.isThere(100) }
    #expect(medium.state.withLock { $0.brought } == before + 1)
  }

  @Test("a whole file that nobody reads any more is given up, unless it could not be continued")
  func abandonedWhole() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
    (behaviour.hasRanges, behaviour.holdsAfter) = (false, 100_000)
    let rig = try CacheRig(behaviour)
    let medium = try rig.cache { $0.patience = .milliseconds(20) }.medium(at: rig.url)
    do { _ = try CachedReader(medium).bytes(0..<10) }
    try rig.server.settle()
    rig.server.change { $0.holdsAfter = nil }
    #expect(try CachedReader(medium).all() == Self.bytes)
    // Without a reader so far, or without validators.
    let fresh = try rig.cache { $0.patience = .zero }.medium(at: rig.url)
    #expect(!fresh.isAbandoned(2 << 20))
    rig.server.change { $0.tag = nil }
    let nameless = try rig.cache { $0.patience = .zero }.medium(at: rig.url)
    do { _ = CachedReader(nameless) }
    #expect(!nameless.isAbandoned(2 << 20))
  }
}
