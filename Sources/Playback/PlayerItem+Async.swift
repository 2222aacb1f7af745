import Diagnosis
import ExportEngine
import MediaComposition
import SystemPackage

/// Items that are made in tasks: files and servers are waited for on threads of their own, and a task
/// that is cancelled goes on at once.
extension PlayerItem {
  /// A medium as it is (`AVPlayerItem.init(url:)`).
  ///
  /// - Parameters:
  ///   - location: A file or an address.
  ///   - library: Probes the medium and opens it.
  /// - Throws: As probing the medium; the code `cancelled` where the task is cancelled.
  public convenience init(
    contentsOf location: MediaLocation, library: MediaLibrary = MediaLibrary()
  ) async throws(Failure) {
    let session = try await onThread(about: location) { _ throws(Failure) in
      let export = try Self.export(ofMediaAt: location, library: library)
      let session = ExportSession(export, library: library)
      // Compiled here, and remembered by the session.
      _ = try session.graph()
      return session
    }
    try self.init(session, output: 0, of: location)
  }

  /// A local file as it is, as `init(contentsOf:library:)` of its location.
  public convenience init(
    contentsOf path: FilePath, library: MediaLibrary = MediaLibrary()
  ) async throws(Failure) {
    try await self.init(contentsOf: .file(path), library: library)
  }

  /// The largest magnitude of each of several equal parts of the item, 1 being full scale: a waveform.
  /// The item is rendered once, in a player's memory.
  ///
  /// - Parameter count: The number of the parts, more than 0; an item of fewer frames has fewer.
  /// - Returns: As many magnitudes, in order of time.
  /// - Throws: The failure of a medium; the code `cancelled`, at once.
  /// - Complexity: O(frames)
  public func waveform(count: Int) async throws(Failure) -> [Float] {
    try await onThread(about: location) { [self] operation throws(Failure) in
      var peaks: [Float] = []
      try findPeaks(columns: count, cancellation: operation.cancellation) { peaks.append($1) }
      return peaks
    }
  }
}

extension Player {
  /// A player of one medium (`AVPlayer.init(url:)`, `AVAudioPlayer.init(contentsOf:)`).
  ///
  /// - Parameters:
  ///   - location: A file or an address.
  ///   - library: Probes the medium and opens it.
  ///   - opener: As for `init(_:opening:)`.
  /// - Throws: As the item's, and as `init(_:opening:)`.
  public convenience init(
    contentsOf location: MediaLocation, library: MediaLibrary = MediaLibrary(),
    opening opener: SinkOpener? = nil
  ) async throws(Failure) {
    try self.init(try await PlayerItem(contentsOf: location, library: library), opening: opener)
  }

  /// A player of one local file.
  public convenience init(
    contentsOf path: FilePath, library: MediaLibrary = MediaLibrary(),
    opening opener: SinkOpener? = nil
  ) async throws(Failure) {
    try await self.init(contentsOf: .file(path), library: library, opening: opener)
  }

  /// A player of one medium: `init(contentsOf:library:opening:)` of a program without tasks. Blocks on
  /// the file or the server.
  @available(*, noasync, message: "it blocks; 'await' the initializer of the same name")
  public convenience init(
    contentsOf location: MediaLocation, library: MediaLibrary = MediaLibrary(),
    opening opener: SinkOpener? = nil
  ) throws(Failure) {
    try self.init(PlayerItem(probing: location, library), opening: opener)
  }

  /// A player of one local file: `init(contentsOf:library:opening:)` of a program without tasks. Blocks on
  /// the file.
  @available(*, noasync, message: "it blocks; 'await' the initializer of the same name")
  public convenience init(
    contentsOf path: FilePath, library: MediaLibrary = MediaLibrary(),
    opening opener: SinkOpener? = nil
  ) throws(Failure) {
    try self.init(PlayerItem(probing: .file(path), library), opening: opener)
  }
}
