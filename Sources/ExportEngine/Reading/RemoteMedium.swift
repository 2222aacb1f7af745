import Diagnosis
import MediaCache
import MediaComposition

/// A medium of a server that this process reads, as players look at it: which of its bytes are
/// here, and which are needed next.
///
/// Safe from any thread. No call waits for a server; the first one reads the cache's map. Nothing
/// removes its bytes from the cache while this value lives.
package struct RemoteMedium: Sendable {
  /// The state of bytes that will soon be read.
  package typealias Readiness = CachedMedium.Readiness

  private let medium: CachedMedium

  /// The medium at an address; nil if this process does not have it open.
  package init?(at url: MediaURL) {
    guard let medium = MediaNetwork.openMedium(at: url) else { return nil }
    medium.readMapOnce()
    self.medium = medium
  }

  /// The ranges of bytes that the cache's folder has of an address that this process does not have
  /// open, in order; none if they cannot be read. No server is asked. O(n log n) in the blocks.
  package static func loadedRanges(inCacheOf url: MediaURL) -> [Range<Int64>] {
    (try? MediaNetwork.cache())?.kept(of: url)?.ranges ?? []
  }

  /// A number for the last opening of an address in this process, which another opening changes; nil where
  /// there was none yet.
  package static func lastOpening(at url: MediaURL) -> Int64? {
    (try? MediaNetwork.cache())?.lastOpening(at: url)
  }

  /// The ranges of bytes that are here, in order. O(n log n) in the blocks.
  package var loadedRanges: [Range<Int64>] { medium.loadedRanges }

  /// The byte that the only reader has read last; nil if there are several, or none.
  package var readOffset: Int64? { medium.readOffset }

  /// Fetches what is missing of some ranges, and gives up what an earlier call fetches for none of
  /// them.
  ///
  /// - Parameters:
  ///   - ranges: Bytes, in the order of their use; none: only what was begun is given up.
  ///   - isAwaited: Whether the caller waits for all of them. Otherwise less than half of a range may
  ///     be left to a later call, and counts as under way.
  /// - Returns: The state of the first range that is not here.
  @discardableResult
  package func prefetch(_ ranges: [Range<Int64>], isAwaited: Bool = false) -> Readiness {
    medium.prefetch(ranges, isAwaited: isAwaited)
  }
}

/// A medium of a server that will be read: it is open, and fetches of it go on, while this object
/// lives. One thread.
package final class RemoteReader {
  private let reader: CachedReader

  /// Opens the medium at an address.
  ///
  /// - Throws: `Failure` where its server does not give it, or the wait for it is given up.
  package init(of url: MediaURL) throws(Failure) {
    reader = CachedReader(try MediaNetwork.medium(at: url))
  }
}

extension MediaNetwork {
  /// Runs `body`. While a read in it waits for bytes of a server, `keepsWaiting` is called on this
  /// thread, about every 20 ms and without any lock; false ends the wait, and the read throws.
  package static func watchingWaits<Result>(
    by keepsWaiting: @escaping () -> Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    try ByteWaiting.watched(by: keepsWaiting, body)
  }
}
