import Diagnosis
import HTTP
import TestSupport
import Testing

@testable import MediaCache

/// How long an answer of a server is good, and for which runs.
@Suite struct TrustTests {
  private static let bytes: [UInt8] = (0..<300_001).map { UInt8(truncatingIfNeeded: $0 / 5) }

  @Test("a body without an end of its own is fetched again by the next run")
  func undelimited() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.bytes, secondsFresh: 3600)
    (behaviour.hasRanges, behaviour.sendsLength, behaviour.isDelimited) = (false, false, false)
    behaviour.endsAfter = 30_000
    let rig = try CacheRig(behaviour)
    let start = MediaCache.now - 5000
    for _ in 1...2 {
      // In one run it is the same for all.
      let cache = rig.cache { $0.freshSince = start }
      #expect(try CachedReader(cache.medium(at: rig.url)).all() == Array(Self.bytes[..<30_000]))
    }
    rig.server.change { $0.endsAfter = nil }
    #expect(try CachedReader(rig.cache().medium(at: rig.url)).all() == Self.bytes)
    #expect(rig.server.requests.map(\.isConditional) == [false, false])
  }

  @Test("a server may be asked in spite of max-age, and of other runs")
  func distrust() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes, secondsFresh: 3600))
    _ = try CachedReader(rig.cache { $0.runID = "mine" }.medium(at: rig.url)).all()
    try rig.server.forget()
    rig.server.change { $0.errors = [.status(401, retryAfter: nil)] }
    let start = MediaCache.now - 5000
    func open(as run: String) throws {
      let cache = rig.cache { options in
        (options.trustsMaxAge, options.freshSince, options.runID) = (false, start, run)
      }
      _ = try cache.medium(at: rig.url)
    }
    try open(as: "mine")
    #expect(rig.server.requests.isEmpty)
    #expect(throws: Failure.self) { try open(as: "another") }
    _ = try rig.cache().medium(at: rig.url)
    #expect(rig.server.requests.count == 1)
    try open(as: "another")
    try open(as: "another")
    #expect(rig.server.requests.count == 2)
  }

  @Test("offline, a medium that its server must confirm first is refused")
  func offlineDistrust() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes, secondsFresh: 3600))
    _ = try CachedReader(rig.cache().medium(at: rig.url)).all()
    try rig.server.forget()
    let failure = #expect(throws: Failure.self) {
      try rig.cache { ($0.trustsMaxAge, $0.isOffline) = (false, true) }.medium(at: rig.url)
    }
    #expect(
      failure.map { "\($0.remedy): \($0.message)" }
        == "mendJob: below --root its server must confirm it first, and --offline refuses to ask; "
        + "run without one of the two")
    #expect(rig.server.requests.isEmpty)
    _ = try rig.cache { $0.isOffline = true }.medium(at: rig.url)
  }

  @Test("a confirmation from the future is not fresh")
  func future() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes, secondsFresh: 3600))
    _ = try CachedReader(rig.cache().medium(at: rig.url)).all()
    try rig.server.forget()
    var facts = try #require(try rig.entry().facts())
    facts.checked = MediaCache.now + 1_000_000
    try rig.entry().write(facts)
    let start = MediaCache.now - 5000
    _ = try rig.cache { $0.freshSince = start }.medium(at: rig.url)
    #expect(rig.server.requests.map(\.isConditional) == [true])
  }

  @Test("If-Range names Last-Modified only where the file cannot have changed at that date again")
  func weakDates() throws {
    for isStrong in [true, false] {
      var behaviour = FakeServer.Behaviour(bytes: Self.bytes)
      (behaviour.tag, behaviour.date) = (nil, "Tue, 15 Nov 1994 12:45:26 GMT")
      behaviour.hasStrongDate = isStrong
      let rig = try CacheRig(behaviour)
      #expect(try CachedReader(rig.cache().medium(at: rig.url)).all() == Self.bytes)
      let conditions = Set(rig.server.requests.dropFirst().map(\.ifRange))
      #expect(conditions == [isStrong ? behaviour.date : nil])
    }
  }
}
