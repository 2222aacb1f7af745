import Diagnosis
import LibAV
import TestSupport
import Testing
import Threads

@testable import MediaCache

/// What is fetched ahead of a reader, in requests and in bytes.
@Suite struct PrefetchWindowTests {
  private static let bytes: [UInt8] = (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 / 11) }
  private static let end: Int64 = 12_000_000

  /// Requests, and bytes beyond those read, of a reader that opens an entity, jumps to `start`, and
  /// reads in steps to `end`.
  private func cost(
    from start: Int64, planning read: PlannedRead?
  ) throws -> (requests: Int, surplus: Int) {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    let medium = try rig.cache().medium(at: rig.url)
    let reader = CachedReader(medium)
    _ = try reader.bytes(0..<1000)
    if let read { reader.prefetch(whileReading: [read]) }
    try rig.server.forget()
    for offset in stride(from: start, to: Self.end, by: 1 << 15) {
      let step = offset..<min(offset + 1 << 15, Self.end)
      #expect(try reader.bytes(step).elementsEqual(Self.bytes[Int(offset)..<Int(step.upperBound)]))
    }
    try rig.server.settle()
    return (rig.server.requests.count, rig.server.bodyBytes - Int(Self.end - start))
  }

  @Test("a part whose end is known is fetched with one request")
  func exact() throws {
    let read = PlannedRead(range: 9_000_000..<Self.end, isExact: true)
    let (requests, surplus) = try cost(from: 9_000_044, planning: read)
    // One for the first bytes, as it is not known before that they are read on from.
    #expect(requests <= 2 && surplus < 128 << 10, "\(requests) requests, \(surplus) bytes")
  }

  @Test("a part of about known length is fetched with few requests, wherever it begins")
  func guessed() throws {
    let plain = try cost(from: 9_000_044, planning: nil)
    let read = PlannedRead(range: 8_500_000..<Self.end - 500_000, isExact: false)
    let (requests, surplus) = try cost(from: 9_000_044, planning: read)
    #expect(
      requests * 3 < plain.requests * 2 && surplus < 384 << 10,
      "\(requests) requests, \(surplus) bytes"
    )
  }

  @Test("a reader waits for a fetch behind which its block is near, wherever it reads in the block")
  func farBehind() throws {
    let rig = try CacheRig(.init(bytes: Self.bytes))
    let medium = try rig.cache().medium(at: rig.url)
    try rig.server.settle()
    // It brings nothing.
    let fetch = medium.fetchUnderWay(65_536..<Self.end)
    let looks = Counter()
    let reader = try Thread.spawn(name: "reader") {
      try? ByteWaiting.watched {
        looks.add(1)
        return false
      } _: {
        _ = try CachedReader(medium).bytes(1_114_212..<1_114_222)
      }
    }
    defer { reader.join() }
    defer { medium.hasEnded(fetch, of: 65_536..<Self.end, nil) }
    try wait(until: "it waits") { looks.value == 1 }
  }

  @Test("what is planned elsewhere changes nothing")
  func elsewhere() throws {
    let plain = try cost(from: 9_000_044, planning: nil)
    for isExact in [false, true] {
      let read = PlannedRead(range: 3_000_000..<6_000_000, isExact: isExact)
      let other = try cost(from: 9_000_044, planning: read)
      #expect(other.surplus <= plain.surplus + 128 << 10)
    }
  }
}
