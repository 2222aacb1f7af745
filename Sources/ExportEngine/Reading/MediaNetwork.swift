import Diagnosis
import Glibc
import HTTP
import LibAV
import MediaCache
import MediaComposition
import Synchronization
import SystemPackage

/// How this process reads media of servers: whether, from which, and where it keeps what it has read.
///
/// One for the process, as its connections and its cache are. Safe from any thread.
public enum MediaNetwork {
  /// What may be fetched, and where it is kept.
  public struct Options: Sendable, Hashable, Codable {
    /// Whether no server is asked: media come from the cache alone.
    public var isOffline = false
    /// The hosts that may be asked, as `host`, `host:port`, `*.example.org` or `*`; with none, all that
    /// have a public address. Others must be named exactly.
    public var allowedHosts: [String] = []
    /// Whether servers are asked only where `allowedHosts` has some: for jobs of strangers.
    package var mustNameHosts = false
    /// Where media are kept; nil where the environment names no folder for that.
    public var cacheFolder: MediaLocation?
    /// Bytes on the disk from which on the cache removes what was not used for longest.
    public var cacheSize: Int64 = MediaCache.Options.defaultLimit
    /// A server that has been asked since, in milliseconds since 1970, is not asked again.
    var start = MediaCache.now
    /// Names the run, for all its processes.
    var runID = MediaCache.Options.newRunID

    /// The options that the environment sets.
    ///
    /// The folder is `AVJOB_CACHE`, else `avjob/media` in `XDG_CACHE_HOME`, else in `~/.cache`.
    ///
    /// - Parameter variable: The value of a variable of the environment.
    public init(
      environment variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) {
      func folder(_ name: String, _ rest: String) -> MediaLocation? {
        guard let value = variable(name), FilePath(value).isAbsolute else { return nil }
        return .file(FilePath(value).appending(rest))
      }
      cacheFolder =
        variable("AVJOB_CACHE").flatMap { $0.isEmpty ? nil : .file(FilePath($0)) }
        ?? folder("XDG_CACHE_HOME", "avjob/media") ?? folder("HOME", ".cache/avjob/media")
    }
  }

  private struct State {
    var options: Options?
    var policy: AddressPolicy?
    var cache: MediaCache?
    var isCancelled = false
  }

  private static let state = Mutex(State())
  /// The program's own sources that the cache reads.
  static let sources = SourceTable()

  /// Sets the options; those of the environment count until then.
  ///
  /// To be called before any medium of a server is opened: those that are open stay as they are.
  ///
  /// - Throws: `Failure` for a host that is none.
  public static func configure(_ options: Options) throws(Failure) {
    let policy = try policy(of: options)
    state.withLock { $0 = State(options: options, policy: policy, cache: nil) }
  }

  /// Refuses all media of servers, also those in the cache.
  package static func forbid() {
    var options = Options()
    (options.isOffline, options.mustNameHosts, options.allowedHosts) = (true, true, [])
    state.withLock { $0 = State(options: options, policy: AddressPolicy(), cache: nil) }
  }

  /// The options that count.
  public static var options: Options { state.withLock { $0.options } ?? Options() }

  /// Ends all requests, also later ones, until `configure` is called: reads that wait for bytes fail as
  /// cancelled.
  public static func cancel() {
    let cache = state.withLock { state in
      state.isCancelled = true
      return state.cache
    }
    cache?.cancel()
  }

  /// Whether `cancel()` was called, and `configure(_:)` was not since.
  static var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Waits a second at most for bytes that are on their way: they would be fetched again.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  package static func settle() { state.withLock { $0.cache }?.settle(within: .seconds(1)) }

  /// Removes all media of the cache that no process uses, as `avjob cache clear` does
  /// (`URLCache.removeAllCachedResponses()`). What this process has open is in use; what it fetches is
  /// waited for, a second at most.
  ///
  /// - Returns: How many media were removed, and their bytes on the disk.
  /// - Throws: `Failure` where the cache's folder cannot be used.
  /// - Complexity: O(n log n) in the media
  @discardableResult
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  public static func clearCache() throws(Failure) -> (media: Int, bytes: Int64) {
    let removed = try cache().clear()
    return (removed.entries, removed.bytes)
  }

  /// What comes over the network.
  public struct Transfer: Sendable, Hashable {
    /// Bytes that this process has received.
    public var receivedBytes: Int64
    /// Bytes that servers have been asked for, and that have not come yet.
    public var remainingBytes: Int64

    /// A transfer.
    package init(receivedBytes: Int64, remainingBytes: Int64) {
      (self.receivedBytes, self.remainingBytes) = (receivedBytes, remainingBytes)
    }
  }

  /// What comes over the network now.
  public static var transfer: Transfer {
    let cache = state.withLock { $0.cache }
    return Transfer(
      receivedBytes: cache?.receivedBytes ?? 0, remainingBytes: cache?.remainingBytes ?? 0)
  }

  /// The cache, made at first use.
  ///
  /// - Throws: `Failure`
  package static func cache() throws(Failure) -> MediaCache {
    if let known = state.withLock({ $0.cache }) { return known }
    let options = options
    guard let folder = options.cacheFolder?.file else {
      throw Failure(
        .mendMachine, "no folder for media of servers is set; set AVJOB_CACHE")
    }
    var settings = MediaCache.Options(folder: folder)
    settings.limit = options.cacheSize
    settings.isOffline = options.isOffline
    settings.freshSince = options.start
    settings.runID = options.runID
    // A stranger's job gets nothing that its server would refuse it now.
    settings.trustsMaxAge = !options.mustNameHosts
    let made = MediaCache(
      settings, transport: SourceTransport(HTTPClient(policy: try policy()), sources))
    return state.withLock { state in
      let cache = state.cache ?? made
      state.cache = cache
      return cache
    }
  }

  /// Checks the form of hosts.
  ///
  /// - Throws: `Failure` for one that is none.
  package static func check(allowedHosts: [String]) throws(Failure) {
    var options = Options(environment: { _ in nil })
    options.allowedHosts = allowedHosts
    _ = try policy(of: options)
  }

  private static func policy() throws(Failure) -> AddressPolicy {
    if let known = state.withLock({ $0.policy }) { return known }
    return try policy(of: options)
  }

  private static func policy(of options: Options) throws(Failure) -> AddressPolicy {
    var patterns: [HostPattern] = []
    for text in options.allowedHosts {
      do throws(HostPatternError) {
        patterns.append(try HostPattern(text))
      } catch {
        throw Failure(.mendJob, "--allow-host \(shown(text)): \(error.fault); \(error.remedy)")
      }
    }
    return AddressPolicy(allowedHosts: patterns, trustsNames: !options.mustNameHosts)
  }

  /// What was written for a host, without user, password and query.
  private static func shown(_ text: String) -> String {
    guard MediaURL.scheme(of: text) == nil else { return MediaURL.shown(text) }
    let scalars = text.unicodeScalars
    return scalars.lastIndex(of: "@").map { String(scalars[$0...].dropFirst()) } ?? text
  }

  /// The medium at an address.
  ///
  /// - Throws: `Failure`
  static func medium(at url: MediaURL) throws(Failure) -> CachedMedium {
    try allow(url)
    return try nonEmpty(cache().medium(at: url), url)
  }

  private static func nonEmpty(
    _ medium: CachedMedium, _ url: MediaURL
  ) throws(Failure) -> CachedMedium {
    guard medium.size > 0 else {
      throw Failure(.mendInput, "is empty (0 bytes)", location: .remote(url), code: .mediaEmpty)
    }
    return medium
  }

  /// Checks that the options allow to ask the server.
  ///
  /// - Throws: `Failure`
  private static func allow(_ url: MediaURL) throws(Failure) {
    // No server has this name: it stands for a source, which is asked for as such.
    if url.host == SourceTable.host, sources.source(at: url) != nil { return }
    let options = options
    guard !options.mustNameHosts || !options.allowedHosts.isEmpty else {
      throw Failure(
        .mendJob, "below --root no server is asked that is not named; add --allow-host \(url.host)",
        location: .remote(url), code: .networkNotAllowed)
    }
    // What is in the cache is held to the list, too.
    let policy = try policy()
    do { try policy.check(url) } catch { throw Failure(error, of: url) }
  }

  /// All bytes of a text of a server, which are kept as media are.
  ///
  /// - Parameters:
  ///   - url: Its address.
  ///   - limit: Longer ones are not fetched.
  /// - Returns: The bytes; nil where there are more than `limit`.
  /// - Throws: `Failure`
  /// - Complexity: O(n)
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  package static func contents(of url: MediaURL, limit: Int) throws(Failure) -> [UInt8]? {
    try allow(url)
    guard let medium = try cache().medium(at: url, limit: Int64(limit)) else { return nil }
    let bytes = MediumBytes(try nonEmpty(medium, url), at: .remote(url))
    return try bytes.bytes(at: 0, count: Int(medium.size))
  }

  /// The medium at an address, if this process has it open; no server is asked.
  static func openMedium(at url: MediaURL) -> CachedMedium? {
    state.withLock { $0.cache }?.openMedium(at: url)
  }

  /// What distinguishes the medium at an address from others, in the form of a file's. Servers give
  /// several media the same ETag or Last-Modified, so the address is a part of it.
  ///
  /// - Throws: `Failure`
  static func identity(of url: MediaURL) throws(Failure) -> FileIdentity {
    let medium = try medium(at: url)
    return try identity(
      of: Array("\(medium.identity)\n".utf8) + MediaLocation.remote(url).bytes, size: medium.size,
      on: FileIdentity.remoteDevice, location: .remote(url))
  }

  /// An identity that another content has not, by the digest of what is said of it.
  static func identity(
    of content: [UInt8], size: Int64, on device: UInt64, location: MediaLocation
  ) throws(Failure) -> FileIdentity {
    do {
      let digest = try content.withUnsafeBytes { try SHA256.digest($0) }
      func number(_ start: Int) -> UInt64 {
        digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
      }
      return FileIdentity(
        device: device, inode: number(0), size: size,
        modificationTime: Int64(truncatingIfNeeded: number(8)))
    } catch {
      throw Failure(.mendMachine, "\(error)", location: location)
    }
  }
}

extension FileIdentity {
  /// The device of media that are on no disk; Linux gives no device this number.
  fileprivate static let remoteDevice: UInt64 = .max
}
