import ExportEngine
import Files
import MediaComposition
import SystemPackage

/// Which sources of a watch are whole: nothing about a file has changed for some time, and no process
/// has it open for writing, as far as that can be known. Of one thread.
package struct SourceStillness {
  /// How long a file must be still.
  package static let needed = Duration.milliseconds(1500)

  /// Files as they were seen first so.
  private var seen: [FilePath: (identity: FileIdentity, since: ContinuousClock.Instant)] = [:]
  /// Files that were found to be whole.
  private var whole: [FilePath: FileIdentity] = [:]
  /// Whether files that were changed long ago, by the clock, are whole at once.
  private let believesClock: Bool
  private let status: (FilePath) -> FileStatus?
  private let hasWriter: (FilePath) -> Bool?

  /// Nothing seen yet.
  ///
  /// - Parameters:
  ///   - believesClock: Whether a file that was changed long ago by the machine's clock need not be
  ///     looked at twice.
  ///   - status: What is at a path.
  ///   - hasWriter: Whether a process writes to it; nil: that is unknown.
  package init(
    believingClock believesClock: Bool = true,
    status: @escaping (FilePath) -> FileStatus? = { try? FileStatus(at: $0) },
    hasWriter: @escaping (FilePath) -> Bool? = FileWriters.has
  ) {
    (self.believesClock, self.status, self.hasWriter) = (believesClock, status, hasWriter)
  }

  /// Looks at a file.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - now: By a clock that nobody sets.
  ///   - time: By the machine's clock, since 1970.
  /// - Returns: The file's identity if it is whole now; nil if it may still change, or is not there.
  package mutating func wholeFile(
    at path: FilePath, _ now: ContinuousClock.Instant, time: Duration
  ) -> FileIdentity? {
    guard let status = status(path) else {
      seen[path] = nil
      return nil
    }
    let identity = FileIdentity(status)
    if whole[path] == identity { return identity }
    let isOld = believesClock && time - status.modificationTime >= Self.needed
    if seen[path]?.identity != identity { seen[path] = (identity, now) }
    guard let since = seen[path]?.since, isOld || since.duration(to: now) >= Self.needed,
      hasWriter(path) != true
    else { return nil }
    (seen[path], whole[path]) = (nil, identity)
    return identity
  }
}
