import Diagnosis
import MediaCache
import MediaComposition
import SystemPackage

/// How far a download is.
public struct DownloadProgress: Sendable, Hashable {
  /// Bytes from the medium's start on that are in the cache without a gap.
  public var completedBytes: Int64
  /// Bytes of the whole.
  public var totalBytes: Int64
  /// Bytes that came in each second since the download began; 0 if all were here.
  package var bytesPerSecond: Double

  /// The share that is here: from 0 to 1.
  public var fractionCompleted: Double {
    totalBytes > 0 ? Double(completedBytes) / Double(totalBytes) : 1
  }
}

extension MediaLibrary {
  /// The ranges of a medium's bytes that can be read without a server, in order: of an address, or a
  /// source that is read through the cache, those in the cache; of files and other sources all.
  /// O(n log n) in the ranges.
  ///
  /// Safe from any thread; blocks on the cache. The server is asked if this process has not asked it
  /// before.
  ///
  /// - Throws: `Failure` for a medium that cannot be opened.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  public func loadedRanges(of location: MediaLocation) throws(Failure) -> [Range<Int64>] {
    guard let medium = try MediaNetwork.cachedMedium(of: location) else {
      return [0..<(try SourceFile.size(of: location))]
    }
    medium.readMapOnce()
    return medium.loadedRanges
  }

  /// The ranges of an asset's bytes that can be read without a server, in order.
  ///
  /// - Throws: `Failure` for a medium that cannot be opened.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  public func loadedRanges(of asset: Asset) throws(Failure) -> [Range<Int64>] {
    try loadedRanges(of: asset.location)
  }

  /// Fetches a whole medium into the cache (`AVAssetDownloadTask`), and reports the progress.
  ///
  /// The download begins at once, on a thread of its own, and ends if the sequence is released or the
  /// task that reads it is cancelled. What was fetched stays in the cache, so that another download or
  /// a player continues there. A file is complete at once.
  ///
  /// - Parameter location: A medium.
  /// - Returns: The progress; the last one is that of the whole medium.
  public func download(_ location: MediaLocation) -> Updates<DownloadProgress> {
    let operation = Operation<DownloadProgress, DownloadProgress>(about: location)
    operation.start(name: "avjob-download") { (operation) throws(Failure) in
      try Self.fetch(location, reporting: operation.report)
    }
    return Updates(operation)
  }

  /// Fetches a whole medium as `download(_:)` does, and copies it into a file
  /// (`URLSessionDownloadTask` and the file that it hands out).
  ///
  /// The file is the caller's: nothing removes it to make room, and it is whole or absent. Before they
  /// are copied, all bytes in the cache are compared with the digests of what came from the server,
  /// and fetched once more where they differ; the entry is not removed from the cache meanwhile. A
  /// cancelled download leaves no file, or what was there before.
  ///
  /// - Parameters:
  ///   - location: A medium; of a file a copy is made.
  ///   - path: Where the file will be; missing folders are made.
  ///   - replaced: Which file there is replaced.
  /// - Returns: The progress; the last one comes when the file is in its place.
  public func download(
    _ location: MediaLocation, to path: FilePath,
    replacing replaced: ExportSession.ReplacedFiles = .all
  ) -> Updates<DownloadProgress> {
    let operation = Operation<DownloadProgress, DownloadProgress>(about: location)
    operation.start(name: "avjob-download") { (operation) throws(Failure) in
      try Self.requireOther(path, than: location)
      guard let medium = try MediaNetwork.cachedMedium(of: location) else {
        let progress = try Self.fetch(location, reporting: operation.report)
        let identity = try SourceFile.identify(location)
        try Self.copy(try MediumBytes(location), to: path, replacing: replaced) {
          () throws(Failure) in
          try SourceFile.requireUnchanged(location, identity)
          if !operation.settle() { throw .cancelled(at: location) }
        }
        return progress
      }
      // Nothing removes the entry while it is open.
      let bytes = MediumBytes(medium, at: location)
      for _ in 0..<Self.mostChecks {
        let progress = try Self.fetch(medium, reporting: operation.report)
        guard try medium.verify() else { continue }
        try Self.copy(bytes, to: path, replacing: replaced) { () throws(Failure) in
          if !operation.settle() { throw .cancelled(at: location) }
        }
        return progress
      }
      throw Failure(
        .mendMachine, "the cache's disk does not keep what is written to it; check the disk",
        location: location)
    }
    return Updates(operation)
  }

  /// How often a medium is fetched whose bytes are not those that came.
  private static let mostChecks = 3
  /// Bytes that are copied at once.
  private static let copiedBytes = 1 << 20

  /// Refuses to write to a medium itself.
  private static func requireOther(
    _ path: FilePath, than location: MediaLocation
  ) throws(Failure) {
    guard case .file(let source) = location, let inode = SourceFile.inode(of: source),
      SourceFile.inode(of: path) == inode
    else { return }
    throw Failure(
      .mendJob, "is the source \(source): a source is never written to; choose another path",
      path: path, code: .outputConflict)
  }

  /// Copies a medium into a file.
  ///
  /// - Parameters:
  ///   - source: Its bytes.
  ///   - path: That of the file.
  ///   - replaced: Which file there is replaced.
  ///   - settle: Called when all is written, before the file takes its place.
  /// - Throws: What reading, writing and `settle` do.
  private static func copy(
    _ source: MediumBytes, to path: FilePath, replacing replaced: ExportSession.ReplacedFiles,
    settling settle: () throws(Failure) -> Void
  ) throws(Failure) {
    let size = try source.size()
    let file = try OutputFile.create(at: path)
    while file.size < size {
      let part = try source.bytes(
        at: file.size, count: Int(min(Int64(copiedBytes), size - file.size)))
      guard !part.isEmpty else { throw SourceFile.changedMeanwhile(source.location) }
      try file.put(part, at: file.size)
    }
    try file.flush()
    try settle()
    try file.commit(replacing: replaced)
  }

  private static func fetch(
    _ location: MediaLocation, reporting report: (DownloadProgress) -> Void
  ) throws(Failure) -> DownloadProgress {
    if let medium = try MediaNetwork.cachedMedium(of: location) {
      return try fetch(medium, reporting: report)
    }
    let size = try SourceFile.size(of: location)
    return DownloadProgress(completedBytes: size, totalBytes: size, bytesPerSecond: 0)
  }

  private static func fetch(
    _ medium: CachedMedium, reporting report: (DownloadProgress) -> Void
  ) throws(Failure) -> DownloadProgress {
    var progress = DownloadProgress(
      completedBytes: 0, totalBytes: medium.size, bytesPerSecond: 0)
    // Counted as a reader, so that the fetches are not given up.
    return try withExtendedLifetime(CachedReader(medium)) { () throws(Failure) in
      let (start, before) = (ContinuousClock.now, medium.receivedBytes)
      while progress.completedBytes < medium.size {
        progress.completedBytes = try medium.prefetch(allFrom: progress.completedBytes)
        let seconds = start.duration(to: .now) / .seconds(1)
        progress.bytesPerSecond =
          seconds > 0 ? Double(medium.receivedBytes - before) / seconds : 0
        // The last one is that of the whole.
        if progress.completedBytes < medium.size { report(progress) }
      }
      return progress
    }
  }
}
