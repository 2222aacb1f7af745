import Diagnosis
import TestSupport
import Testing

@testable import MediaCache

/// Files that are longer than the cache may be, or than their reader takes.
@Suite struct LongFileTests {
  private static let bytes: [UInt8] = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 / 7) }

  @Test("of a file that is longer than the cache may be, as much is kept, and no more")
  func tooLong() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    for _ in 1...2 {
      try rig.server.forget()
      let cache = rig.cache { $0.limit = 1 << 20 }
      let reader = CachedReader(try cache.medium(at: rig.url))
      #expect(try reader.bytes(0..<10) == Array(Self.bytes[..<10]))
      let failure = #expect(throws: Failure.self) { _ = try reader.all() }
      #expect(failure?.remedy == .mendMachine)
      #expect(failure?.message.contains("set AVJOB_CACHE_SIZE") == true)
      try rig.server.settle()
      #expect(rig.server.bodyBytes <= 1 << 20 + 32 << 10)
    }
    // The whole is not even begun.
    let other = try CacheRig(.init(bytes: Self.bytes))
    let cache = other.cache { $0.limit = 1 << 20 }
    _ = try CachedReader(cache.medium(at: other.url)).bytes(0..<10)
    other.server.change { $0.hasRanges = false }
    for remedy in [Failure.Remedy.tryAgain, .mendMachine] {
      let start = MediaCache.now - 5000
      let failure = #expect(throws: Failure.self) {
        let cache = other.cache { ($0.limit, $0.freshSince) = (1 << 20, start) }
        _ = try CachedReader(cache.medium(at: other.url)).bytes(2_000_000..<2_000_010)
      }
      #expect(failure?.remedy == remedy)
    }
    #expect(other.server.bodyBytes == 65_536)
  }

  @Test("of a file that is longer than the cache may be, any part can be read by another run")
  func otherParts() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    func read(_ range: Range<Int64>, _ cache: MediaCache) throws {
      let bytes = try CachedReader(cache.medium(at: rig.url)).bytes(range)
      #expect(bytes.elementsEqual(Self.bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }
    func cache() -> MediaCache { rig.cache { $0.limit = 1 << 20 } }
    #expect(throws: Failure.self) { try read(0..<3_000_001, cache()) }
    var facts = try #require(try rig.entry().facts())
    facts.digest = [UInt8](repeating: 7, count: 32)
    try rig.entry().write(facts)
    try read(2_000_000..<2_700_000, cache())
    // It begins anew, with a digest to be found anew.
    #expect(try rig.entry().facts()?.digest == nil)
    // A process that reads on keeps what it has.
    let reading = CachedReader(try cache().medium(at: rig.url))
    let next = cache()
    let failure = #expect(throws: Failure.self) { try read(0..<700_000, next) }
    #expect(
      failure.map { "\($0.remedy): \($0.message)" }
        == "tryAgain: the cache is full of other parts of the server's file; run again, "
        + "or set AVJOB_CACHE_SIZE")
    try read(0..<700_000, next)
    #expect(
      try reading.bytes(2_000_000..<2_700_000) == Array(Self.bytes[2_000_000..<2_700_000]))
  }

  @Test("the limit of a file that is longer than the cache may be holds for all processes together")
  func commonLimit() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    let caches = [rig.cache { $0.limit = 1 << 20 }, rig.cache { $0.limit = 1 << 20 }]
    let readers = try caches.map { CachedReader(try $0.medium(at: rig.url)) }
    _ = try readers[0].bytes(0..<900_000)
    let failure = #expect(throws: Failure.self) { try readers[1].bytes(1_500_000..<2_500_000) }
    #expect(failure?.message.hasPrefix("the cache is full of other parts") == true)
    try rig.server.settle()
    // Others are looked at once for a sixteenth of the limit.
    #expect(rig.server.bodyBytes <= 17 << 16 + 32 << 10)
  }

  @Test("what is fetched ahead does not cost what the cache has of a file that is longer than it")
  func fullAhead() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    _ = try CachedReader(rig.cache { $0.limit = 1 << 20 }.medium(at: rig.url)).bytes(0..<900_000)
    try rig.server.settle()
    let cache = rig.cache { $0.limit = 1 << 20 }
    let medium = try cache.medium(at: rig.url)
    CachedReader(medium).prefetch(now: 1_500_000..<2_500_000)
    try wait(until: "that has ended") { medium.remainingBytes == 0 }
    #expect(medium.isFull)
    try rig.server.forget()
    let reader = CachedReader(try cache.medium(at: rig.url))
    #expect(try reader.bytes(0..<900_000) == Array(Self.bytes[..<900_000]))
    #expect(rig.server.requests.isEmpty)
  }

  @Test("nothing of a file that is longer than the reader's limit is fetched beyond that")
  func limit() throws {
    for (hasRanges, sendsLength) in [(true, true), (false, true), (false, false)] {
      var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
      (behaviour.hasRanges, behaviour.sendsLength) = (hasRanges, sendsLength)
      let rig = try CacheRig(behaviour)
      let cache = rig.cache()
      #expect(try cache.medium(at: rig.url, limit: 100_000) == nil)
      try rig.server.settle()
      #expect(rig.server.bodyBytes <= 105_000)
      #expect(try cache.entries().isEmpty)
      let medium = try cache.medium(at: rig.url, limit: 3_000_001)
      #expect(try medium.map { try CachedReader($0).all() } == Self.bytes)
      #expect(try cache.medium(at: rig.url, limit: 3_000_000) == nil)
    }
  }
}
