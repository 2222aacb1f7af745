import Diagnosis
import MediaComposition
import SystemPackage

/// Reading for tasks: each call does its work on a thread of its own. If the task is cancelled, the
/// call throws a `Failure` with the code `cancelled` at once, whatever server or disk it waits for,
/// and the thread gives up its reads and its requests.
extension MediaLibrary {
  /// The facts of a file's stream, as `asset(at:streamIndex:raw:)` gives them (`AVURLAsset` and its
  /// `load(_:)`): FFmpeg's best stream of sound where `streamIndex` is nil. `raw` is what a file
  /// without a header that is known holds (`AVAudioFile`'s `processingFormat` of bytes read by hand).
  ///
  /// - Throws: `Failure` (`mendInput`, `mendMachine`), the same at each call for a file; of a server
  ///   also `mendJob` and `tryAgain`.
  public func loadAsset(
    at location: MediaLocation, streamIndex: Int? = nil, raw: RawSound? = nil
  ) async throws(Failure) -> Asset {
    try await onThread(about: location) { [self] _ throws(Failure) in
      try asset(at: location, streamIndex: streamIndex, raw: raw)
    }
  }

  /// The facts of a local file's stream: `loadAsset(at:streamIndex:raw:)` of its location.
  public func loadAsset(
    at path: FilePath, streamIndex: Int? = nil, raw: RawSound? = nil
  ) async throws(Failure) -> Asset {
    try await loadAsset(at: .file(path), streamIndex: streamIndex, raw: raw)
  }

  /// The facts of a file as it is now, as the blocking function of this name gives them.
  ///
  /// - Throws: As `loadAsset`.
  package func currentAsset(
    at location: MediaLocation, streamIndex: Int? = nil, raw: RawSound? = nil
  ) async throws(Failure) -> Asset {
    try await onThread(about: location) { [self] _ throws(Failure) in
      try currentAsset(at: location, streamIndex: streamIndex, raw: raw)
    }
  }

  /// Oddities of a file that can be read all the same.
  ///
  /// - Throws: The code `cancelled` alone: what cannot be read has none.
  package func warnings(
    for location: MediaLocation, streamIndex: Int? = nil, raw: RawSound? = nil
  ) async throws(Failure) -> [Warning] {
    try await onThread(about: location) { [self] _ throws(Failure) in
      warnings(for: location, streamIndex: streamIndex, raw: raw)
    }
  }

  /// Checks the facts of an asset that an earlier run gave, as the blocking function of this name.
  ///
  /// - Throws: `tryAgain` where they are wrong, and as `loadAsset`.
  package func confirm(_ asset: Asset) async throws(Failure) {
    try await onThread(about: asset.location) { [self] _ throws(Failure) in try confirm(asset) }
  }

  /// The streams of a file in its order, as the blocking function of this name gives them
  /// (`AVAsset.load(.tracks)`).
  ///
  /// - Throws: `Failure` (`mendInput`, `mendMachine`) where the header cannot be read.
  public func streams(at location: MediaLocation) async throws(Failure) -> [MediaStream] {
    try await onThread(about: location) { [self] _ throws(Failure) in try streams(at: location) }
  }

  /// The ranges of a medium's bytes that can be read without a server, in order, as the blocking
  /// function of this name gives them.
  ///
  /// - Throws: `Failure` for a medium that cannot be opened.
  public func loadedRanges(
    of location: MediaLocation
  ) async throws(Failure) -> [Range<Int64>] {
    try await onThread(about: location) { [self] _ throws(Failure) in
      try loadedRanges(of: location)
    }
  }

  /// The ranges of an asset's bytes that can be read without a server, in order.
  ///
  /// - Throws: `Failure` for a medium that cannot be opened.
  public func loadedRanges(of asset: Asset) async throws(Failure) -> [Range<Int64>] {
    try await loadedRanges(of: asset.location)
  }
}

extension MediaNetwork {
  /// All bytes of a text of a server, as the blocking function of this name gives them.
  ///
  /// - Returns: The bytes; nil where there are more than `limit`.
  /// - Throws: `Failure`; the code `cancelled` at once where the task is cancelled.
  package static func contents(
    of url: MediaURL, limit: Int
  ) async throws(Failure) -> [UInt8]? {
    try await onThread(about: .remote(url)) { _ throws(Failure) in
      try contents(of: url, limit: limit)
    }
  }

  /// Removes all media of the cache that no process uses, as `avjob cache clear` does
  /// (`URLCache.removeAllCachedResponses()`). What this process has open is in use; what it fetches is
  /// waited for, a second at most.
  ///
  /// - Returns: How many media were removed, and their bytes on the disk.
  /// - Throws: `Failure` where the cache's folder cannot be used, or with the code `cancelled`.
  /// - Complexity: O(n log n) in the media
  @discardableResult
  public static func clearCache() async throws(Failure) -> (media: Int, bytes: Int64) {
    try await onThread { _ throws(Failure) in try clearCache() }
  }

  /// Waits a second at most for bytes that are on their way, as the blocking function of this name.
  package static func settle() async {
    do throws(Failure) {
      try await onThread { _ throws(Failure) in settle() }
    } catch {
      // A cancelled task waits no longer.
    }
  }
}
