import Diagnosis
import Glibc
import HTTP
import LibAV
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import MediaCache

@Suite struct MediaCacheTests {
  private static func noise(_ count: Int) -> [UInt8] {
    var dice = Dice(UInt64(count))
    return dice.bytes(count)
  }

  private static let large = noise(3_000_001)

  @Test("what is read once is fetched once, and a second run asks once and gets no byte")
  func twice() throws {
    let rig = try CacheRig(.init(bytes: Self.large))
    do {
      let reader = CachedReader(try rig.cache().medium(at: rig.url))
      #expect(try reader.all() == Self.large)
    }
    #expect(rig.server.bodyBytes == Self.large.count)
    try rig.server.forget()
    let again = CachedReader(try rig.cache().medium(at: rig.url))
    #expect(try again.all() == Self.large)
    #expect(rig.server.requests == [.init(range: 0..<65_536, isConditional: true)])
  }

  @Test(
    "an entity of any length is whole", arguments: [0, 1, 16_383, 16_384, 16_385, 65_536, 65_537])
  func lengths(_ count: Int) throws {
    for (hasRanges, sendsLength) in [(true, true), (false, true), (false, false)] {
      var behaviour = FakeServer.Behaviour(bytes: Self.noise(count))
      (behaviour.hasRanges, behaviour.sendsLength) = (hasRanges, sendsLength)
      let rig = try CacheRig(behaviour)
      for _ in 1...2 {
        let reader = CachedReader(try rig.cache().medium(at: rig.url))
        #expect(try reader.all() == behaviour.bytes)
        #expect(try reader.bytes(Int64(count)..<Int64(count) + 10).isEmpty)
      }
      #expect(rig.server.bodyBytes == count)
    }
  }

  @Test("a part costs about that part")
  func part() throws {
    let rig = try CacheRig(.init(bytes: Self.noise(20_000_000)))
    let reader = CachedReader(try rig.cache().medium(at: rig.url))
    _ = try reader.bytes(0..<1000)
    #expect(
      try reader.bytes(9_000_000..<12_000_000)
        == [UInt8](Self.noise(20_000_000)[9_000_000..<12_000_000]))
    #expect(rig.server.bodyBytes <= 3_000_000 + (512 << 10))
  }

  @Test("what will surely be read is fetched with one request")
  func planned() throws {
    let rig = try CacheRig(.init(bytes: Self.large))
    let reader = CachedReader(try rig.cache().medium(at: rig.url))
    reader.prefetch(whileReading: [PlannedRead(range: 0..<3_000_001, isExact: true)])
    #expect(try reader.all() == Self.large)
    #expect(rig.server.requests.count == 2)
    #expect(rig.server.bodyBytes == Self.large.count)
  }

  @Test(
    "a server that breaks off after any number of bytes is asked for the rest",
    arguments: [1100, 20_000, 700_000])
  func drops(_ count: Int) throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.noise(1_000_000))
    behaviour.dropsAfter = count
    let rig = try CacheRig(behaviour)
    #expect(try CachedReader(try rig.cache().medium(at: rig.url)).all() == behaviour.bytes)
    #expect(rig.server.bodyBytes == behaviour.bytes.count)
  }

  @Test(
    "a server that sends no parts and breaks off is asked for the whole again, and nothing twice is kept"
  )
  func dropsWhole() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.noise(1_000_000))
    (behaviour.hasRanges, behaviour.dropsAfter, behaviour.drops) = (false, 600_000, 2)
    let rig = try CacheRig(behaviour)
    let reader = CachedReader(try rig.cache().medium(at: rig.url))
    #expect(try reader.bytes(0..<500_000) == [UInt8](behaviour.bytes[..<500_000]))
    #expect(try reader.all() == behaviour.bytes)
  }

  @Test("errors that may pass are tried again, others and too many are reported")
  func errors() throws {
    let busy = HTTPError.status(503, retryAfter: 0)
    let rig = try CacheRig(.init(bytes: Self.large, errors: [busy, busy]))
    #expect(try rig.cache().medium(at: rig.url).size == Int64(Self.large.count))
    rig.server.change { $0.errors = [busy, busy, busy] }
    let failure = #expect(throws: Failure.self) { try rig.cache().medium(at: rig.url) }
    #expect(failure == Failure(busy, of: rig.url))
    rig.server.change { $0.errors = [.status(404, retryAfter: nil)] }
    let missing = #expect(throws: Failure.self) { try rig.cache().medium(at: rig.url) }
    #expect(missing?.remedy == .mendJob)
  }

  @Test("after an error was reported, the next reader asks again")
  func recovery() throws {
    let rig = try CacheRig(.init(bytes: Self.large))
    let reader = CachedReader(try rig.cache().medium(at: rig.url))
    _ = try reader.bytes(0..<10)
    rig.server.change { $0.errors = Array(repeating: .stalled, count: 3) }
    #expect(throws: Failure.self) { try reader.bytes(2_000_000..<2_000_010) }
    #expect(try reader.bytes(2_000_000..<2_000_010) == [UInt8](Self.large[2_000_000..<2_000_010]))
  }

  @Test("another entity is begun anew, and one that changes midway ends the reading")
  func changes() throws {
    let rig = try CacheRig(.init(bytes: Self.large))
    let cache = rig.cache()
    let reader = CachedReader(try cache.medium(at: rig.url))
    #expect(try reader.bytes(0..<100) == [UInt8](Self.large[..<100]))
    let other = Self.large.map { $0 ^ 0x55 }
    rig.server.change { ($0.bytes, $0.tag) = (other, #""two""#) }
    let failure = #expect(throws: Failure.self) { try reader.bytes(2_000_000..<2_000_100) }
    #expect(
      failure.map { "\($0.remedy): \($0)" }
        == "tryAgain: https://example.org/take.flac?…: the server's file was changed while it was "
        + "read; run again")
    // Neither this process nor another goes on with the first.
    #expect(try CachedReader(try cache.medium(at: rig.url)).all() == other)
    #expect(try CachedReader(try rig.cache().medium(at: rig.url)).all() == other)
    // Nothing is left of the first.
    #expect(try CachedReader(try rig.cache().medium(at: rig.url)).all() == other)
  }

  @Test("without validators an entity is good for one run")
  func noValidators() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.noise(50_000))
    behaviour.tag = nil
    let rig = try CacheRig(behaviour)
    let start = MediaCache.now - 5000
    let identity = try rig.cache().medium(at: rig.url).identity
    let same = try rig.cache { $0.freshSince = start }.medium(at: rig.url)
    #expect(same.identity == identity)
    #expect(rig.server.requests.count == 1)
    #expect(try rig.cache().medium(at: rig.url).identity != identity)
    #expect(rig.server.requests.count == 2)
  }

  @Test("users of one address get the files that its server gives them, whatever their passwords")
  func users() throws {
    let other = Array(Self.large.reversed())
    let rig = try CacheRig(.init(bytes: Self.large, bytesOfUsers: ["bob": other]))
    let cache = rig.cache()
    var readers: [CachedReader] = []
    for (user, bytes) in [
      ("ann:x@", Self.large), ("bob:y@", other), ("ann:z@", Self.large), ("", Self.large),
    ] {
      let url = try MediaURL("https://\(user)example.org/voice.wav")
      let reader = CachedReader(try cache.medium(at: url))
      #expect(try reader.all() == bytes)
      readers.append(reader)
    }
    #expect(readers[0].medium === readers[2].medium)
    #expect(rig.server.bodyBytes == 3 * Self.large.count)
  }

  @Test("within max-age the server is not asked")
  func fresh() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.noise(50_000))
    behaviour.secondsFresh = 1000
    let rig = try CacheRig(behaviour)
    for _ in 1...3 { _ = try rig.cache().medium(at: rig.url) }
    #expect(rig.server.requests.count == 1)
  }

  @Test("offline nothing is asked, and missing bytes are reported")
  func offline() throws {
    let rig = try CacheRig(.init(bytes: Self.large))
    let none = #expect(throws: Failure.self) {
      try rig.cache { $0.isOffline = true }.medium(at: rig.url)
    }
    #expect(
      none.map { "\($0.remedy): \($0)" }
        == "mendJob: https://example.org/take.flac?…: it is not in the cache, and --offline refuses "
        + "to fetch it; run once without it")
    _ = try CachedReader(try rig.cache().medium(at: rig.url)).bytes(0..<100)
    try rig.server.forget()
    let reader = CachedReader(try rig.cache { $0.isOffline = true }.medium(at: rig.url))
    #expect(try reader.bytes(0..<100) == [UInt8](Self.large[..<100]))
    let part = #expect(throws: Failure.self) { try reader.bytes(2_000_000..<2_000_001) }
    #expect(
      part.map { "\($0.remedy): \($0)" }
        == "mendJob: https://example.org/take.flac?…: not all of it is in the cache, and --offline "
        + "refuses to fetch the rest; run once without it")
    #expect(rig.server.requests.isEmpty)
  }

  @Test(
    "500 random patterns of reading by four processes equal the file, and no byte is fetched twice")
  func patterns() throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.large)
    behaviour.pause = 20
    let rig = try CacheRig(behaviour)
    let wrong = Counter()
    let start = MediaCache.now - 5000
    let threads = try (0..<4).map { process in
      let cache = rig.cache { $0.freshSince = start }
      let url = rig.url
      return try Thread.spawn(name: "reader") {
        var dice = Dice(UInt64(process))
        for _ in 0..<125 {
          do {
            let reader = CachedReader(try cache.medium(at: url))
            var offset = dice.number(0..<Int64(Self.large.count))
            for _ in 0..<dice.number(1..<8) {
              let end = min(Int64(Self.large.count), offset + dice.number(1..<100_000))
              let bytes = try reader.bytes(offset..<end)
              if bytes != [UInt8](Self.large[Int(offset)..<Int(end)]) { wrong.add(1) }
              offset = dice.next() % 3 == 0 ? dice.number(0..<Int64(Self.large.count)) : end
              if offset >= Self.large.count { break }
            }
          } catch {
            wrong.add(1)
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(wrong.value == 0)
    #expect(rig.server.bodyBytes <= Self.large.count)
  }

  @Test("a block that the disk lost is found and fetched anew")
  func damage() throws {
    let rig = try CacheRig(.init(bytes: Self.large))
    do { _ = try CachedReader(try rig.cache().medium(at: rig.url)).all() }
    let data = try rig.path(".data")
    var bytes = try readFile(data)
    bytes[20_000] ^= 1
    bytes[2_000_000] ^= 1
    try writeFile(data, bytes)
    var facts = try #require(try rig.entry().facts())
    facts.digest = [UInt8](repeating: 7, count: 32)
    try rig.entry().write(facts)
    // Under the same start of the machine nobody doubts them.
    let check = try rig.cache().verify()
    #expect(check.bytes == Int64(Self.large.count))
    #expect(check.damaged.map(\.blocks) == [2])
    // The digest was that of the whole.
    #expect(try rig.entry().facts()?.digest == nil)
    try rig.server.forget()
    #expect(try CachedReader(try rig.cache().medium(at: rig.url)).all() == Self.large)
    #expect(rig.server.bodyBytes == 32 << 10)
  }

  @Test("after a start of the machine each block is compared once, and always where it is unknown")
  func boots() throws {
    let rig = try CacheRig(.init(bytes: Self.large))
    do { _ = try CachedReader(try rig.cache().medium(at: rig.url)).all() }
    let data = try rig.path(".data")
    var bytes = try readFile(data)
    bytes[2_000_000] ^= 1
    // Where the machine was started again, where the block was found since then, and where nobody
    // knows about starts.
    for (boot, cost) in [("second", 16 << 10), ("second", 0), ("unknown", 16 << 10)] {
      try writeFile(data, bytes)
      try rig.server.forget()
      let cache = rig.cache { $0.boot = boot }
      let read = try CachedReader(try cache.medium(at: rig.url)).all()
      #expect(rig.server.bodyBytes == cost)
      #expect((read == Self.large) == (cost > 0))
    }
  }

  @Test(
    "after a start of the machine the first read compares no more blocks than a page of the map has",
    arguments: [true, false])
  func firstRead(hasRanges: Bool) throws {
    var behaviour = FakeServer.Behaviour(bytes: Self.noise(20_000_000))
    behaviour.hasRanges = hasRanges
    let rig = try CacheRig(behaviour)
    do { _ = try CachedReader(try rig.cache { $0.boot = "first" }.medium(at: rig.url)).all() }
    try rig.server.forget()
    let medium = try rig.cache { $0.boot = "second" }.medium(at: rig.url)
    let files = try rig.files(boot: "second")
    func compared() throws -> Int {
      try files.present(in: 0..<files.blockCount).ranges.reduce(0) { $0 + $1.count }
    }
    #expect(medium.missingBytes(of: [0..<medium.size]) == 0)
    #expect(try compared() == 0)
    #expect(try medium.prefetch(allFrom: 0) > 0)
    #expect((1...CachedMedium.page).contains(try compared()))
    #expect(try CachedReader(medium).all() == behaviour.bytes)
    #expect(rig.server.bodyBytes == 0)
  }

  @Test("comparing blocks that may be lost ends between pages when nobody needs them")
  func cancelledLook() throws {
    let rig = try CacheRig(.init(bytes: Self.noise(20_000_000)))
    do { _ = try CachedReader(try rig.cache { $0.boot = "first" }.medium(at: rig.url)).all() }
    let data = try FileDescriptor.open(FilePath(try rig.path(".data")), .readWrite)
    defer { try? data.close() }
    // Of the first page nothing is left.
    let zeros = [UInt8](repeating: 0, count: CachedMedium.page << 14)
    try data.writeAll(toAbsoluteOffset: 0, zeros)
    let medium = try rig.cache { $0.boot = "second" }.medium(at: rig.url)
    var looks = 0
    let gap = medium.gap(atStartOf: 0..<20_000_000) {
      looks += 1
      return looks > 1
    }
    #expect(gap.isEmpty && looks == 2)
    let files = try rig.files(boot: "second")
    #expect(try files.present(in: 0..<files.blockCount).isEmpty)
    #expect(medium.gap(atStartOf: 0..<20_000_000) { false } == 0..<Int64(zeros.count))
  }

  @Test("records far apart in a sparse map are all found")
  func sparseMap() throws {
    let rig = try CacheRig(.init(bytes: Self.noise(20_000)))
    rig.server.change { $0.claimedSize = 1 << 42 }
    let medium = try rig.cache().medium(at: rig.url)
    try rig.server.settle()
    let files = medium.files
    let far = [511, 512, 1_000_000, 200_000_003, files.blockCount - 1]
    let before = try files.recorded(in: 0..<files.blockCount)
    for block in far { try [1].withUnsafeBytes { try files.record(block, $0) } }
    let after = before.union(RangeSet(far.map { $0..<$0 + 1 }))
    #expect(try files.recorded(in: 0..<files.blockCount) == after)
    #expect(try files.recordedCount() == after.ranges.reduce(0) { $0 + $1.count })
    let some = try files.recorded(in: 512..<200_000_003)
    #expect(Array(some.ranges) == [512..<513, 1_000_000..<1_000_001])
    #expect(try files.recorded(in: 513..<1_000_000).isEmpty)
  }

  @Test("facts that nobody wrote are no facts")
  func facts() throws {
    let facts = EntryFacts(
      address: "https://example.org/a b?…", generation: "0123456789abcdef", size: 12,
      validators: .init(entityTag: #"W/"x y""#, lastModified: "Tue, 1 Jan"), checked: 5, run: "r",
      secondsFresh: 7, hasRanges: true, hasStrongDate: false, digest: [0xAB, 0x0C])
    let text = Array(facts.text.utf8)
    #expect(EntryFacts(text) == facts)
    for end in 0..<text.count { #expect(EntryFacts(text[..<end]) == nil) }
    for time in [Int64.min, -1, Int64.max] {
      var impossible = facts
      impossible.checked = time
      #expect(EntryFacts(Array(impossible.text.utf8)) == nil)
    }
    var dice = Dice(1)
    for _ in 0..<2000 {
      var other = text
      other[Int(dice.number(0..<Int64(text.count)))] = UInt8(truncatingIfNeeded: dice.next())
      if let read = EntryFacts(other) { #expect(EntryFacts(Array(read.text.utf8)) == read) }
    }
  }
}
