import Diagnosis
import Glibc
import HTTP
import LibAV
import Synchronization
import SystemPackage
import Threads

/// Media of servers, kept on this machine by ranges: each byte is fetched once, for all processes
/// and all runs. An *entity* is the file that a server has at an address now (RFC 9110). An *entry*
/// is the folder of an address in the cache: it has the entity in *blocks* of 16 KiB, and a *map*
/// with a *record* for each block, the digest of what was written.
///
/// Safe from any thread and, on one machine, any process.
package final class MediaCache: Sendable {
  /// How a cache behaves.
  package struct Options: Sendable, Hashable {
    /// Where entries are kept.
    package var folder: FilePath
    /// Bytes on the disk; if there are more, entries that were not used for longest are removed.
    package var limit: Int64 = defaultLimit
    /// Whether nothing is fetched and no server asked.
    package var isOffline = false
    /// Milliseconds since 1970: a server that has confirmed an entity since then is not asked
    /// again. That is the start of the run, which may have several processes.
    package var freshSince = MediaCache.now
    /// Whether a server is also not asked for as long as its last answer said that it is fresh
    /// (`max-age`).
    package var trustsMaxAge = true
    /// The name of the run. Its processes have the same passwords, so where servers are asked in
    /// spite of `max-age`, what they confirmed to another run does not count.
    package var runID = newRunID
    /// How long a process that fetches may stand still before others fetch the same bytes.
    package var patience: Duration = .seconds(10)
    /// The start of the machine: blocks that were written before are compared with their digests.
    package var boot = ProcessIdentity.current.boot
    /// Pauses between attempts of a request.
    package var pauses: [Duration] = Retries.usual

    /// A name that no run of another process has.
    package static var newRunID: String { ProcessIdentity.current.text }
    /// The limit without an option: 8 GiB.
    package static let defaultLimit: Int64 = 8 << 30

    /// The usual behaviour, with entries in this folder.
    package init(folder: FilePath) { self.folder = folder }
  }

  /// How this cache behaves.
  package let options: Options
  let transport: any HTTPTransport
  private let cancelled = Atomic<Bool>(false)
  private let received = Atomic<Int64>(0)
  /// Of all caches of the process: another one must not repeat a number of the one before.
  private static let openings = Atomic<Int64>(0)
  /// Bytes received when the folder's size was last looked at; nil before the first fetch has ended.
  private let measured = Mutex<Int64?>(nil)
  private let folder = Mutex<CacheFolder?>(nil)
  /// The threads that bring bytes: each has an entry in use until it has ended.
  private let fetching = Mutex<[Thread]>([])
  /// The media of this process, by their keys.
  private let media = Monitor<[String: KnownMedium]>([:])

  /// What this process has of an address.
  private enum KnownMedium {
    case opening
    case open(Weak)
    /// A medium that may not be kept (RFC 9111, 5.2.2.5). It stays for the life of the process,
    /// which could not find it again.
    case unkept(CachedMedium, opening: Int64)

    var medium: CachedMedium? {
      switch self {
      case .opening: nil
      case .open(let weak): weak.medium
      case .unkept(let medium, _): medium
      }
    }

    /// Which opening of this process was its last one.
    var opening: Int64? {
      switch self {
      case .opening: nil
      case .open(let weak): weak.opening
      case .unkept(_, let opening): opening
      }
    }

    /// The medium is kept no longer than anything reads it.
    mutating func release() {
      if case .unkept(let medium, let opening) = self {
        self = .open(Weak(medium: medium, opening: opening))
      }
    }

    /// The medium, unless its bytes cannot be had any more.
    var usable: CachedMedium? {
      medium.flatMap { $0.isOver.load(ordering: .acquiring) ? nil : $0 }
    }
  }

  private struct Weak {
    weak var medium: CachedMedium?
    /// Which opening of this process it is of.
    let opening: Int64
  }

  /// A cache; its folder is made when it is first needed.
  package init(_ options: Options, transport: any HTTPTransport) {
    (self.options, self.transport) = (options, transport)
  }

  /// The system's time, in milliseconds since 1970.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Ends all requests; readers that wait for bytes fail at once.
  package func cancel() {
    cancelled.store(true, ordering: .releasing)
    for medium in openMedia { medium.wakeReaders() }
  }

  /// Whether `cancel` was called: no server is asked any more.
  package var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Bytes that this process has received, of all media.
  package var receivedBytes: Int64 { received.load(ordering: .relaxed) }

  /// The folder, checked once, and made where there is none, or none any more.
  ///
  /// - Throws: `Failure`
  func openFolder() throws(Failure) -> CacheFolder {
    try folder.withLock { known throws(Failure) in
      if let known, !known.isRemoved { return known }
      CacheFolder.make(options.folder)
      let opened = try CacheFolder(options.folder)
      known = opened
      return opened
    }
  }

  /// The folder, checked; nil where there is none.
  ///
  /// - Throws: `Failure`
  func existingFolder() throws(Failure) -> CacheFolder? {
    guard CacheFolder.exists(options.folder) else { return nil }
    return try CacheFolder(options.folder)
  }

  /// Bytes that are on their way, of all media. O(media)
  package var remainingBytes: Int64 {
    openMedia.reduce(0) { $0 + $1.remainingBytes }
  }

  /// Waits, no longer than `time`, for bytes that are on their way, since the next run would have
  /// to fetch them again.
  package func settle(within time: Duration) {
    let end = ContinuousClock.now + time
    while remainingBytes > 0, !isCancelled, .now < end { usleep(2000) }
  }

  /// Runs `body`, which brings bytes, on a thread of its own.
  ///
  /// - Throws: `Thread.SpawnError`
  func fetch(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(Thread.SpawnError) {
    let thread = try Thread.spawn(name: name, stackSize: 1 << 20, body)
    fetching.withLock { threads in
      threads.removeAll { $0.join(until: .now) }
      threads.append(thread)
    }
  }

  /// Waits, no longer than `time`, for threads that bring bytes: one that has brought all still has its
  /// entry in use for a moment.
  func awaitFetches(within time: Duration) {
    let end = ContinuousClock.now + time
    for thread in fetching.withLock({ $0 }) { thread.join(until: end) }
  }

  private var openMedia: [CachedMedium] {
    media.withLock { $0.values.compactMap(\.medium) }
  }

  /// The medium at an address: its server is asked, once for each process or run, whether what is in
  /// the cache is still its file.
  ///
  /// - Throws: `Failure`
  package func medium(at url: MediaURL) throws(Failure) -> CachedMedium {
    if let medium = try medium(at: url, limit: EntryFacts.greatestEntity) { return medium }
    throw Failure(
      .mendInput, "the server says that its file is longer than 4 TiB", location: .remote(url))
  }

  /// The medium at an address, as `medium(at:)` gives it, if it has `limit` bytes at most; nil
  /// where the server's file is longer, of which no more is fetched.
  ///
  /// - Throws: `Failure`
  package func medium(at url: MediaURL, limit: Int64) throws(Failure) -> CachedMedium? {
    guard let medium = try openedMedium(at: url, limit: limit) else { return nil }
    return medium.size <= limit ? medium : nil
  }

  private func openedMedium(at url: MediaURL, limit: Int64) throws(Failure) -> CachedMedium? {
    let key = try reporting { try EntryFolder.key(of: url) }
    let known = try ByteWaiting.wait(for: media, of: url, in: self) { media -> CachedMedium?? in
      if case .opening = media[key] { return nil }
      if let medium = media[key]?.usable { return .some(medium) }
      media[key] = .opening
      return .some(nil)
    }
    if let known { return known }
    do throws(Failure) {
      let medium = try Opening(url, key, limit: limit, in: self).open()
      let opening = Self.openings.wrappingAdd(1, ordering: .relaxed).newValue
      media.withLock {
        $0[key] = medium.map {
          $0.isKept
            ? .open(Weak(medium: $0, opening: opening)) : .unkept($0, opening: opening)
        }
      }
      return medium
    } catch {
      media.withLock { $0[key] = nil }
      throw error
    }
  }

  /// The medium at an address, if this process has it open; no server is asked.
  package func openMedium(at url: MediaURL) -> CachedMedium? {
    guard let key = try? EntryFolder.key(of: url) else { return nil }
    return media.withLock { $0[key]?.usable }
  }

  /// A number that no two openings of media in this process share: of the last one at an address; nil where
  /// there was none, or one is under way. What was read of an address's folder then may have changed since.
  package func lastOpening(at url: MediaURL) -> Int64? {
    guard let key = try? EntryFolder.key(of: url) else { return nil }
    return media.withLock { $0[key]?.opening }
  }

  /// Lets go of a medium that may not be kept, as soon as nobody reads it.
  package func release(at url: MediaURL) {
    guard let key = try? EntryFolder.key(of: url) else { return }
    media.withLock { $0[key]?.release() }
  }

  // MARK: For openings and fetches

  func note(_ bytes: Int) { received.wrappingAdd(Int64(bytes), ordering: .relaxed) }

  /// Waits; false where all was cancelled meanwhile, or `isOver`, which is asked all the time.
  func sleep(_ time: Duration, unless isOver: () -> Bool = { false }) -> Bool {
    let end = ContinuousClock.now + time
    while !isCancelled, !isOver() {
      let rest = ContinuousClock.now.duration(to: end)
      guard rest > .zero else { return true }
      let step = min(rest, .milliseconds(50)).components
      usleep(UInt32(step.attoseconds / 1_000_000_000_000))
    }
    return false
  }

  /// Makes room, now and then.
  func fetchHasEnded() {
    let total = receivedBytes
    let interval = min(Self.measuringInterval, options.limit / 16)
    let isTime = measured.withLock { measured in
      if let last = measured, total - last < interval { return false }
      measured = total
      return true
    }
    guard isTime, let folder = try? openFolder() else { return }
    _ = try? folder.shrink(to: max(0, options.limit - unkeptBytes()))
  }

  /// Bytes on the disk of what may not be kept. Above the limit, media without readers are given up,
  /// those used longest ago first: they are fetched again when they are opened again.
  private func unkeptBytes() -> Int64 {
    let all = media.withLock { media in
      media.compactMap { key, known -> (key: String, medium: CachedMedium)? in
        if case .unkept(let medium, _) = known { (key, medium) } else { nil }
      }
    }
    let now = ContinuousClock.now
    let uses = all.map { $0.medium.state.withLock { $0.lastUse } ?? now }
    let unkept = zip(all, uses).sorted { $0.1 < $1.1 }.map(\.0)
    let sizes = unkept.map(\.medium.files.diskBytes)
    var sum = sizes.reduce(0, +)
    for ((key, medium), size) in zip(unkept, sizes)
    where sum > options.limit && medium.state.withLock({ $0.readers == 0 }) {
      media.withLock { media in
        if media[key]?.medium === medium { media[key]?.release() }
      }
      sum -= size
    }
    return sum
  }

  private static let measuringInterval: Int64 = 64 << 20
}
