import Diagnosis
import ExportEngine
import MediaComposition
import SystemPackage
import Threads

/// Items that are made in tasks: files and servers are waited for on threads of their own, and a task
/// that is cancelled goes on at once.
extension PlayerItem {
  /// A medium as it is (`AVPlayerItem.init(url:)`).
  ///
  /// - Parameters:
  ///   - location: A file or an address.
  ///   - library: Probes the medium and opens it.
  /// - Throws: `Failure`, as probing the medium; `CancellationError`.
  public convenience init(
    contentsOf location: MediaLocation, library: MediaLibrary = MediaLibrary()
  ) async throws {
    let session = try await onThread { () throws(Failure) in
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
  ) async throws {
    try await self.init(contentsOf: .file(path), library: library)
  }

  /// The largest magnitude of each of several equal parts of the item, 1 being full scale: a waveform.
  /// The item is rendered once, in a player's memory.
  ///
  /// - Parameter count: The number of the parts, more than 0; an item of fewer frames has fewer.
  /// - Throws: `Failure` of a medium; `CancellationError`, at once.
  /// - Complexity: O(frames)
  public func waveform(count: Int) async throws -> [Float] {
    let cancellation = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await onThread { () throws(Failure) in
        var peaks: [Float] = []
        try self.findPeaks(columns: count, cancellation: cancellation) { peaks.append($1) }
        return peaks
      }
    } onCancel: {
      cancellation.cancel()
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
  ) async throws {
    try self.init(try await PlayerItem(contentsOf: location, library: library), opening: opener)
  }

  /// A player of one local file.
  public convenience init(
    contentsOf path: FilePath, library: MediaLibrary = MediaLibrary(),
    opening opener: SinkOpener? = nil
  ) async throws {
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

/// Runs `body`, which may block, on a thread of its own. A task that is cancelled goes on at once; the
/// thread stops to wait for servers then, and what it finds is dropped.
private func onThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws -> Value {
  let delivery = Delivery<Value>()
  let cancellation = CancellationFlag()
  do throws(Thread.SpawnError) {
    _ = try Thread.spawn(name: "avjob-item") {
      let result = MediaNetwork.watchingWaits {
        !cancellation.isCancelled
      } _: {
        Result { () throws(Failure) in try body() }
      }
      delivery.deliver(result.mapError { $0 })
    }
  } catch {
    throw Failure(.tryAgain, "\(error)")
  }
  return try await withTaskCancellationHandler {
    try await delivery.value()
  } onCancel: {
    cancellation.cancel()
  }
}
