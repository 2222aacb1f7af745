import Diagnosis
import Glibc
import HTTP
import LibAV
import Synchronization
import SystemPackage
import Threads

/// One entity of an address: which of its bytes are in the cache, and which are on their way there.
///
/// Safe from any thread. Nobody removes the entry while this object lives.
package final class CachedMedium: Sendable {
  let url: MediaURL
  let cache: MediaCache
  let facts: EntryFacts
  let files: EntryFiles
  /// Whether other processes and later runs find the entity; if not, its files have no names.
  package let isKept: Bool
  let folder: EntryFolder
  /// The lock that says that the entry is in use.
  let use: FileDescriptor
  let state = Monitor(State())
  /// Held while the facts are changed: to the lock between processes all threads are one.
  let changing = Mutex(())
  /// Whether the server has another entity now, or cannot bring the rest of this one any more: the
  /// next opening of the address gets another medium.
  let isOver = Atomic<Bool>(false)
  /// The claims of other processes that are waited for, by their blocks.
  let holders = Mutex<[Range<Int>: Patience<Int?>]>([:])

  struct State {
    var present = RangeSet<Int>()
    /// Fetches under way: what each still brings.
    var rests: [Int: Range<Int64>] = [:]
    /// Those that readers wait for, under way or not.
    var awaited: [Int: Awaited] = [:]
    var nextFetch = 0
    var readers = 0
    /// When the last reader went; nil before there was one.
    var lastUse: ContinuousClock.Instant?
    var received: Int64 = 0
    /// Blocks that this process has brought, and how many those were when others were counted last.
    var (brought, broughtAtCount) = (0, 0)
    /// Blocks that others have brought, before or meanwhile; only counted of a file that is longer
    /// than the cache may be.
    var broughtByOthers = 0
    /// Where a reader has read last.
    var readOffset: Int64 = 0
    /// What will be read, by the readers that say so.
    var planned: [ObjectIdentifier: [PlannedRead]] = [:]
    /// The last fetch that `prefetch(_:isAwaited:)` has begun.
    var prefetch: Int?
    /// Whether that failed; nothing is begun in this way until a reader gets its bytes.
    var prefetchHasFailed = false
    /// Whether all of the map was read.
    var hasReadMap = false

    /// A fetch for its readers.
    struct Awaited {
      /// How many wait for it.
      var readers = 0
      /// How it ended before its goal.
      var broken: BrokenFetch?
    }

    /// Notes that a reader waits for one fetch now, and for another one no more.
    mutating func noteWait(for fetch: Int?, insteadOf other: Int?) {
      if let fetch { awaited[fetch, default: Awaited()].readers += 1 }
      guard let other else { return }
      awaited[other]?.readers -= 1
      if awaited[other]?.readers == 0 { awaited[other] = nil }
    }
  }

  init(
    _ url: MediaURL, facts: EntryFacts, files: EntryFiles, in folder: EntryFolder,
    use: FileDescriptor, cache: MediaCache, isKept: Bool = true
  ) {
    (self.url, self.facts, self.files, self.folder) = (url, facts, files, folder)
    (self.use, self.cache, self.isKept) = (use, cache, isKept)
    guard facts.size > cache.options.limit, let count = try? files.recordedCount() else { return }
    state.withLock { $0.broughtByOthers = count }
  }

  deinit { try? use.close() }

  /// The entity's bytes.
  package var size: Int64 { facts.size }

  /// What distinguishes the entity from all others of this address, for receipts: its tag or date,
  /// as the server sent it, or, where the server sent neither, a number that no other entity has.
  /// An entity that has neither and may not be kept is fetched by each process anew; the start of
  /// the run then stands for the number.
  package var identity: String {
    let validators = facts.validators
    guard !validators.isEmpty else {
      return isKept ? facts.generation : "\(cache.options.freshSince) \(facts.size)"
    }
    return "\(validators.entityTag ?? "") \(validators.lastModified ?? "") \(facts.size)"
  }

  /// The ranges of bytes that are in the cache, in order, as far as this process has seen them.
  package var loadedRanges: [Range<Int64>] {
    state.withLock { $0.present }.ranges.map(files.bytes)
  }

  /// Bytes that this process has received.
  package var receivedBytes: Int64 { state.withLock { $0.received } }

  /// How many bytes of some ranges are not in the cache, in whole blocks, according to the map: no
  /// block is compared with its digest for that.
  ///
  /// - Complexity: O(n log n) in the ranges, and in the blocks that are there
  package func missingBytes(of ranges: [Range<Int64>]) -> Int64 {
    let ranges = ranges.map { $0.clamped(to: 0..<size) }.filter { !$0.isEmpty }
    // What two ranges share counts once.
    let wanted = RangeSet(ranges.map(files.blocks))
    var there = state.withLock { $0.present }
    for blocks in wanted.ranges { there.formUnion((try? files.recorded(in: blocks)) ?? RangeSet()) }
    return wanted.subtracting(there).ranges.reduce(0) { $0 + Int64(files.bytes(of: $1).count) }
  }

  /// Bytes that are on their way.
  package var remainingBytes: Int64 {
    state.withLock { state in state.rests.values.reduce(0) { $0 + Int64($1.count) } }
  }

  // MARK: Reading

  /// Reads bytes from `offset` on, and waits for them.
  ///
  /// - Parameters:
  ///   - offset: Where to begin.
  ///   - bytes: Filled from its start on.
  ///   - goal: Up to where bytes will be needed soon; fetched in any case.
  /// - Returns: How many, 0 at the end alone; and why those behind them cannot be had, where the fetch
  ///   of their block has brought these and no more.
  /// - Throws: `Failure`
  func read(
    at offset: Int64, into bytes: UnsafeMutableRawBufferPointer, goal: Int64
  ) throws(Failure) -> (count: Int, failure: Failure?) {
    guard offset < size, !bytes.isEmpty else { return (0, nil) }
    let wanted = offset..<min(size, offset + Int64(bytes.count))
    state.withLock { $0.readOffset = offset }
    let end: Int64
    switch try wait(for: wanted, goal: goal) {
    case .isThere(let found): end = found
    case .isBroken(let broken):
      let count = broken.copy(from: offset, to: bytes)
      guard count > 0 else { throw broken.failure }
      return (count, broken.failure)
    }
    // A reader that has found all bytes so far reads what was read before, and stops where that
    // ends.
    if state.withLock({ $0.nextFetch > 0 }) { prefetch(from: end, to: min(goal, size)) }
    let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<Int(end - offset)])
    let count = try cache.reporting("cannot be read") { try files.read(at: offset, into: part) }
    if count > 0 { return (count, nil) }
    throw Failure(
      .mendMachine,
      "the cache has lost bytes of it; run 'avjob cache verify'", location: .remote(url))
  }

  /// How a wait ends.
  enum Arrival {
    /// The bytes up to here are there.
    case isThere(Int64)
    /// The first of them cannot be had, or only what came of its block.
    case isBroken(BrokenFetch)
  }

  private enum Step {
    case ends(Arrival)
    case begin
    case isCancelled
  }

  /// Waits until the first of some bytes are there, or cannot be had.
  ///
  /// A fetch that others have begun may fail far before these bytes: then they are asked for here.
  ///
  /// - Throws: `Failure` where no fetch can begin, or the wait is given up.
  func wait(for wanted: Range<Int64>, goal: Int64) throws(Failure) -> Arrival {
    let block = files.blocks(of: wanted).lowerBound
    var awaited: Int?
    var isOwn = false
    defer { state.withLock { $0.noteWait(for: nil, insteadOf: awaited) } }
    while true {
      let step = try ByteWaiting.wait(for: state, of: url, in: cache) { state -> Step? in
        if cache.isCancelled { return .isCancelled }
        let end = end(of: state.present, in: wanted)
        if end > wanted.lowerBound {
          if awaited != nil { state.prefetchHasFailed = false }
          return .ends(.isThere(end))
        }
        if let awaited, let broken = state.awaited[awaited]?.broken,
          isOwn || files.blocks(of: broken.cursor..<broken.cursor + 1).contains(block)
        {
          return .ends(.isBroken(broken))
        }
        let fetch = fetch(bringing: block, state)
        state.noteWait(for: fetch, insteadOf: awaited)
        if fetch != awaited { isOwn = false }
        awaited = fetch
        return awaited == nil ? .begin : nil
      }
      switch step {
      case .ends(let arrival): return arrival
      case .isCancelled: throw Failure(HTTPError.cancelled, of: url)
      case .begin:
        awaited = try begin(wanted.lowerBound..<max(wanted.upperBound, goal), isAwaited: true)
        isOwn = awaited != nil
      }
    }
  }

  /// The fetch that will bring a block soon enough to wait for it.
  private func fetch(bringing block: Int, _ state: State) -> Int? {
    let start = files.bytes(of: block..<block + 1).lowerBound
    return state.rests.first {
      $0.value.contains(start)
        && (start - $0.value.lowerBound <= Self.farthest || !facts.hasRanges)
    }?.key
  }

  /// Farther behind a fetch than this, another one is begun.
  static let farthest: Int64 = 1 << 20

  /// Begins to fetch bytes, of which the first is not there.
  ///
  /// - Parameters:
  ///   - bytes: What is needed; of a server that sends no parts, all is fetched.
  ///   - isAwaited: Whether the caller waits for the fetch (`State.noteWait`).
  /// - Returns: The fetch; nil where the byte has come meanwhile.
  /// - Throws: `Failure`
  func begin(_ bytes: Range<Int64>, isAwaited: Bool = false) throws(Failure) -> Int? {
    let blocks = files.blocks(of: bytes)
    // Other processes, or earlier runs, may have brought it.
    if refresh(bytes) > bytes.lowerBound { return nil }
    if cache.options.isOffline {
      throw Failure(
        .mendJob,
        "not all of it is in the cache, and --offline refuses to fetch the rest; "
          + "run once without it", location: .remote(url), code: .networkOffline)
    }
    let fetch = state.withLock { state -> (id: Int, range: Range<Int64>)? in
      guard !state.present.contains(blocks.lowerBound),
        self.fetch(bringing: blocks.lowerBound, state) == nil
      else { return nil }
      var range = files.bytes(of: blocks)
      if !facts.hasRanges {
        let first = state.present.end(from: 0, limit: blocks.lowerBound)
        range = files.bytes(of: first..<files.blockCount)
      }
      let start = range.lowerBound
      // What was to bring these bytes later leaves them, and what follows, to this one.
      for (id, rest) in state.rests where rest.contains(start) {
        state.rests[id] = rest.lowerBound..<start
        range = start..<max(range.upperBound, rest.upperBound)
      }
      // What begins behind them, another one brings.
      let rests = state.rests.values.filter { !$0.isEmpty && $0.lowerBound > start }
      let end = rests.map(\.lowerBound).min() ?? range.upperBound
      range = start..<min(range.upperBound, end)
      state.nextFetch += 1
      state.rests[state.nextFetch] = range
      if isAwaited { state.noteWait(for: state.nextFetch, insteadOf: nil) }
      return (state.nextFetch, range)
    }
    guard let fetch else { return nil }
    do {
      try cache.fetch(name: "avjob-fetch") { [self] in
        Fetch(fetch.id, of: self, fetch.range).run()
      }
      return fetch.id
    } catch {
      state.withLock { state in
        state.rests[fetch.id] = nil
        if isAwaited { state.noteWait(for: nil, insteadOf: fetch.id) }
      }
      throw .outOfThreads(error, at: .remote(url))
    }
  }

  // MARK: Readers

  /// Has all who wait for bytes look again whether they still should.
  func wakeReaders() { state.withLock { _ in } }

  /// Counts the readers; see `isAbandoned`.
  func noteReader(_ change: Int) {
    state.withLock { state in
      state.readers += change
      state.lastUse = .now
    }
  }
}
