import Diagnosis
import TestSupport
import Testing

@testable import MediaCache

/// What a player fetches ahead of its reader.
@Suite struct PrefetchTests {
  private static let large = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 / 7) }

  @Test("a range that moves on a little with each call costs a request for each half of it")
  func movingRange() throws {
    let rig = try CacheRig(.init(bytes: Self.large))
    let medium = try rig.cache().medium(at: rig.url)
    let reader = CachedReader(medium)
    try rig.server.forget()
    for start in stride(from: Int64(0), to: 3_000_000, by: 20_000) {
      _ = medium.prefetch([start..<start + 600_000])
      try rig.server.settle()
    }
    try wait(until: "all is there") { medium.prefetch([0..<3_000_001]) == .isThere }
    #expect(rig.server.requests.count <= 11)
    withExtendedLifetime(reader) {}
  }

  @Test("a range that is awaited is fetched to its end")
  func awaitedRange() throws {
    let rig = try CacheRig(.init(bytes: Self.large))
    let medium = try rig.cache().medium(at: rig.url)
    let reader = CachedReader(medium)
    try wait(until: "the first part is there") {
      medium.prefetch([0..<1_000_000], isAwaited: true) == .isThere
    }
    try rig.server.settle()
    try rig.server.forget()
    #expect(medium.prefetch([0..<1_500_000]) == .isUnderWay)
    #expect(rig.server.requests.isEmpty)
    try wait(until: "all is there") {
      medium.prefetch([0..<1_500_000], isAwaited: true) == .isThere
    }
    withExtendedLifetime(reader) {}
  }

  @Test("the fetch of a server that sends only the whole is not given up for another place")
  func keepsWhole() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.large)
    (behaviour.hasRanges, behaviour.dropsAfter) = (false, 100_000)
    let rig = try CacheRig(behaviour)
    // A part comes into the cache.
    #expect(throws: Failure.self) { try CachedReader(try rig.cache().medium(at: rig.url)).all() }
    rig.server.change { ($0.dropsAfter, $0.pause) = (nil, 300) }
    let medium = try rig.cache().medium(at: rig.url)
    let reader = CachedReader(medium)
    try rig.server.forget()
    medium.readMapOnce()
    #expect(medium.prefetch([0..<3_000_001]) == .isUnderWay)
    try wait(until: "bytes arrive") { rig.server.bodyBytes > 0 }
    _ = medium.prefetch([])
    #expect(try reader.all() == Self.large)
    #expect(rig.server.requests.count == 1)
  }
}
