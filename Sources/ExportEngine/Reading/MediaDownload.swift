import Diagnosis
import MediaCache
import MediaComposition
import Threads

/// How far a download is.
public struct DownloadProgress: Sendable, Hashable {
  /// Bytes from the medium's start on that are in the cache without a gap.
  public var completedBytes: Int64
  /// Bytes of the whole.
  public var totalBytes: Int64
  /// Bytes that came in each second since the download began; 0 if all were here.
  public var bytesPerSecond: Double

  /// The share that is here: from 0 to 1.
  public var fractionCompleted: Double {
    totalBytes > 0 ? Double(completedBytes) / Double(totalBytes) : 1
  }
}

extension MediaLibrary {
  /// The ranges of a medium's bytes that can be read without a server, in order: of a file all, of an
  /// address those in the cache. O(n log n) in the ranges.
  ///
  /// Safe from any thread; blocks on the cache. The server is asked if this process has not asked it
  /// before.
  ///
  /// - Throws: `Failure` for a medium that cannot be opened.
  public func loadedRanges(of location: MediaLocation) throws(Failure) -> [Range<Int64>] {
    guard case .remote(let url) = location else { return [0..<(try SourceFile.size(of: location))] }
    let medium = try MediaNetwork.medium(at: url)
    medium.readMapOnce()
    return medium.loadedRanges
  }

  /// The ranges of an asset's bytes that can be read without a server, in order.
  ///
  /// - Throws: `Failure` for a medium that cannot be opened.
  public func loadedRanges(of asset: Asset) throws(Failure) -> [Range<Int64>] {
    try loadedRanges(of: asset.location)
  }

  /// Fetches a whole medium into the cache (`AVAssetDownloadTask`), and reports the progress.
  ///
  /// The download begins at once, on a thread of its own, and ends if the stream is released. What
  /// was fetched stays in the cache, so that another download or a player continues there. A file is
  /// complete at once.
  ///
  /// - Parameter location: A medium.
  /// - Returns: The progress. A slow reader gets the newest value, the last one before the end in any
  ///   case. It throws `Failure`.
  public func download(
    _ location: MediaLocation
  ) -> AsyncThrowingStream<DownloadProgress, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let cancellation = CancellationFlag()
      continuation.onTermination = { _ in cancellation.cancel() }
      do {
        _ = try Thread.spawn(name: "avjob-download", stackSize: 1 << 20) {
          do throws(Failure) {
            try MediaNetwork.watchingWaits {
              !cancellation.isCancelled
            } _: {
              Result { () throws(Failure) in
                try Self.download(location, unless: cancellation) { continuation.yield($0) }
              }
            }.get()
            continuation.finish()
          } catch {
            continuation.finish(throwing: error)
          }
        }
      } catch {
        continuation.finish(
          throwing: Failure(.tryAgain, "no download can begin: \(error)", location: location))
      }
    }
  }

  private static func download(
    _ location: MediaLocation, unless cancellation: CancellationFlag,
    _ report: (DownloadProgress) -> Void
  ) throws(Failure) {
    guard case .remote(let url) = location else {
      let size = try SourceFile.size(of: location)
      return report(DownloadProgress(completedBytes: size, totalBytes: size, bytesPerSecond: 0))
    }
    let medium = try MediaNetwork.medium(at: url)
    // Counted as a reader, so that the fetches are not given up.
    try withExtendedLifetime(CachedReader(medium)) { () throws(Failure) in
      let (start, before) = (ContinuousClock.now, medium.receivedBytes)
      var offset: Int64 = 0
      while offset < medium.size, !cancellation.isCancelled {
        offset = try medium.prefetch(allFrom: offset)
        let seconds = start.duration(to: .now) / .seconds(1)
        report(
          DownloadProgress(
            completedBytes: offset, totalBytes: medium.size,
            bytesPerSecond: seconds > 0 ? Double(medium.receivedBytes - before) / seconds : 0))
      }
    }
  }
}
