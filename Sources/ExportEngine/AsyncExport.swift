import Diagnosis
import MediaComposition
import SystemPackage
import Threads

extension ExportSession {
  /// The state of an export (`AVAssetExportSession.State`).
  public enum State: Sendable {
    /// At work, with its progress so far.
    case exporting(Progress)
    /// Done: all outputs are whole at their paths. The last state.
    case finished(Report)
  }

  /// Renders, encodes and writes all outputs on a thread of its own; each is whole at its path on
  /// return (`AVAssetExportSession.export(to:as:)`).
  ///
  /// Cancelling the task cancels the export, which removes everything written before this throws.
  ///
  /// - Parameter progress: Called on the export's thread for every block; it should be quick.
  /// - Returns: The written files.
  /// - Throws: `Failure`, or `CancellationError`. No output of the export is then at its path
  ///   unless an older one was.
  @discardableResult
  public func export(
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Report {
    let cancellation = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await onThread { try run(cancellation: cancellation, progress: progress) }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Starts an export and gives its states until it ends
  /// (`AVAssetExportSession.states(updateInterval:)`).
  ///
  /// It starts at once, on a thread of its own, and reports its progress at its first block and
  /// then at each `updateInterval`; zero is every block. A late reader sees the newest state only,
  /// and always the last. Releasing the sequence, or cancelling the task that reads it, cancels the
  /// export and removes the written files; `export(progress:)` waits for that, and this does not.
  /// The sequence throws as `export(progress:)` does.
  public func states(
    updateInterval: Duration = .milliseconds(100)
  ) -> AsyncThrowingStream<State, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let cancellation = CancellationFlag()
      continuation.onTermination = { _ in cancellation.cancel() }
      Task {
        do {
          let report = try await onThread { () throws -> Report in
            var last: ContinuousClock.Instant?
            return try run(cancellation: cancellation) { progress in
              let now = ContinuousClock.now
              if let last, last.duration(to: now) < updateInterval { return }
              last = now
              continuation.yield(.exporting(progress))
            }
          }
          continuation.yield(.finished(report))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
    }
  }
}

extension MediaLibrary {
  /// The facts of a file's stream, probed on a thread of its own (`AVURLAsset` and its `load(_:)`):
  /// FFmpeg's best stream of sound where `streamIndex` is nil.
  ///
  /// - Throws: `Failure` (`mendInput`, `mendMachine`), the same at each call for a file; of a server
  ///   also `mendJob` and `tryAgain`.
  public func loadAsset(at location: MediaLocation, streamIndex: Int? = nil) async throws -> Asset {
    try await onThread { try self.asset(at: location, streamIndex: streamIndex) }
  }

  /// The facts of a local file's stream: `loadAsset(at:streamIndex:)` of its location.
  public func loadAsset(at path: FilePath, streamIndex: Int? = nil) async throws -> Asset {
    try await loadAsset(at: .file(path), streamIndex: streamIndex)
  }
}

/// Runs `body`, which may block, on a thread outside Swift's cooperative pool.
private func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    do throws(Thread.SpawnError) {
      _ = try Thread.spawn(name: "avjob") {
        continuation.resume(with: Swift.Result { try body() })
      }
    } catch {
      continuation.resume(throwing: Failure(.tryAgain, "\(error)"))
    }
  }
}
